// SPDX-License-Identifier: MIT
// Written by scripts/cpu_unsupported.py: what HIP has and the CPU target has not.
#pragma once

#include "declare.h"

#ifndef HIPPORT_ONLY_SUPPORTED
using hipfftDoubleReal = int;
using hipfftHandle = struct hipport_unsupported_hipfftHandle*;
using hipfftHandle_t = struct hipport_unsupported_hipfftHandle_t*;
using hipfftLibraryPropertyType = int;
using hipfftLibraryPropertyType_t = int;
using hipfftReal = int;
using hipfftResult = int;
using hipfftResult_t = int;
using hipfftType = int;
using hipfftType_t = int;
using hipfftXtCallbackType_t = int;
inline constexpr int HIPFFT_ALLOC_FAILED = 1000;
inline constexpr int HIPFFT_BACKWARD = 1001;
inline constexpr int HIPFFT_C2C = 1002;
inline constexpr int HIPFFT_C2R = 1003;
inline constexpr int HIPFFT_CB_LD_COMPLEX = 1004;
inline constexpr int HIPFFT_CB_LD_COMPLEX_DOUBLE = 1005;
inline constexpr int HIPFFT_CB_LD_REAL = 1006;
inline constexpr int HIPFFT_CB_LD_REAL_DOUBLE = 1007;
inline constexpr int HIPFFT_CB_ST_COMPLEX = 1008;
inline constexpr int HIPFFT_CB_ST_COMPLEX_DOUBLE = 1009;
inline constexpr int HIPFFT_CB_ST_REAL = 1010;
inline constexpr int HIPFFT_CB_ST_REAL_DOUBLE = 1011;
inline constexpr int HIPFFT_CB_UNDEFINED = 1012;
inline constexpr int HIPFFT_D2Z = 1013;
inline constexpr int HIPFFT_EXEC_FAILED = 1014;
inline constexpr int HIPFFT_FORWARD = 1015;
inline constexpr int HIPFFT_H_ = 1016;
inline constexpr int HIPFFT_INCOMPLETE_PARAMETER_LIST = 1017;
inline constexpr int HIPFFT_INTERNAL_ERROR = 1018;
inline constexpr int HIPFFT_INVALID_DEVICE = 1019;
inline constexpr int HIPFFT_INVALID_PLAN = 1020;
inline constexpr int HIPFFT_INVALID_SIZE = 1021;
inline constexpr int HIPFFT_INVALID_TYPE = 1022;
inline constexpr int HIPFFT_INVALID_VALUE = 1023;
inline constexpr int HIPFFT_MAJOR_VERSION = 1024;
inline constexpr int HIPFFT_MINOR_VERSION = 1025;
inline constexpr int HIPFFT_NOT_IMPLEMENTED = 1026;
inline constexpr int HIPFFT_NOT_SUPPORTED = 1027;
inline constexpr int HIPFFT_NO_WORKSPACE = 1028;
inline constexpr int HIPFFT_PARSE_ERROR = 1029;
inline constexpr int HIPFFT_PATCH_LEVEL = 1030;
inline constexpr int HIPFFT_R2C = 1031;
inline constexpr int HIPFFT_SETUP_FAILED = 1032;
inline constexpr int HIPFFT_SUCCESS = 1033;
inline constexpr int HIPFFT_UNALIGNED_DATA = 1034;
inline constexpr int HIPFFT_Z2D = 1035;
inline constexpr int HIPFFT_Z2Z = 1036;
inline constexpr int hipfftComplex = 1037;
inline constexpr int hipfftDoubleComplex = 1038;
inline constexpr int hipfftXtCallbackType = 1039;
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackLoadC)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackLoadD)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackLoadR)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackLoadZ)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackStoreC)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackStoreD)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackStoreR)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCallbackStoreZ)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftCreate)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftDestroy)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftEstimate1d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftEstimate2d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftEstimate3d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftEstimateMany)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftExecC2C)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftExecC2R)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftExecD2Z)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftExecR2C)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftExecZ2D)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftExecZ2Z)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftExtPlanScaleFactor)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetProperty)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetSize)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetSize1d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetSize2d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetSize3d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetSizeMany)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetSizeMany64)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftGetVersion)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftMakePlan1d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftMakePlan2d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftMakePlan3d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftMakePlanMany)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftMakePlanMany64)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftPlan1d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftPlan2d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftPlan3d)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftPlanMany)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftSetAutoAllocation)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftSetStream)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftSetWorkArea)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftXtClearCallback)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftXtSetCallback)
HIPPORT_UNSUPPORTED(hipfftResult, HIPFFT_NOT_SUPPORTED, hipfftXtSetCallbackSharedSize)
#endif
