// SPDX-License-Identifier: MIT
// Directed rounding by exact integer arithmetic, which leaves the rounding mode alone and is the same everywhere.
//
// A finite double is split into an integer and a power of two, computed with in 128 bits, and rounded once. For floats,
// a double holds the exact result of an operation, or its value and the sign of the remainder.
#ifndef HIPPORT_COMPAT_EXACT_H
#define HIPPORT_COMPAT_EXACT_H

#include "core.h"

#include <math.h>

namespace hipport {
namespace compat {
namespace exact {

enum Rounding { to_zero, downward, upward };

typedef unsigned __int128 Wide;

// Return whether an inexact value is rounded away from zero.
template <Rounding Mode>
HIPPORT_COMPAT bool is_away(bool negative) {
  return Mode == (negative ? downward : upward) && Mode != to_zero;
}

// The value mantissa * 2^exponent; the mantissa is 0 for zero.
struct Number {
  bool negative;
  int exponent;
  Wide mantissa;
};

HIPPORT_COMPAT bool is_finite(double x) { return ((bits<uint64_t>(x) >> 52) & 0x7ff) != 0x7ff; }
HIPPORT_COMPAT bool is_negative(double x) { return (bits<uint64_t>(x) >> 63) != 0; }
HIPPORT_COMPAT double zero(bool negative) { return negative ? -0.0 : 0.0; }

HIPPORT_COMPAT Number take_apart(double x) {
  const uint64_t word = bits<uint64_t>(x), fraction = word & ((uint64_t(1) << 52) - 1);
  const int field = static_cast<int>((word >> 52) & 0x7ff);
  return {is_negative(x), field == 0 ? -1074 : field - 1075, field == 0 ? fraction : fraction | (uint64_t(1) << 52)};
}

HIPPORT_COMPAT int width(Wide value) {
  int result = 0;
  for (int step = 64; step > 0; step /= 2) {
    if ((value >> step) != 0) value >>= step, result += step;
  }
  return result + (value != 0 ? 1 : 0);
}

// Return the same number with the highest bit of its mantissa at bit `place`. No bits may be lost.
HIPPORT_COMPAT Number aligned(Number x, int place) {
  const int shift = place + 1 - width(x.mantissa);
  x.mantissa = shift >= 0 ? x.mantissa << shift : x.mantissa >> -shift;
  x.exponent -= shift;
  return x;
}

// Round a number that is not zero. `more` means that the exact value is slightly further from zero than the mantissa,
// which must then have 54 bits or more.
template <Rounding Mode>
HIPPORT_COMPAT double rounded(Number x, bool more) {
  const int smallest = -1074, largest = 971;
  int shift = width(x.mantissa) - 53;
  if (x.exponent + shift < smallest) shift = smallest - x.exponent;
  const int exponent = x.exponent + shift;
  uint64_t kept = 0;
  bool is_exact = false;
  if (shift <= 0) {
    kept = static_cast<uint64_t>(x.mantissa << -shift), is_exact = true;
  } else if (shift < 128) {
    kept = static_cast<uint64_t>(x.mantissa >> shift), is_exact = (x.mantissa & ((Wide(1) << shift) - 1)) == 0;
  }
  if (is_away<Mode>(x.negative) && (more || !is_exact)) ++kept;
  const uint64_t sign = x.negative ? uint64_t(1) << 63 : 0, infinity = uint64_t(0x7ff) << 52;
  const bool carried = (kept >> 53) != 0;
  if (exponent + carried > largest) return bits<double>(sign | (is_away<Mode>(x.negative) ? infinity : infinity - 1));
  if (kept >> 52 == 0) return bits<double>(sign | kept);
  const uint64_t field = static_cast<uint64_t>(exponent + 1075 + (carried ? 1 : 0));
  return bits<double>(sign | (field << 52) | ((carried ? kept >> 1 : kept) & ((uint64_t(1) << 52) - 1)));
}

// Add two numbers with mantissas of up to 106 bits; at least one must not be zero.
template <Rounding Mode>
HIPPORT_COMPAT double sum(Number a, Number b) {
  if (b.mantissa == 0) return rounded<Mode>(a, false);
  if (a.mantissa == 0) return rounded<Mode>(b, false);
  a = aligned(a, 125), b = aligned(b, 125);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
    const Number smaller = a;
    a = b, b = smaller;
  }
  const int distance = a.exponent - b.exponent;
  const Wide part = distance < 128 ? b.mantissa >> distance : 0;
  const bool rest = distance >= 128 || (part << distance) != b.mantissa;
  if (a.negative == b.negative) {
    a.mantissa += part;
    return rounded<Mode>(a, rest);
  }
  // If there is a remainder, the difference lies between this mantissa and the one below it.
  a.mantissa -= part + (rest ? 1 : 0);
  return a.mantissa == 0 ? zero(Mode == downward) : rounded<Mode>(a, rest);
}

template <Rounding Mode>
HIPPORT_COMPAT double fma(double a, double b, double c) {
  const bool negative = is_negative(a) != is_negative(b);
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return is_finite(a) && is_finite(b) ? c : a * b + c;
  if (a == 0 || b == 0) {
    if (c != 0) return c;
    return negative == is_negative(c) ? c : zero(Mode == downward);
  }
  const Number x = take_apart(a), y = take_apart(b);
  return sum<Mode>({negative, x.exponent + y.exponent, x.mantissa * y.mantissa}, take_apart(c));
}

template <Rounding Mode>
HIPPORT_COMPAT double add(double a, double b) {
  return fma<Mode>(a, 1.0, b);
}
template <Rounding Mode>
HIPPORT_COMPAT double sub(double a, double b) {
  return fma<Mode>(a, 1.0, -b);
}

template <Rounding Mode>
HIPPORT_COMPAT double mul(double a, double b) {
  if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0) return a * b;
  const Number x = take_apart(a), y = take_apart(b);
  return rounded<Mode>({x.negative != y.negative, x.exponent + y.exponent, x.mantissa * y.mantissa}, false);
}

template <Rounding Mode>
HIPPORT_COMPAT double div(double a, double b) {
  if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0) return a / b;
  const Number x = aligned(take_apart(a), 52), y = aligned(take_apart(b), 52);
  const uint64_t divisor = static_cast<uint64_t>(y.mantissa);
  uint64_t left = static_cast<uint64_t>(x.mantissa), quotient = 0;
  for (int i = 0; i < 64; ++i, left <<= 1) {
    quotient <<= 1;
    if (left >= divisor) left -= divisor, quotient |= 1;
  }
  return rounded<Mode>({x.negative != y.negative, x.exponent - y.exponent - 63, quotient}, left != 0);
}

template <Rounding Mode>
HIPPORT_COMPAT double sqrt(double a) {
  if (!is_finite(a) || a == 0 || a < 0) return ::sqrt(a);
  Number x = aligned(take_apart(a), 125);
  if (x.exponent % 2 != 0) x.mantissa >>= 1, ++x.exponent;
  Wide left = x.mantissa, root = 0;
  for (Wide bit = Wide(1) << 124; bit != 0; bit >>= 2) {
    const bool fits = left >= root + bit;
    if (fits) left -= root + bit;
    root = (root >> 1) + (fits ? bit : 0);
  }
  return rounded<Mode>({false, x.exponent / 2, root}, left != 0);
}

// Return the next float up or down from a number that is finite or infinite.
HIPPORT_COMPAT float next(float x, bool up) {
  const uint32_t word = bits<uint32_t>(x);
  if (x == 0) return bits<float>(up ? 0x00000001u : 0x80000001u);
  return bits<float>((x > 0) == up ? word + 1 : word - 1);
}

// Round to float the sum of `value` and an infinitesimal with the sign of `rest`.
template <Rounding Mode>
HIPPORT_COMPAT float narrowed(double value, double rest) {
  const float nearest = static_cast<float>(value);
  const bool above = value > nearest || (value == nearest && rest > 0);
  const bool below = value < nearest || (value == nearest && rest < 0);
  if (above && (Mode == upward || (Mode == to_zero && nearest < 0))) return next(nearest, true);
  if (below && (Mode == downward || (Mode == to_zero && nearest > 0))) return next(nearest, false);
  return nearest;
}

// Add two doubles that hold floats or products of floats.
template <Rounding Mode>
HIPPORT_COMPAT float narrowed_sum(double a, double b) {
  const double value = a + b;
  if (value == 0) return is_negative(a) == is_negative(b) ? static_cast<float>(a) : Mode == downward ? -0.0f : 0.0f;
  const double of_b = value - a;
  return narrowed<Mode>(value, (a - (value - of_b)) + (b - of_b));
}

template <Rounding Mode>
HIPPORT_COMPAT float add(float a, float b) {
  return narrowed_sum<Mode>(a, b);
}
template <Rounding Mode>
HIPPORT_COMPAT float sub(float a, float b) {
  return narrowed_sum<Mode>(a, -static_cast<double>(b));
}
template <Rounding Mode>
HIPPORT_COMPAT float fma(float a, float b, float c) {
  return narrowed_sum<Mode>(static_cast<double>(a) * b, c);
}
template <Rounding Mode>
HIPPORT_COMPAT float mul(float a, float b) {
  return narrowed<Mode>(static_cast<double>(a) * b, 0);
}
template <Rounding Mode>
HIPPORT_COMPAT float div(float a, float b) {
  const double dividend = a, divisor = b, quotient = dividend / divisor, rest = ::fma(-quotient, divisor, dividend);
  return narrowed<Mode>(quotient, b < 0 ? -rest : rest);
}
template <Rounding Mode>
HIPPORT_COMPAT float sqrt(float a) {
  const double square = a, root = ::sqrt(square);
  return narrowed<Mode>(root, ::fma(-root, root, square));
}

}  // namespace exact
}  // namespace compat
}  // namespace hipport

#endif
