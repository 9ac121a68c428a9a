// SPDX-License-Identifier: MIT
// Precisions and refinements of cuSOLVER's iterative solvers, for type tables that name them. Of the functions that
// take them, hipSOLVER has only those for `gesv`, whose names contain the precision.
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

typedef enum cusolverIRSRefinement_t {
  CUSOLVER_IRS_REFINE_NOT_SET = 1100,
  CUSOLVER_IRS_REFINE_NONE = 1101,
  CUSOLVER_IRS_REFINE_CLASSICAL = 1102,
  CUSOLVER_IRS_REFINE_CLASSICAL_GMRES = 1103,
  CUSOLVER_IRS_REFINE_GMRES = 1104,
  CUSOLVER_IRS_REFINE_GMRES_GMRES = 1105,
  CUSOLVER_IRS_REFINE_GMRES_NOPCOND = 1106
} cusolverIRSRefinement_t;

#endif

#endif
