// SPDX-License-Identifier: MIT
// Small floating-point formats as bits: bfloat16, and OCP's 8-bit formats e4m3 and e5m2.
//
// Conversions from float or double round once, to nearest even unless another mode is given. e4m3 has no infinity, and
// one NaN of each sign. The FNUZ formats of gfx94x have other exponents, no infinity, no negative zero and a single
// NaN: bytes of FNUZ and OCP formats must not be mixed.
#ifndef HIPPORT_COMPAT_FLOAT_FORMATS_H
#define HIPPORT_COMPAT_FLOAT_FORMATS_H

#include "exact.h"

namespace hipport {
namespace compat {

enum { to_nearest = 3 };  // in addition to the directions of exact::Rounding

// Round the magnitude of a finite double to a format with `fraction_bits` bits of fraction, whose smallest normal
// number is 2^least. The result counts the format's values from 0, which is their bit pattern; on overflow it continues
// beyond the largest.
HIPPORT_COMPAT unsigned steps_of(double x, int fraction_bits, int least, int mode) {
  const exact::Number number = exact::take_apart(x);
  if (number.mantissa == 0) return 0;
  const int top = exact::width(number.mantissa) - 1;
  const int exponent = number.exponent + top;  // of the leading bit
  const int scale = exponent < least ? least : exponent;
  const int shift = scale - fraction_bits - number.exponent;  // number of bits to cut off
  const uint64_t mantissa = static_cast<uint64_t>(number.mantissa);
  uint64_t kept = shift < 64 ? mantissa >> shift : 0;
  const uint64_t cut = shift < 64 ? mantissa - (kept << shift) : mantissa;
  const uint64_t half = shift <= 64 ? uint64_t(1) << (shift - 1) : 0;
  if (mode == to_nearest) {
    kept += half != 0 && (cut > half || (cut == half && (kept & 1) != 0)) ? 1 : 0;
  } else if (cut != 0 && mode == (number.negative ? exact::downward : exact::upward)) {
    ++kept;
  }
  return static_cast<unsigned>(kept + (static_cast<uint64_t>(scale - least) << fraction_bits));
}

HIPPORT_COMPAT bool is_nan(double x) { return x != x; }

// Round a 64-bit integer to odd at 53 bits, so that rounding the double again is correct.
HIPPORT_COMPAT double odd_double(unsigned long long x) {
  if (x >> 53 == 0) return static_cast<double>(x);
  return static_cast<double>((x & ~0xfffull) | ((x & 0xfffull) != 0 ? 0x800ull : 0));
}
HIPPORT_COMPAT double odd_double(long long x) {
  const unsigned long long word = static_cast<unsigned long long>(x);
  return x < 0 ? -odd_double(0ull - word) : odd_double(word);
}
HIPPORT_COMPAT double odd_double(double x) { return x; }

template <int Mode = to_nearest>
HIPPORT_COMPAT uint16_t to_bfloat16(double x) {
  if (is_nan(x)) return 0x7fff;
  const unsigned sign = exact::is_negative(x) ? 0x8000u : 0u;
  if (!exact::is_finite(x)) return static_cast<uint16_t>(sign | 0x7f80u);
  const unsigned steps = steps_of(x, 7, -126, Mode), infinity = 0x7f80u;
  const bool away = Mode == to_nearest || Mode == (sign != 0 ? exact::downward : exact::upward);
  return static_cast<uint16_t>(sign | (steps < infinity ? steps : away ? infinity : infinity - 1));
}

// Values out of range become the nearest integer; NaN becomes 0, or the smallest of a signed 64-bit integer, whose bits
// CUDA also gives for an unsigned one.
template <typename To, typename From>
HIPPORT_COMPAT To saturated(From whole) {
  const bool is_signed = static_cast<To>(-1) < static_cast<To>(0);
  const int digits = static_cast<int>(sizeof(To) * 8) - (is_signed ? 1 : 0);
  const unsigned long long top = 1ull << (sizeof(To) * 8 - 1);
  const From limit = static_cast<From>(1ull << (digits - 1)) * 2;
  if (whole != whole) return sizeof(To) == 8 ? static_cast<To>(top) : 0;
  if (whole >= limit) return static_cast<To>(is_signed ? top - 1 : top - 1 + top);
  if (whole < (is_signed ? -limit : From(0))) return static_cast<To>(is_signed ? top : 0);
  return static_cast<To>(whole);
}

HIPPORT_COMPAT float from_bfloat16(unsigned word) { return bits<float>(static_cast<uint32_t>(word << 16)); }

// The same as `to_bfloat16(double(x))` in fewer instructions.
HIPPORT_COMPAT uint16_t nearest_bfloat16(float x) {
  const uint32_t word = bits<uint32_t>(x);
  if ((word & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

// Return a * b + c rounded to odd: the last bit records whether bits were cut off, so that rounding again is correct.
HIPPORT_COMPAT double odd_fma(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, sum = product + c, part = sum - product;
  const double rest = (product - (sum - part)) + (c - part);
  const uint64_t word = bits<uint64_t>(sum);
  if (!(rest > 0 || rest < 0) || (word & 1) != 0 || !exact::is_finite(sum)) return sum;
  return bits<double>((rest > 0) == (sum > 0) ? word + 1 : word - 1);
}

// Numbers that are too large become the largest finite number with `saturate`, else NaN.
HIPPORT_COMPAT uint8_t to_e4m3(double x, bool saturate) {
  const unsigned sign = exact::is_negative(x) ? 0x80u : 0u;
  if (is_nan(x)) return 0x7f;
  const unsigned steps = exact::is_finite(x) ? steps_of(x, 3, -6, to_nearest) : 0x7fu;
  return static_cast<uint8_t>(sign | (steps <= 0x7eu ? steps : saturate ? 0x7eu : 0x7fu));
}

// Numbers that are too large become the largest finite number with `saturate`, else infinity.
HIPPORT_COMPAT uint8_t to_e5m2(double x, bool saturate) {
  const unsigned sign = exact::is_negative(x) ? 0x80u : 0u;
  if (is_nan(x)) return 0x7f;
  const unsigned steps = exact::is_finite(x) ? steps_of(x, 2, -14, to_nearest) : 0x7cu;
  return static_cast<uint8_t>(sign | (steps <= 0x7bu ? steps : saturate ? 0x7bu : 0x7cu));
}

// Return the value of a finite number with these `exponent` and `fraction` fields.
HIPPORT_COMPAT float value_of(unsigned exponent, unsigned fraction, int fraction_bits, int bias, bool negative) {
  const unsigned whole = exponent == 0 ? fraction : fraction + (1u << fraction_bits);
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - bias - fraction_bits;
  const float scale = bits<float>(static_cast<uint32_t>(power + 127) << 23);
  // The sign is set apart: clang converts a product to half by an addition of 0 (v_fma_mixlo_f16), which makes -0 0.
  return bits<float>(bits<uint32_t>(static_cast<float>(whole) * scale) | (negative ? 0x80000000u : 0u));
}

HIPPORT_COMPAT float from_e4m3(unsigned byte) {
  if ((byte & 0x7f) == 0x7f) return bits<float>(0x7fffffffu);
  return value_of((byte >> 3) & 15, byte & 7, 3, 7, (byte & 0x80) != 0);
}

HIPPORT_COMPAT float from_e5m2(unsigned byte) {
  const bool negative = (byte & 0x80) != 0;
  if ((byte & 0x7f) > 0x7c) return bits<float>(0x7fffffffu);
  if ((byte & 0x7f) == 0x7c) return bits<float>(negative ? 0xff800000u : 0x7f800000u);
  return value_of((byte >> 2) & 31, byte & 3, 2, 15, negative);
}

// Convert to the FNUZ variant of e4m3 or e5m2, chosen by its bits of fraction. Numbers that are too large become the
// largest number with `saturate`, else NaN. What rounds to zero becomes positive zero.
HIPPORT_COMPAT uint8_t to_fnuz(double x, int fraction_bits, bool saturate) {
  if (is_nan(x)) return 0x80;
  const int least = fraction_bits == 3 ? -7 : -15;
  const unsigned steps = exact::is_finite(x) ? steps_of(x, fraction_bits, least, to_nearest) : 0x80u;
  if (steps > 0x7fu && !saturate) return 0x80;
  const unsigned sign = steps != 0 && exact::is_negative(x) ? 0x80u : 0u;
  return static_cast<uint8_t>(sign | (steps > 0x7fu ? 0x7fu : steps));
}

HIPPORT_COMPAT float from_fnuz(unsigned byte, int fraction_bits) {
  if (byte == 0x80) return bits<float>(0x7fffffffu);
  const unsigned magnitude = byte & 0x7fu;
  return value_of(magnitude >> fraction_bits, magnitude & ((1u << fraction_bits) - 1), fraction_bits,
                  fraction_bits == 3 ? 8 : 16, (byte & 0x80) != 0);
}

}  // namespace compat
}  // namespace hipport

#endif
