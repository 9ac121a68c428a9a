// SPDX-License-Identifier: MIT
// Written by scripts/cpu_unsupported.py: what HIP has and the CPU target has not.
#pragma once

#include "declare.h"

#ifndef HIPPORT_ONLY_SUPPORTED
struct HIP_LAUNCH_CONFIG {
  ::hipport::cpu::Anything attrs, blockDimX, blockDimY, blockDimZ, gridDimX, gridDimY, gridDimZ, hStream, numAttrs, sharedMemBytes;
};
struct HIP_LAUNCH_CONFIG_st {
  ::hipport::cpu::Anything attrs, blockDimX, blockDimY, blockDimZ, gridDimX, gridDimY, gridDimZ, hStream, numAttrs, sharedMemBytes;
};
using HIP_MEMSET_NODE_PARAMS = int;
struct HIP_RESOURCE_DESC {
  ::hipport::cpu::Anything flags, res, resType;
};
struct HIP_RESOURCE_DESC_st {
  ::hipport::cpu::Anything flags, res, resType;
};
struct HIP_RESOURCE_DESC_st_union_0 {
  ::hipport::cpu::Anything array, linear, mipmap, pitch2D, reserved;
};
struct HIP_RESOURCE_DESC_st_union_0_struct_0 {
  ::hipport::cpu::Anything hArray;
};
struct HIP_RESOURCE_DESC_st_union_0_struct_1 {
  ::hipport::cpu::Anything hMipmappedArray;
};
struct HIP_RESOURCE_DESC_st_union_0_struct_2 {
  ::hipport::cpu::Anything devPtr, format, numChannels, sizeInBytes;
};
struct HIP_RESOURCE_DESC_st_union_0_struct_3 {
  ::hipport::cpu::Anything devPtr, format, height, numChannels, pitchInBytes, width;
};
struct HIP_RESOURCE_DESC_st_union_0_struct_4 {
  ::hipport::cpu::Anything reserved;
};
struct HIP_RESOURCE_VIEW_DESC {
  ::hipport::cpu::Anything depth, firstLayer, firstMipmapLevel, format, height, lastLayer, lastMipmapLevel, reserved, width;
};
struct HIP_RESOURCE_VIEW_DESC_st {
  ::hipport::cpu::Anything depth, firstLayer, firstMipmapLevel, format, height, lastLayer, lastMipmapLevel, reserved, width;
};
struct HIP_TEXTURE_DESC {
  ::hipport::cpu::Anything addressMode, borderColor, filterMode, flags, maxAnisotropy, maxMipmapLevelClamp, minMipmapLevelClamp, mipmapFilterMode, mipmapLevelBias, reserved;
};
struct HIP_TEXTURE_DESC_st {
  ::hipport::cpu::Anything addressMode, borderColor, filterMode, flags, maxAnisotropy, maxMipmapLevelClamp, minMipmapLevelClamp, mipmapFilterMode, mipmapLevelBias, reserved;
};
struct hipAccessPolicyWindow {
  ::hipport::cpu::Anything base_ptr, hitProp, hitRatio, missProp, num_bytes;
};
using hipAccessProperty = int;
struct hipArrayMapInfo {
  ::hipport::cpu::Anything deviceBitMask, flags, memHandle, memHandleType, memOperationType, offset, reserved, resource, resourceType, subresource, subresourceType;
};
struct hipArrayMapInfo_union_0 {
  ::hipport::cpu::Anything array, mipmap;
};
struct hipArrayMapInfo_union_1 {
  ::hipport::cpu::Anything miptail, sparseLevel;
};
struct hipArrayMapInfo_union_1_struct_0 {
  ::hipport::cpu::Anything extentDepth, extentHeight, extentWidth, layer, level, offsetX, offsetY, offsetZ;
};
struct hipArrayMapInfo_union_1_struct_1 {
  ::hipport::cpu::Anything layer, offset, size;
};
struct hipArrayMapInfo_union_2 {
  ::hipport::cpu::Anything memHandle;
};
using hipArraySparseSubresourceType = int;
struct hipBatchMemOpNodeParams {
  ::hipport::cpu::Anything count, ctx, flags, paramArray;
};
struct hipChildGraphNodeParams {
  ::hipport::cpu::Anything graph;
};
using hipDriverEntryPointQueryResult = int;
using hipDriverProcAddressQueryResult = int;
struct hipEventRecordNodeParams {
  ::hipport::cpu::Anything event;
};
struct hipEventWaitNodeParams {
  ::hipport::cpu::Anything event;
};
struct hipExternalMemoryBufferDesc {
  ::hipport::cpu::Anything flags, offset, reserved, size;
};
struct hipExternalMemoryBufferDesc_st {
  ::hipport::cpu::Anything flags, offset, reserved, size;
};
struct hipExternalMemoryHandleDesc {
  ::hipport::cpu::Anything flags, handle, reserved, size, type;
};
struct hipExternalMemoryHandleDesc_st {
  ::hipport::cpu::Anything flags, handle, reserved, size, type;
};
struct hipExternalMemoryHandleDesc_st_union_0 {
  ::hipport::cpu::Anything fd, nvSciBufObject, win32;
};
struct hipExternalMemoryHandleDesc_st_union_0_struct_0 {
  ::hipport::cpu::Anything handle, name;
};
using hipExternalMemoryHandleType = int;
using hipExternalMemoryHandleType_enum = int;
struct hipExternalMemoryMipmappedArrayDesc {
  ::hipport::cpu::Anything extent, flags, formatDesc, numLevels, offset;
};
struct hipExternalMemoryMipmappedArrayDesc_st {
  ::hipport::cpu::Anything extent, flags, formatDesc, numLevels, offset;
};
using hipExternalMemory_t = struct hipport_unsupported_hipExternalMemory_t*;
struct hipExternalSemaphoreHandleDesc {
  ::hipport::cpu::Anything flags, handle, reserved, type;
};
struct hipExternalSemaphoreHandleDesc_st {
  ::hipport::cpu::Anything flags, handle, reserved, type;
};
struct hipExternalSemaphoreHandleDesc_st_union_0 {
  ::hipport::cpu::Anything NvSciSyncObj, fd, win32;
};
struct hipExternalSemaphoreHandleDesc_st_union_0_struct_0 {
  ::hipport::cpu::Anything handle, name;
};
using hipExternalSemaphoreHandleType = int;
using hipExternalSemaphoreHandleType_enum = int;
struct hipExternalSemaphoreSignalNodeParams {
  ::hipport::cpu::Anything extSemArray, numExtSems, paramsArray;
};
struct hipExternalSemaphoreSignalParams {
  ::hipport::cpu::Anything flags, params, reserved;
};
struct hipExternalSemaphoreSignalParams_st {
  ::hipport::cpu::Anything flags, params, reserved;
};
struct hipExternalSemaphoreSignalParams_st_struct_0 {
  ::hipport::cpu::Anything fence, keyedMutex, nvSciSync, reserved;
};
struct hipExternalSemaphoreSignalParams_st_struct_0_struct_0 {
  ::hipport::cpu::Anything value;
};
struct hipExternalSemaphoreSignalParams_st_struct_0_struct_1 {
  ::hipport::cpu::Anything key;
};
struct hipExternalSemaphoreSignalParams_st_struct_0_union_0 {
  ::hipport::cpu::Anything fence, reserved;
};
struct hipExternalSemaphoreWaitNodeParams {
  ::hipport::cpu::Anything extSemArray, numExtSems, paramsArray;
};
struct hipExternalSemaphoreWaitParams {
  ::hipport::cpu::Anything flags, params, reserved;
};
struct hipExternalSemaphoreWaitParams_st {
  ::hipport::cpu::Anything flags, params, reserved;
};
struct hipExternalSemaphoreWaitParams_st_struct_0 {
  ::hipport::cpu::Anything fence, keyedMutex, nvSciSync, reserved;
};
struct hipExternalSemaphoreWaitParams_st_struct_0_struct_0 {
  ::hipport::cpu::Anything value;
};
struct hipExternalSemaphoreWaitParams_st_struct_0_struct_1 {
  ::hipport::cpu::Anything key, timeoutMs;
};
struct hipExternalSemaphoreWaitParams_st_struct_0_union_0 {
  ::hipport::cpu::Anything fence, reserved;
};
using hipExternalSemaphore_t = struct hipport_unsupported_hipExternalSemaphore_t*;
using hipFlushGPUDirectRDMAWritesOptions = int;
struct hipFunctionLaunchParams {
  ::hipport::cpu::Anything blockDimX, blockDimY, blockDimZ, function, gridDimX, gridDimY, gridDimZ, hStream, kernelParams, sharedMemBytes;
};
struct hipFunctionLaunchParams_t {
  ::hipport::cpu::Anything blockDimX, blockDimY, blockDimZ, function, gridDimX, gridDimY, gridDimZ, hStream, kernelParams, sharedMemBytes;
};
using hipGLDeviceList = int;
using hipGPUDirectRDMAWritesOrdering = int;
using hipGraphDebugDotFlags = int;
using hipGraphDependencyType = int;
struct hipGraphEdgeData {
  ::hipport::cpu::Anything from_port, reserved, to_port, type;
};
struct hipGraphInstantiateParams {
  ::hipport::cpu::Anything errNode_out, flags, result_out, uploadStream;
};
using hipGraphInstantiateResult = int;
struct hipGraphNodeParams {
  ::hipport::cpu::Anything alloc, eventRecord, eventWait, extSemSignal, extSemWait, free, graph, host, kernel, memcpy, memset, reserved0, reserved1, reserved2, type;
};
struct hipGraphNodeParams_union_0 {
  ::hipport::cpu::Anything alloc, eventRecord, eventWait, extSemSignal, extSemWait, free, graph, host, kernel, memcpy, memset, reserved1;
};
using hipGraphicsRegisterFlags = int;
using hipGraphicsResource = struct hipport_unsupported_hipGraphicsResource*;
using hipGraphicsResource_t = struct hipport_unsupported_hipGraphicsResource_t*;
struct hipIpcEventHandle_st {
  ::hipport::cpu::Anything reserved;
};
struct hipIpcMemHandle_st {
  ::hipport::cpu::Anything reserved;
};
using hipJitCacheMode = int;
using hipJitFallback = int;
using hipJitInputType = int;
using hipJitOption = int;
using hipKernelNodeAttrID = int;
using hipKernelNodeAttrValue = int;
struct hipLaunchAttribute {
  ::hipport::cpu::Anything id, pad, val, value;
};
using hipLaunchAttributeID = int;
struct hipLaunchAttributeValue {
  ::hipport::cpu::Anything accessPolicyWindow, cooperative, memSyncDomain, memSyncDomainMap, pad, priority, syncPolicy;
};
struct hipLaunchAttribute_st {
  ::hipport::cpu::Anything id, pad, val, value;
};
struct hipLaunchAttribute_st_union_0 {
  ::hipport::cpu::Anything val, value;
};
struct hipLaunchConfig_st {
  ::hipport::cpu::Anything attrs, blockDim, dynamicSmemBytes, gridDim, numAttrs, stream;
};
struct hipLaunchConfig_t {
  ::hipport::cpu::Anything attrs, blockDim, dynamicSmemBytes, gridDim, numAttrs, stream;
};
using hipLaunchMemSyncDomain = int;
struct hipLaunchMemSyncDomainMap {
  ::hipport::cpu::Anything default_, remote;
};
struct hipLaunchParams {
  ::hipport::cpu::Anything args, blockDim, func, gridDim, sharedMem, stream;
};
struct hipLaunchParams_t {
  ::hipport::cpu::Anything args, blockDim, func, gridDim, sharedMem, stream;
};
using hipLibraryOption = int;
using hipLibraryOption_e = int;
using hipLinkState_t = struct hipport_unsupported_hipLinkState_t*;
struct hipMemAllocationProp_struct_0 {
  ::hipport::cpu::Anything compressionType, gpuDirectRDMACapable, usage;
};
struct hipMemAllocationProp_union_0 {
  ::hipport::cpu::Anything requestedHandleType, requestedHandleTypes;
};
struct hipMemFreeNodeParams {
  ::hipport::cpu::Anything dptr;
};
using hipMemHandleType = int;
using hipMemOperationType = int;
struct hipMemPoolPtrExportData {
  ::hipport::cpu::Anything reserved;
};
using hipMemRangeAttribute = int;
using hipMemRangeCoherencyMode = int;
using hipMemRangeFlags = int;
using hipMemRangeHandleType = int;
struct hipMemcpy3DBatchOp {
  ::hipport::cpu::Anything dst, extent, flags, src, srcAccessOrder;
};
struct hipMemcpy3DOperand {
  ::hipport::cpu::Anything op, type;
};
using hipMemcpy3DOperandType = int;
struct hipMemcpy3DOperand_union_0 {
  ::hipport::cpu::Anything array, ptr;
};
struct hipMemcpy3DOperand_union_0_struct_0 {
  ::hipport::cpu::Anything layerHeight, locHint, ptr, rowLength;
};
struct hipMemcpy3DOperand_union_0_struct_1 {
  ::hipport::cpu::Anything array, offset;
};
struct hipMemcpy3DPeerParms {
  ::hipport::cpu::Anything dstArray, dstDevice, dstPos, dstPtr, extent, srcArray, srcDevice, srcPos, srcPtr;
};
struct hipMemcpyAttributes {
  ::hipport::cpu::Anything dstLocHint, flags, srcAccessOrder, srcLocHint;
};
using hipMemcpyFlags = int;
struct hipMemcpyNodeParams {
  ::hipport::cpu::Anything copyParams, flags, reserved;
};
using hipMemcpySrcAccessOrder = int;
struct hipMipmappedArray {
  ::hipport::cpu::Anything data, depth, desc, flags, format, height, max_mipmap_level, min_mipmap_level, num_channels, type, width;
};
using hipMipmappedArray_const_t = struct hipport_unsupported_hipMipmappedArray_const_t*;
using hipMipmappedArray_t = struct hipport_unsupported_hipMipmappedArray_t*;
struct hipOffset3D {
  ::hipport::cpu::Anything x, y, z;
};
struct hipResourceDesc_union_0 {
  ::hipport::cpu::Anything array, linear, mipmap, pitch2D;
};
struct hipResourceDesc_union_0_struct_0 {
  ::hipport::cpu::Anything array;
};
struct hipResourceDesc_union_0_struct_1 {
  ::hipport::cpu::Anything mipmap;
};
struct hipResourceDesc_union_0_struct_2 {
  ::hipport::cpu::Anything desc, devPtr, sizeInBytes;
};
struct hipResourceDesc_union_0_struct_3 {
  ::hipport::cpu::Anything desc, devPtr, height, pitchInBytes, width;
};
using hipResourceViewFormat = int;
using hipResourcetype = int;
using hipStreamAttrID = int;
using hipStreamAttrValue = int;
struct hipStreamBatchMemOpParams {
  ::hipport::cpu::Anything flushRemoteWrites, memoryBarrier, operation, pad, waitValue, writeValue;
};
struct hipStreamBatchMemOpParams_union {
  ::hipport::cpu::Anything flushRemoteWrites, memoryBarrier, operation, pad, waitValue, writeValue;
};
struct hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t {
  ::hipport::cpu::Anything flags, operation;
};
struct hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t {
  ::hipport::cpu::Anything flags, operation;
};
struct hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t {
  ::hipport::cpu::Anything address, alias, flags, operation;
};
struct hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t_union_0 {
  ::hipport::cpu::Anything value, value64;
};
struct hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t {
  ::hipport::cpu::Anything address, alias, flags, operation;
};
struct hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t_union_0 {
  ::hipport::cpu::Anything value, value64;
};
using hipStreamBatchMemOpType = int;
using hipSynchronizationPolicy = int;
using hipTexRef = struct hipport_unsupported_hipTexRef*;
struct hipUUID_t {
  ::hipport::cpu::Anything bytes;
};
using hipUserObject = struct hipport_unsupported_hipUserObject*;
using hipUserObjectFlags = int;
using hipUserObjectRetainFlags = int;
using hipUserObject_t = struct hipport_unsupported_hipUserObject_t*;
using ihipKernel_t = struct hipport_unsupported_ihipKernel_t*;
using ihipLibrary_t = struct hipport_unsupported_ihipLibrary_t*;
using ihipLinkState_t = struct hipport_unsupported_ihipLinkState_t*;
enum hipport_unsupported_runtime : int {
  HIP_2_OVER_PI = 1000,
  HIP_2_OVER_PI_F,
  HIP_3PIO4,
  HIP_3PIO4_F,
  HIP_C_16I,
  HIP_C_16U,
  HIP_C_4I,
  HIP_C_4U,
  HIP_C_64I,
  HIP_C_64U,
  HIP_DBL2INT_CVT,
  HIP_ERROR_INVALID_VALUE,
  HIP_ERROR_LAUNCH_OUT_OF_RESOURCES,
  HIP_ERROR_NOT_INITIALIZED,
  HIP_GET_PROC_ADDRESS_SUCCESS,
  HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
  HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT,
  HIP_IMAGE_OBJECT_SIZE_DWORD,
  HIP_INF,
  HIP_INF_F,
  HIP_L2E,
  HIP_L2E_F,
  HIP_L2E_HI,
  HIP_L2E_LO,
  HIP_L2T,
  HIP_L2T_F,
  HIP_LG2,
  HIP_LG2_F,
  HIP_LG2_HI,
  HIP_LG2_LO,
  HIP_LG2_X_1024,
  HIP_LG2_X_1075,
  HIP_LGE,
  HIP_LGE_F,
  HIP_LGE_HI,
  HIP_LGE_LO,
  HIP_LN2,
  HIP_LN2_F,
  HIP_LN2_HI,
  HIP_LN2_LO,
  HIP_LN2_X_1024,
  HIP_LN2_X_1025,
  HIP_LN2_X_1075,
  HIP_LNPI,
  HIP_LNPI_F,
  HIP_LNT,
  HIP_LNT_F,
  HIP_LNT_HI,
  HIP_LNT_LO,
  HIP_MAX_NORMAL_F,
  HIP_MIN_DENORM,
  HIP_MIN_DENORM_F,
  HIP_NAN,
  HIP_NAN_F,
  HIP_NEG_ZERO,
  HIP_NEG_ZERO_F,
  HIP_NORM_HUGE_F,
  HIP_ONE,
  HIP_ONE_F,
  HIP_PI,
  HIP_PIO2,
  HIP_PIO2_F,
  HIP_PIO2_HI,
  HIP_PIO2_LO,
  HIP_PIO4,
  HIP_PIO4_F,
  HIP_PIO4_HI,
  HIP_PIO4_LO,
  HIP_PI_F,
  HIP_PI_HI,
  HIP_PI_LO,
  HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS,
  HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
  HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
  HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
  HIP_REMQUO_BITS_F,
  HIP_REMQUO_MASK_F,
  HIP_RESOURCE_TYPE_ARRAY,
  HIP_RESOURCE_TYPE_LINEAR,
  HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY,
  HIP_RESOURCE_TYPE_PITCH2D,
  HIP_RES_VIEW_FORMAT_FLOAT_1X16,
  HIP_RES_VIEW_FORMAT_FLOAT_1X32,
  HIP_RES_VIEW_FORMAT_FLOAT_2X16,
  HIP_RES_VIEW_FORMAT_FLOAT_2X32,
  HIP_RES_VIEW_FORMAT_FLOAT_4X16,
  HIP_RES_VIEW_FORMAT_FLOAT_4X32,
  HIP_RES_VIEW_FORMAT_NONE,
  HIP_RES_VIEW_FORMAT_SIGNED_BC4,
  HIP_RES_VIEW_FORMAT_SIGNED_BC5,
  HIP_RES_VIEW_FORMAT_SIGNED_BC6H,
  HIP_RES_VIEW_FORMAT_SINT_1X16,
  HIP_RES_VIEW_FORMAT_SINT_1X32,
  HIP_RES_VIEW_FORMAT_SINT_1X8,
  HIP_RES_VIEW_FORMAT_SINT_2X16,
  HIP_RES_VIEW_FORMAT_SINT_2X32,
  HIP_RES_VIEW_FORMAT_SINT_2X8,
  HIP_RES_VIEW_FORMAT_SINT_4X16,
  HIP_RES_VIEW_FORMAT_SINT_4X32,
  HIP_RES_VIEW_FORMAT_SINT_4X8,
  HIP_RES_VIEW_FORMAT_UINT_1X16,
  HIP_RES_VIEW_FORMAT_UINT_1X32,
  HIP_RES_VIEW_FORMAT_UINT_1X8,
  HIP_RES_VIEW_FORMAT_UINT_2X16,
  HIP_RES_VIEW_FORMAT_UINT_2X32,
  HIP_RES_VIEW_FORMAT_UINT_2X8,
  HIP_RES_VIEW_FORMAT_UINT_4X16,
  HIP_RES_VIEW_FORMAT_UINT_4X32,
  HIP_RES_VIEW_FORMAT_UINT_4X8,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC1,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC2,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC3,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC4,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC5,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H,
  HIP_RES_VIEW_FORMAT_UNSIGNED_BC7,
  HIP_R_16I,
  HIP_R_16U,
  HIP_R_4F_E2M1,
  HIP_R_4I,
  HIP_R_4U,
  HIP_R_64I,
  HIP_R_64U,
  HIP_R_6F_E2M3,
  HIP_R_6F_E3M2,
  HIP_R_8F_E4M3,
  HIP_R_8F_E4M3_FNUZ,
  HIP_R_8F_E5M2,
  HIP_R_8F_E5M2_FNUZ,
  HIP_R_8F_UE8M0,
  HIP_SAMPLER_OBJECT_OFFSET_DWORD,
  HIP_SAMPLER_OBJECT_SIZE_DWORD,
  HIP_SQRT_2OPI,
  HIP_SQRT_2PI,
  HIP_SQRT_2PI_HI,
  HIP_SQRT_2PI_LO,
  HIP_SQRT_2_OVER_PI_F,
  HIP_SQRT_HALF,
  HIP_SQRT_HALF_F,
  HIP_SQRT_HALF_HI,
  HIP_SQRT_HALF_HI_F,
  HIP_SQRT_HALF_LO,
  HIP_SQRT_HALF_LO_F,
  HIP_SQRT_PIO2,
  HIP_SQRT_PIO2_HI,
  HIP_SQRT_PIO2_LO,
  HIP_SQRT_TWO,
  HIP_SQRT_TWO_F,
  HIP_SUCCESS,
  HIP_TEXTURE_OBJECT_SIZE_DWORD,
  HIP_THIRD,
  HIP_THIRD_F,
  HIP_TRIG_PLOSS,
  HIP_TRIG_PLOSS_F,
  HIP_TRSA_OVERRIDE_FORMAT,
  HIP_TRSF_NORMALIZED_COORDINATES,
  HIP_TRSF_READ_AS_INTEGER,
  HIP_TRSF_SRGB,
  HIP_TR_ADDRESS_MODE_BORDER,
  HIP_TR_ADDRESS_MODE_CLAMP,
  HIP_TR_ADDRESS_MODE_MIRROR,
  HIP_TR_ADDRESS_MODE_WRAP,
  HIP_TR_FILTER_MODE_LINEAR,
  HIP_TR_FILTER_MODE_POINT,
  HIP_TWOTHIRD,
  HIP_TWO_TO_126_F,
  HIP_TWO_TO_23,
  HIP_TWO_TO_23_F,
  HIP_TWO_TO_24_F,
  HIP_TWO_TO_31_F,
  HIP_TWO_TO_32_F,
  HIP_TWO_TO_52,
  HIP_TWO_TO_53,
  HIP_TWO_TO_54,
  HIP_TWO_TO_M1022,
  HIP_TWO_TO_M126_F,
  HIP_TWO_TO_M54,
  HIP_VERSION_BUILD_ID,
  HIP_VERSION_BUILD_NAME,
  HIP_VERSION_GITHASH,
  HIP_ZERO,
  HIP_ZERO_F,
  hipAccessPropertyNormal,
  hipAccessPropertyPersisting,
  hipAccessPropertyStreaming,
  hipArraySparseSubresourceTypeMiptail,
  hipArraySparseSubresourceTypeSparseLevel,
  hipArrayTextureGather,
  hipCooperativeLaunchMultiDeviceNoPostSync,
  hipCooperativeLaunchMultiDeviceNoPreSync,
  hipDeviceAttributeAmdSpecificBegin,
  hipDeviceAttributeAmdSpecificEnd,
  hipDeviceAttributeCudaCompatibleBegin,
  hipDeviceAttributeCudaCompatibleEnd,
  hipDeviceAttributeHdpMemFlushCntl,
  hipDeviceAttributeHdpRegFlushCntl,
  hipDeviceAttributeHostNumaId,
  hipDeviceAttributeLuid,
  hipDeviceAttributeLuidDeviceNodeMask,
  hipDeviceAttributeMaxAvailableVgprsPerThread,
  hipDeviceAttributeUnused1,
  hipDeviceAttributeUnused2,
  hipDeviceAttributeUnused3,
  hipDeviceAttributeUnused4,
  hipDeviceAttributeUnused5,
  hipDeviceAttributeVendorSpecificBegin,
  hipDeviceMallocDefault,
  hipDeviceMallocFinegrained,
  hipDeviceScheduleMask,
  hipDriverEntryPointSuccess,
  hipDriverEntryPointSymbolNotFound,
  hipDriverEntryPointVersionNotSufficent,
  hipErrorTbd,
  hipExtAnyOrderLaunch,
  hipExtHostRegisterCoarseGrained,
  hipExtLimitScratchCurrent,
  hipExtLimitScratchMax,
  hipExtLimitScratchMin,
  hipExternalMemoryDedicated,
  hipExternalMemoryHandleTypeD3D11Resource,
  hipExternalMemoryHandleTypeD3D11ResourceKmt,
  hipExternalMemoryHandleTypeD3D12Heap,
  hipExternalMemoryHandleTypeD3D12Resource,
  hipExternalMemoryHandleTypeNvSciBuf,
  hipExternalMemoryHandleTypeOpaqueFd,
  hipExternalMemoryHandleTypeOpaqueWin32,
  hipExternalMemoryHandleTypeOpaqueWin32Kmt,
  hipExternalSemaphoreHandleTypeD3D11Fence,
  hipExternalSemaphoreHandleTypeD3D12Fence,
  hipExternalSemaphoreHandleTypeKeyedMutex,
  hipExternalSemaphoreHandleTypeKeyedMutexKmt,
  hipExternalSemaphoreHandleTypeNvSciSync,
  hipExternalSemaphoreHandleTypeOpaqueFd,
  hipExternalSemaphoreHandleTypeOpaqueWin32,
  hipExternalSemaphoreHandleTypeOpaqueWin32Kmt,
  hipExternalSemaphoreHandleTypeTimelineSemaphoreFd,
  hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32,
  hipFlushGPUDirectRDMAWritesOptionHost,
  hipFlushGPUDirectRDMAWritesOptionMemOps,
  hipGLDeviceListAll,
  hipGLDeviceListCurrentFrame,
  hipGLDeviceListNextFrame,
  hipGPUDirectRDMAWritesOrderingAllDevices,
  hipGPUDirectRDMAWritesOrderingNone,
  hipGPUDirectRDMAWritesOrderingOwner,
  hipGraphDebugDotFlagsEventNodeParams,
  hipGraphDebugDotFlagsExtSemasSignalNodeParams,
  hipGraphDebugDotFlagsExtSemasWaitNodeParams,
  hipGraphDebugDotFlagsHandles,
  hipGraphDebugDotFlagsHostNodeParams,
  hipGraphDebugDotFlagsKernelNodeAttributes,
  hipGraphDebugDotFlagsKernelNodeParams,
  hipGraphDebugDotFlagsMemcpyNodeParams,
  hipGraphDebugDotFlagsMemsetNodeParams,
  hipGraphDebugDotFlagsVerbose,
  hipGraphDependencyTypeDefault,
  hipGraphDependencyTypeProgrammatic,
  hipGraphInstantiateError,
  hipGraphInstantiateInvalidStructure,
  hipGraphInstantiateMultipleDevicesNotSupported,
  hipGraphInstantiateNodeOperationNotSupported,
  hipGraphInstantiateSuccess,
  hipGraphKernelNodePortDefault,
  hipGraphKernelNodePortLaunchCompletion,
  hipGraphKernelNodePortProgrammatic,
  hipGraphNodeTypeBatchMemOp,
  hipGraphNodeTypeMemcpyFromSymbol,
  hipGraphNodeTypeMemcpyToSymbol,
  hipGraphUserObjectMove,
  hipGraphicsRegisterFlagsNone,
  hipGraphicsRegisterFlagsReadOnly,
  hipGraphicsRegisterFlagsSurfaceLoadStore,
  hipGraphicsRegisterFlagsTextureGather,
  hipGraphicsRegisterFlagsWriteDiscard,
  hipJitCacheOptionCA,
  hipJitCacheOptionCG,
  hipJitCacheOptionNone,
  hipJitInputCubin,
  hipJitInputFatBinary,
  hipJitInputLLVMArchivesOfBundledBitcode,
  hipJitInputLLVMBitcode,
  hipJitInputLLVMBundledBitcode,
  hipJitInputLibrary,
  hipJitInputNvvm,
  hipJitInputObject,
  hipJitInputPtx,
  hipJitInputSpirv,
  hipJitNumInputTypes,
  hipJitNumLegacyInputTypes,
  hipJitOptionCacheMode,
  hipJitOptionErrorLogBuffer,
  hipJitOptionErrorLogBufferSizeBytes,
  hipJitOptionFallbackStrategy,
  hipJitOptionFastCompile,
  hipJitOptionFma,
  hipJitOptionFtz,
  hipJitOptionGenerateDebugInfo,
  hipJitOptionGenerateLineInfo,
  hipJitOptionGlobalSymbolAddresses,
  hipJitOptionGlobalSymbolCount,
  hipJitOptionGlobalSymbolNames,
  hipJitOptionIRtoISAOptCountExt,
  hipJitOptionIRtoISAOptExt,
  hipJitOptionInfoLogBuffer,
  hipJitOptionInfoLogBufferSizeBytes,
  hipJitOptionLogVerbose,
  hipJitOptionLto,
  hipJitOptionMaxRegisters,
  hipJitOptionMaxThreadsPerBlock,
  hipJitOptionMinCTAPerSM,
  hipJitOptionNumOptions,
  hipJitOptionOptimizationLevel,
  hipJitOptionOverrideDirectiveValues,
  hipJitOptionPositionIndependentCode,
  hipJitOptionPrecDiv,
  hipJitOptionPrecSqrt,
  hipJitOptionSm3xOpt,
  hipJitOptionTarget,
  hipJitOptionTargetFromContext,
  hipJitOptionThreadsPerBlock,
  hipJitOptionWallTime,
  hipJitPreferBinary,
  hipJitPreferPTX,
  hipKernelNodeAttributeAccessPolicyWindow,
  hipKernelNodeAttributeCooperative,
  hipKernelNodeAttributePriority,
  hipLaunchAttributeAccessPolicyWindow,
  hipLaunchAttributeCooperative,
  hipLaunchAttributeMax,
  hipLaunchAttributeMemSyncDomain,
  hipLaunchAttributeMemSyncDomainMap,
  hipLaunchAttributePriority,
  hipLaunchAttributeSynchronizationPolicy,
  hipLaunchMemSyncDomainDefault,
  hipLaunchMemSyncDomainRemote,
  hipLibraryBinaryIsPreserved,
  hipLibraryHostUniversalFunctionAndDataTable,
  hipMallocSignalMemory,
  hipMemAllocationTypeUncached,
  hipMemHandleTypeGeneric,
  hipMemOperationTypeMap,
  hipMemOperationTypeUnmap,
  hipMemRangeAttributeAccessedBy,
  hipMemRangeAttributeCoherencyMode,
  hipMemRangeAttributeLastPrefetchLocation,
  hipMemRangeAttributePreferredLocation,
  hipMemRangeAttributeReadMostly,
  hipMemRangeCoherencyModeCoarseGrain,
  hipMemRangeCoherencyModeFineGrain,
  hipMemRangeCoherencyModeIndeterminate,
  hipMemRangeFlagDmaBufMappingTypePcie,
  hipMemRangeFlagsMax,
  hipMemRangeHandleTypeDmaBufFd,
  hipMemRangeHandleTypeMax,
  hipMemcpyDeviceToDeviceNoCU,
  hipMemcpyFlagDefault,
  hipMemcpyFlagPreferOverlapWithCompute,
  hipMemcpyOperandTypeArray,
  hipMemcpyOperandTypeMax,
  hipMemcpyOperandTypePointer,
  hipMemcpySrcAccessOrderAny,
  hipMemcpySrcAccessOrderDuringApiCall,
  hipMemcpySrcAccessOrderInvalid,
  hipMemcpySrcAccessOrderMax,
  hipMemcpySrcAccessOrderStream,
  hipOccupancyDefault,
  hipOccupancyDisableCachingOverride,
  hipResViewFormatFloat1,
  hipResViewFormatFloat2,
  hipResViewFormatFloat4,
  hipResViewFormatHalf1,
  hipResViewFormatHalf2,
  hipResViewFormatHalf4,
  hipResViewFormatNone,
  hipResViewFormatSignedBlockCompressed4,
  hipResViewFormatSignedBlockCompressed5,
  hipResViewFormatSignedBlockCompressed6H,
  hipResViewFormatSignedChar1,
  hipResViewFormatSignedChar2,
  hipResViewFormatSignedChar4,
  hipResViewFormatSignedInt1,
  hipResViewFormatSignedInt2,
  hipResViewFormatSignedInt4,
  hipResViewFormatSignedShort1,
  hipResViewFormatSignedShort2,
  hipResViewFormatSignedShort4,
  hipResViewFormatUnsignedBlockCompressed1,
  hipResViewFormatUnsignedBlockCompressed2,
  hipResViewFormatUnsignedBlockCompressed3,
  hipResViewFormatUnsignedBlockCompressed4,
  hipResViewFormatUnsignedBlockCompressed5,
  hipResViewFormatUnsignedBlockCompressed6H,
  hipResViewFormatUnsignedBlockCompressed7,
  hipResViewFormatUnsignedChar1,
  hipResViewFormatUnsignedChar2,
  hipResViewFormatUnsignedChar4,
  hipResViewFormatUnsignedInt1,
  hipResViewFormatUnsignedInt2,
  hipResViewFormatUnsignedInt4,
  hipResViewFormatUnsignedShort1,
  hipResViewFormatUnsignedShort2,
  hipResViewFormatUnsignedShort4,
  hipStreamAttributeAccessPolicyWindow,
  hipStreamAttributeMemSyncDomain,
  hipStreamAttributeMemSyncDomainMap,
  hipStreamAttributePriority,
  hipStreamAttributeSynchronizationPolicy,
  hipStreamMemOpBarrier,
  hipStreamMemOpFlushRemoteWrites,
  hipStreamMemOpWaitValue32,
  hipStreamMemOpWaitValue64,
  hipStreamMemOpWriteValue32,
  hipStreamMemOpWriteValue64,
  hipSyncPolicyAuto,
  hipSyncPolicyBlockingSync,
  hipSyncPolicySpin,
  hipSyncPolicyYield,
  hipTextureType1D,
  hipTextureType1DLayered,
  hipTextureType2D,
  hipTextureType2DLayered,
  hipTextureType3D,
  hipTextureTypeCubemap,
  hipTextureTypeCubemapLayered,
  hipUserObjectNoDestructorSync,
};
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipArray3DGetDescriptor)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipArrayGetDescriptor)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipArrayGetInfo)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipBindTexture)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipBindTexture2D)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipBindTextureToArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipBindTextureToMipmappedArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipConfigureCall)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDestroyExternalMemory)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDestroyExternalSemaphore)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDeviceGetTexture1DLinearMaxWidth)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvGraphAddMemFreeNode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvGraphAddMemcpyNode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvGraphAddMemsetNode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvGraphExecMemcpyNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvGraphExecMemsetNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvGraphMemcpyNodeGetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvGraphMemcpyNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipDrvLaunchKernelEx)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipEventRecord_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipExtGetLinkTypeAndHopCount)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipExtLaunchKernel)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipExtLaunchMultiKernelMultiDevice)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipExtStreamCreateWithCUMask)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipExtStreamGetCUMask)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipExternalMemoryGetMappedBuffer)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipExternalMemoryGetMappedMipmappedArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipFreeMipmappedArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGLGetDevices)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetChannelDesc)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetDriverEntryPoint)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetDriverEntryPoint_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetMipmappedArrayLevel)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetProcAddress)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetTextureAlignmentOffset)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetTextureObjectResourceViewDesc)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetTextureObjectTextureDesc)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGetTextureReference)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphAddBatchMemOpNode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphAddExternalSemaphoresSignalNode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphAddExternalSemaphoresWaitNode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphAddNode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphBatchMemOpNodeGetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphBatchMemOpNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphDebugDotPrint)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExecBatchMemOpNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExecExternalSemaphoresSignalNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExecExternalSemaphoresWaitNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExecGetFlags)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExecNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExternalSemaphoresSignalNodeGetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExternalSemaphoresSignalNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExternalSemaphoresWaitNodeGetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphExternalSemaphoresWaitNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphInstantiateWithParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphKernelNodeCopyAttributes)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphKernelNodeGetAttribute)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphKernelNodeSetAttribute)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphLaunch_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphNodeSetParams)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphReleaseUserObject)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphRetainUserObject)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphicsGLRegisterBuffer)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphicsGLRegisterImage)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphicsMapResources)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphicsResourceGetMappedPointer)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphicsSubResourceGetMappedArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphicsUnmapResources)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipGraphicsUnregisterResource)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipImportExternalMemory)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipImportExternalSemaphore)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipKernelGetLibrary)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLaunchByPtr)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLaunchCooperativeKernelMultiDevice)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLaunchCooperativeKernel_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLaunchHostFunc_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLaunchKernelEx)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLaunchKernelExC)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLaunchKernel_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLibraryEnumerateKernels)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLinkAddData)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLinkAddFile)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLinkComplete)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLinkCreate)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipLinkDestroy)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMallocMipmappedArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemAdvise_v2)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemGetAccess)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemGetHandleForAddressRange)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemMapArrayAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemPoolExportPointer)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemPoolExportToShareableHandle)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemPoolImportFromShareableHandle)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemPoolImportPointer)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemPrefetchAsync_v2)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemPtrGetInfo)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemRangeGetAttribute)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemRangeGetAttributes)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemRetainAllocationHandle)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy2DAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy2DFromArrayAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy2DFromArrayAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy2DFromArray_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy2DToArrayAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy2DToArray_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy2D_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy3DAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy3DBatchAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy3DPeer)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy3DPeerAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy3D_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyAtoA)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyAtoHAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyBatchAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyFromArray_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyFromSymbolAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyFromSymbol_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyHtoAAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyToSymbolAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyToSymbol_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpy_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemset2DAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemset2D_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemset3DAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemset3D_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemsetAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemsetD2D16)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemsetD2D16Async)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemsetD2D32)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemsetD2D32Async)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemsetD2D8)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemsetD2D8Async)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemset_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMipmappedArrayCreate)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMipmappedArrayDestroy)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMipmappedArrayGetLevel)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipModuleGetTexRef)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipModuleLaunchCooperativeKernelMultiDevice)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipPointerSetAttribute)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipSetupArgument)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipSignalExternalSemaphoresAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamAddCallback_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamBatchMemOp)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamBeginCaptureToGraph)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamBeginCapture_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamCopyAttributes)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamEndCapture_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamGetAttribute)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamGetCaptureInfo_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamGetCaptureInfo_v2_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamGetFlags_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamGetId)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamGetPriority_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamIsCapturing_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamQuery_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamSetAttribute)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamSynchronize_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipStreamWaitEvent_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexObjectCreate)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexObjectDestroy)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexObjectGetResourceDesc)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexObjectGetResourceViewDesc)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexObjectGetTextureDesc)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetAddress)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetAddressMode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetBorderColor)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetFilterMode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetFlags)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetFormat)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetMaxAnisotropy)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetMipMappedArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetMipmapFilterMode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetMipmapLevelBias)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefGetMipmapLevelClamp)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetAddress)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetAddress2D)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetAddressMode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetBorderColor)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetFilterMode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetFlags)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetFormat)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetMaxAnisotropy)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetMipmapFilterMode)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetMipmapLevelBias)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetMipmapLevelClamp)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipTexRefSetMipmappedArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipUnbindTexture)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipUserObjectCreate)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipUserObjectRelease)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipUserObjectRetain)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipWaitExternalSemaphoresAsync)
#endif
