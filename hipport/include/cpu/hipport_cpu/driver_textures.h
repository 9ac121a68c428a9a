// SPDX-License-Identifier: MIT
// Texture objects of the driver API, whose descriptions have other fields.
#pragma once

#include "driver_copies.h"
#include "mipmaps.h"
#include "textures.h"

inline constexpr unsigned HIP_TRSF_READ_AS_INTEGER = 1, HIP_TRSF_NORMALIZED_COORDINATES = 2, HIP_TRSF_SRGB = 0x10;
enum HIPresourcetype {
  HIP_RESOURCE_TYPE_ARRAY = 0,
  HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
  HIP_RESOURCE_TYPE_LINEAR = 2,
  HIP_RESOURCE_TYPE_PITCH2D = 3
};
using hipResourcetype = HIPresourcetype;
enum HIPaddress_mode {
  HIP_TR_ADDRESS_MODE_WRAP = 0,
  HIP_TR_ADDRESS_MODE_CLAMP = 1,
  HIP_TR_ADDRESS_MODE_MIRROR = 2,
  HIP_TR_ADDRESS_MODE_BORDER = 3
};
enum HIPfilter_mode { HIP_TR_FILTER_MODE_POINT = 0, HIP_TR_FILTER_MODE_LINEAR = 1 };
struct HIP_RESOURCE_DESC {
  HIPresourcetype resType;
  union {
    struct {
      hipArray_t hArray;
    } array;
    struct {
      hipMipmappedArray_t hMipmappedArray;
    } mipmap;
    struct {
      hipDeviceptr_t devPtr;
      hipArray_Format format;
      unsigned numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      hipDeviceptr_t devPtr;
      hipArray_Format format;
      unsigned numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned flags;
};
struct HIP_TEXTURE_DESC {
  HIPaddress_mode addressMode[3];
  HIPfilter_mode filterMode;
  unsigned flags, maxAnisotropy;
  HIPfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
  int reserved[12];
};
struct HIP_RESOURCE_VIEW_DESC {
  int format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};
using HIP_RESOURCE_DESC_st = HIP_RESOURCE_DESC;
using HIP_TEXTURE_DESC_st = HIP_TEXTURE_DESC;
using HIP_RESOURCE_VIEW_DESC_st = HIP_RESOURCE_VIEW_DESC;

namespace hipport::cpu {

// Descriptions of the runtime API for those of the driver API, and back.
inline hipResourceDesc runtime_resource(const HIP_RESOURCE_DESC& given) {
  hipResourceDesc found{};
  found.resType = static_cast<hipResourceType>(given.resType);
  if (given.resType == HIP_RESOURCE_TYPE_ARRAY) found.res.array.array = given.res.array.hArray;
  if (given.resType == HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY) found.res.mipmap.mipmap = given.res.mipmap.hMipmappedArray;
  if (given.resType == HIP_RESOURCE_TYPE_LINEAR) {
    const auto& linear = given.res.linear;
    found.res.linear.devPtr = linear.devPtr;
    found.res.linear.desc = channels_of(linear.format, linear.numChannels);
    found.res.linear.sizeInBytes = linear.sizeInBytes;
  }
  if (given.resType == HIP_RESOURCE_TYPE_PITCH2D) {
    const auto& pitched = given.res.pitch2D;
    found.res.pitch2D.devPtr = pitched.devPtr;
    found.res.pitch2D.desc = channels_of(pitched.format, pitched.numChannels);
    found.res.pitch2D.width = pitched.width;
    found.res.pitch2D.height = pitched.height;
    found.res.pitch2D.pitchInBytes = pitched.pitchInBytes;
  }
  return found;
}
inline unsigned channel_count(const hipChannelFormatDesc& desc) {
  return 1u + (desc.y != 0) + (desc.z != 0) + (desc.w != 0);
}
inline HIP_RESOURCE_DESC driver_resource(const hipResourceDesc& given) {
  HIP_RESOURCE_DESC found{};
  found.resType = static_cast<HIPresourcetype>(given.resType);
  if (given.resType == hipResourceTypeArray) found.res.array.hArray = given.res.array.array;
  if (given.resType == hipResourceTypeMipmappedArray) found.res.mipmap.hMipmappedArray = given.res.mipmap.mipmap;
  if (given.resType == hipResourceTypeLinear) {
    const auto& linear = given.res.linear;
    found.res.linear = {linear.devPtr, format_of(linear.desc), channel_count(linear.desc), linear.sizeInBytes};
  }
  if (given.resType == hipResourceTypePitch2D) {
    const auto& pitched = given.res.pitch2D;
    found.res.pitch2D = {pitched.devPtr, format_of(pitched.desc), channel_count(pitched.desc),
                         pitched.width,  pitched.height,          pitched.pitchInBytes};
  }
  return found;
}
inline hipTextureDesc runtime_texture(const HIP_TEXTURE_DESC& given) {
  hipTextureDesc found{};
  for (int i = 0; i < 3; ++i) found.addressMode[i] = static_cast<hipTextureAddressMode>(given.addressMode[i]);
  found.filterMode = static_cast<hipTextureFilterMode>(given.filterMode);
  found.readMode = (given.flags & HIP_TRSF_READ_AS_INTEGER) != 0 ? hipReadModeElementType : hipReadModeNormalizedFloat;
  found.normalizedCoords = (given.flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
  found.sRGB = (given.flags & HIP_TRSF_SRGB) != 0;
  found.maxAnisotropy = given.maxAnisotropy;
  found.mipmapFilterMode = static_cast<hipTextureFilterMode>(given.mipmapFilterMode);
  found.mipmapLevelBias = given.mipmapLevelBias;
  found.minMipmapLevelClamp = given.minMipmapLevelClamp;
  found.maxMipmapLevelClamp = given.maxMipmapLevelClamp;
  std::copy_n(given.borderColor, 4, found.borderColor);
  return found;
}
inline HIP_TEXTURE_DESC driver_texture(const hipTextureDesc& given) {
  HIP_TEXTURE_DESC found{};
  for (int i = 0; i < 3; ++i) found.addressMode[i] = static_cast<HIPaddress_mode>(given.addressMode[i]);
  found.filterMode = static_cast<HIPfilter_mode>(given.filterMode);
  found.flags = (given.readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0) |
                (given.normalizedCoords != 0 ? HIP_TRSF_NORMALIZED_COORDINATES : 0) |
                (given.sRGB != 0 ? HIP_TRSF_SRGB : 0);
  found.maxAnisotropy = given.maxAnisotropy;
  found.mipmapFilterMode = static_cast<HIPfilter_mode>(given.mipmapFilterMode);
  found.mipmapLevelBias = given.mipmapLevelBias;
  found.minMipmapLevelClamp = given.minMipmapLevelClamp;
  found.maxMipmapLevelClamp = given.maxMipmapLevelClamp;
  std::copy_n(given.borderColor, 4, found.borderColor);
  return found;
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipTexObjectCreate(hipTextureObject_t* object, const HIP_RESOURCE_DESC* resource,
                                              const HIP_TEXTURE_DESC* how, const HIP_RESOURCE_VIEW_DESC* view) {
  if (resource == nullptr || how == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (view != nullptr) return hipport::cpu::missing("a texture with a resource view");
  const hipResourceDesc same = hipport::cpu::runtime_resource(*resource);
  const hipTextureDesc kept = hipport::cpu::runtime_texture(*how);
  return hipCreateTextureObject(object, &same, &kept, nullptr);
}
HIPPORT_RUNTIME hipError_t hipTexObjectDestroy(hipTextureObject_t object) { return hipDestroyTextureObject(object); }
HIPPORT_RUNTIME hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC* resource, hipTextureObject_t object) {
  HIPPORT_NEEDS(object);
  if (resource == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *resource = hipport::cpu::driver_resource(object->resource);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC* how, hipTextureObject_t object) {
  HIPPORT_NEEDS(object);
  if (how == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *how = hipport::cpu::driver_texture(object->how);
  return hipSuccess;
}
// No texture has a view of its own: that is all zeros.
HIPPORT_RUNTIME hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC* view, hipTextureObject_t object) {
  HIPPORT_NEEDS(object);
  if (view == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *view = {};
  return hipSuccess;
}
