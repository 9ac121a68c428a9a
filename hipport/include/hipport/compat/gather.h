// SPDX-License-Identifier: MIT
// `tex2Dgather` of texture objects: HIP's, from 5.2 to 7.0 at least, counts the components from 1, and takes others for the last.
// Where the filter takes the nearest texel, its device library (seen in 5.2 and 5.7) cuts coordinates to whole texels, and so takes
// the four texels around another place.
#ifndef HIPPORT_COMPAT_GATHER_H
#define HIPPORT_COMPAT_GATHER_H

#include "core.h"
#include "device_compiler.h"
#include "image_sizes.h"
#include "signed_texels.h"

// A host compiler with HIP's headers has no texture functions.
#if defined(__cplusplus) && defined(HIPPORT_COMPAT_DEVICE_COMPILER)

namespace hipport {
namespace compat {

#if defined(HIPPORT_COMPAT_CUDA)
using GatheredTexture = cudaTextureObject_t;
#else
using GatheredTexture = hipTextureObject_t;
#endif

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)
constexpr int kFirstComponent = 1;

// What the library reads of a texture object: an image, and a sampler behind it.
struct GatheredSizes {
  bool is_linear;
  float width, height;  // 1 if coordinates are not normalized

  __device__ explicit GatheredSizes(GatheredTexture texture) {
    const Image image = (Image)texture;
    const Image sampler = image + HIP_SAMPLER_OBJECT_OFFSET_DWORD;
    const bool normalized = (sampler[0] >> 15 & 1) == 0;
    is_linear = (sampler[2] >> 20 & 1) != 0;
    width = normalized ? static_cast<float>(__ockl_image_width_2D(image)) : 1.0f;
    height = normalized ? static_cast<float>(__ockl_image_height_2D(image)) : 1.0f;
  }
};

// A coordinate of the same four texels that is cut to the one between them. It also is on their side of it.
__device__ inline float between_texels(float coordinate, float size) {
  return (floorf(coordinate * size - 0.5f) + 1.25f) / size;
}

template <typename T>
__device__ inline T gathered(GatheredTexture texture, float x, float y, int component) {
  const GatheredSizes sizes(texture);
  if (sizes.is_linear) return ::tex2Dgather<T>(texture, x, y, component + kFirstComponent);
  return ::tex2Dgather<T>(texture, between_texels(x, sizes.width), between_texels(y, sizes.height),
                          component + kFirstComponent);
}
#else
template <typename T>
__device__ inline T gathered(GatheredTexture texture, float x, float y, int component) {
  return ::tex2Dgather<T>(texture, x, y, component);
}
#endif

template <typename T>
__device__ inline T tex2Dgather(GatheredTexture texture, float x, float y, int component = 0) {
  return gathered<T>(texture, x, y, component);
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
