// SPDX-License-Identifier: MIT
// Texture and surface objects of the program.
#pragma once

#include <hip/hip_runtime_api.h>

#include "images.h"

#include <memory>

namespace hipport::emulate {

struct EmulatedImage : hipport::cpu::Handled<EmulatedImage> {
  ImageWords words;  // first, as the base is empty: kernels get its address
  std::unique_ptr<__hip_texture> texture;
};

// What the addresses and pitches of memory behind textures are multiples of, in bytes.
constexpr size_t kTextureAlignment = 256;

// Create a texture object; fails on targets that have no image instructions, and where memory is not aligned.
hipError_t create_image(EmulatedImage** image, const hipResourceDesc* resource, const hipTextureDesc* how,
                        const hipResourceViewDesc* view = nullptr);
void destroy_image(EmulatedImage* image);

}  // namespace hipport::emulate

template <>
struct hipport::cpu::PointerArgument<hipport::emulate::EmulatedImage>
    : hipport::cpu::HandleArgument<hipport::emulate::EmulatedImage, hipErrorInvalidValue, hipErrorInvalidValue> {};
