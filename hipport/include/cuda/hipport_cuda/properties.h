// SPDX-License-Identifier: MIT
// Device properties: CUDA's, those that CUDA 13 removed, and those that only HIP has.
#pragma once

#include <cstdio>

typedef struct {
  unsigned hasGlobalInt32Atomics : 1;
  unsigned hasGlobalFloatAtomicExch : 1;
  unsigned hasSharedInt32Atomics : 1;
  unsigned hasSharedFloatAtomicExch : 1;
  unsigned hasFloatAtomicAdd : 1;
  unsigned hasGlobalInt64Atomics : 1;
  unsigned hasSharedInt64Atomics : 1;
  unsigned hasDoubles : 1;
  unsigned hasWarpVote : 1;
  unsigned hasWarpBallot : 1;
  unsigned hasWarpShuffle : 1;
  unsigned hasFunnelShift : 1;
  unsigned hasThreadFenceSystem : 1;
  unsigned hasSyncThreadsExt : 1;
  unsigned hasSurfaceFuncs : 1;
  unsigned has3dGrid : 1;
  unsigned hasDynamicParallelism : 1;
} hipDeviceArch_t;

struct hipport_DeviceProp : cudaDeviceProp {
#if CUDART_VERSION >= 13000
  int clockRate;
  int deviceOverlap;
  int kernelExecTimeoutEnabled;
  int computeMode;
  int memoryClockRate;
  int singleToDoublePrecisionPerfRatio;
  int cooperativeMultiDeviceLaunch;
  int maxTexture1DLinear;
#endif
  // "sm_90", where AMD's devices have "gfx90a"
  char gcnArchName[256];
  hipDeviceArch_t arch;
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  int asicRevision;
  int isLargeBar;
};

namespace hipport {
namespace nvidia {

inline cudaError_t properties(hipport_DeviceProp* found, int device) {
  cudaDeviceProp& base = *found;
  const cudaError_t result = cudaGetDeviceProperties(&base, device);
  if (result != cudaSuccess) return result;
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
  };
#if CUDART_VERSION >= 13000
  found->clockRate = attribute(cudaDevAttrClockRate);
  found->deviceOverlap = base.asyncEngineCount > 0;
  found->kernelExecTimeoutEnabled = attribute(cudaDevAttrKernelExecTimeout);
  found->computeMode = attribute(cudaDevAttrComputeMode);
  found->memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  found->singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  found->cooperativeMultiDeviceLaunch = 0;
  found->maxTexture1DLinear = attribute(cudaDevAttrMaxTexture1DLinearWidth);
#endif
  std::snprintf(found->gcnArchName, sizeof found->gcnArchName, "sm_%d%d", base.major, base.minor);
  found->arch = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  found->maxSharedMemoryPerMultiProcessor = base.sharedMemPerMultiprocessor;
  found->clockInstructionRate = attribute(cudaDevAttrClockRate);
  found->asicRevision = 0;
  found->isLargeBar = 0;
  return result;
}

inline cudaError_t choose_device(int* device, const hipport_DeviceProp* wanted) {
  return cudaChooseDevice(device, wanted);
}

}  // namespace nvidia
}  // namespace hipport

#undef hipDeviceProp_t
#define hipDeviceProp_t hipport_DeviceProp
#define hipDeviceProp_tR0600 hipport_DeviceProp
#undef hipGetDeviceProperties
#define hipGetDeviceProperties ::hipport::nvidia::properties
#define hipGetDevicePropertiesR0600 ::hipport::nvidia::properties
#undef hipChooseDevice
#define hipChooseDevice ::hipport::nvidia::choose_device
