// SPDX-License-Identifier: MIT
// Device variables by their addresses in the host code: copies at once, in a stream and as nodes of graphs.
#include <hip/hip_runtime_api.h>

#include "loaded.h"

using hipport::cpu::status;

namespace hipport::emulate {
namespace {

// Return the device's copy of a variable, or null.
char* device_address(const void* host, size_t* size = nullptr) {
  const Symbol* const symbol = registered_variable(host);
  if (symbol == nullptr) return nullptr;
  if (symbol->memory != nullptr) {
    if (size != nullptr) *size = symbol->size;
    return static_cast<char*>(symbol->memory);
  }
  try {
    return static_cast<char*>(symbol->image->object().variable(symbol->name, size));
  } catch (const Fault& fault) {
    stop(symbol->name, fault);
  }
}

// Bytes of a variable that are copied, in one of these directions.
struct Range {
  const void* symbol;
  size_t size, offset;
  hipMemcpyKind kind;
};

// Call `act` with the address of the bytes, or return why they cannot be copied.
template <typename F>
hipError_t with_address(const Range& range, F act) {
  if (!hipport::cpu::is_direction(range.kind)) return status(hipErrorInvalidMemcpyDirection);
  size_t whole = 0;
  char* const variable = device_address(range.symbol, &whole);
  if (variable == nullptr) return status(hipErrorInvalidSymbol);
  if (range.offset > whole || range.size > whole - range.offset) return status(hipErrorInvalidValue);
  return act(variable + range.offset);
}

// Call `act` for a copy that is not of a graph: HIP takes no `hipMemcpyDefault` there.
template <typename F>
hipError_t copied(const Range& range, hipMemcpyKind host, F act) {
  if (!hipport::cpu::is_symbol_direction(range.kind, host)) return status(hipErrorInvalidMemcpyDirection);
  return with_address(range, act);
}

hipError_t copy(void* to, const void* from, size_t size) {
  if (to == nullptr || from == nullptr) return status(hipErrorInvalidValue);
  std::memcpy(to, from, size);
  return hipSuccess;
}

}  // namespace
}  // namespace hipport::emulate

using namespace hipport::emulate;

#define C_NAME(name) asm(#name)

hipError_t emulated_to_symbol(const void* symbol, const void* from, size_t size, size_t offset, hipMemcpyKind kind)
    C_NAME(hipMemcpyToSymbol);
hipError_t emulated_to_symbol(const void* symbol, const void* from, size_t size, size_t offset, hipMemcpyKind kind) {
  return copied({symbol, size, offset, kind}, hipMemcpyHostToDevice, [&](char* to) { return copy(to, from, size); });
}
hipError_t emulated_from_symbol(void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind)
    C_NAME(hipMemcpyFromSymbol);
hipError_t emulated_from_symbol(void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind) {
  return copied({symbol, size, offset, kind}, hipMemcpyDeviceToHost, [&](char* from) { return copy(to, from, size); });
}
hipError_t emulated_to_symbol_async(const void* symbol, const void* from, size_t size, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) C_NAME(hipMemcpyToSymbolAsync);
hipError_t emulated_to_symbol_async(const void* symbol, const void* from, size_t size, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  return copied({symbol, size, offset, kind}, hipMemcpyHostToDevice,
                [&](char* to) { return hipMemcpyAsync(to, from, size, hipMemcpyDefault, stream); });
}
hipError_t emulated_from_symbol_async(void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind,
                                      hipStream_t stream) C_NAME(hipMemcpyFromSymbolAsync);
hipError_t emulated_from_symbol_async(void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind,
                                      hipStream_t stream) {
  return copied({symbol, size, offset, kind}, hipMemcpyDeviceToHost,
                [&](char* from) { return hipMemcpyAsync(to, from, size, hipMemcpyDefault, stream); });
}
hipError_t emulated_symbol_address(void** address, const void* symbol) C_NAME(hipGetSymbolAddress);
hipError_t emulated_symbol_address(void** address, const void* symbol) {
  HIPPORT_NEEDS(address);
  size_t size = 0;
  *address = device_address(symbol, &size);
  hipport::cpu::know_variable(*address, size);
  return status(*address == nullptr ? hipErrorInvalidSymbol : hipSuccess);
}
hipError_t emulated_symbol_size(size_t* size, const void* symbol) C_NAME(hipGetSymbolSize);
hipError_t emulated_symbol_size(size_t* size, const void* symbol) {
  HIPPORT_NEEDS(size);
  return status(device_address(symbol, size) == nullptr ? hipErrorInvalidSymbol : hipSuccess);
}

hipError_t emulated_add_to_symbol(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                  size_t count, const void* symbol, const void* from, size_t size, size_t offset,
                                  hipMemcpyKind kind) C_NAME(hipGraphAddMemcpyNodeToSymbol);
hipError_t emulated_add_to_symbol(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                  size_t count, const void* symbol, const void* from, size_t size, size_t offset,
                                  hipMemcpyKind kind) {
  return with_address({symbol, size, offset, kind}, [&](char* to) {
    return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(to, from, size));
  });
}
hipError_t emulated_add_from_symbol(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                    size_t count, void* to, const void* symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind) C_NAME(hipGraphAddMemcpyNodeFromSymbol);
hipError_t emulated_add_from_symbol(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                    size_t count, void* to, const void* symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind) {
  return with_address({symbol, size, offset, kind}, [&](char* from) {
    return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(to, from, size));
  });
}
hipError_t emulated_set_to_symbol(hipGraphNode_t node, const void* symbol, const void* from, size_t size, size_t offset,
                                  hipMemcpyKind kind) C_NAME(hipGraphMemcpyNodeSetParamsToSymbol);
hipError_t emulated_set_to_symbol(hipGraphNode_t node, const void* symbol, const void* from, size_t size, size_t offset,
                                  hipMemcpyKind kind) {
  return with_address({symbol, size, offset, kind},
                      [&](char* to) { return hipport::cpu::set(node, hipport::cpu::content(to, from, size)); });
}
hipError_t emulated_set_from_symbol(hipGraphNode_t node, void* to, const void* symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind) C_NAME(hipGraphMemcpyNodeSetParamsFromSymbol);
hipError_t emulated_set_from_symbol(hipGraphNode_t node, void* to, const void* symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind) {
  return with_address({symbol, size, offset, kind},
                      [&](char* from) { return hipport::cpu::set(node, hipport::cpu::content(to, from, size)); });
}
hipError_t emulated_exec_to_symbol(hipGraphExec_t executable, hipGraphNode_t node, const void* symbol, const void* from,
                                   size_t size, size_t offset, hipMemcpyKind kind)
    C_NAME(hipGraphExecMemcpyNodeSetParamsToSymbol);
hipError_t emulated_exec_to_symbol(hipGraphExec_t executable, hipGraphNode_t node, const void* symbol, const void* from,
                                   size_t size, size_t offset, hipMemcpyKind kind) {
  return with_address({symbol, size, offset, kind}, [&](char* to) {
    return hipport::cpu::set_in(executable, node, hipport::cpu::content(to, from, size));
  });
}
hipError_t emulated_exec_from_symbol(hipGraphExec_t executable, hipGraphNode_t node, void* to, const void* symbol,
                                     size_t size, size_t offset, hipMemcpyKind kind)
    C_NAME(hipGraphExecMemcpyNodeSetParamsFromSymbol);
hipError_t emulated_exec_from_symbol(hipGraphExec_t executable, hipGraphNode_t node, void* to, const void* symbol,
                                     size_t size, size_t offset, hipMemcpyKind kind) {
  return with_address({symbol, size, offset, kind}, [&](char* from) {
    return hipport::cpu::set_in(executable, node, hipport::cpu::content(to, from, size));
  });
}
