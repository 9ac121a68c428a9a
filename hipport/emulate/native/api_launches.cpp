// SPDX-License-Identifier: MIT
// Other ways to launch kernels: as nodes of graphs, with events, on several devices; and templates' C functions.
#include <hip/hip_runtime_api.h>

#include "launches.h"

#include <span>

#define C_NAME(name) asm(#name)

using namespace hipport::emulate;
using hipport::cpu::NodeContent;
using hipport::cpu::status;

namespace {

// A kernel by its address in the host code, or as a module's function.
const Symbol* kernel_named(void* function) {
  const Symbol* const found = registered_kernel(function);
  return found != nullptr ? found : static_cast<const Symbol*>(function);
}

// Return whether these are events, or null.
bool are_events(hipEvent_t start, hipEvent_t stop) {
  using hipport::cpu::exists;
  return (start == nullptr || exists(start)) && (stop == nullptr || exists(stop));
}

NodeContent content(const hipKernelNodeParams& given) {
  if (given.func == nullptr) return {hipGraphNodeTypeKernel, {}, {}, {}, hipErrorInvalidDeviceFunction};
  const Size3 grid{given.gridDim.x, given.gridDim.y, given.gridDim.z};
  const Size3 block{given.blockDim.x, given.blockDim.y, given.blockDim.z};
  const Bound bound =
      bound_launch(kernel_named(given.func), grid, block, given.kernelParams, given.extra, given.sharedMemBytes, false);
  if (bound.status != hipSuccess) return {hipGraphNodeTypeKernel, {}, {}, {}, bound.status};
  hipKernelNodeParams kept = given;
  kept.kernelParams = bound.arguments->data();
  kept.extra = nullptr;
  const auto work = [bound] { bound.work(); };
  return {hipGraphNodeTypeKernel, work, kept, {}, hipSuccess};
}

}  // namespace

// As hipLaunchParams. Not in a namespace without a name: functions that have such types are not exported.
struct EmulatedLaunchParams {
  const void* function;
  dim3 grid, block;
  void** arguments;
  size_t shared;
  hipStream_t stream;
};

hipError_t emulated_add_kernel(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* before, size_t count,
                               const hipKernelNodeParams* params) C_NAME(hipGraphAddKernelNode);
hipError_t emulated_add_kernel(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* before, size_t count,
                               const hipKernelNodeParams* params) {
  HIPPORT_NEEDS(node, graph, params);
  return hipport::cpu::add(node, graph, before, count, content(*params));
}
hipError_t emulated_set_kernel(hipGraphNode_t node, const hipKernelNodeParams* params)
    C_NAME(hipGraphKernelNodeSetParams);
hipError_t emulated_set_kernel(hipGraphNode_t node, const hipKernelNodeParams* params) {
  HIPPORT_NEEDS(node, params);
  return hipport::cpu::set(node, content(*params));
}
hipError_t emulated_set_kernel_in(hipGraphExec_t executable, hipGraphNode_t node, const hipKernelNodeParams* params)
    C_NAME(hipGraphExecKernelNodeSetParams);
hipError_t emulated_set_kernel_in(hipGraphExec_t executable, hipGraphNode_t node, const hipKernelNodeParams* params) {
  HIPPORT_NEEDS(executable, node, params);
  return hipport::cpu::set_in(executable, node, content(*params));
}

NodeContent content(const hipGraphNodeParams& given) {
  return given.type == hipGraphNodeTypeKernel ? content(given.kernel) : hipport::cpu::content_but_kernels(given);
}
hipError_t emulated_add_node(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* before, size_t count,
                             hipGraphNodeParams* params) C_NAME(hipGraphAddNode);
hipError_t emulated_add_node(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* before, size_t count,
                             hipGraphNodeParams* params) {
  const auto contents = [](const hipGraphNodeParams& one) { return ::content(one); };
  return hipport::cpu::add_by_structure(node, graph, before, count, params, contents);
}
hipError_t emulated_set_node(hipGraphNode_t node, hipGraphNodeParams* params) C_NAME(hipGraphNodeSetParams);
hipError_t emulated_set_node(hipGraphNode_t node, hipGraphNodeParams* params) {
  return params == nullptr ? hipErrorInvalidValue : hipport::cpu::set(node, ::content(*params));
}
hipError_t emulated_set_node_in(hipGraphExec_t executable, hipGraphNode_t node, hipGraphNodeParams* params)
    C_NAME(hipGraphExecNodeSetParams);
hipError_t emulated_set_node_in(hipGraphExec_t executable, hipGraphNode_t node, hipGraphNodeParams* params) {
  return params == nullptr ? hipErrorInvalidValue : hipport::cpu::set_in(executable, node, ::content(*params));
}

hipError_t emulated_ext_launch(const void* kernel, Size3 grid, Size3 block, void** arguments, size_t shared,
                               hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) C_NAME(hipExtLaunchKernel);
hipError_t emulated_ext_launch(const void* kernel, Size3 grid, Size3 block, void** arguments, size_t shared,
                               hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) {
  if (!are_events(start, stop)) return status(hipErrorInvalidValue);
  HIPPORT_NEEDS(stream);
  if (start != nullptr) hipEventRecord(start, stream);
  const hipError_t error = launch_registered(kernel, grid, block, arguments, shared, stream, false);
  if (stop != nullptr) hipEventRecord(stop, stream);
  return error;
}
namespace {

// The grid is in threads: a block that is larger becomes smaller, and the last one must be whole, as kernels are compiled
// for that (-foffload-uniform-block).
hipError_t launch_threads(void* caller, Symbol* function, Size3 grid, Size3 block, size_t shared, hipStream_t stream,
                          void** arguments, void** extra, hipEvent_t start, hipEvent_t stop) {
  if (!are_events(start, stop)) return status(hipErrorInvalidValue);
  HIPPORT_NEEDS(stream, function);
  if (!are_possible(grid, block)) return size_error(caller);
  block = {std::min(grid.x, block.x), std::min(grid.y, block.y), std::min(grid.z, block.z)};
  if (grid.x % block.x != 0 || grid.y % block.y != 0 || grid.z % block.z != 0) return status(hipErrorInvalidValue);
  if (start != nullptr) hipEventRecord(start, stream);
  const Bound bound = bound_launch(function, {grid.x / block.x, grid.y / block.y, grid.z / block.z}, block, arguments,
                                   extra, shared, false);
  if (bound.status != hipSuccess) return bound.status;
  const hipError_t enqueued = hipport::cpu::enqueue(stream, bound.work, hipGraphNodeTypeKernel);
  if (stop != nullptr) hipEventRecord(stop, stream);
  return enqueued;
}

}  // namespace

hipError_t emulated_ext_module(Symbol* function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x, uint32_t block_y,
                               uint32_t block_z, size_t shared, hipStream_t stream, void** arguments, void** extra,
                               hipEvent_t start, hipEvent_t stop, uint32_t) C_NAME(hipExtModuleLaunchKernel);
hipError_t emulated_ext_module(Symbol* function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x, uint32_t block_y,
                               uint32_t block_z, size_t shared, hipStream_t stream, void** arguments, void** extra,
                               hipEvent_t start, hipEvent_t stop, uint32_t) {
  return launch_threads(__builtin_return_address(0), function, {x, y, z}, {block_x, block_y, block_z}, shared, stream,
                        arguments, extra, start, stop);
}
// Libraries ask for this function by its C++ name.
hipError_t emulated_ext_module_cxx(Symbol* function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x,
                                   uint32_t block_y, uint32_t block_z, size_t shared, hipStream_t stream,
                                   void** arguments, void** extra, hipEvent_t start, hipEvent_t stop, uint32_t flags)
    C_NAME(_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j);
hipError_t emulated_ext_module_cxx(Symbol* function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x,
                                   uint32_t block_y, uint32_t block_z, size_t shared, hipStream_t stream,
                                   void** arguments, void** extra, hipEvent_t start, hipEvent_t stop, uint32_t) {
  return launch_threads(__builtin_return_address(0), function, {x, y, z}, {block_x, block_y, block_z}, shared, stream,
                        arguments, extra, start, stop);
}
// The same without flags, as it was called first: by its C name and by its C++ name.
#define LAUNCH_MODULE(name, c_name)                                                                              \
  hipError_t name(Symbol* function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x, uint32_t block_y,      \
                  uint32_t block_z, size_t shared, hipStream_t stream, void** arguments, void** extra,           \
                  hipEvent_t start, hipEvent_t stop) C_NAME(c_name);                                             \
  hipError_t name(Symbol* function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x, uint32_t block_y,      \
                  uint32_t block_z, size_t shared, hipStream_t stream, void** arguments, void** extra,           \
                  hipEvent_t start, hipEvent_t stop) {                                                           \
    return launch_threads(__builtin_return_address(0), function, {x, y, z}, {block_x, block_y, block_z}, shared, \
                          stream, arguments, extra, start, stop);                                                \
  }
LAUNCH_MODULE(emulated_hcc_module, hipHccModuleLaunchKernel)
LAUNCH_MODULE(emulated_hcc_module_cxx,
              _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_)
// What hipLaunchKernelGGL expands to for code that is compiled with hcc's headers.
void emulated_launch_ggl(uintptr_t function, const dim3& grid, const dim3& block, uint32_t shared, hipStream_t stream,
                         void** arguments) C_NAME(_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv);
void emulated_launch_ggl(uintptr_t function, const dim3& grid, const dim3& block, uint32_t shared, hipStream_t stream,
                         void** arguments) {
  launch_registered(reinterpret_cast<const void*>(function), {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                    arguments, shared, stream, false);
}
hipError_t emulated_several(EmulatedLaunchParams* all, int count, unsigned)
    C_NAME(hipLaunchCooperativeKernelMultiDevice);
hipError_t emulated_several(EmulatedLaunchParams* all, int count, unsigned) {
  // One device: what runs on others would wait for this one.
  HIPPORT_NEEDS(all);
  if (count != 1) return hipErrorInvalidValue;
  const EmulatedLaunchParams& one = *all;
  return launch_registered(one.function, {one.grid.x, one.grid.y, one.grid.z}, {one.block.x, one.block.y, one.block.z},
                           one.arguments, one.shared, one.stream, true);
}

hipError_t emulated_several_plain(EmulatedLaunchParams* all, int count, unsigned)
    C_NAME(hipExtLaunchMultiKernelMultiDevice);
hipError_t emulated_several_plain(EmulatedLaunchParams* all, int count, unsigned flags) {
  constexpr unsigned all_flags = 3;
  if (all == nullptr || count < 1 || count > hipport::cpu::device_count() || flags > all_flags)
    return status(hipErrorInvalidValue);
  for (const EmulatedLaunchParams& one : std::span(all, size_t(count))) {
    const hipError_t error =
        launch_registered(one.function, {one.grid.x, one.grid.y, one.grid.z}, {one.block.x, one.block.y, one.block.z},
                          one.arguments, one.shared, one.stream, false);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}
// As hipFunctionLaunchParams.
struct EmulatedFunctionLaunch {
  const Symbol* function;
  unsigned grid[3], block[3], shared;
  hipStream_t stream;
  void** arguments;
};
hipError_t emulated_several_functions(EmulatedFunctionLaunch* all, unsigned count, unsigned)
    C_NAME(hipModuleLaunchCooperativeKernelMultiDevice);
hipError_t emulated_several_functions(EmulatedFunctionLaunch* all, unsigned count, unsigned) {
  if (all == nullptr || all->function == nullptr || count != 1) return hipErrorInvalidValue;
  const EmulatedFunctionLaunch& one = *all;
  HIPPORT_NEEDS(one.stream);
  const Bound bound =
      bound_launch(one.function, {one.grid[0], one.grid[1], one.grid[2]}, {one.block[0], one.block[1], one.block[2]},
                   one.arguments, nullptr, one.shared, true);
  if (bound.status != hipSuccess) return bound.status;
  return hipport::cpu::enqueue(one.stream, bound.work, hipGraphNodeTypeKernel);
}

hipError_t emulated_malloc_host(void** to, size_t size) C_NAME(hipMallocHost);
hipError_t emulated_malloc_host(void** to, size_t size) { return ::hipHostMalloc(to, size, 0); }
hipError_t emulated_mem_alloc_host(void** to, size_t size) C_NAME(hipMemAllocHost);
hipError_t emulated_mem_alloc_host(void** to, size_t size) { return ::hipHostMalloc(to, size, 0); }
hipError_t emulated_alloc_pitch(void** to, size_t* pitch, size_t width, size_t height, unsigned)
    C_NAME(hipMemAllocPitch);
hipError_t emulated_alloc_pitch(void** to, size_t* pitch, size_t width, size_t height, unsigned element) {
  return ::hipMemAllocPitch(to, pitch, width, height, element);
}
hipError_t emulated_pool_malloc(void** to, size_t size, hipMemPool_t pool, hipStream_t stream)
    C_NAME(hipMallocFromPoolAsync);
hipError_t emulated_pool_malloc(void** to, size_t size, hipMemPool_t pool, hipStream_t stream) {
  return ::hipMallocFromPoolAsync(to, size, pool, stream);
}
int emulated_stream_device(hipStream_t) C_NAME(hipGetStreamDeviceId);
int emulated_stream_device(hipStream_t stream) { return ::hipGetStreamDeviceId(stream); }
