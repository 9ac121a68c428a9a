// SPDX-License-Identifier: MIT
// The counterparts of `cuGetErrorString` and `cuGetErrorName` for HIP before ROCm 5.4, from functions that return the
// text.
#ifndef HIPPORT_COMPAT_DRIVER_ERRORS_H
#define HIPPORT_COMPAT_DRIVER_ERRORS_H

#include <hip/hip_runtime_api.h>

#if defined(__HIP_PLATFORM_AMD__) && !defined(__HIPPORT_CPU__)
#include <hip/hip_version.h>
#if HIP_VERSION < 50400000

static inline hipError_t hipDrvGetErrorString(hipError_t error, const char** text) {
  *text = hipGetErrorString(error);
  return hipSuccess;
}
static inline hipError_t hipDrvGetErrorName(hipError_t error, const char** text) {
  *text = hipGetErrorName(error);
  return hipSuccess;
}

#endif
#endif

#endif
