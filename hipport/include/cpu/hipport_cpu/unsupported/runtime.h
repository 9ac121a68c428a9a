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
inline constexpr int HIP_2_OVER_PI = 1000;
inline constexpr int HIP_2_OVER_PI_F = 1001;
inline constexpr int HIP_3PIO4 = 1002;
inline constexpr int HIP_3PIO4_F = 1003;
inline constexpr int HIP_C_16I = 1004;
inline constexpr int HIP_C_16U = 1005;
inline constexpr int HIP_C_4I = 1006;
inline constexpr int HIP_C_4U = 1007;
inline constexpr int HIP_C_64I = 1008;
inline constexpr int HIP_C_64U = 1009;
inline constexpr int HIP_DBL2INT_CVT = 1010;
inline constexpr int HIP_ERROR_INVALID_VALUE = 1011;
inline constexpr int HIP_ERROR_LAUNCH_OUT_OF_RESOURCES = 1012;
inline constexpr int HIP_ERROR_NOT_INITIALIZED = 1013;
inline constexpr int HIP_GET_PROC_ADDRESS_SUCCESS = 1014;
inline constexpr int HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1015;
inline constexpr int HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 1016;
inline constexpr int HIP_IMAGE_OBJECT_SIZE_DWORD = 1017;
inline constexpr int HIP_INF = 1018;
inline constexpr int HIP_INF_F = 1019;
inline constexpr int HIP_L2E = 1020;
inline constexpr int HIP_L2E_F = 1021;
inline constexpr int HIP_L2E_HI = 1022;
inline constexpr int HIP_L2E_LO = 1023;
inline constexpr int HIP_L2T = 1024;
inline constexpr int HIP_L2T_F = 1025;
inline constexpr int HIP_LG2 = 1026;
inline constexpr int HIP_LG2_F = 1027;
inline constexpr int HIP_LG2_HI = 1028;
inline constexpr int HIP_LG2_LO = 1029;
inline constexpr int HIP_LG2_X_1024 = 1030;
inline constexpr int HIP_LG2_X_1075 = 1031;
inline constexpr int HIP_LGE = 1032;
inline constexpr int HIP_LGE_F = 1033;
inline constexpr int HIP_LGE_HI = 1034;
inline constexpr int HIP_LGE_LO = 1035;
inline constexpr int HIP_LN2 = 1036;
inline constexpr int HIP_LN2_F = 1037;
inline constexpr int HIP_LN2_HI = 1038;
inline constexpr int HIP_LN2_LO = 1039;
inline constexpr int HIP_LN2_X_1024 = 1040;
inline constexpr int HIP_LN2_X_1025 = 1041;
inline constexpr int HIP_LN2_X_1075 = 1042;
inline constexpr int HIP_LNPI = 1043;
inline constexpr int HIP_LNPI_F = 1044;
inline constexpr int HIP_LNT = 1045;
inline constexpr int HIP_LNT_F = 1046;
inline constexpr int HIP_LNT_HI = 1047;
inline constexpr int HIP_LNT_LO = 1048;
inline constexpr int HIP_MAX_NORMAL_F = 1049;
inline constexpr int HIP_MIN_DENORM = 1050;
inline constexpr int HIP_MIN_DENORM_F = 1051;
inline constexpr int HIP_NAN = 1052;
inline constexpr int HIP_NAN_F = 1053;
inline constexpr int HIP_NEG_ZERO = 1054;
inline constexpr int HIP_NEG_ZERO_F = 1055;
inline constexpr int HIP_NORM_HUGE_F = 1056;
inline constexpr int HIP_ONE = 1057;
inline constexpr int HIP_ONE_F = 1058;
inline constexpr int HIP_PI = 1059;
inline constexpr int HIP_PIO2 = 1060;
inline constexpr int HIP_PIO2_F = 1061;
inline constexpr int HIP_PIO2_HI = 1062;
inline constexpr int HIP_PIO2_LO = 1063;
inline constexpr int HIP_PIO4 = 1064;
inline constexpr int HIP_PIO4_F = 1065;
inline constexpr int HIP_PIO4_HI = 1066;
inline constexpr int HIP_PIO4_LO = 1067;
inline constexpr int HIP_PI_F = 1068;
inline constexpr int HIP_PI_HI = 1069;
inline constexpr int HIP_PI_LO = 1070;
inline constexpr int HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS = 1071;
inline constexpr int HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 1072;
inline constexpr int HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 1073;
inline constexpr int HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 1074;
inline constexpr int HIP_REMQUO_BITS_F = 1075;
inline constexpr int HIP_REMQUO_MASK_F = 1076;
inline constexpr int HIP_RESOURCE_TYPE_ARRAY = 1077;
inline constexpr int HIP_RESOURCE_TYPE_LINEAR = 1078;
inline constexpr int HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1079;
inline constexpr int HIP_RESOURCE_TYPE_PITCH2D = 1080;
inline constexpr int HIP_RES_VIEW_FORMAT_FLOAT_1X16 = 1081;
inline constexpr int HIP_RES_VIEW_FORMAT_FLOAT_1X32 = 1082;
inline constexpr int HIP_RES_VIEW_FORMAT_FLOAT_2X16 = 1083;
inline constexpr int HIP_RES_VIEW_FORMAT_FLOAT_2X32 = 1084;
inline constexpr int HIP_RES_VIEW_FORMAT_FLOAT_4X16 = 1085;
inline constexpr int HIP_RES_VIEW_FORMAT_FLOAT_4X32 = 1086;
inline constexpr int HIP_RES_VIEW_FORMAT_NONE = 1087;
inline constexpr int HIP_RES_VIEW_FORMAT_SIGNED_BC4 = 1088;
inline constexpr int HIP_RES_VIEW_FORMAT_SIGNED_BC5 = 1089;
inline constexpr int HIP_RES_VIEW_FORMAT_SIGNED_BC6H = 1090;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_1X16 = 1091;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_1X32 = 1092;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_1X8 = 1093;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_2X16 = 1094;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_2X32 = 1095;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_2X8 = 1096;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_4X16 = 1097;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_4X32 = 1098;
inline constexpr int HIP_RES_VIEW_FORMAT_SINT_4X8 = 1099;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_1X16 = 1100;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_1X32 = 1101;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_1X8 = 1102;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_2X16 = 1103;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_2X32 = 1104;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_2X8 = 1105;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_4X16 = 1106;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_4X32 = 1107;
inline constexpr int HIP_RES_VIEW_FORMAT_UINT_4X8 = 1108;
inline constexpr int HIP_RES_VIEW_FORMAT_UNSIGNED_BC1 = 1109;
inline constexpr int HIP_RES_VIEW_FORMAT_UNSIGNED_BC2 = 1110;
inline constexpr int HIP_RES_VIEW_FORMAT_UNSIGNED_BC3 = 1111;
inline constexpr int HIP_RES_VIEW_FORMAT_UNSIGNED_BC4 = 1112;
inline constexpr int HIP_RES_VIEW_FORMAT_UNSIGNED_BC5 = 1113;
inline constexpr int HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H = 1114;
inline constexpr int HIP_RES_VIEW_FORMAT_UNSIGNED_BC7 = 1115;
inline constexpr int HIP_R_16I = 1116;
inline constexpr int HIP_R_16U = 1117;
inline constexpr int HIP_R_4F_E2M1 = 1118;
inline constexpr int HIP_R_4I = 1119;
inline constexpr int HIP_R_4U = 1120;
inline constexpr int HIP_R_64I = 1121;
inline constexpr int HIP_R_64U = 1122;
inline constexpr int HIP_R_6F_E2M3 = 1123;
inline constexpr int HIP_R_6F_E3M2 = 1124;
inline constexpr int HIP_R_8F_E4M3 = 1125;
inline constexpr int HIP_R_8F_E4M3_FNUZ = 1126;
inline constexpr int HIP_R_8F_E5M2 = 1127;
inline constexpr int HIP_R_8F_E5M2_FNUZ = 1128;
inline constexpr int HIP_R_8F_UE8M0 = 1129;
inline constexpr int HIP_SAMPLER_OBJECT_OFFSET_DWORD = 1130;
inline constexpr int HIP_SAMPLER_OBJECT_SIZE_DWORD = 1131;
inline constexpr int HIP_SQRT_2OPI = 1132;
inline constexpr int HIP_SQRT_2PI = 1133;
inline constexpr int HIP_SQRT_2PI_HI = 1134;
inline constexpr int HIP_SQRT_2PI_LO = 1135;
inline constexpr int HIP_SQRT_2_OVER_PI_F = 1136;
inline constexpr int HIP_SQRT_HALF = 1137;
inline constexpr int HIP_SQRT_HALF_F = 1138;
inline constexpr int HIP_SQRT_HALF_HI = 1139;
inline constexpr int HIP_SQRT_HALF_HI_F = 1140;
inline constexpr int HIP_SQRT_HALF_LO = 1141;
inline constexpr int HIP_SQRT_HALF_LO_F = 1142;
inline constexpr int HIP_SQRT_PIO2 = 1143;
inline constexpr int HIP_SQRT_PIO2_HI = 1144;
inline constexpr int HIP_SQRT_PIO2_LO = 1145;
inline constexpr int HIP_SQRT_TWO = 1146;
inline constexpr int HIP_SQRT_TWO_F = 1147;
inline constexpr int HIP_SUCCESS = 1148;
inline constexpr int HIP_TEXTURE_OBJECT_SIZE_DWORD = 1149;
inline constexpr int HIP_THIRD = 1150;
inline constexpr int HIP_THIRD_F = 1151;
inline constexpr int HIP_TRIG_PLOSS = 1152;
inline constexpr int HIP_TRIG_PLOSS_F = 1153;
inline constexpr int HIP_TRSA_OVERRIDE_FORMAT = 1154;
inline constexpr int HIP_TRSF_NORMALIZED_COORDINATES = 1155;
inline constexpr int HIP_TRSF_READ_AS_INTEGER = 1156;
inline constexpr int HIP_TRSF_SRGB = 1157;
inline constexpr int HIP_TR_ADDRESS_MODE_BORDER = 1158;
inline constexpr int HIP_TR_ADDRESS_MODE_CLAMP = 1159;
inline constexpr int HIP_TR_ADDRESS_MODE_MIRROR = 1160;
inline constexpr int HIP_TR_ADDRESS_MODE_WRAP = 1161;
inline constexpr int HIP_TR_FILTER_MODE_LINEAR = 1162;
inline constexpr int HIP_TR_FILTER_MODE_POINT = 1163;
inline constexpr int HIP_TWOTHIRD = 1164;
inline constexpr int HIP_TWO_TO_126_F = 1165;
inline constexpr int HIP_TWO_TO_23 = 1166;
inline constexpr int HIP_TWO_TO_23_F = 1167;
inline constexpr int HIP_TWO_TO_24_F = 1168;
inline constexpr int HIP_TWO_TO_31_F = 1169;
inline constexpr int HIP_TWO_TO_32_F = 1170;
inline constexpr int HIP_TWO_TO_52 = 1171;
inline constexpr int HIP_TWO_TO_53 = 1172;
inline constexpr int HIP_TWO_TO_54 = 1173;
inline constexpr int HIP_TWO_TO_M1022 = 1174;
inline constexpr int HIP_TWO_TO_M126_F = 1175;
inline constexpr int HIP_TWO_TO_M54 = 1176;
inline constexpr int HIP_VERSION_BUILD_ID = 1177;
inline constexpr int HIP_VERSION_BUILD_NAME = 1178;
inline constexpr int HIP_VERSION_GITHASH = 1179;
inline constexpr int HIP_ZERO = 1180;
inline constexpr int HIP_ZERO_F = 1181;
inline constexpr int hipAccessPropertyNormal = 1182;
inline constexpr int hipAccessPropertyPersisting = 1183;
inline constexpr int hipAccessPropertyStreaming = 1184;
inline constexpr int hipArraySparseSubresourceTypeMiptail = 1185;
inline constexpr int hipArraySparseSubresourceTypeSparseLevel = 1186;
inline constexpr int hipArrayTextureGather = 1187;
inline constexpr int hipCooperativeLaunchMultiDeviceNoPostSync = 1188;
inline constexpr int hipCooperativeLaunchMultiDeviceNoPreSync = 1189;
inline constexpr int hipDeviceAttributeAccessPolicyMaxWindowSize = 1190;
inline constexpr int hipDeviceAttributeAmdSpecificBegin = 1191;
inline constexpr int hipDeviceAttributeAmdSpecificEnd = 1192;
inline constexpr int hipDeviceAttributeAsicRevision = 1193;
inline constexpr int hipDeviceAttributeCanUseStreamWaitValue = 1194;
inline constexpr int hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim = 1195;
inline constexpr int hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc = 1196;
inline constexpr int hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim = 1197;
inline constexpr int hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem = 1198;
inline constexpr int hipDeviceAttributeCudaCompatibleBegin = 1199;
inline constexpr int hipDeviceAttributeCudaCompatibleEnd = 1200;
inline constexpr int hipDeviceAttributeDeviceOverlap = 1201;
inline constexpr int hipDeviceAttributeFineGrainSupport = 1202;
inline constexpr int hipDeviceAttributeHdpMemFlushCntl = 1203;
inline constexpr int hipDeviceAttributeHdpRegFlushCntl = 1204;
inline constexpr int hipDeviceAttributeHostNumaId = 1205;
inline constexpr int hipDeviceAttributeImageSupport = 1206;
inline constexpr int hipDeviceAttributeIsLargeBar = 1207;
inline constexpr int hipDeviceAttributeLuid = 1208;
inline constexpr int hipDeviceAttributeLuidDeviceNodeMask = 1209;
inline constexpr int hipDeviceAttributeMaxAvailableVgprsPerThread = 1210;
inline constexpr int hipDeviceAttributeMaxSurface1D = 1211;
inline constexpr int hipDeviceAttributeMaxSurface1DLayered = 1212;
inline constexpr int hipDeviceAttributeMaxSurface2D = 1213;
inline constexpr int hipDeviceAttributeMaxSurface2DLayered = 1214;
inline constexpr int hipDeviceAttributeMaxSurface3D = 1215;
inline constexpr int hipDeviceAttributeMaxSurfaceCubemap = 1216;
inline constexpr int hipDeviceAttributeMaxSurfaceCubemapLayered = 1217;
inline constexpr int hipDeviceAttributeMaxTexture1DLayered = 1218;
inline constexpr int hipDeviceAttributeMaxTexture1DMipmap = 1219;
inline constexpr int hipDeviceAttributeMaxTexture2DGather = 1220;
inline constexpr int hipDeviceAttributeMaxTexture2DLayered = 1221;
inline constexpr int hipDeviceAttributeMaxTexture2DLinear = 1222;
inline constexpr int hipDeviceAttributeMaxTexture2DMipmap = 1223;
inline constexpr int hipDeviceAttributeMaxTexture3DAlt = 1224;
inline constexpr int hipDeviceAttributeMaxTextureCubemap = 1225;
inline constexpr int hipDeviceAttributeMaxTextureCubemapLayered = 1226;
inline constexpr int hipDeviceAttributeMaxThreadsDim = 1227;
inline constexpr int hipDeviceAttributeMemoryPoolSupportedHandleTypes = 1228;
inline constexpr int hipDeviceAttributeNumberOfXccs = 1229;
inline constexpr int hipDeviceAttributePciChipId = 1230;
inline constexpr int hipDeviceAttributePciDomainId = 1231;
inline constexpr int hipDeviceAttributePersistingL2CacheMaxSize = 1232;
inline constexpr int hipDeviceAttributePhysicalMultiProcessorCount = 1233;
inline constexpr int hipDeviceAttributeReservedSharedMemPerBlock = 1234;
inline constexpr int hipDeviceAttributeSharedMemPerMultiprocessor = 1235;
inline constexpr int hipDeviceAttributeUnused1 = 1236;
inline constexpr int hipDeviceAttributeUnused2 = 1237;
inline constexpr int hipDeviceAttributeUnused3 = 1238;
inline constexpr int hipDeviceAttributeUnused4 = 1239;
inline constexpr int hipDeviceAttributeUnused5 = 1240;
inline constexpr int hipDeviceAttributeVendorSpecificBegin = 1241;
inline constexpr int hipDeviceAttributeVirtualMemoryManagementSupported = 1242;
inline constexpr int hipDeviceMallocDefault = 1243;
inline constexpr int hipDeviceMallocFinegrained = 1244;
inline constexpr int hipDeviceScheduleMask = 1245;
inline constexpr int hipDriverEntryPointSuccess = 1246;
inline constexpr int hipDriverEntryPointSymbolNotFound = 1247;
inline constexpr int hipDriverEntryPointVersionNotSufficent = 1248;
inline constexpr int hipErrorInvalidChannelDescriptor = 1249;
inline constexpr int hipErrorInvalidTexture = 1250;
inline constexpr int hipErrorTbd = 1251;
inline constexpr int hipExtAnyOrderLaunch = 1252;
inline constexpr int hipExtHostRegisterCoarseGrained = 1253;
inline constexpr int hipExtLimitScratchCurrent = 1254;
inline constexpr int hipExtLimitScratchMax = 1255;
inline constexpr int hipExtLimitScratchMin = 1256;
inline constexpr int hipExternalMemoryDedicated = 1257;
inline constexpr int hipExternalMemoryHandleTypeD3D11Resource = 1258;
inline constexpr int hipExternalMemoryHandleTypeD3D11ResourceKmt = 1259;
inline constexpr int hipExternalMemoryHandleTypeD3D12Heap = 1260;
inline constexpr int hipExternalMemoryHandleTypeD3D12Resource = 1261;
inline constexpr int hipExternalMemoryHandleTypeNvSciBuf = 1262;
inline constexpr int hipExternalMemoryHandleTypeOpaqueFd = 1263;
inline constexpr int hipExternalMemoryHandleTypeOpaqueWin32 = 1264;
inline constexpr int hipExternalMemoryHandleTypeOpaqueWin32Kmt = 1265;
inline constexpr int hipExternalSemaphoreHandleTypeD3D11Fence = 1266;
inline constexpr int hipExternalSemaphoreHandleTypeD3D12Fence = 1267;
inline constexpr int hipExternalSemaphoreHandleTypeKeyedMutex = 1268;
inline constexpr int hipExternalSemaphoreHandleTypeKeyedMutexKmt = 1269;
inline constexpr int hipExternalSemaphoreHandleTypeNvSciSync = 1270;
inline constexpr int hipExternalSemaphoreHandleTypeOpaqueFd = 1271;
inline constexpr int hipExternalSemaphoreHandleTypeOpaqueWin32 = 1272;
inline constexpr int hipExternalSemaphoreHandleTypeOpaqueWin32Kmt = 1273;
inline constexpr int hipExternalSemaphoreHandleTypeTimelineSemaphoreFd = 1274;
inline constexpr int hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 1275;
inline constexpr int hipFlushGPUDirectRDMAWritesOptionHost = 1276;
inline constexpr int hipFlushGPUDirectRDMAWritesOptionMemOps = 1277;
inline constexpr int hipGLDeviceListAll = 1278;
inline constexpr int hipGLDeviceListCurrentFrame = 1279;
inline constexpr int hipGLDeviceListNextFrame = 1280;
inline constexpr int hipGPUDirectRDMAWritesOrderingAllDevices = 1281;
inline constexpr int hipGPUDirectRDMAWritesOrderingNone = 1282;
inline constexpr int hipGPUDirectRDMAWritesOrderingOwner = 1283;
inline constexpr int hipGraphDebugDotFlagsEventNodeParams = 1284;
inline constexpr int hipGraphDebugDotFlagsExtSemasSignalNodeParams = 1285;
inline constexpr int hipGraphDebugDotFlagsExtSemasWaitNodeParams = 1286;
inline constexpr int hipGraphDebugDotFlagsHandles = 1287;
inline constexpr int hipGraphDebugDotFlagsHostNodeParams = 1288;
inline constexpr int hipGraphDebugDotFlagsKernelNodeAttributes = 1289;
inline constexpr int hipGraphDebugDotFlagsKernelNodeParams = 1290;
inline constexpr int hipGraphDebugDotFlagsMemcpyNodeParams = 1291;
inline constexpr int hipGraphDebugDotFlagsMemsetNodeParams = 1292;
inline constexpr int hipGraphDebugDotFlagsVerbose = 1293;
inline constexpr int hipGraphDependencyTypeDefault = 1294;
inline constexpr int hipGraphDependencyTypeProgrammatic = 1295;
inline constexpr int hipGraphInstantiateError = 1296;
inline constexpr int hipGraphInstantiateInvalidStructure = 1297;
inline constexpr int hipGraphInstantiateMultipleDevicesNotSupported = 1298;
inline constexpr int hipGraphInstantiateNodeOperationNotSupported = 1299;
inline constexpr int hipGraphInstantiateSuccess = 1300;
inline constexpr int hipGraphKernelNodePortDefault = 1301;
inline constexpr int hipGraphKernelNodePortLaunchCompletion = 1302;
inline constexpr int hipGraphKernelNodePortProgrammatic = 1303;
inline constexpr int hipGraphNodeTypeBatchMemOp = 1304;
inline constexpr int hipGraphNodeTypeMemcpyFromSymbol = 1305;
inline constexpr int hipGraphNodeTypeMemcpyToSymbol = 1306;
inline constexpr int hipGraphUserObjectMove = 1307;
inline constexpr int hipGraphicsRegisterFlagsNone = 1308;
inline constexpr int hipGraphicsRegisterFlagsReadOnly = 1309;
inline constexpr int hipGraphicsRegisterFlagsSurfaceLoadStore = 1310;
inline constexpr int hipGraphicsRegisterFlagsTextureGather = 1311;
inline constexpr int hipGraphicsRegisterFlagsWriteDiscard = 1312;
inline constexpr int hipJitCacheOptionCA = 1313;
inline constexpr int hipJitCacheOptionCG = 1314;
inline constexpr int hipJitCacheOptionNone = 1315;
inline constexpr int hipJitInputCubin = 1316;
inline constexpr int hipJitInputFatBinary = 1317;
inline constexpr int hipJitInputLLVMArchivesOfBundledBitcode = 1318;
inline constexpr int hipJitInputLLVMBitcode = 1319;
inline constexpr int hipJitInputLLVMBundledBitcode = 1320;
inline constexpr int hipJitInputLibrary = 1321;
inline constexpr int hipJitInputNvvm = 1322;
inline constexpr int hipJitInputObject = 1323;
inline constexpr int hipJitInputPtx = 1324;
inline constexpr int hipJitInputSpirv = 1325;
inline constexpr int hipJitNumInputTypes = 1326;
inline constexpr int hipJitNumLegacyInputTypes = 1327;
inline constexpr int hipJitOptionCacheMode = 1328;
inline constexpr int hipJitOptionErrorLogBuffer = 1329;
inline constexpr int hipJitOptionErrorLogBufferSizeBytes = 1330;
inline constexpr int hipJitOptionFallbackStrategy = 1331;
inline constexpr int hipJitOptionFastCompile = 1332;
inline constexpr int hipJitOptionFma = 1333;
inline constexpr int hipJitOptionFtz = 1334;
inline constexpr int hipJitOptionGenerateDebugInfo = 1335;
inline constexpr int hipJitOptionGenerateLineInfo = 1336;
inline constexpr int hipJitOptionGlobalSymbolAddresses = 1337;
inline constexpr int hipJitOptionGlobalSymbolCount = 1338;
inline constexpr int hipJitOptionGlobalSymbolNames = 1339;
inline constexpr int hipJitOptionIRtoISAOptCountExt = 1340;
inline constexpr int hipJitOptionIRtoISAOptExt = 1341;
inline constexpr int hipJitOptionInfoLogBuffer = 1342;
inline constexpr int hipJitOptionInfoLogBufferSizeBytes = 1343;
inline constexpr int hipJitOptionLogVerbose = 1344;
inline constexpr int hipJitOptionLto = 1345;
inline constexpr int hipJitOptionMaxRegisters = 1346;
inline constexpr int hipJitOptionMaxThreadsPerBlock = 1347;
inline constexpr int hipJitOptionMinCTAPerSM = 1348;
inline constexpr int hipJitOptionNumOptions = 1349;
inline constexpr int hipJitOptionOptimizationLevel = 1350;
inline constexpr int hipJitOptionOverrideDirectiveValues = 1351;
inline constexpr int hipJitOptionPositionIndependentCode = 1352;
inline constexpr int hipJitOptionPrecDiv = 1353;
inline constexpr int hipJitOptionPrecSqrt = 1354;
inline constexpr int hipJitOptionSm3xOpt = 1355;
inline constexpr int hipJitOptionTarget = 1356;
inline constexpr int hipJitOptionTargetFromContext = 1357;
inline constexpr int hipJitOptionThreadsPerBlock = 1358;
inline constexpr int hipJitOptionWallTime = 1359;
inline constexpr int hipJitPreferBinary = 1360;
inline constexpr int hipJitPreferPTX = 1361;
inline constexpr int hipKernelNodeAttributeAccessPolicyWindow = 1362;
inline constexpr int hipKernelNodeAttributeCooperative = 1363;
inline constexpr int hipKernelNodeAttributePriority = 1364;
inline constexpr int hipLaunchAttributeAccessPolicyWindow = 1365;
inline constexpr int hipLaunchAttributeCooperative = 1366;
inline constexpr int hipLaunchAttributeMax = 1367;
inline constexpr int hipLaunchAttributeMemSyncDomain = 1368;
inline constexpr int hipLaunchAttributeMemSyncDomainMap = 1369;
inline constexpr int hipLaunchAttributePriority = 1370;
inline constexpr int hipLaunchAttributeSynchronizationPolicy = 1371;
inline constexpr int hipLaunchMemSyncDomainDefault = 1372;
inline constexpr int hipLaunchMemSyncDomainRemote = 1373;
inline constexpr int hipLibraryBinaryIsPreserved = 1374;
inline constexpr int hipLibraryHostUniversalFunctionAndDataTable = 1375;
inline constexpr int hipMallocSignalMemory = 1376;
inline constexpr int hipMemAllocationTypeUncached = 1377;
inline constexpr int hipMemHandleTypeGeneric = 1378;
inline constexpr int hipMemOperationTypeMap = 1379;
inline constexpr int hipMemOperationTypeUnmap = 1380;
inline constexpr int hipMemRangeAttributeAccessedBy = 1381;
inline constexpr int hipMemRangeAttributeCoherencyMode = 1382;
inline constexpr int hipMemRangeAttributeLastPrefetchLocation = 1383;
inline constexpr int hipMemRangeAttributePreferredLocation = 1384;
inline constexpr int hipMemRangeAttributeReadMostly = 1385;
inline constexpr int hipMemRangeCoherencyModeCoarseGrain = 1386;
inline constexpr int hipMemRangeCoherencyModeFineGrain = 1387;
inline constexpr int hipMemRangeCoherencyModeIndeterminate = 1388;
inline constexpr int hipMemRangeFlagDmaBufMappingTypePcie = 1389;
inline constexpr int hipMemRangeFlagsMax = 1390;
inline constexpr int hipMemRangeHandleTypeDmaBufFd = 1391;
inline constexpr int hipMemRangeHandleTypeMax = 1392;
inline constexpr int hipMemcpyDeviceToDeviceNoCU = 1393;
inline constexpr int hipMemcpyFlagDefault = 1394;
inline constexpr int hipMemcpyFlagPreferOverlapWithCompute = 1395;
inline constexpr int hipMemcpyOperandTypeArray = 1396;
inline constexpr int hipMemcpyOperandTypeMax = 1397;
inline constexpr int hipMemcpyOperandTypePointer = 1398;
inline constexpr int hipMemcpySrcAccessOrderAny = 1399;
inline constexpr int hipMemcpySrcAccessOrderDuringApiCall = 1400;
inline constexpr int hipMemcpySrcAccessOrderInvalid = 1401;
inline constexpr int hipMemcpySrcAccessOrderMax = 1402;
inline constexpr int hipMemcpySrcAccessOrderStream = 1403;
inline constexpr int hipOccupancyDefault = 1404;
inline constexpr int hipOccupancyDisableCachingOverride = 1405;
inline constexpr int hipResViewFormatFloat1 = 1406;
inline constexpr int hipResViewFormatFloat2 = 1407;
inline constexpr int hipResViewFormatFloat4 = 1408;
inline constexpr int hipResViewFormatHalf1 = 1409;
inline constexpr int hipResViewFormatHalf2 = 1410;
inline constexpr int hipResViewFormatHalf4 = 1411;
inline constexpr int hipResViewFormatNone = 1412;
inline constexpr int hipResViewFormatSignedBlockCompressed4 = 1413;
inline constexpr int hipResViewFormatSignedBlockCompressed5 = 1414;
inline constexpr int hipResViewFormatSignedBlockCompressed6H = 1415;
inline constexpr int hipResViewFormatSignedChar1 = 1416;
inline constexpr int hipResViewFormatSignedChar2 = 1417;
inline constexpr int hipResViewFormatSignedChar4 = 1418;
inline constexpr int hipResViewFormatSignedInt1 = 1419;
inline constexpr int hipResViewFormatSignedInt2 = 1420;
inline constexpr int hipResViewFormatSignedInt4 = 1421;
inline constexpr int hipResViewFormatSignedShort1 = 1422;
inline constexpr int hipResViewFormatSignedShort2 = 1423;
inline constexpr int hipResViewFormatSignedShort4 = 1424;
inline constexpr int hipResViewFormatUnsignedBlockCompressed1 = 1425;
inline constexpr int hipResViewFormatUnsignedBlockCompressed2 = 1426;
inline constexpr int hipResViewFormatUnsignedBlockCompressed3 = 1427;
inline constexpr int hipResViewFormatUnsignedBlockCompressed4 = 1428;
inline constexpr int hipResViewFormatUnsignedBlockCompressed5 = 1429;
inline constexpr int hipResViewFormatUnsignedBlockCompressed6H = 1430;
inline constexpr int hipResViewFormatUnsignedBlockCompressed7 = 1431;
inline constexpr int hipResViewFormatUnsignedChar1 = 1432;
inline constexpr int hipResViewFormatUnsignedChar2 = 1433;
inline constexpr int hipResViewFormatUnsignedChar4 = 1434;
inline constexpr int hipResViewFormatUnsignedInt1 = 1435;
inline constexpr int hipResViewFormatUnsignedInt2 = 1436;
inline constexpr int hipResViewFormatUnsignedInt4 = 1437;
inline constexpr int hipResViewFormatUnsignedShort1 = 1438;
inline constexpr int hipResViewFormatUnsignedShort2 = 1439;
inline constexpr int hipResViewFormatUnsignedShort4 = 1440;
inline constexpr int hipStreamAttributeAccessPolicyWindow = 1441;
inline constexpr int hipStreamAttributeMemSyncDomain = 1442;
inline constexpr int hipStreamAttributeMemSyncDomainMap = 1443;
inline constexpr int hipStreamAttributePriority = 1444;
inline constexpr int hipStreamAttributeSynchronizationPolicy = 1445;
inline constexpr int hipStreamMemOpBarrier = 1446;
inline constexpr int hipStreamMemOpFlushRemoteWrites = 1447;
inline constexpr int hipStreamMemOpWaitValue32 = 1448;
inline constexpr int hipStreamMemOpWaitValue64 = 1449;
inline constexpr int hipStreamMemOpWriteValue32 = 1450;
inline constexpr int hipStreamMemOpWriteValue64 = 1451;
inline constexpr int hipSyncPolicyAuto = 1452;
inline constexpr int hipSyncPolicyBlockingSync = 1453;
inline constexpr int hipSyncPolicySpin = 1454;
inline constexpr int hipSyncPolicyYield = 1455;
inline constexpr int hipTextureType1D = 1456;
inline constexpr int hipTextureType1DLayered = 1457;
inline constexpr int hipTextureType2D = 1458;
inline constexpr int hipTextureType2DLayered = 1459;
inline constexpr int hipTextureType3D = 1460;
inline constexpr int hipTextureTypeCubemap = 1461;
inline constexpr int hipTextureTypeCubemapLayered = 1462;
inline constexpr int hipUserObjectNoDestructorSync = 1463;
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
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyArrayToArray)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyAtoA)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyAtoHAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyBatchAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyFromArrayAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyFromArray_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyFromSymbolAsync_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyFromSymbol_spt)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyHtoAAsync)
HIPPORT_UNSUPPORTED(hipError_t, hipErrorNotSupported, hipMemcpyToArrayAsync)
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
