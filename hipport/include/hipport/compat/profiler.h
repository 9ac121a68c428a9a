// SPDX-License-Identifier: MIT
// `cudaProfilerStart` and `cudaProfilerStop`, which succeed without a profiler. HIP's do nothing up to release 6, and say
// that with hipErrorNotSupported. For C, too.
#ifndef HIPPORT_COMPAT_PROFILER_H
#define HIPPORT_COMPAT_PROFILER_H

#if defined(__HIP__) || defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__)

#include <hip/hip_runtime_api.h>

// CUDA's succeed. (HIP's headers for AMD GPUs ask for this macro.)
#if !defined(__HIP_PLATFORM_AMD__)
#define hipport_profiler_start cudaProfilerStart
#define hipport_profiler_stop cudaProfilerStop
#else

// Take "not supported" for success, also as the last error.
static inline hipError_t hipport_or_unsupported(hipError_t status) {
  if (status != hipErrorNotSupported) return status;
  (void)hipGetLastError();
  return hipSuccess;
}

#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
static inline hipError_t hipport_profiler_start(void) { return hipport_or_unsupported(hipProfilerStart()); }
static inline hipError_t hipport_profiler_stop(void) { return hipport_or_unsupported(hipProfilerStop()); }
#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif

#endif

#endif  // HIPPORT_COMPAT_PROFILER_H
