// SPDX-License-Identifier: MIT
// Surface functions: those that return what they read, those for layered surfaces, those for integers, and boundary modes.
//
// HIP's functions for layered surfaces take the layer for a mipmap level, and those of old releases (5.2) convert
// integers to floating point, so that nothing of them is right but `float`. On AMD GPUs, accesses outside a surface read
// zero and write nothing: that is `hipBoundaryModeZero`. For `hipBoundaryModeClamp`, coordinates are moved inside.
#ifndef HIPPORT_COMPAT_SURFACES_H
#define HIPPORT_COMPAT_SURFACES_H

#include "core.h"
#include "image_sizes.h"

#if defined(HIPPORT_COMPAT_HIP)

#if !defined(__HIPPORT_CPU__)
#include <hip/amd_detail/ockl_image.h>
#endif

namespace hipport {
namespace compat {

#if defined(__HIPPORT_CPU__)

using ::surf1DLayeredread;
using ::surf1DLayeredwrite;
using ::surf1Dread;
using ::surf1Dwrite;
using ::surf2DLayeredread;
using ::surf2DLayeredwrite;
using ::surf2Dread;
using ::surf2Dwrite;
using ::surf3Dread;
using ::surf3Dwrite;

#else

#if defined(__hip_img_chk__)
#define HIPPORT_COMPAT_IMAGE HIPPORT_COMPAT_DEVICE __hip_img_chk__
#else
#define HIPPORT_COMPAT_IMAGE HIPPORT_COMPAT_DEVICE
#endif

namespace surface {

using Texel = float4::Native_vec_;
template <typename T>
struct Channels {
  using type = T;
  static constexpr int count = 1;
};
template <typename T, unsigned int n>
struct Channels<HIP_vector_type<T, n>> {
  using type = T;
  static constexpr int count = n;
};

// The hardware extends channels to 32 bits: integers by their sign, 8 and 16 bits of them alike.
HIPPORT_COMPAT_DEVICE void take(float texel, float* value) { *value = texel; }
template <typename T>
HIPPORT_COMPAT_DEVICE void take(float texel, T* value) {
  *value = static_cast<T>(bits<int>(texel));
}
HIPPORT_COMPAT_DEVICE float given(float value) { return value; }
template <typename T>
HIPPORT_COMPAT_DEVICE float given(T value) {
  return bits<float>(static_cast<int>(value));
}

template <typename T>
HIPPORT_COMPAT_DEVICE T unpacked(Texel texel) {
  using Channel = typename Channels<T>::type;
  T value;
  Channel* channels = reinterpret_cast<Channel*>(&value);
  for (int c = 0; c < Channels<T>::count; ++c) take(texel[c], channels + c);
  return value;
}

template <typename T>
HIPPORT_COMPAT_DEVICE Texel packed(const T& value) {
  using Channel = typename Channels<T>::type;
  const Channel* channels = reinterpret_cast<const Channel*>(&value);
  Texel texel = {0, 0, 0, 0};
  for (int c = 0; c < Channels<T>::count; ++c) texel[c] = given(channels[c]);
  return texel;
}

HIPPORT_COMPAT_DEVICE int inside(int at, int size) { return at < 0 ? 0 : at < size ? at : size - 1; }

// Where an access is, in texels: CUDA counts x in bytes. Layers have no boundary mode.
template <typename T>
struct Place {
  Image image;
  int x, y = 0, z = 0;  // z: or the layer

  HIPPORT_COMPAT_DEVICE Place(hipSurfaceObject_t object, int x) : image((Image)object), x(x / int{sizeof(T)}) {}
  HIPPORT_COMPAT_DEVICE Place(hipSurfaceObject_t object, int x, int y) : Place(object, x) { this->y = y; }
  HIPPORT_COMPAT_DEVICE Place(hipSurfaceObject_t object, int x, int y, int z) : Place(object, x, y) { this->z = z; }

  HIPPORT_COMPAT_DEVICE int line(int mode) const {
    return mode == hipBoundaryModeClamp ? inside(x, __ockl_image_width_1D(image)) : x;
  }
  HIPPORT_COMPAT_DEVICE int2::Native_vec_ lines(int mode) const {
    const bool clamps = mode == hipBoundaryModeClamp;
    return make_int2(clamps ? inside(x, __ockl_image_width_1Da(image)) : x, y).data;
  }
  HIPPORT_COMPAT_DEVICE int2::Native_vec_ plane(int mode) const {
    if (mode != hipBoundaryModeClamp) return make_int2(x, y).data;
    return make_int2(inside(x, __ockl_image_width_2D(image)), inside(y, __ockl_image_height_2D(image))).data;
  }
  HIPPORT_COMPAT_DEVICE int4::Native_vec_ planes(int mode) const {
    if (mode != hipBoundaryModeClamp) return make_int4(x, y, z, 0).data;
    return make_int4(inside(x, __ockl_image_width_2Da(image)), inside(y, __ockl_image_height_2Da(image)), z, 0).data;
  }
  HIPPORT_COMPAT_DEVICE int4::Native_vec_ volume(int mode) const {
    if (mode != hipBoundaryModeClamp) return make_int4(x, y, z, 0).data;
    return make_int4(inside(x, __ockl_image_width_3D(image)), inside(y, __ockl_image_height_3D(image)),
                     inside(z, __ockl_image_depth_3D(image)), 0)
        .data;
  }
};

}  // namespace surface

template <typename T>
HIPPORT_COMPAT_IMAGE void surf1Dread(T* value, hipSurfaceObject_t object, int x, int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x);
  *value = surface::unpacked<T>(__ockl_image_load_1D(at.image, at.line(mode)));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf1Dwrite(T value, hipSurfaceObject_t object, int x, int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x);
  __ockl_image_store_1D(at.image, at.line(mode), surface::packed(value));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf2Dread(T* value, hipSurfaceObject_t object, int x, int y,
                                     int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, y);
  *value = surface::unpacked<T>(__ockl_image_load_2D(at.image, at.plane(mode)));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf2Dwrite(T value, hipSurfaceObject_t object, int x, int y,
                                      int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, y);
  __ockl_image_store_2D(at.image, at.plane(mode), surface::packed(value));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf3Dread(T* value, hipSurfaceObject_t object, int x, int y, int z,
                                     int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, y, z);
  *value = surface::unpacked<T>(__ockl_image_load_3D(at.image, at.volume(mode)));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf3Dwrite(T value, hipSurfaceObject_t object, int x, int y, int z,
                                      int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, y, z);
  __ockl_image_store_3D(at.image, at.volume(mode), surface::packed(value));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf1DLayeredread(T* value, hipSurfaceObject_t object, int x, int layer,
                                            int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, layer);
  *value = surface::unpacked<T>(__ockl_image_load_1Da(at.image, at.lines(mode)));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf1DLayeredwrite(T value, hipSurfaceObject_t object, int x, int layer,
                                             int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, layer);
  __ockl_image_store_1Da(at.image, at.lines(mode), surface::packed(value));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf2DLayeredread(T* value, hipSurfaceObject_t object, int x, int y, int layer,
                                            int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, y, layer);
  *value = surface::unpacked<T>(__ockl_image_load_2Da(at.image, at.planes(mode)));
}
template <typename T>
HIPPORT_COMPAT_IMAGE void surf2DLayeredwrite(T value, hipSurfaceObject_t object, int x, int y, int layer,
                                             int mode = hipBoundaryModeZero) {
  const surface::Place<T> at(object, x, y, layer);
  __ockl_image_store_2Da(at.image, at.planes(mode), surface::packed(value));
}

#undef HIPPORT_COMPAT_IMAGE

#endif

template <typename T>
HIPPORT_COMPAT_DEVICE T surf1Dread(hipSurfaceObject_t object, int x, int mode = hipBoundaryModeZero) {
  T value;
  compat::surf1Dread(&value, object, x, mode);
  return value;
}
template <typename T>
HIPPORT_COMPAT_DEVICE T surf2Dread(hipSurfaceObject_t object, int x, int y, int mode = hipBoundaryModeZero) {
  T value;
  compat::surf2Dread(&value, object, x, y, mode);
  return value;
}
template <typename T>
HIPPORT_COMPAT_DEVICE T surf3Dread(hipSurfaceObject_t object, int x, int y, int z, int mode = hipBoundaryModeZero) {
  T value;
  compat::surf3Dread(&value, object, x, y, z, mode);
  return value;
}
template <typename T>
HIPPORT_COMPAT_DEVICE T surf1DLayeredread(hipSurfaceObject_t object, int x, int layer, int mode = hipBoundaryModeZero) {
  T value;
  compat::surf1DLayeredread(&value, object, x, layer, mode);
  return value;
}
template <typename T>
HIPPORT_COMPAT_DEVICE T surf2DLayeredread(hipSurfaceObject_t object, int x, int y, int layer,
                                          int mode = hipBoundaryModeZero) {
  T value;
  compat::surf2DLayeredread(&value, object, x, y, layer, mode);
  return value;
}

}  // namespace compat
}  // namespace hipport

#endif

#endif  // HIPPORT_COMPAT_SURFACES_H
