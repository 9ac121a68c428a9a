// SPDX-License-Identifier: MIT
// Numbers in floating point of 16, 8, 6 and 4 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace hipport::emulate {

// A format: sign, exponent, mantissa. `kFinite` formats have no infinity, and of NaN one code or none.
struct SmallFloat {
  unsigned exponent_bits, mantissa_bits;
  int bias;
  // What the codes with the largest exponent are: numbers and infinity as in IEEE 754, one NaN with all bits set, or
  // numbers only; `kUnsignedZero` formats use the code of -0 for NaN.
  enum class Top : uint8_t { kIeee, kOneNan, kNumbers, kUnsignedZero } top;

  unsigned bits() const { return 1 + exponent_bits + mantissa_bits; }
};

// fp8 and bf8 of gfx942 ("fnuz"), and of gfx950 and gfx12 (OCP).
constexpr SmallFloat kFp8Fnuz{4, 3, 8, SmallFloat::Top::kUnsignedZero},
    kBf8Fnuz{5, 2, 16, SmallFloat::Top::kUnsignedZero}, kFp8{4, 3, 7, SmallFloat::Top::kOneNan},
    kBf8{5, 2, 15, SmallFloat::Top::kIeee}, kFp6{2, 3, 1, SmallFloat::Top::kNumbers},
    kBf6{3, 2, 3, SmallFloat::Top::kNumbers}, kFp4{2, 1, 1, SmallFloat::Top::kNumbers};

float to_float(SmallFloat format, uint32_t code);

// How a number is made to fit: to the nearest, or by adding random bits below the mantissa, `noise` of 32 bits.
uint32_t to_small(SmallFloat format, double value, bool saturate, bool stochastic = false, uint32_t noise = 0);

inline float from_bfloat16(uint32_t bits) { return std::bit_cast<float>(bits << 16); }
inline uint32_t to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (value != value) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

}  // namespace hipport::emulate
