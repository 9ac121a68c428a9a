// SPDX-License-Identifier: MIT
// The properties of a device, and which one is current.
#pragma once

#include <atomic>

#include "memory.h"
#include "pool.h"

using hipDevice_t = int;
using hipCtx_t = struct ihipCtx_t*;

enum hipComputeMode {
  hipComputeModeDefault,
  hipComputeModeExclusive,
  hipComputeModeProhibited,
  hipComputeModeExclusiveProcess
};

struct hipUUID {
  char bytes[16];
};
struct hipDeviceArch_t {
  unsigned hasGlobalInt32Atomics : 1, hasGlobalFloatAtomicExch : 1, hasSharedInt32Atomics : 1,
      hasSharedFloatAtomicExch : 1, hasFloatAtomicAdd : 1, hasGlobalInt64Atomics : 1, hasSharedInt64Atomics : 1,
      hasDoubles : 1, hasWarpVote : 1, hasWarpBallot : 1, hasWarpShuffle : 1, hasFunnelShift : 1,
      hasThreadFenceSystem : 1, hasSyncThreadsExt : 1, hasSurfaceFuncs : 1, has3dGrid : 1, hasDynamicParallelism : 1;
};

struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLinear;
  int maxTexture1DMipmap, maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3DAlt[3];
  int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int persistingL2CacheMaxSize, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported, memoryPoolsSupported;
  int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering, deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch;
  unsigned memoryPoolSupportedHandleTypes;
  int unifiedFunctionPointers, cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGridDim;
  int cooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedSharedMem, gcnArch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate, isLargeBar, asicRevision;
  hipDeviceArch_t arch;
};

#ifndef HIPPORT_ARCH
#define HIPPORT_ARCH "cpu"
#endif

namespace hipport::cpu {

inline constexpr size_t shared_limit = 64 * 1024;
inline constexpr int cooperative_blocks_per_unit = 8;

inline int processors() { return static_cast<int>(worker_count()); }

inline hipDeviceProp_t describe_device() {
  hipDeviceProp_t p{};
  std::snprintf(p.name, sizeof(p.name), "hipport CPU target, %d-lane wavefronts", HIPPORT_WAVE_SIZE);
  std::snprintf(p.gcnArchName, sizeof(p.gcnArchName), "%s", HIPPORT_ARCH);
  hipMemGetInfo(nullptr, &p.totalGlobalMem);
  p.sharedMemPerBlock = p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor = shared_limit;
  p.maxSharedMemoryPerMultiProcessor = shared_limit;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = HIPPORT_WAVE_SIZE;
  p.memPitch = INT_MAX;
  p.maxThreadsPerBlock = static_cast<int>(max_threads);
  p.maxThreadsPerMultiProcessor = static_cast<int>(max_threads) * cooperative_blocks_per_unit;
  p.maxBlocksPerMultiProcessor = cooperative_blocks_per_unit;
  for (int& size : p.maxThreadsDim) size = static_cast<int>(max_threads);
  p.maxGridSize[0] = INT_MAX;
  p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.clockRate = 1000000;  // kHz; clock64 counts nanoseconds
  p.memoryClockRate = 1000000;
  p.memoryBusWidth = 64;
  p.l2CacheSize = 4 << 20;
  p.totalConstMem = size_t(2) << 30;
  p.major = 9;
  p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = 256;
  p.multiProcessorCount = processors();
  p.maxTexture1D = p.maxTexture1DLinear = p.maxTexture2D[0] = p.maxTexture2D[1] = 16384;
  for (int& size : p.maxTexture3D) size = 2048;
  p.maxTexture2DLinear[0] = p.maxTexture2DLinear[1] = p.maxTexture2DLinear[2] = 16384;
  p.maxTexture1DMipmap = p.maxSurface1D = p.maxSurface2D[0] = p.maxSurface2D[1] = 16384;
  for (int& size : p.maxSurface3D) size = 2048;
  p.ipcEventSupported = p.unifiedFunctionPointers = 1;
  p.integrated = p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
  p.pageableMemoryAccess = p.concurrentManagedAccess = p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = p.streamPrioritiesSupported = p.hostNativeAtomicSupported = p.memoryPoolsSupported = 1;
  p.pageableMemoryAccessUsesHostPageTables = p.directManagedMemAccessFromHost = p.hostRegisterSupported = 1;
  p.clockInstructionRate = 1000000;
  p.arch = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0};
  return p;
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipInit(unsigned flags) {
  return hipport::cpu::status(flags ? hipErrorInvalidValue : hipSuccess);
}
HIPPORT_RUNTIME hipError_t hipGetDeviceCount(int* count) {
  HIPPORT_NEEDS(count);
  *count = hipport::cpu::device_count();
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipSetDevice(int device) {
  if (hipport::cpu::is_device(device)) hipport::cpu::current_device() = device;
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipGetDevice(int* device) {
  HIPPORT_NEEDS(device);
  *device = hipport::cpu::current_device();
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  HIPPORT_NEEDS(device);
  *device = ordinal;
  return hipport::cpu::check_device(ordinal);
}
HIPPORT_RUNTIME hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  HIPPORT_NEEDS(properties);
  *properties = hipport::cpu::describe_device();
  properties->pciBusID = device;
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipChooseDevice(int* device, const hipDeviceProp_t* wanted) {
  HIPPORT_NEEDS(device, wanted);
  return hipGetDevice(device);
}
HIPPORT_RUNTIME hipError_t hipDeviceGetName(char* name, int size, hipDevice_t device) {
  if (!hipport::cpu::is_device(device)) return hipport::cpu::status(hipErrorInvalidDevice);
  HIPPORT_NEEDS(name);
  if (size <= 0) return hipport::cpu::status(hipErrorInvalidValue);
  std::snprintf(name, static_cast<size_t>(size), "%s", hipport::cpu::describe_device().name);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  hipMemGetInfo(nullptr, bytes);
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  HIPPORT_NEEDS(major, minor);
  *major = 9;
  *minor = 0;
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipDeviceGetPCIBusId(char* text, int size, int device) {
  constexpr int whole_size = 13;
  if (!hipport::cpu::is_device(device)) return hipport::cpu::status(hipErrorInvalidDevice);
  HIPPORT_NEEDS(text);
  if (size > 0) std::snprintf(text, static_cast<size_t>(size), "0000:%02x:00.0", static_cast<unsigned>(device));
  return hipport::cpu::status(size < whole_size ? hipErrorInvalidValue : hipSuccess);
}
HIPPORT_RUNTIME hipError_t hipProfilerStart() { return hipSuccess; }
HIPPORT_RUNTIME hipError_t hipProfilerStop() { return hipSuccess; }
HIPPORT_RUNTIME hipError_t hipDeviceSynchronize() {
  hipport::cpu::checks::device_done();
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDeviceReset() { return hipDeviceSynchronize(); }
namespace hipport::cpu {

inline std::atomic<unsigned> schedule{0};  // how to wait for the device, as it was set last

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipGetDeviceFlags(unsigned* flags) {
  HIPPORT_NEEDS(flags);
  *flags = hipport::cpu::schedule;
  return hipSuccess;
}
inline constexpr unsigned hipDeviceScheduleAuto = 0, hipDeviceScheduleSpin = 1, hipDeviceScheduleYield = 2,
                          hipDeviceScheduleBlockingSync = 4, hipDeviceScheduleMask = 7, hipDeviceMapHost = 8,
                          hipDeviceLmemResizeToMax = 16;
// At most one flag says how to wait for the device. Flags have no effect, but are told again.
HIPPORT_RUNTIME hipError_t hipSetDeviceFlags(unsigned flags) {
  constexpr unsigned waits = hipDeviceScheduleSpin | hipDeviceScheduleYield | hipDeviceScheduleBlockingSync;
  const unsigned wait = flags & waits, all = waits | hipDeviceMapHost | hipDeviceLmemResizeToMax;
  const bool is_right = (wait & (wait - 1)) == 0 && (flags & ~all) == 0;
  if (is_right) hipport::cpu::schedule = wait;
  return hipport::cpu::status(is_right ? hipSuccess : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  HIPPORT_NEEDS(can);
  *can = hipport::cpu::is_device(device) && hipport::cpu::is_device(peer) && device != peer;
  return hipport::cpu::check_device(hipport::cpu::is_device(device) ? peer : device);
}
HIPPORT_RUNTIME hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (flags != 0) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::Peers::instance().enable(hipport::cpu::current_device(), peer);
}
HIPPORT_RUNTIME hipError_t hipDeviceDisablePeerAccess(int peer) {
  return hipport::cpu::Peers::instance().disable(hipport::cpu::current_device(), peer);
}
HIPPORT_RUNTIME hipError_t hipDriverGetVersion(int* version) {
  HIPPORT_NEEDS(version);
  *version = HIP_VERSION;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipRuntimeGetVersion(int* version) {
  HIPPORT_NEEDS(version);
  return hipDriverGetVersion(version);
}

// Each device has a single context, whose address tells which one it is.
namespace hipport::cpu {
inline char* first_context() {
  static char contexts[most_devices];
  return contexts;
}
// Return the number of the device that a context is of, or -1 if it is not a context.
inline int device_of(hipCtx_t context) {
  const intptr_t number = reinterpret_cast<intptr_t>(context) - reinterpret_cast<intptr_t>(first_context());
  return number >= 0 && number < device_count() ? static_cast<int>(number) : -1;
}
}  // namespace hipport::cpu
HIPPORT_RUNTIME hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
  HIPPORT_NEEDS(context);
  const bool known = hipport::cpu::is_device(device);
  *context = reinterpret_cast<hipCtx_t>(hipport::cpu::first_context() + (known ? device : 0));
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipCtxGetCurrent(hipCtx_t* context) {
  HIPPORT_NEEDS(context);
  return hipDevicePrimaryCtxRetain(context, hipport::cpu::current_device());
}
HIPPORT_RUNTIME hipError_t hipCtxCreate(hipCtx_t* context, unsigned, hipDevice_t device) {
  HIPPORT_NEEDS(context);
  return hipDevicePrimaryCtxRetain(context, device);
}
HIPPORT_RUNTIME hipError_t hipCtxDestroy(hipCtx_t context) {
  if (context == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::status(hipport::cpu::device_of(context) < 0 ? hipErrorInvalidContext : hipSuccess);
}
HIPPORT_RUNTIME hipError_t hipCtxSetCurrent(hipCtx_t context) {
  if (context == nullptr) return hipSuccess;
  const int device = hipport::cpu::device_of(context);
  return device < 0 ? hipport::cpu::status(hipErrorInvalidContext) : hipSetDevice(device);
}
HIPPORT_RUNTIME hipError_t hipCtxPushCurrent(hipCtx_t context) {
  return context == nullptr ? hipport::cpu::status(hipErrorInvalidContext) : hipCtxSetCurrent(context);
}
HIPPORT_RUNTIME hipError_t hipCtxPopCurrent(hipCtx_t* context) {
  HIPPORT_NEEDS(context);
  return hipCtxGetCurrent(context);
}
// AMD's runtime has this and other functions of contexts to say that it does not support them.
HIPPORT_RUNTIME hipError_t hipCtxSynchronize() { return hipport::cpu::status(hipErrorNotSupported); }
HIPPORT_RUNTIME hipError_t hipCtxGetDevice(hipDevice_t* device) {
  HIPPORT_NEEDS(device);
  return hipGetDevice(device);
}
HIPPORT_RUNTIME hipError_t hipDevicePrimaryCtxRelease(hipDevice_t) { return hipSuccess; }
HIPPORT_RUNTIME hipError_t hipDevicePrimaryCtxReset(hipDevice_t) { return hipSuccess; }
