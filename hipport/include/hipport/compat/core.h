// SPDX-License-Identifier: MIT
// Shared by the headers in hipport/compat: which compiler reads them, and for which target.
//
// The headers declare what CUDA has and HIP lacks. Pure arithmetic is in namespace hipport::compat and works on every
// target, plain C++ included. CUDA's names are declared for HIP only, since CUDA has them.
#ifndef HIPPORT_COMPAT_CORE_H
#define HIPPORT_COMPAT_CORE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// HIPPORT_COMPAT_CUDA: CUDA, or HIP on NVIDIA GPUs, where CUDA's names exist. HIPPORT_COMPAT_HIP: HIP for AMD GPUs or
// for the CPU (which also defines __HIPPORT_CPU__), where they must be declared.
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

// Defined if code for an AMD GPU is being compiled, so that its builtins can be used.
#if defined(HIPPORT_COMPAT_HIP) && defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__ && \
    !defined(__HIPPORT_CPU__)
#define HIPPORT_COMPAT_AMDGPU 1
#endif

// True if HIP's headers are older than the given release; false if there are none.
#if defined(HIPPORT_COMPAT_HIP)
#define HIPPORT_COMPAT_HIP_BEFORE(major, minor) \
  (HIP_VERSION_MAJOR < (major) || (HIP_VERSION_MAJOR == (major) && HIP_VERSION_MINOR < (minor)))
#else
#define HIPPORT_COMPAT_HIP_BEFORE(major, minor) 0
#endif

// Define a function that calls CUDA's of the same name with leading underscores.
#if defined(HIPPORT_COMPAT_CUDA)
#define HIPPORT_COMPAT_FORWARD(name)                                             \
  template <typename... T>                                                       \
  HIPPORT_COMPAT auto name(T... arguments) -> decltype(__##name(arguments...)) { \
    return __##name(arguments...);                                               \
  }
#endif

namespace hipport {
namespace compat {

// Return the bits of a value as another type of the same size.
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
