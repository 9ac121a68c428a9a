// SPDX-License-Identifier: MIT
// What the other headers of hipport/compat share: which compiler reads them, and for what.
//
// The headers declare what CUDA has and HIP lacks. What is pure arithmetic lies in hipport::compat and is the same on
// every target, plain C++ included; the names of CUDA are declared for HIP only, since CUDA has them itself.
#ifndef HIPPORT_COMPAT_CORE_H
#define HIPPORT_COMPAT_CORE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// CUDA, or HIP on NVIDIA GPUs: the names of CUDA are there. Else HIP for AMD GPUs, or for the CPU (then __HIPPORT_CPU__ is
// defined too): they are to be declared.
#if defined(__NVCC__) || defined(__CUDA__) || defined(__HIP_PLATFORM_NVIDIA__)
#define HIPPORT_COMPAT_CUDA 1
#elif defined(__HIP__) || defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#define HIPPORT_COMPAT_HIP 1
#endif

#if defined(HIPPORT_COMPAT_HIP) || defined(__CUDACC__)
#define HIPPORT_COMPAT __host__ __device__ inline
#define HIPPORT_COMPAT_DEVICE __device__ inline
#else
#define HIPPORT_COMPAT inline
#define HIPPORT_COMPAT_DEVICE inline
#endif

// Whether code for an AMD GPU is being compiled, so that its builtins can be used.
#if defined(HIPPORT_COMPAT_HIP) && defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__ && \
    !defined(__HIPPORT_CPU__)
#define HIPPORT_COMPAT_AMDGPU 1
#endif

// Whether the headers of HIP are older than a release. False where there are none.
#if defined(HIPPORT_COMPAT_HIP)
#define HIPPORT_COMPAT_HIP_BEFORE(major, minor) \
  (HIP_VERSION_MAJOR < (major) || (HIP_VERSION_MAJOR == (major) && HIP_VERSION_MINOR < (minor)))
#else
#define HIPPORT_COMPAT_HIP_BEFORE(major, minor) 0
#endif

namespace hipport {
namespace compat {

// The bits of a value as another type of the same size.
template <typename To, typename From>
HIPPORT_COMPAT To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "types must have the same size");
  To to;
  memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(to));
  return to;
}

}  // namespace compat
}  // namespace hipport

#endif
