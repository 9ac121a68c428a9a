// SPDX-License-Identifier: MIT
// Texture objects of one to three dimensions, layered and cube textures, mipmaps, and their filtering. Weights of linear
// filters have 8 fractional bits, as CUDA documents; filtering does not cross the edges of a cube's faces.
#pragma once

#include <vector>

#include "arrays.h"
#include "half.h"
#include "mipmaps.h"

enum hipResourceType {
  hipResourceTypeArray,
  hipResourceTypeMipmappedArray,
  hipResourceTypeLinear,
  hipResourceTypePitch2D
};
enum hipTextureAddressMode { hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder };
enum hipTextureFilterMode { hipFilterModePoint, hipFilterModeLinear };
enum hipTextureReadMode { hipReadModeElementType, hipReadModeNormalizedFloat };

struct hipResourceDesc {
  hipResourceType resType;
  union {
    struct {
      hipArray_t array;
    } array;
    struct {
      hipMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      hipChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      hipChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct hipTextureDesc {
  hipTextureAddressMode addressMode[3];
  hipTextureFilterMode filterMode;
  hipTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct hipResourceViewDesc {
  int format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};

struct __hip_texture : hipport::cpu::Handled<__hip_texture> {
  const char* data;
  hipChannelFormatDesc desc;
  size_t width, height, depth, row;  // `row`: distance between rows in bytes
  hipTextureDesc how;
  hipResourceDesc resource;
  std::vector<__hip_texture> levels = {};  // of a mipmapped array, the largest first; that is also described above
};
template <>
struct hipport::cpu::PointerArgument<__hip_texture>
    : hipport::cpu::HandleArgument<__hip_texture, hipErrorInvalidValue, hipErrorInvalidValue> {};
using hipTextureObject_t = __hip_texture*;

namespace hipport::cpu {

inline __hip_texture texture_of(const hipArray& array, const hipTextureDesc& how, const hipResourceDesc& resource) {
  return {{},          static_cast<char*>(array.data),          array.desc, array.width, array.height,
          array.depth, array.width * element_bytes(array.desc), how,        resource};
}

inline __hip_texture texture_of(const hipMipmappedArray& array, const hipTextureDesc& how,
                                const hipResourceDesc& resource) {
  __hip_texture made = texture_of(array.levels[0], how, resource);
  for (unsigned i = 0; i <= array.max_mipmap_level; ++i)
    made.levels.push_back(texture_of(array.levels[i], how, resource));
  return made;
}

// Return whether rows of texels in plain memory are all allocated. Texture references may begin at any address.
inline bool are_texels(const void* memory, size_t width, size_t height, size_t pitch) {
  size_t size = 0;
  if (memory == nullptr || width == 0 || height == 0 || width > pitch) return false;
  return !__builtin_mul_overflow(height - 1, pitch, &size) && !__builtin_add_overflow(size, width, &size) &&
         !overruns(memory, size);
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipCreateTextureObject(hipTextureObject_t* object, const hipResourceDesc* resource,
                                                  const hipTextureDesc* how, const hipResourceViewDesc* view) {
  using hipport::cpu::element_bytes;
  if (object == nullptr || resource == nullptr || how == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (view != nullptr) return hipport::cpu::missing("a texture with a resource view");
  if (how->sRGB || how->maxAnisotropy > 1) return hipport::cpu::missing("an sRGB or anisotropic texture");
  __hip_texture made{};
  made.how = *how;
  made.resource = *resource;
  if (resource->resType == hipResourceTypeArray) {
    if (!hipport::cpu::exists(resource->res.array.array)) return hipport::cpu::status(hipErrorInvalidValue);
    made = hipport::cpu::texture_of(*resource->res.array.array, *how, *resource);
  } else if (resource->resType == hipResourceTypeMipmappedArray) {
    const hipMipmappedArray* const array = resource->res.mipmap.mipmap;
    if (!hipport::cpu::exists(array) || !how->normalizedCoords) return hipport::cpu::status(hipErrorInvalidValue);
    made = hipport::cpu::texture_of(*array, *how, *resource);
  } else if (resource->resType == hipResourceTypeLinear) {
    const auto& linear = resource->res.linear;
    if (!hipport::cpu::are_texels(linear.devPtr, linear.sizeInBytes, 1, linear.sizeInBytes))
      return hipport::cpu::status(hipErrorInvalidValue);
    made = {{},
            static_cast<char*>(linear.devPtr),
            linear.desc,
            linear.sizeInBytes / element_bytes(linear.desc),
            0,
            0,
            linear.sizeInBytes,
            *how,
            *resource};
  } else if (resource->resType == hipResourceTypePitch2D) {
    const auto& pitched = resource->res.pitch2D;
    size_t row = 0;
    if (__builtin_mul_overflow(pitched.width, element_bytes(pitched.desc), &row) ||
        !hipport::cpu::are_texels(pitched.devPtr, row, pitched.height, pitched.pitchInBytes))
      return hipport::cpu::status(hipErrorInvalidValue);
    made = {{},
            static_cast<char*>(pitched.devPtr),
            pitched.desc,
            pitched.width,
            pitched.height,
            0,
            pitched.pitchInBytes,
            *how,
            *resource};
  } else {
    return hipport::cpu::status(hipErrorInvalidValue);
  }
  *object = new __hip_texture(made);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDestroyTextureObject(hipTextureObject_t object) {
  if (object == nullptr) return hipSuccess;
  HIPPORT_NEEDS(object);
  delete object;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* resource, hipTextureObject_t object) {
  HIPPORT_NEEDS(resource, object);
  *resource = object->resource;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* how, hipTextureObject_t object) {
  HIPPORT_NEEDS(object);
  if (how == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *how = object->how;
  return hipSuccess;
}
// No texture has a view of its own: that is all zeros.
HIPPORT_RUNTIME hipError_t hipGetTextureObjectResourceViewDesc(hipResourceViewDesc* view, hipTextureObject_t object) {
  HIPPORT_NEEDS(object);
  if (view == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *view = {};
  return hipSuccess;
}

namespace hipport::cpu {

// Return a texel as T: unchanged, or integers normalized to [0, 1] or [-1, 1].
template <typename T>
struct Texel {
  using Element = T;
  static constexpr unsigned count = 1;
};
template <typename T, unsigned N>
struct Texel<HIP_vector_type<T, N>> {
  using Element = T;
  static constexpr unsigned count = N;
};

inline float normalized(const char* from, int bits, hipChannelFormatKind kind) {
  if (bits == 8 && kind == hipChannelFormatKindUnsigned) return static_cast<unsigned char>(*from) / 255.0f;
  if (bits == 8) return std::fmax(static_cast<signed char>(*from) / 127.0f, -1.0f);
  uint16_t wide;
  std::memcpy(&wide, from, sizeof(wide));
  if (kind == hipChannelFormatKindUnsigned) return wide / 65535.0f;
  return std::fmax(static_cast<int16_t>(wide) / 32767.0f, -1.0f);
}

// Return whether texels have the bits of a T.
template <typename T>
bool is_stored_as(const __hip_texture& texture) {
  const bool converts =
      texture.how.readMode == hipReadModeNormalizedFloat && texture.desc.f != hipChannelFormatKindFloat;
  return !converts && element_bytes(texture.desc) == sizeof(T) &&
         texture.desc.x == static_cast<int>(8 * sizeof(typename Texel<T>::Element));
}

template <typename T>
T load_texel(const __hip_texture& texture, const char* from) {
  using Element = typename Texel<T>::Element;
  if (is_stored_as<T>(texture)) {
    T value;
    std::memcpy(static_cast<void*>(&value), from, sizeof(T));
    return value;
  }
  Element parts[Texel<T>::count] = {};
  const int bits[4] = {texture.desc.x, texture.desc.y, texture.desc.z, texture.desc.w};
  for (unsigned i = 0; i < Texel<T>::count && bits[i] != 0; from += bits[i] / 8, ++i) {
    if (texture.how.readMode == hipReadModeNormalizedFloat && texture.desc.f != hipChannelFormatKindFloat)
      parts[i] = static_cast<Element>(normalized(from, bits[i], texture.desc.f));
    else if (std::is_same_v<Element, float> && texture.desc.f == hipChannelFormatKindFloat && bits[i] == 16)
      parts[i] = static_cast<Element>(half_value(*reinterpret_cast<const uint16_t*>(from)));
    else
      std::memcpy(&parts[i], from, std::min(sizeof(Element), static_cast<size_t>(bits[i] / 8)));
  }
  T value;
  std::memcpy(static_cast<void*>(&value), parts, sizeof(parts) < sizeof(T) ? sizeof(parts) : sizeof(T));
  return value;
}

template <typename T>
T border(const __hip_texture& texture) {
  using Element = typename Texel<T>::Element;
  Element parts[Texel<T>::count];
  for (unsigned i = 0; i < Texel<T>::count; ++i) parts[i] = static_cast<Element>(texture.how.borderColor[i]);
  T value;
  std::memcpy(static_cast<void*>(&value), parts, sizeof(parts));
  return value;
}

// Return the texel index for an integer coordinate, or -1 for the border. Wrap and mirror apply to normalized
// coordinates only.
inline long addressed(long at, size_t size, hipTextureAddressMode mode, bool can_repeat) {
  const long count = static_cast<long>(size == 0 ? 1 : size);
  if (at >= 0 && at < count) return at;
  if (mode == hipAddressModeBorder) return -1;
  if (can_repeat && mode == hipAddressModeWrap) return (at % count + count) % count;
  if (can_repeat && mode == hipAddressModeMirror) {
    const long folded = (at % (2 * count) + 2 * count) % (2 * count);
    return folded < count ? folded : 2 * count - 1 - folded;
  }
  return at < 0 ? 0 : count - 1;
}

template <typename T>
T texel_at(const __hip_texture& texture, long x, long y, long z) {
  const bool repeats = texture.how.normalizedCoords != 0;
  x = addressed(x, texture.width, texture.how.addressMode[0], repeats);
  y = addressed(y, texture.height, texture.how.addressMode[1], repeats);
  z = addressed(z, texture.depth, texture.how.addressMode[2], repeats);
  if (x < 0 || y < 0 || z < 0) return border<T>(texture);
  const size_t row = static_cast<size_t>(y) + static_cast<size_t>(z) * or_one(texture.height);
  return load_texel<T>(texture,
                       texture.data + row * texture.row + static_cast<size_t>(x) * element_bytes(texture.desc));
}

// The two texels next to a coordinate, and the distance from the first in steps of 1/256, the precision of GPUs.
struct Between {
  long first;
  float weight;
};
inline Between between(float at) {
  const float shifted = at - 0.5f, whole = std::floor(shifted);
  return {static_cast<long>(whole), std::floor((shifted - whole) * 256.0f + 0.5f) / 256.0f};
}

template <typename T>
T mixed(T a, T b, float weight) {
  return a * (1.0f - weight) + b * weight;
}

// Read at coordinates in texels. With fewer than three dimensions `layer` selects a layer or face.
template <typename T>
T filtered(const __hip_texture& texture, float x, float y, float z, int dimensions, long layer) {
  if constexpr (std::is_floating_point_v<typename Texel<T>::Element>) {
    if (texture.how.filterMode == hipFilterModeLinear) {
      const Between bx = between(x), by = dimensions > 1 ? between(y) : Between{0, 0.0f};
      const Between bz = dimensions > 2 ? between(z) : Between{0, 0.0f};
      const auto line = [&](long v, long w) {
        return mixed(texel_at<T>(texture, bx.first, v, w), texel_at<T>(texture, bx.first + 1, v, w), bx.weight);
      };
      const auto plane = [&](long w) {
        return dimensions > 1 ? mixed(line(by.first, w), line(by.first + 1, w), by.weight) : line(0, w);
      };
      return dimensions > 2 ? mixed(plane(bz.first), plane(bz.first + 1), bz.weight) : plane(layer);
    }
  }
  return texel_at<T>(texture, static_cast<long>(std::floor(x)), static_cast<long>(std::floor(y)),
                     dimensions > 2 ? static_cast<long>(std::floor(z)) : layer);
}

template <typename T>
T sample(const __hip_texture& texture, float x, float y, float z, int dimensions, long layer = 0) {
  if (texture.how.normalizedCoords) {
    x *= static_cast<float>(texture.width);
    y *= static_cast<float>(texture.height);
    z *= static_cast<float>(texture.depth);
  }
  return filtered<T>(texture, x, y, z, dimensions, layer);
}

// Return what `read` returns for a level of a texture, or a mean of two levels. The level of detail is that of the texel
// that was asked for, to which the texture's bias is added.
template <typename T, typename F>
T at_level(const __hip_texture& texture, float detail, F read) {
  if (texture.levels.empty()) return read(texture);
  const hipTextureDesc& how = texture.how;
  const float last = static_cast<float>(texture.levels.size() - 1);
  const float wanted =
      std::fmin(std::fmax(detail + how.mipmapLevelBias, how.minMipmapLevelClamp), how.maxMipmapLevelClamp);
  const float level = std::fmin(std::fmax(wanted, 0.0f), last);
  if constexpr (std::is_floating_point_v<typename Texel<T>::Element>) {
    if (how.mipmapFilterMode == hipFilterModeLinear) {
      const Between two = between(level + 0.5f);
      const size_t first = static_cast<size_t>(two.first), next = std::min(first + 1, texture.levels.size() - 1);
      if (two.weight == 0.0f) return read(texture.levels[first]);
      return mixed(read(texture.levels[first]), read(texture.levels[next]), two.weight);
    }
  }
  return read(texture.levels[static_cast<size_t>(std::floor(level + 0.5f))]);
}

// Return the level of detail for the changes of coordinates from one pixel to those beside and below it: there a step is
// about one texel.
inline float level_of(const __hip_texture& texture, const float (&across)[3], const float (&down)[3]) {
  const auto length = [&texture](const float (&step)[3]) {
    return std::hypot(step[0] * static_cast<float>(texture.width), step[1] * static_cast<float>(texture.height),
                      step[2] * static_cast<float>(texture.depth));
  };
  return std::log2(std::fmax(length(across), length(down)));
}

// Clamp a layer index to the existing layers.
inline long layer_of(const __hip_texture& texture, int layer) {
  return std::clamp<long>(layer, 0, static_cast<long>(or_one(texture.depth)) - 1);
}

}  // namespace hipport::cpu

#include "texture_functions.h"
