// SPDX-License-Identifier: MIT
// Texture and surface objects: those of the CPU target, behind the words that kernels read.
#include <hip/hip_runtime_api.h>

#include "api_images.h"
#include "loaded.h"

#include <cstdio>
#include <memory>

#define C_NAME(name) asm(#name)

using namespace hipport::emulate;
using hipport::cpu::status;

namespace {

// The numbers of HSA's channel types, by bits.
uint32_t channel_type(const __hip_texture& texture) {
  const unsigned size = texture.desc.x == 8 ? 0 : texture.desc.x == 16 ? 1 : 2;
  constexpr uint32_t normalized_signed = 0, normalized = 2, is_signed = 8, is_unsigned = 11, half = 14, whole = 15;
  if (texture.desc.f == hipChannelFormatKindFloat) return size == 1 ? half : whole;
  const bool keeps = texture.how.readMode == hipReadModeElementType;
  if (texture.desc.f == hipChannelFormatKindSigned) return (keeps ? is_signed : normalized_signed) + size;
  return (keeps ? is_unsigned : normalized) + size;
}

uint32_t channel_order(const hipChannelFormatDesc& desc) {
  constexpr uint32_t one = 1, two = 3, three = 6, four = 8;
  return desc.w != 0 ? four : desc.z != 0 ? three : desc.y != 0 ? two : one;
}

ImageWords words_of(const __hip_texture& texture) {
  ImageWords words;
  const auto at = reinterpret_cast<uint64_t>(&texture);
  words.image[kImageAddress] = uint32_t(at);
  words.image[kImageAddress + 1] = uint32_t(at >> 32);
  words.image[kImageHeight] = uint32_t(hipport::cpu::or_one(texture.height) - 1) << 14;
  words.image[kImageMark] = kImageMagic;
  words.image[kImageDepth] = uint32_t(hipport::cpu::or_one(texture.depth) - 1);
  words.image[kImageType] = channel_type(texture);
  words.image[kImageOrder] = channel_order(texture.desc);
  words.image[kImageWidth] = uint32_t(texture.width);
  words.sampler[kSamplerFlags] = uint32_t(texture.how.normalizedCoords == 0) << 15;
  words.sampler[kSamplerFilter] = uint32_t(texture.how.filterMode == hipFilterModeLinear) << 20;
  return words;
}

// Return whether the target has image instructions; say so if it has none.
bool has_images() {
  const std::string target = emulated_target();
  if (target != "gfx942" && target != "gfx950") return true;
  std::fprintf(stderr, "hipport: %s has no image instructions: HIP has no textures and surfaces on it\n",
               target.c_str());
  return false;
}

// Return whether the target reads levels of mipmaps; say so if it does not.
bool has_levels() {
  const std::string target = emulated_target();
  if (target != "gfx90a") return true;
  std::fprintf(stderr, "hipport: %s has no image instructions with a level of detail: HIP has no mipmaps on it\n",
               target.c_str());
  return false;
}

bool is_multiple(uint64_t number) { return number % kTextureAlignment == 0; }

// Return whether memory behind a texture begins, and its rows are apart, as ROCclr demands of it (hip_texture.cpp).
bool is_aligned(const hipResourceDesc& resource) {
  if (resource.resType == hipResourceTypeLinear)
    return is_multiple(reinterpret_cast<uint64_t>(resource.res.linear.devPtr));
  if (resource.resType != hipResourceTypePitch2D) return true;
  const auto& rows = resource.res.pitch2D;
  return is_multiple(reinterpret_cast<uint64_t>(rows.devPtr)) && is_multiple(rows.pitchInBytes);
}

}  // namespace

namespace hipport::emulate {

hipError_t create_image(EmulatedImage** image, const hipResourceDesc* resource, const hipTextureDesc* how,
                        const hipResourceViewDesc* view) {
  if (image == nullptr) return status(hipErrorInvalidValue);
  if (!has_images()) return status(hipErrorNotSupported);
  const bool is_mipmap = resource != nullptr && resource->resType == hipResourceTypeMipmappedArray;
  if (is_mipmap && !has_levels()) return status(hipErrorNotSupported);
  if (resource != nullptr && !is_aligned(*resource)) return status(hipErrorInvalidValue);
  __hip_texture* texture = nullptr;
  const hipError_t error = ::hipCreateTextureObject(&texture, resource, how, view);
  if (error == hipSuccess) *image = new EmulatedImage{{}, words_of(*texture), std::unique_ptr<__hip_texture>(texture)};
  return error;
}
void destroy_image(EmulatedImage* image) { delete image; }

}  // namespace hipport::emulate

hipError_t emulated_create_texture(EmulatedImage** texture, const hipResourceDesc* resource, const hipTextureDesc* how,
                                   const hipResourceViewDesc* view) C_NAME(hipCreateTextureObject);
hipError_t emulated_create_texture(EmulatedImage** texture, const hipResourceDesc* resource, const hipTextureDesc* how,
                                   const hipResourceViewDesc* view) {
  return create_image(texture, resource, how, view);
}
hipError_t emulated_destroy_texture(EmulatedImage* texture) C_NAME(hipDestroyTextureObject);
hipError_t emulated_destroy_texture(EmulatedImage* texture) {
  if (texture == nullptr) return hipSuccess;
  HIPPORT_NEEDS(texture);
  delete texture;
  return hipSuccess;
}
hipError_t emulated_texture_resource(hipResourceDesc* to, const EmulatedImage* texture)
    C_NAME(hipGetTextureObjectResourceDesc);
hipError_t emulated_texture_resource(hipResourceDesc* to, const EmulatedImage* texture) {
  HIPPORT_NEEDS(to, texture);
  *to = texture->texture->resource;
  return hipSuccess;
}
hipError_t emulated_texture_how(hipTextureDesc* to, const EmulatedImage* texture)
    C_NAME(hipGetTextureObjectTextureDesc);
hipError_t emulated_texture_how(hipTextureDesc* to, const EmulatedImage* texture) {
  HIPPORT_NEEDS(to, texture);
  *to = texture->texture->how;
  return hipSuccess;
}
// No texture has a view of its own: that is all zeros.
hipError_t emulated_texture_view(hipResourceViewDesc* to, const EmulatedImage* texture)
    C_NAME(hipGetTextureObjectResourceViewDesc);
hipError_t emulated_texture_view(hipResourceViewDesc* to, const EmulatedImage* texture) {
  HIPPORT_NEEDS(to, texture);
  *to = {};
  return hipSuccess;
}

// The same objects by the driver API.
hipError_t emulated_driver_texture(EmulatedImage** texture, const HIP_RESOURCE_DESC* resource,
                                   const HIP_TEXTURE_DESC* how, const HIP_RESOURCE_VIEW_DESC* view)
    C_NAME(hipTexObjectCreate);
hipError_t emulated_driver_texture(EmulatedImage** texture, const HIP_RESOURCE_DESC* resource,
                                   const HIP_TEXTURE_DESC* how, const HIP_RESOURCE_VIEW_DESC* view) {
  if (resource == nullptr || how == nullptr) return status(hipErrorInvalidValue);
  if (view != nullptr) return hipport::cpu::missing("a texture with a resource view");
  const hipResourceDesc same = hipport::cpu::runtime_resource(*resource);
  const hipTextureDesc kept = hipport::cpu::runtime_texture(*how);
  return create_image(texture, &same, &kept, nullptr);
}
hipError_t emulated_driver_destroy(EmulatedImage* texture) C_NAME(hipTexObjectDestroy);
hipError_t emulated_driver_destroy(EmulatedImage* texture) { return emulated_destroy_texture(texture); }
hipError_t emulated_driver_resource(HIP_RESOURCE_DESC* to, const EmulatedImage* texture)
    C_NAME(hipTexObjectGetResourceDesc);
hipError_t emulated_driver_resource(HIP_RESOURCE_DESC* to, const EmulatedImage* texture) {
  HIPPORT_NEEDS(to, texture);
  *to = hipport::cpu::driver_resource(texture->texture->resource);
  return hipSuccess;
}
hipError_t emulated_driver_how(HIP_TEXTURE_DESC* to, const EmulatedImage* texture) C_NAME(hipTexObjectGetTextureDesc);
hipError_t emulated_driver_how(HIP_TEXTURE_DESC* to, const EmulatedImage* texture) {
  HIPPORT_NEEDS(to, texture);
  *to = hipport::cpu::driver_texture(texture->texture->how);
  return hipSuccess;
}
hipError_t emulated_driver_view(HIP_RESOURCE_VIEW_DESC* to, const EmulatedImage* texture)
    C_NAME(hipTexObjectGetResourceViewDesc);
hipError_t emulated_driver_view(HIP_RESOURCE_VIEW_DESC* to, const EmulatedImage* texture) {
  HIPPORT_NEEDS(to, texture);
  *to = {};
  return hipSuccess;
}
hipError_t emulated_create_surface(EmulatedImage** surface, const hipResourceDesc* resource)
    C_NAME(hipCreateSurfaceObject);
hipError_t emulated_create_surface(EmulatedImage** surface, const hipResourceDesc* resource) {
  const bool is_array = resource != nullptr && resource->resType == hipResourceTypeArray;
  if (!is_array || resource->res.array.array == nullptr) return status(hipErrorInvalidValue);
  const hipTextureDesc how{};
  return create_image(surface, resource, &how, nullptr);
}
hipError_t emulated_destroy_surface(EmulatedImage* surface) C_NAME(hipDestroySurfaceObject);
hipError_t emulated_destroy_surface(EmulatedImage* surface) {
  if (surface == nullptr) return hipSuccess;
  HIPPORT_NEEDS(surface);
  delete surface;
  return hipSuccess;
}
hipChannelFormatDesc emulated_channel(int x, int y, int z, int w, hipChannelFormatKind kind)
    C_NAME(hipCreateChannelDesc);
hipChannelFormatDesc emulated_channel(int x, int y, int z, int w, hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
// Up to HIP 5.7 these two have C++ names.
hipError_t emulated_create_old_surface(EmulatedImage** surface, const hipResourceDesc* resource)
    C_NAME(_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc);
hipError_t emulated_create_old_surface(EmulatedImage** surface, const hipResourceDesc* resource) {
  return emulated_create_surface(surface, resource);
}
hipError_t emulated_destroy_old_surface(EmulatedImage* surface) C_NAME(_Z23hipDestroySurfaceObjectP13__hip_surface);
hipError_t emulated_destroy_old_surface(EmulatedImage* surface) { return emulated_destroy_surface(surface); }
