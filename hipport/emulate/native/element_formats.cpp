// SPDX-License-Identifier: MIT
#include "element_formats.h"

#include "small_floats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace hipport::emulate {
namespace {

// Data formats as gfx9 numbers them. AMD names them from the highest bit on: 10_11_11 has its first component in the
// lowest 11 bits.
struct Components {
  uint8_t bits[4];
};
constexpr Components kData[] = {{{}},
                                {{8}},
                                {{16}},
                                {{8, 8}},
                                {{32}},
                                {{16, 16}},
                                {{11, 11, 10}},
                                {{10, 11, 11}},
                                {{2, 10, 10, 10}},
                                {{10, 10, 10, 2}},
                                {{8, 8, 8, 8}},
                                {{32, 32}},
                                {{16, 16, 16, 16}},
                                {{32, 32, 32}},
                                {{32, 32, 32, 32}}};

// Bits for the kinds of numbers that a data format has: unorm, snorm, uscaled, sscaled, uint, sint, float.
constexpr unsigned kFixed = 0b0111111, kAll = 0b1111111, kWhole = 0b1110000, kOnlyFloat = 0b1000000, kFew = 0b0110011;
constexpr unsigned kKinds = 7;
// Formats in one number count the kinds of one data format after those of the other, from 1 on.
constexpr unsigned kUnified10[] = {0,      kFixed, kAll,   kFixed, kWhole, kAll,   kAll,  kAll,
                                   kFixed, kFixed, kFixed, kWhole, kAll,   kWhole, kWhole};
constexpr unsigned kUnified11[] = {0,    kFixed, kAll,   kFixed, kWhole, kAll,   kOnlyFloat, kOnlyFloat,
                                   kFew, kFixed, kFixed, kWhole, kAll,   kWhole, kWhole};
static_assert(std::size(kUnified10) == std::size(kData) && std::size(kUnified11) == std::size(kData));

ElementFormat made(unsigned data, unsigned kind) {
  ElementFormat format{{}, Number(kind)};
  std::copy(std::begin(kData[data].bits), std::end(kData[data].bits), format.bits);
  return format;
}

// Numbers of 11 and 10 bits in floating point are those of 16 without a sign and the lowest bits.
constexpr unsigned kExponentBits = 5;
constexpr int kBias = 15;

float from_small(uint32_t code, unsigned bits) {
  return float(std::bit_cast<_Float16>(uint16_t(bits == 16 ? code : code << (15 - bits))));
}
uint32_t to_small(float value, unsigned bits) {
  if (bits == 16) return std::bit_cast<uint16_t>(_Float16(value));
  if (value < 0) return 0;
  const SmallFloat format{kExponentBits, bits - kExponentBits, kBias, SmallFloat::Top::kIeee};
  return to_small(format, double(value), false) & ((1u << bits) - 1);
}

double clamped(float value, double low, double high) {
  return value != value ? 0 : std::clamp(double(value), low, high);
}

}  // namespace

std::optional<ElementFormat> element_format(unsigned data, unsigned number) {
  if (data == 0 || data >= std::size(kData) || number == 6 || number > 7) return {};
  const unsigned kind = number == 7 ? unsigned(Number::kFloat) : number;
  if (!(kUnified10[data] >> kind & 1)) return {};
  return made(data, kind);
}

std::optional<ElementFormat> unified_format(unsigned generation, unsigned code) {
  const auto& kinds = generation == 10 ? kUnified10 : kUnified11;
  unsigned next = 1;
  for (unsigned data = 1; data < std::size(kData); ++data)
    for (unsigned kind = 0; kind < kKinds; ++kind)
      if (kinds[data] >> kind & 1 && next++ == code) return made(data, kind);
  return {};
}

uint32_t from_format(uint32_t code, unsigned bits, Number number) {
  const uint32_t most = bits == 32 ? ~0u : (1u << bits) - 1;
  const int32_t with_sign = int32_t(code << (32 - bits)) >> (32 - bits);
  const auto word = [](double value) { return std::bit_cast<uint32_t>(float(value)); };
  switch (number) {
    case Number::kUnorm: return word(code / double(most));
    case Number::kSnorm: return word(std::max(with_sign / double(most >> 1), -1.0));
    case Number::kUscaled: return word(code);
    case Number::kSscaled: return word(with_sign);
    case Number::kUint: return code;
    case Number::kSint: return uint32_t(with_sign);
    default: return bits == 32 ? code : std::bit_cast<uint32_t>(from_small(code, bits));
  }
}

uint32_t to_format(uint32_t word, unsigned bits, Number number) {
  const uint32_t most = bits == 32 ? ~0u : (1u << bits) - 1;
  const double highest = most >> 1;
  const float value = std::bit_cast<float>(word);
  switch (number) {
    case Number::kUnorm: return uint32_t(std::nearbyint(clamped(value, 0, 1) * most));
    case Number::kSnorm: return uint32_t(int32_t(std::nearbyint(clamped(value, -1, 1) * highest))) & most;
    case Number::kUscaled: return uint32_t(clamped(value, 0, most));
    case Number::kSscaled: return uint32_t(int32_t(clamped(value, -highest - 1, highest))) & most;
    case Number::kUint:
    case Number::kSint: return word & most;
    default: return bits == 32 ? word : to_small(value, bits);
  }
}

}  // namespace hipport::emulate
