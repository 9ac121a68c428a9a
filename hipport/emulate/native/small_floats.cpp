// SPDX-License-Identifier: MIT
#include "small_floats.h"

#include <algorithm>
#include <limits>

namespace hipport::emulate {

float to_float(SmallFloat format, uint32_t code) {
  using Top = SmallFloat::Top;
  const unsigned mantissa_bits = format.mantissa_bits, top = (1u << format.exponent_bits) - 1;
  const uint32_t mantissa = code & ((1u << mantissa_bits) - 1), exponent = code >> mantissa_bits & top;
  const bool negative = code >> (format.bits() - 1) & 1;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  if (format.top == Top::kUnsignedZero && negative && exponent == 0 && mantissa == 0) return nan;
  if (format.top == Top::kOneNan && exponent == top && mantissa == (1u << mantissa_bits) - 1) return nan;
  if (format.top == Top::kIeee && exponent == top)
    return mantissa != 0 ? nan
           : negative    ? -std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::infinity();
  const float fraction = float(mantissa) / float(1u << mantissa_bits) + (exponent == 0 ? 0.0f : 1.0f);
  const float value = std::ldexp(fraction, int(exponent == 0 ? 1 : exponent) - format.bias);
  return negative ? -value : value;
}

namespace {

// The code of the largest number, and those of NaN and of what is too large.
struct Limits {
  uint32_t largest, nan, infinity;
};
Limits limits(SmallFloat format) {
  const uint32_t all = (1u << (format.bits() - 1)) - 1, top = ((1u << format.exponent_bits) - 1)
                                                              << format.mantissa_bits;
  switch (format.top) {
    case SmallFloat::Top::kIeee: return {top - 1, all, top};
    case SmallFloat::Top::kOneNan: return {all - 1, all, all};
    case SmallFloat::Top::kUnsignedZero: return {all, all + 1, all + 1};
    default: return {all, all, all};
  }
}

}  // namespace

uint32_t to_small(SmallFloat format, double value, bool saturate, bool stochastic, uint32_t noise) {
  const Limits limit = limits(format);
  const uint32_t sign = uint32_t(std::signbit(value)) << (format.bits() - 1);
  const bool unsigned_zero = format.top == SmallFloat::Top::kUnsignedZero;
  if (value != value) return unsigned_zero ? limit.nan : limit.nan | sign;
  const double size = std::fabs(value);
  if (size == 0) return unsigned_zero ? 0 : sign;
  uint32_t code = limit.infinity;
  const bool infinite = std::isinf(size);
  if (!infinite) {
    int power;
    std::frexp(size, &power);
    // The weight of the last bit of the mantissa.
    const int unit = std::max(power - 1, 1 - format.bias) - int(format.mantissa_bits);
    const double scaled = std::ldexp(size, -unit);
    const double whole = stochastic ? std::floor(scaled + double(noise) / 4294967296.0) : std::nearbyint(scaled);
    const int lowest = 1 - format.bias - int(format.mantissa_bits);
    // Codes of numbers are in order: a mantissa that overflows is the next exponent's.
    const double number = whole + double(unit - lowest) * double(1u << format.mantissa_bits);
    code = number > double(limit.largest) ? limit.infinity : uint32_t(number);
  }
  if (code > limit.largest || (code == limit.infinity && limit.infinity > limit.largest)) {
    if (saturate)
      code = limit.largest;
    else if (unsigned_zero)
      return limit.nan;
  }
  if (unsigned_zero && code == 0) return 0;
  return code | sign;
}

}  // namespace hipport::emulate
