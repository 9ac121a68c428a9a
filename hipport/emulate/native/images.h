// SPDX-License-Identifier: MIT
// Textures and surfaces as machine code sees them: descriptors in memory, and instructions that name them.
#pragma once

#include "decode.h"

namespace hipport::emulate {

// What a texture or surface object points to: 12 words that describe the image, then 8 words for the sampler. The device
// libraries read some of these words, which are as on GPUs; the others are the emulator's.
struct ImageWords {
  uint32_t image[12] = {}, sampler[8] = {};
};
enum : unsigned {
  kImageAddress = 0,  // two words: where the emulator's description is
  kImageHeight = 2,   // less 1, from bit 14 on
  kImageMark = 3,     // kImageMagic
  kImageDepth = 4,    // less 1
  kImageType = 8,     // HSA's number of the channels' type
  kImageOrder = 9,    // HSA's number of the channels' order
  kImageWidth = 10,
  kSamplerFlags = 0,   // bit 15: coordinates count texels
  kSamplerFilter = 2,  // bit 20: linear
};
constexpr uint32_t kImageMagic = 0x68697069;

// Bind an instruction that reads or writes an image, or loads from a buffer by its format. Return false if it is none,
// or one that is not supported.
bool bind_images(const Processor& processor, const Decoded& decoded, Op& op);

}  // namespace hipport::emulate
