// SPDX-License-Identifier: MIT
// Texture functions of kernels. Without a level of detail they read the largest level, since kernels have no pixels.
#pragma once

#include "textures.h"

namespace hipport::cpu {

// Where a direction intersects a cube: the face, and coordinates on it from 0 to 1.
struct CubePlace {
  int face;
  float s, t;
};
inline CubePlace on_cube(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto place = [](int face, float major, float s, float t) {
    return CubePlace{face, (s / major + 1.0f) / 2.0f, (t / major + 1.0f) / 2.0f};
  };
  if (ax >= ay && ax >= az) return x >= 0.0f ? place(0, ax, -z, -y) : place(1, ax, z, -y);
  if (ay >= az) return y >= 0.0f ? place(2, ay, x, z) : place(3, ay, x, -z);
  return z >= 0.0f ? place(4, az, x, -y) : place(5, az, -x, -y);
}

template <typename T>
T sample_cube(const __hip_texture& texture, float x, float y, float z, int layer) {
  const CubePlace at = on_cube(x, y, z);
  const float side = static_cast<float>(texture.width);
  return filtered<T>(texture, at.s * side, at.t * side, 0.0f, 2, layer_of(texture, 6 * layer + at.face));
}

// The changes of a coordinate, as the three of level_of().
inline float level_of_steps(const __hip_texture& texture, float across, float down) {
  return level_of(texture, {across, 0.0f, 0.0f}, {down, 0.0f, 0.0f});
}
inline float level_of_steps(const __hip_texture& texture, const float2& across, const float2& down) {
  return level_of(texture, {across.x, across.y, 0.0f}, {down.x, down.y, 0.0f});
}
inline float level_of_steps(const __hip_texture& texture, const float4& across, const float4& down) {
  return level_of(texture, {across.x, across.y, across.z}, {down.x, down.y, down.z});
}

// The same for changes of a direction: how far they move its place on the face, to first order.
inline float level_on_cube(const __hip_texture& texture, const float4& at, const float4& across, const float4& down) {
  const float length = std::fmax(std::fmax(std::fabs(at.x), std::fabs(at.y)), std::fabs(at.z));
  const int face = on_cube(at.x, at.y, at.z).face;
  const int major = face / 2, first = major == 0 ? 2 : 0, second = major == 1 ? 2 : 1;
  const float place[3] = {at.x, at.y, at.z};
  const auto moved = [&](const float4& change, int axis) {
    const float step[3] = {change.x, change.y, change.z};
    const float longer = place[major] < 0.0f ? -step[major] : step[major];
    return (step[axis] * length - place[axis] * longer) / (2.0f * length * length);
  };
  return level_of(texture, {moved(across, first), moved(across, second), 0.0f},
                  {moved(down, first), moved(down, second), 0.0f});
}

template <typename T>
auto component(const T& value, int which) {
  if constexpr (Texel<T>::count == 1)
    return value;
  else
    return reinterpret_cast<const typename Texel<T>::Element*>(&value)[which];
}

// Return one component of the four texels that a linear filter would use, counterclockwise from the lower left.
template <typename T>
T gather(const __hip_texture& texture, float x, float y, int which) {
  if (texture.how.normalizedCoords) {
    x *= static_cast<float>(texture.width);
    y *= static_cast<float>(texture.height);
  }
  const long left = between(x).first, top = between(y).first;
  const auto at = [&](long u, long v) { return component(texel_at<T>(texture, u, v, 0), which); };
  return T(at(left, top + 1), at(left + 1, top + 1), at(left + 1, top), at(left, top));
}

}  // namespace hipport::cpu

template <typename T>
T tex1Dfetch(hipTextureObject_t texture, int x) {
  if (x < 0 || static_cast<size_t>(x) >= texture->width) return T{};
  return hipport::cpu::texel_at<T>(*texture, x, 0, 0);
}
template <typename T>
void tex1Dfetch(T* value, hipTextureObject_t texture, int x) {
  *value = tex1Dfetch<T>(texture, x);
}

#define HIPPORT_UNPACK(...) __VA_ARGS__
// Define a function that returns the texel and one that stores it. `result` is what it is in the level `one`.
#define HIPPORT_TEXTURE(name, parameters, arguments, detail, result)                             \
  template <typename T>                                                                          \
  T name(hipTextureObject_t texture, HIPPORT_UNPACK parameters) {                                \
    using namespace hipport::cpu;                                                                \
    return at_level<T>(*texture, detail, [&](const __hip_texture& one) -> T { return result; }); \
  }                                                                                              \
  template <typename T>                                                                          \
  void name(T* value, hipTextureObject_t texture, HIPPORT_UNPACK parameters) {                   \
    *value = name<T>(texture, HIPPORT_UNPACK arguments);                                         \
  }
// The same with a level of detail, and with gradients that select one.
#define HIPPORT_TEXTURE_LEVELS(name, parameters, arguments, Gradient, by_gradients, result)                      \
  HIPPORT_TEXTURE(name, parameters, arguments, 0.0f, result)                                                     \
  HIPPORT_TEXTURE(name##Lod, (HIPPORT_UNPACK parameters, float level), (HIPPORT_UNPACK arguments, level), level, \
                  result)                                                                                        \
  HIPPORT_TEXTURE(name##Grad, (HIPPORT_UNPACK parameters, Gradient across, Gradient down),                       \
                  (HIPPORT_UNPACK arguments, across, down), by_gradients, result)

HIPPORT_TEXTURE_LEVELS(tex1D, (float x), (x), float, level_of_steps(*texture, across, down),
                       sample<T>(one, x, 0.0f, 0.0f, 1))
HIPPORT_TEXTURE_LEVELS(tex2D, (float x, float y), (x, y), float2, level_of_steps(*texture, across, down),
                       sample<T>(one, x, y, 0.0f, 2))
HIPPORT_TEXTURE_LEVELS(tex3D, (float x, float y, float z), (x, y, z), float4, level_of_steps(*texture, across, down),
                       sample<T>(one, x, y, z, 3))
HIPPORT_TEXTURE_LEVELS(tex1DLayered, (float x, int layer), (x, layer), float, level_of_steps(*texture, across, down),
                       sample<T>(one, x, 0.0f, 0.0f, 1, layer_of(one, layer)))
HIPPORT_TEXTURE_LEVELS(tex2DLayered, (float x, float y, int layer), (x, y, layer), float2,
                       level_of_steps(*texture, across, down), sample<T>(one, x, y, 0.0f, 2, layer_of(one, layer)))
HIPPORT_TEXTURE_LEVELS(texCubemap, (float x, float y, float z), (x, y, z), float4,
                       level_on_cube(*texture, {x, y, z, 0.0f}, across, down), sample_cube<T>(one, x, y, z, 0))
HIPPORT_TEXTURE_LEVELS(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer), float4,
                       level_on_cube(*texture, {x, y, z, 0.0f}, across, down), sample_cube<T>(one, x, y, z, layer))
#undef HIPPORT_TEXTURE_LEVELS
#undef HIPPORT_TEXTURE
#undef HIPPORT_UNPACK

template <typename T>
T tex2Dgather(hipTextureObject_t texture, float x, float y, int component = 0) {
  return hipport::cpu::gather<T>(*texture, x, y, component);
}
template <typename T>
void tex2Dgather(T* value, hipTextureObject_t texture, float x, float y, int component = 0) {
  *value = tex2Dgather<T>(texture, x, y, component);
}

// Texture references are deprecated in HIP; a program that declares one fails to compile here instead of reading wrong
// texels.
template <typename T, int Dimensions = 1, int Mode = 0>
struct texture {
  static_assert(sizeof(T) == 0, "hipport: texture references are not supported on the CPU target: use texture objects");
};
