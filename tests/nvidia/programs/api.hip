// SPDX-License-Identifier: MIT
// Calls that take more than another name on NVIDIA GPUs, each in the form that HIP has for it; compiled, not run.
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>
#include <hip/hip_complex.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>

#include <type_traits>

#if !defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_AMD__)
#error "the platform is NVIDIA's"
#endif
#if defined(__CUDA_ARCH__) != defined(__HIP_DEVICE_COMPILE__)
#error "device code is told apart by HIP's macro too"
#endif

#if !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_H) || !defined(HIP_INCLUDE_HIP_DRIVER_TYPES_H)
#error "headers that were included say so"
#endif

__constant__ float table[4];
__device__ int counter;
__managed__ int shared_by_all;

template <int A, int B>
__global__ void templated(float* values) {
  HIP_DYNAMIC_SHARED(float, stage);
  stage[threadIdx.x] = values[threadIdx.x] * A + table[B % 4];
  values[hipThreadIdx_x] = stage[threadIdx.x];
}

__global__ void __launch_bounds__(256) lanes(float* values, unsigned long long* masks, double* wide) {
  const float value = values[threadIdx.x];
  values[0] = __shfl(value, 1) + __shfl_up(value, 1) + __shfl_down(value, 1, 16) + __shfl_xor(value, 4);
  wide[0] = __shfl(wide[1], 3) + __shfl_xor(masks[1], 1);
  const unsigned long long mask = __ballot(value > 0);
  masks[0] = mask + __popcll(mask) + __any(value > 1) + __all(mask != 0) + __lane_id() + warpSize;
  masks[2] = static_cast<unsigned long long>(wall_clock64()) + clock64();
  unsafeAtomicAdd(values, 1.0f), atomicAdd(&counter, 1);
  if (mask == 1) __builtin_trap();
}

void launches(float* values, hipStream_t stream) {
  hipLaunchKernelGGL((templated<1, 2>), dim3(1), dim3(64), 256, stream, values);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(templated<3, 4>), 1, 64, 256, 0, values);
  if (values != nullptr)
    hipLaunchKernelGGL(lanes, dim3(1), dim3(64), 0, stream, values, nullptr, nullptr);
  else
    templated<1, 1><<<1, 64, 0, stream>>>(values);
  void* arguments[] = {&values};
  hipLaunchKernel(reinterpret_cast<const void*>(templated<1, 2>), dim3(1), dim3(64), arguments, 0, stream);
  hipLaunchCooperativeKernel(reinterpret_cast<const void*>(templated<1, 2>), dim3(1), dim3(64), arguments, 0, stream);
}

hipError_t memory(float* values, hipStream_t stream) {
  float* host = nullptr;
  hipHostMalloc(&host, 64), hipHostMalloc((void**)&host, 64, hipHostMallocMapped | hipHostMallocCoherent);
  hipHostGetDevicePointer(&values, host, 0), hipHostGetDevicePointer(reinterpret_cast<void**>(&values), host, 0);
  hipMallocManaged(&values, 64), hipMallocAsync(reinterpret_cast<void**>(&values), 64, stream);
  hipMemAdvise(values, 64, hipMemAdviseSetReadMostly, hipCpuDeviceId);
  hipMemPrefetchAsync(values, 64, 0), hipMemPrefetchAsync(values, 64, 0, stream);
  hipMemcpyToSymbol(HIP_SYMBOL(table), host, 16), hipMemcpyFromSymbol(host, HIP_SYMBOL(table), 16);
  hipMemcpyWithStream(values, host, 64, hipMemcpyHostToDevice, stream);
  hipPointerAttribute_t attributes;
  hipPointerGetAttributes(&attributes, values);
  if (attributes.type == hipMemoryTypeDevice) hipHostFree(host);
  return hipFree(values);
}

hipError_t driver(const char* path, int* host) {
  hipDevice_t device;
  hipCtx_t context;
  hipModule_t module;
  hipFunction_t function;
  hipDeviceptr_t address;
  size_t bytes;
  hipInit(0), hipDeviceGet(&device, 0), hipCtxCreate(&context, 0, device);
  hipDevicePrimaryCtxRetain(&context, device), hipCtxSetCurrent(context);
  hipJitOption options[] = {hipJitOptionMaxRegisters, hipJitOptionFastCompile};
  void* settings[] = {nullptr, nullptr};
  hipModuleLoadDataEx(&module, path, 2, options, settings);
  hipModuleLoad(&module, path), hipModuleGetFunction(&function, module, "kernel");
  hipModuleGetGlobal(&address, &bytes, module, "table");
  hipMalloc(&address, bytes), hipMemcpyHtoD(address, host, bytes), hipMemcpyDtoH(host, address, bytes);
  hipMemsetD32(address, 1, bytes / 4), hipMemsetD8Async(address, 1, bytes, NULL);
  void* arguments[] = {&address};
  hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  size_t size = sizeof(arguments);
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, 0, extra);
  int value, grid, block;
  hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function);
  hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, 0, 0);
  hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 64, 0);
  hip_Memcpy2D copy = {};
  copy.srcMemoryType = hipMemoryTypeHost, copy.srcHost = host;
  copy.dstMemoryType = hipMemoryTypeDevice, copy.dstDevice = address;
  hipMemcpyParam2D(&copy);
  const char* name;
  hipDrvGetErrorName(hipErrorInvalidValue, &name);
  return hipModuleUnload(module);
}

hipError_t virtual_memory(size_t size) {
  hipMemAllocationProp prop = {};
  prop.type = hipMemAllocationTypePinned;
  prop.location.type = hipMemLocationTypeDevice;
  prop.location.id = 0;
  size_t granularity;
  void* address;
  hipMemGenericAllocationHandle_t handle;
  hipMemGetAllocationGranularity(&granularity, &prop, hipMemAllocationGranularityMinimum);
  hipMemAddressReserve(&address, size, 0, nullptr, 0), hipMemCreate(&handle, size, &prop, 0);
  hipMemMap(address, size, 0, handle, 0);
  hipMemAccessDesc access = {};
  access.location = prop.location, access.flags = hipMemAccessFlagsProtReadWrite;
  hipMemSetAccess(address, size, &access, 1), hipMemUnmap(address, size), hipMemRelease(handle);
  return hipMemAddressFree(address, size);
}

hipError_t pools(hipStream_t stream) {
  hipMemPool_t pool;
  hipMemPoolProps props = {};
  props.allocType = hipMemAllocationTypePinned, props.location.type = hipMemLocationTypeDevice;
  hipMemPoolCreate(&pool, &props);
  unsigned long long threshold = ~0ull;
  hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold);
  void* address;
  hipMallocFromPoolAsync(&address, 64, pool, stream), hipFreeAsync(address, stream);
  return hipMemPoolDestroy(pool);
}

hipError_t graphs(hipStream_t stream, float* values) {
  hipGraph_t graph;
  hipGraphExec_t made;
  hipGraphNode_t nodes[2], wrong;
  size_t count = 2;
  hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal);
  hipStreamCaptureStatus status;
  unsigned long long id;
  hipStreamGetCaptureInfo(stream, &status, &id), hipStreamIsCapturing(stream, &status);
  hipStreamEndCapture(stream, &graph);
  hipKernelNodeParams kernel = {};
  void* arguments[] = {&values};
  kernel.func = reinterpret_cast<void*>(templated<1, 2>), kernel.gridDim = dim3(1), kernel.kernelParams = arguments;
  hipGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &kernel), hipGraphAddEmptyNode(&nodes[1], graph, nodes, 1);
  hipGraphAddDependencies(graph, &nodes[0], &nodes[1], 1), hipGraphRemoveDependencies(graph, nodes, nodes + 1, 1);
  hipGraphGetEdges(graph, nullptr, nullptr, &count), hipGraphGetNodes(graph, nodes, &count);
  hipGraphNodeGetDependencies(nodes[1], nodes, &count), hipGraphNodeGetDependentNodes(nodes[0], nodes, &count);
  hipGraphInstantiate(&made, graph, nullptr, nullptr, 0);
  hipGraphExecUpdateResult outcome;
  hipGraphExecUpdate(made, graph, &wrong, &outcome);
  return hipGraphLaunch(made, stream);
}

hipError_t devices() {
  hipDeviceProp_t found;
  hipGetDeviceProperties(&found, 0);
  int value = found.clockRate + found.memoryClockRate + found.computeMode + found.multiProcessorCount + found.warpSize;
  if (found.arch.hasDoubles && found.gcnArchName[0] == 's') value += found.maxSharedMemoryPerMultiProcessor > 0;
  hipChooseDevice(&value, &found), hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0);
  hipFuncAttributes attributes;
  hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(templated<1, 2>));
  hipFuncSetAttribute(reinterpret_cast<const void*>(lanes), hipFuncAttributeMaxDynamicSharedMemorySize, 1024);
  int grid, block;
  hipOccupancyMaxPotentialBlockSize(&grid, &block, templated<1, 2>, 0, 0);
  switch (hipGetLastError()) {
    case hipErrorInvalidDevice:
    case hipErrorOutOfMemory: return hipErrorNotSupported;
    default: return hipSuccess;
  }
}

static_assert(std::is_same<hipDeviceptr_t, void*>::value, "an address");
static_assert(std::is_same<__hip_bfloat16, __nv_bfloat16>::value && sizeof(hipFloatComplex) == 8, "types");
static_assert(HIP_VERSION >= 60000000, "a release of HIP");
