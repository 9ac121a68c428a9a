// SPDX-License-Identifier: MIT
// `tex2Dgather` of texture objects: HIP's, from 5.2 to 7.0 at least, counts the components from 1, and takes others for the last.
#ifndef HIPPORT_COMPAT_GATHER_H
#define HIPPORT_COMPAT_GATHER_H

#include "core.h"

#if defined(__cplusplus)

namespace hipport {
namespace compat {

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)
constexpr int kFirstComponent = 1;
#else
constexpr int kFirstComponent = 0;
#endif

#if defined(HIPPORT_COMPAT_CUDA)
using GatheredTexture = cudaTextureObject_t;
#else
using GatheredTexture = hipTextureObject_t;
#endif

template <typename T>
__device__ inline T tex2Dgather(GatheredTexture texture, float x, float y, int component = 0) {
  return ::tex2Dgather<T>(texture, x, y, component + kFirstComponent);
}

template <typename T>
__device__ inline void tex2Dgather(T* value, GatheredTexture texture, float x, float y, int component = 0) {
  *value = compat::tex2Dgather<T>(texture, x, y, component);
}

// Texture references, whose components HIP counts as CUDA does.
template <typename Texture>
__device__ inline auto tex2Dgather(Texture texture, float x, float y, int component = 0)
    -> decltype(::tex2Dgather(texture, x, y, component)) {
  return ::tex2Dgather(texture, x, y, component);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
