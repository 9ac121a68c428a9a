// SPDX-License-Identifier: MIT
// Stream operations that write values to memory or wait for values.
#pragma once

#include "graph_building.h"

inline constexpr unsigned hipStreamWaitValueGte = 0, hipStreamWaitValueEq = 1, hipStreamWaitValueAnd = 2,
                          hipStreamWaitValueNor = 3;

namespace hipport::cpu {

template <typename T>
bool is_awaited(T value, T wanted, unsigned how) {
  switch (how) {
    case hipStreamWaitValueGte: return static_cast<std::make_signed_t<T>>(value - wanted) >= 0;
    case hipStreamWaitValueEq: return value == wanted;
    case hipStreamWaitValueAnd: return (value & wanted) != 0;
    default: return T(~(value | wanted)) != 0;
  }
}

// Work runs at once: waiting for a value that is not there yet would never end.
template <typename T>
hipError_t wait_for_value(const char* caller, hipStream_t stream, void* address, T wanted, unsigned how, T mask) {
  if (address == nullptr || how > hipStreamWaitValueNor) return status(hipErrorInvalidValue);
  if (capture_of(stream) != nullptr) return status(refuse_in_capture(stream));
  const T value = __atomic_load_n(static_cast<T*>(address), __ATOMIC_ACQUIRE) & mask;
  return is_awaited<T>(value, wanted & mask, how) ? hipSuccess : missing(caller);
}

template <typename T>
hipError_t write_value(hipStream_t stream, void* address, T value) {
  if (address == nullptr) return status(hipErrorInvalidValue);
  if (capture_of(stream) != nullptr) return status(refuse_in_capture(stream));
  __atomic_store_n(static_cast<T*>(address), value, __ATOMIC_RELEASE);
  return hipSuccess;
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipStreamWaitValue32(hipStream_t stream, void* address, uint32_t value, unsigned flags,
                                                uint32_t mask = 0xffffffff) {
  HIPPORT_NEEDS(stream);
  return hipport::cpu::wait_for_value("hipStreamWaitValue32 for a value to come", stream, address, value, flags, mask);
}
HIPPORT_RUNTIME hipError_t hipStreamWaitValue64(hipStream_t stream, void* address, uint64_t value, unsigned flags,
                                                uint64_t mask = ~uint64_t(0)) {
  HIPPORT_NEEDS(stream);
  return hipport::cpu::wait_for_value("hipStreamWaitValue64 for a value to come", stream, address, value, flags, mask);
}
HIPPORT_RUNTIME hipError_t hipStreamWriteValue32(hipStream_t stream, void* address, uint32_t value, unsigned) {
  HIPPORT_NEEDS(stream);
  return hipport::cpu::write_value(stream, address, value);
}
HIPPORT_RUNTIME hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, uint64_t value, unsigned) {
  HIPPORT_NEEDS(stream);
  return hipport::cpu::write_value(stream, address, value);
}

enum hipStreamBatchMemOpType {
  hipStreamMemOpWaitValue32 = 1,
  hipStreamMemOpWriteValue32 = 2,
  hipStreamMemOpFlushRemoteWrites = 3,
  hipStreamMemOpWaitValue64 = 4,
  hipStreamMemOpWriteValue64 = 5,
  hipStreamMemOpBarrier = 6
};
typedef union hipStreamBatchMemOpParams_union {
  hipStreamBatchMemOpType operation;
  struct hipStreamMemOpWaitValueParams_t {
    hipStreamBatchMemOpType operation;
    hipDeviceptr_t address;
    union {
      uint32_t value;
      uint64_t value64;
    };
    unsigned flags;
    hipDeviceptr_t alias;
  } waitValue;
  struct hipStreamMemOpWriteValueParams_t {
    hipStreamBatchMemOpType operation;
    hipDeviceptr_t address;
    union {
      uint32_t value;
      uint64_t value64;
    };
    unsigned flags;
    hipDeviceptr_t alias;
  } writeValue;
  struct hipStreamMemOpFlushRemoteWritesParams_t {
    hipStreamBatchMemOpType operation;
    unsigned flags;
  } flushRemoteWrites;
  struct hipStreamMemOpMemoryBarrierParams_t {
    hipStreamBatchMemOpType operation;
    unsigned flags;
  } memoryBarrier;
  uint64_t pad[6];
} hipStreamBatchMemOpParams;
struct hipBatchMemOpNodeParams {
  hipCtx_t ctx;
  unsigned count;
  hipStreamBatchMemOpParams* paramArray;
  unsigned flags;
};

namespace hipport::cpu {

// Return why an operation is not one that can be done.
HIPPORT_RUNTIME hipError_t problem(const hipStreamBatchMemOpParams& one) {
  switch (one.operation) {
    case hipStreamMemOpWaitValue32:
    case hipStreamMemOpWaitValue64:
    case hipStreamMemOpWriteValue32:
    case hipStreamMemOpWriteValue64: return one.waitValue.address == nullptr ? hipErrorInvalidValue : hipSuccess;
    // ROCm supports neither.
    case hipStreamMemOpFlushRemoteWrites: return missing("hipStreamMemOpFlushRemoteWrites");
    case hipStreamMemOpBarrier: return missing("hipStreamMemOpBarrier");
  }
  return hipErrorInvalidValue;
}

// Perform an operation outside of captures.
HIPPORT_RUNTIME hipError_t perform(const hipStreamBatchMemOpParams& one) {
  switch (one.operation) {
    case hipStreamMemOpWaitValue32:
      return hipStreamWaitValue32(nullptr, one.waitValue.address, one.waitValue.value, one.waitValue.flags);
    case hipStreamMemOpWaitValue64:
      return hipStreamWaitValue64(nullptr, one.waitValue.address, one.waitValue.value64, one.waitValue.flags);
    case hipStreamMemOpWriteValue32:
      return hipStreamWriteValue32(nullptr, one.writeValue.address, one.writeValue.value, one.writeValue.flags);
    default:
      return hipStreamWriteValue64(nullptr, one.writeValue.address, one.writeValue.value64, one.writeValue.flags);
  }
}

inline NodeContent content(const hipBatchMemOpNodeParams& params) {
  constexpr unsigned most = 256;
  const hipStreamBatchMemOpParams* const first = params.paramArray;
  if (params.count == 0 || params.count > most || first == nullptr || params.flags != 0)
    return {hipGraphNodeTypeBatchMemOp, {}, {}, {}, hipErrorInvalidValue};
  for (unsigned i = 0; i < params.count; ++i)
    if (const hipError_t error = problem(first[i]); error != hipSuccess)
      return {hipGraphNodeTypeBatchMemOp, {}, {}, {}, error};
  const auto all = std::make_shared<std::vector<hipStreamBatchMemOpParams>>(first, first + params.count);
  hipBatchMemOpNodeParams kept = params;
  kept.paramArray = all->data();
  const auto work = [all] {
    for (const hipStreamBatchMemOpParams& one : *all)
      if (perform(one) != hipSuccess) return;
  };
  return {hipGraphNodeTypeBatchMemOp, work, kept, {}, hipSuccess};
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count, hipStreamBatchMemOpParams* all,
                                               unsigned flags) {
  HIPPORT_NEEDS(stream);
  hipport::cpu::NodeContent made = hipport::cpu::content(hipBatchMemOpNodeParams{nullptr, count, all, flags});
  if (made.status != hipSuccess) return hipport::cpu::status(made.status);
  if (hipport::cpu::capture_of(stream) != nullptr) {
    hipGraphNode* const node = hipport::cpu::record(stream, made.type, {});
    return hipport::cpu::set(node, std::move(made));
  }
  for (unsigned i = 0; i < count; ++i)
    if (const hipError_t error = hipport::cpu::perform(all[i]); error != hipSuccess) return error;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t* node, hipGraph_t graph,
                                                     const hipGraphNode_t* dependencies, size_t count,
                                                     const hipBatchMemOpNodeParams* params) {
  HIPPORT_NEEDS(graph);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams* params) {
  HIPPORT_NEEDS(node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::parameters(node, params);
}
HIPPORT_RUNTIME hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, hipBatchMemOpNodeParams* params) {
  HIPPORT_NEEDS(node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::set(node, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                               const hipBatchMemOpNodeParams* params) {
  HIPPORT_NEEDS(executable, node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::set_in(executable, node, hipport::cpu::content(*params));
}
