// SPDX-License-Identifier: MIT
// __builtin_amdgcn_*: floating-point arithmetic, as accurate as the C library, where hardware has an error of 1 ulp.
#pragma once

#include <algorithm>
#include <cmath>

namespace hipport::cpu {

// The fraction as v_fract computes it: never 1.
template <typename T>
T fraction(T value, T below_one) {
  return std::isnan(value) ? value : std::isinf(value) ? T(NAN) : std::min(value - std::floor(value), below_one);
}
template <typename T>
T median(T a, T b, T c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return std::fmin(std::fmin(a, b), c);
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
// The mantissa is from 0.5 to 1; of infinities and NaN itself, with the exponent 0.
template <typename T>
T mantissa(T value) {
  int exponent = 0;
  return std::isfinite(value) ? std::frexp(value, &exponent) : value;
}
template <typename T>
int exponent_of(T value) {
  int exponent = 0;
  if (std::isfinite(value)) static_cast<void>(std::frexp(value, &exponent));
  return exponent;
}
// The sine and cosine of full turns, exact at multiples of a quarter.
inline float turned(float turns, double (*function)(double)) {
  return static_cast<float>(function(6.283185307179586477 * (double(turns) - std::floor(double(turns)))));
}
// A bit of the class mask of v_cmp_class: signaling NaN, quiet NaN, -inf, -normal, -subnormal, -0, +0, ... +inf.
template <typename T>
int class_of(T value) {
  if (std::isnan(value)) return 3;
  const bool negative = std::signbit(value);
  switch (std::fpclassify(value)) {
    case FP_INFINITE: return negative ? 1 << 2 : 1 << 9;
    case FP_NORMAL: return negative ? 1 << 3 : 1 << 8;
    case FP_SUBNORMAL: return negative ? 1 << 4 : 1 << 7;
    default: return negative ? 1 << 5 : 1 << 6;
  }
}

}  // namespace hipport::cpu

inline float __builtin_amdgcn_rcpf(float x) { return 1.0f / x; }
inline double __builtin_amdgcn_rcp(double x) { return 1.0 / x; }
inline float __builtin_amdgcn_sqrtf(float x) { return std::sqrt(x); }
inline double __builtin_amdgcn_sqrt(double x) { return std::sqrt(x); }
inline float __builtin_amdgcn_rsqf(float x) { return 1.0f / std::sqrt(x); }
inline double __builtin_amdgcn_rsq(double x) { return 1.0 / std::sqrt(x); }
inline float __builtin_amdgcn_exp2f(float x) { return std::exp2(x); }
inline float __builtin_amdgcn_logf(float x) { return std::log2(x); }
inline float __builtin_amdgcn_sinf(float x) { return hipport::cpu::turned(x, std::sin); }
inline float __builtin_amdgcn_cosf(float x) { return hipport::cpu::turned(x, std::cos); }
inline float __builtin_amdgcn_fractf(float x) { return hipport::cpu::fraction(x, 0x1.fffffep-1f); }
inline double __builtin_amdgcn_fract(double x) { return hipport::cpu::fraction(x, 0x1.fffffffffffffp-1); }
inline float __builtin_amdgcn_fmed3f(float a, float b, float c) { return hipport::cpu::median(a, b, c); }
inline float __builtin_amdgcn_ldexpf(float x, int exponent) { return std::ldexp(x, exponent); }
inline double __builtin_amdgcn_ldexp(double x, int exponent) { return std::ldexp(x, exponent); }
inline float __builtin_amdgcn_frexp_mantf(float x) { return hipport::cpu::mantissa(x); }
inline double __builtin_amdgcn_frexp_mant(double x) { return hipport::cpu::mantissa(x); }
inline int __builtin_amdgcn_frexp_expf(float x) { return hipport::cpu::exponent_of(x); }
inline int __builtin_amdgcn_frexp_exp(double x) { return hipport::cpu::exponent_of(x); }
inline float __builtin_amdgcn_fmul_legacy(float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }
inline bool __builtin_amdgcn_classf(float x, int mask) { return (hipport::cpu::class_of(x) & mask) != 0; }
inline bool __builtin_amdgcn_class(double x, int mask) { return (hipport::cpu::class_of(x) & mask) != 0; }
