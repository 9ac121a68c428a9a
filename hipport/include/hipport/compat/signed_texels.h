// SPDX-License-Identifier: MIT
// Textures of `signed char` (`int8_t`), which HIP's texture functions refuse: to them it is not the same as `char`.
#ifndef HIPPORT_COMPAT_SIGNED_TEXELS_H
#define HIPPORT_COMPAT_SIGNED_TEXELS_H

#include "core.h"
#include "device_compiler.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_DEVICE_COMPILER) && defined(HIPPORT_COMPAT_HIP) && \
    !defined(__HIPPORT_CPU__)

#include <type_traits>

// HIP's functions refuse the type by SFINAE, so these are the only candidates for it. Coordinates convert to HIP's types.
#define HIPPORT_COMPAT_SIGNED_TEXEL(function)                                                         \
  template <typename T, typename... Places,                                                           \
            typename std::enable_if<std::is_same<T, signed char>::value, int>::type = 0>              \
  __device__ inline T function(hipTextureObject_t texture, Places... places) {                        \
    return static_cast<T>(::function<char>(texture, places...));                                      \
  }                                                                                                   \
  template <typename... Places>                                                                       \
  __device__ inline void function(signed char* texel, hipTextureObject_t texture, Places... places) { \
    *texel = static_cast<signed char>(::function<char>(texture, places...));                          \
  }
HIPPORT_COMPAT_SIGNED_TEXEL(tex1Dfetch)
HIPPORT_COMPAT_SIGNED_TEXEL(tex1D)
HIPPORT_COMPAT_SIGNED_TEXEL(tex1DLod)
HIPPORT_COMPAT_SIGNED_TEXEL(tex1DGrad)
HIPPORT_COMPAT_SIGNED_TEXEL(tex1DLayered)
HIPPORT_COMPAT_SIGNED_TEXEL(tex1DLayeredLod)
HIPPORT_COMPAT_SIGNED_TEXEL(tex1DLayeredGrad)
HIPPORT_COMPAT_SIGNED_TEXEL(tex2D)
HIPPORT_COMPAT_SIGNED_TEXEL(tex2DLod)
HIPPORT_COMPAT_SIGNED_TEXEL(tex2DGrad)
HIPPORT_COMPAT_SIGNED_TEXEL(tex2DLayered)
HIPPORT_COMPAT_SIGNED_TEXEL(tex2DLayeredLod)
HIPPORT_COMPAT_SIGNED_TEXEL(tex2DLayeredGrad)
HIPPORT_COMPAT_SIGNED_TEXEL(tex2Dgather)
HIPPORT_COMPAT_SIGNED_TEXEL(tex3D)
HIPPORT_COMPAT_SIGNED_TEXEL(tex3DLod)
HIPPORT_COMPAT_SIGNED_TEXEL(tex3DGrad)
HIPPORT_COMPAT_SIGNED_TEXEL(texCubemap)
HIPPORT_COMPAT_SIGNED_TEXEL(texCubemapLod)
HIPPORT_COMPAT_SIGNED_TEXEL(texCubemapLayered)
HIPPORT_COMPAT_SIGNED_TEXEL(texCubemapLayeredLod)
#undef HIPPORT_COMPAT_SIGNED_TEXEL

#endif
#endif
