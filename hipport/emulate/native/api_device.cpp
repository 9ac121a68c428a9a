// SPDX-License-Identifier: MIT
// What a program can ask about the device: its properties, in the layouts of all releases, and its attributes.
#include <hip/hip_runtime_api.h>

#include "callers.h"
#include "loaded.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using hipport::cpu::is_device;
using hipport::cpu::status;

namespace hipport::emulate {

// The layout of hipDeviceProp_t up to HIP 5.7.
struct OldProperties {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, memoryClockRate;
  int memoryBusWidth;
  size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode, clockInstructionRate;
  hipDeviceArch_t arch;
  int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
  size_t maxSharedMemoryPerMultiProcessor;
  int isMultiGpuBoard, canMapHostMemory, gcnArch;
  char gcnArchName[256];
  int integrated, cooperativeLaunch, cooperativeMultiDeviceLaunch, maxTexture1DLinear, maxTexture1D, maxTexture2D[2];
  int maxTexture3D[3];
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  size_t memPitch, textureAlignment, texturePitchAlignment;
  int kernelExecTimeoutEnabled, ECCEnabled, tccDriver, cooperativeMultiDeviceUnmatchedFunc;
  int cooperativeMultiDeviceUnmatchedGridDim, cooperativeMultiDeviceUnmatchedBlockDim;
  int cooperativeMultiDeviceUnmatchedSharedMem, isLargeBar, asicRevision, managedMemory;
  int directManagedMemAccessFromHost, concurrentManagedAccess, pageableMemoryAccess;
  int pageableMemoryAccessUsesHostPageTables;
};

// The layout from HIP 6.0 on; it is longer than the part that is filled.
struct NewProperties {
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
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];
  int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63], hipReserved[32];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGridDim;
  int cooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedSharedMem, isLargeBar, asicRevision;
};

}  // namespace hipport::emulate

using namespace hipport::emulate;

// Functions with C names that have the types of the CPU target, whose own functions have C++ names.
#define C_NAME(name) asm(#name)

namespace {

hipDeviceProp_t described(int device) {
  hipDeviceProp_t all = hipport::cpu::describe_device();
  const std::string target = emulated_target();
  std::snprintf(all.name, sizeof all.name, "%s emulated by hipport", target.c_str());
  std::snprintf(all.gcnArchName, sizeof all.gcnArchName, "%s", target.c_str());
  all.warpSize = int(emulated_lanes());
  all.sharedMemPerBlock = all.sharedMemPerBlockOptin = all.sharedMemPerMultiprocessor = local_limit();
  all.maxSharedMemoryPerMultiProcessor = local_limit();
  const unsigned long number = std::strtoul(target.c_str() + 3, nullptr, 16);
  all.major = int(number >> 8 & 15) + (number >= 0x1000 ? 10 : 0);
  all.minor = int(number >> 4 & 15);
  all.gcnArch = 100 * all.major + 10 * all.minor + int(number & 15);
  all.pciBusID = device;
  all.clockInstructionRate = 100000;  // kHz: what wall_clock64 counts
  return all;
}

// Copy what a layout has of the properties.
template <typename Layout>
void fill(Layout& to, const hipDeviceProp_t& from) {
  to = {};
#define COPY(member)                                         \
  if constexpr (requires { to.member; }) {                   \
    static_assert(sizeof to.member == sizeof from.member);   \
    std::memcpy(&to.member, &from.member, sizeof to.member); \
  }
#include "properties.inc"
#undef COPY
}

bool is_local_limit(hipDeviceAttribute_t one) {
  return one == hipDeviceAttributeMaxSharedMemoryPerBlock || one == hipDeviceAttributeSharedMemPerBlockOptin ||
         one == hipDeviceAttributeSharedMemPerMultiprocessor ||
         one == hipDeviceAttributeMaxSharedMemoryPerMultiprocessor;
}

}  // namespace

hipError_t emulated_old_properties(OldProperties* to, int device) C_NAME(hipGetDeviceProperties);
hipError_t emulated_old_properties(OldProperties* to, int device) {
  if (to == nullptr || !is_device(device))
    return status(is_device(device) ? hipErrorInvalidValue : hipErrorInvalidDevice);
  fill(*to, described(device));
  return hipSuccess;
}
hipError_t emulated_oldest_properties(OldProperties* to, int device) C_NAME(hipGetDevicePropertiesR0000);
hipError_t emulated_oldest_properties(OldProperties* to, int device) { return emulated_old_properties(to, device); }
hipError_t emulated_new_properties(NewProperties* to, int device) C_NAME(hipGetDevicePropertiesR0600);
hipError_t emulated_new_properties(NewProperties* to, int device) {
  if (to == nullptr || !is_device(device))
    return status(is_device(device) ? hipErrorInvalidValue : hipErrorInvalidDevice);
  fill(*to, described(device));
  return hipSuccess;
}
hipError_t emulated_attribute(int* to, int attribute, int device) C_NAME(hipDeviceGetAttribute);
hipError_t emulated_attribute(int* to, int attribute, int device) {
  if (to == nullptr || !is_device(device))
    return status(is_device(device) ? hipErrorInvalidValue : hipErrorInvalidDevice);
  const auto known = [&](hipDeviceAttribute_t one) {
    if (one == hipDeviceAttributeWarpSize) return *to = int(emulated_lanes()), hipSuccess;
    if (is_local_limit(one)) return *to = int(local_limit()), hipSuccess;
    if (one == hipDeviceAttributeClockInstructionRate || one == hipDeviceAttributeWallClockRate)
      return *to = described(device).clockInstructionRate, hipSuccess;
    if (one == hipDeviceAttributeComputeCapabilityMajor) return *to = described(device).major, hipSuccess;
    if (one == hipDeviceAttributeComputeCapabilityMinor) return *to = described(device).minor, hipSuccess;
    return ::hipDeviceGetAttribute(to, one, device);
  };
  constexpr int number_of_target = 10003;  // hipDeviceAttributeGcnArch up to HIP 5
  if (attribute == number_of_target && linked_release(__builtin_return_address(0)) < kRelease60)
    return *to = described(device).gcnArch, hipSuccess;
  switch (attribute) {
#define ATTRIBUTE(number, name) \
  case number: return known(hipDeviceAttribute##name);
#include "attributes.inc"
#undef ATTRIBUTE
    default: return status(hipErrorInvalidValue);
  }
}
