// SPDX-License-Identifier: MIT
// The precisions of cuSOLVER's iterative solvers, for tables of types that name them. hipSOLVER lacks the functions that
// take them but `gesv`'s, which has a precision in its name.
#ifndef HIPPORT_COMPAT_SOLVER_PRECISION_H
#define HIPPORT_COMPAT_SOLVER_PRECISION_H

#if defined(__NVCC__) || defined(__CUDA__) || defined(__HIP_PLATFORM_NVIDIA__)
#include <cusolverDn.h>
#else

typedef enum cusolverPrecType_t {
  CUSOLVER_R_8I = 1201,
  CUSOLVER_R_8U = 1202,
  CUSOLVER_R_64F = 1203,
  CUSOLVER_R_32F = 1204,
  CUSOLVER_R_16F = 1205,
  CUSOLVER_R_16BF = 1206,
  CUSOLVER_R_TF32 = 1207,
  CUSOLVER_R_AP = 1208,
  CUSOLVER_C_8I = 1211,
  CUSOLVER_C_8U = 1212,
  CUSOLVER_C_64F = 1213,
  CUSOLVER_C_32F = 1214,
  CUSOLVER_C_16F = 1215,
  CUSOLVER_C_16BF = 1216,
  CUSOLVER_C_TF32 = 1217,
  CUSOLVER_C_AP = 1218
} cusolverPrecType_t;

#endif

#endif
