// SPDX-License-Identifier: MIT
// Device attributes, each computed from the device's properties.
#pragma once

#include "device.h"

// X(attribute, value as an expression of the properties `p`)
#define HIPPORT_DEVICE_ATTRIBUTES(X)                                                      \
  X(AsyncEngineCount, p.asyncEngineCount)                                                 \
  X(CanMapHostMemory, p.canMapHostMemory)                                                 \
  X(CanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem)               \
  X(ClockRate, p.clockRate)                                                               \
  X(ComputeCapabilityMajor, p.major)                                                      \
  X(ComputeCapabilityMinor, p.minor)                                                      \
  X(ComputeMode, p.computeMode)                                                           \
  X(ComputePreemptionSupported, p.computePreemptionSupported)                             \
  X(ConcurrentKernels, p.concurrentKernels)                                               \
  X(ConcurrentManagedAccess, p.concurrentManagedAccess)                                   \
  X(CooperativeLaunch, p.cooperativeLaunch)                                               \
  X(CooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch)                         \
  X(DirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost)                     \
  X(EccEnabled, p.ECCEnabled)                                                             \
  X(GlobalL1CacheSupported, p.globalL1CacheSupported)                                     \
  X(HostNativeAtomicSupported, p.hostNativeAtomicSupported)                               \
  X(HostRegisterSupported, p.hostRegisterSupported)                                       \
  X(Integrated, p.integrated)                                                             \
  X(IsMultiGpuBoard, p.isMultiGpuBoard)                                                   \
  X(KernelExecTimeout, p.kernelExecTimeoutEnabled)                                        \
  X(L2CacheSize, p.l2CacheSize)                                                           \
  X(LocalL1CacheSupported, p.localL1CacheSupported)                                       \
  X(ManagedMemory, p.managedMemory)                                                       \
  X(MaxBlockDimX, p.maxThreadsDim[0])                                                     \
  X(MaxBlockDimY, p.maxThreadsDim[1])                                                     \
  X(MaxBlockDimZ, p.maxThreadsDim[2])                                                     \
  X(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor)                             \
  X(MaxGridDimX, p.maxGridSize[0])                                                        \
  X(MaxGridDimY, p.maxGridSize[1])                                                        \
  X(MaxGridDimZ, p.maxGridSize[2])                                                        \
  X(MaxPitch, p.memPitch)                                                                 \
  X(MaxRegistersPerBlock, p.regsPerBlock)                                                 \
  X(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor)                               \
  X(MaxSharedMemoryPerBlock, p.sharedMemPerBlock)                                         \
  X(MaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor)                       \
  X(MaxTexture1DLinear, p.maxTexture1DLinear)                                             \
  X(MaxTexture1DWidth, p.maxTexture1D)                                                    \
  X(MaxTexture2DHeight, p.maxTexture2D[1])                                                \
  X(MaxTexture2DWidth, p.maxTexture2D[0])                                                 \
  X(MaxTexture3DDepth, p.maxTexture3D[2])                                                 \
  X(MaxTexture3DHeight, p.maxTexture3D[1])                                                \
  X(MaxTexture3DWidth, p.maxTexture3D[0])                                                 \
  X(MaxThreadsPerBlock, p.maxThreadsPerBlock)                                             \
  X(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor)                           \
  X(MemoryBusWidth, p.memoryBusWidth)                                                     \
  X(MemoryClockRate, p.memoryClockRate)                                                   \
  X(MemoryPoolsSupported, p.memoryPoolsSupported)                                         \
  X(MultiGpuBoardGroupID, p.multiGpuBoardGroupID)                                         \
  X(MultiprocessorCount, p.multiProcessorCount)                                           \
  X(PageableMemoryAccess, p.pageableMemoryAccess)                                         \
  X(PageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables)     \
  X(PciBusId, p.pciBusID)                                                                 \
  X(PciDeviceId, p.pciDeviceID)                                                           \
  X(PciDomainID, p.pciDomainID)                                                           \
  X(SharedMemPerBlockOptin, p.sharedMemPerBlockOptin)                                     \
  X(SingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio)                 \
  X(StreamPrioritiesSupported, p.streamPrioritiesSupported)                               \
  X(SurfaceAlignment, p.surfaceAlignment)                                                 \
  X(TccDriver, p.tccDriver)                                                               \
  X(TextureAlignment, p.textureAlignment)                                                 \
  X(TexturePitchAlignment, p.texturePitchAlignment)                                       \
  X(TotalConstantMemory, p.totalConstMem)                                                 \
  X(TotalGlobalMem, p.totalGlobalMem)                                                     \
  X(UnifiedAddressing, p.unifiedAddressing)                                               \
  X(WarpSize, p.warpSize)                                                                 \
  X(ClockInstructionRate, p.clockInstructionRate)                                         \
  X(AccessPolicyMaxWindowSize, p.accessPolicyMaxWindowSize)                               \
  X(AsicRevision, p.asicRevision)                                                         \
  X(CanUseStreamWaitValue, 1)                                                             \
  X(CooperativeMultiDeviceUnmatchedBlockDim, p.cooperativeMultiDeviceUnmatchedBlockDim)   \
  X(CooperativeMultiDeviceUnmatchedFunc, p.cooperativeMultiDeviceUnmatchedFunc)           \
  X(CooperativeMultiDeviceUnmatchedGridDim, p.cooperativeMultiDeviceUnmatchedGridDim)     \
  X(CooperativeMultiDeviceUnmatchedSharedMem, p.cooperativeMultiDeviceUnmatchedSharedMem) \
  X(DeviceOverlap, p.deviceOverlap)                                                       \
  X(FineGrainSupport, 1)                                                                  \
  X(ImageSupport, 1)                                                                      \
  X(IsLargeBar, p.isLargeBar)                                                             \
  X(MaxSurface1D, p.maxSurface1D)                                                         \
  X(MaxSurfaceCubemap, p.maxSurfaceCubemap)                                               \
  X(MaxTexture1DMipmap, p.maxTexture1DMipmap)                                             \
  X(MaxTextureCubemap, p.maxTextureCubemap)                                               \
  X(MaxSurface1DLayered, p.maxSurface1DLayered[0])                                        \
  X(MaxSurface2D, p.maxSurface2D[0])                                                      \
  X(MaxSurface2DLayered, p.maxSurface2DLayered[0])                                        \
  X(MaxSurface3D, p.maxSurface3D[0])                                                      \
  X(MaxSurfaceCubemapLayered, p.maxSurfaceCubemapLayered[0])                              \
  X(MaxTexture1DLayered, p.maxTexture1DLayered[0])                                        \
  X(MaxTexture2DGather, p.maxTexture2DGather[0])                                          \
  X(MaxTexture2DLayered, p.maxTexture2DLayered[0])                                        \
  X(MaxTexture2DLinear, p.maxTexture2DLinear[0])                                          \
  X(MaxTexture2DMipmap, p.maxTexture2DMipmap[0])                                          \
  X(MaxTexture3DAlt, p.maxTexture3DAlt[0])                                                \
  X(MaxTextureCubemapLayered, p.maxTextureCubemapLayered[0])                              \
  X(MaxThreadsDim, p.maxThreadsDim[0])                                                    \
  X(MemoryPoolSupportedHandleTypes, p.memoryPoolSupportedHandleTypes)                     \
  X(NumberOfXccs, 1)                                                                      \
  X(PciChipId, 0)                                                                         \
  X(PciDomainId, p.pciDomainID)                                                           \
  X(PersistingL2CacheMaxSize, p.persistingL2CacheMaxSize)                                 \
  X(PhysicalMultiProcessorCount, p.multiProcessorCount)                                   \
  X(ReservedSharedMemPerBlock, p.reservedSharedMemPerBlock)                               \
  X(SharedMemPerMultiprocessor, p.sharedMemPerMultiprocessor)                             \
  X(VirtualMemoryManagementSupported, 1)                                                  \
  X(WallClockRate, p.clockInstructionRate)

enum hipDeviceAttribute_t {
#define HIPPORT_ATTRIBUTE(name, value) hipDeviceAttribute##name,
  HIPPORT_DEVICE_ATTRIBUTES(HIPPORT_ATTRIBUTE)
#undef HIPPORT_ATTRIBUTE
};

HIPPORT_RUNTIME hipError_t hipDeviceGetAttribute(int* result, hipDeviceAttribute_t attribute, int device) {
  HIPPORT_NEEDS(result);
  const hipDeviceProp_t p = hipport::cpu::describe_device();
  switch (attribute) {
#define HIPPORT_ATTRIBUTE(name, value)                                                       \
  case hipDeviceAttribute##name:                                                             \
    *result = static_cast<int>(std::min<long long>(static_cast<long long>(value), INT_MAX)); \
    return hipport::cpu::check_device(device);
    HIPPORT_DEVICE_ATTRIBUTES(HIPPORT_ATTRIBUTE)
#undef HIPPORT_ATTRIBUTE
  }
  return hipport::cpu::status(hipErrorInvalidValue);
}
#undef HIPPORT_DEVICE_ATTRIBUTES
