// SPDX-License-Identifier: MIT
// CUDA's mathematical functions that the C++ library lacks or names differently.
#pragma once

#include "../../hipport/compat/special_values.h"
#include "integers.h"

#include <math.h>  // isnan(x) and the like without std::, as in CUDA

#include <cfenv>
#include <cmath>
#include <limits>

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / std::cbrt(x); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline double rhypot(double x, double y) { return hipport::compat::inverse_length(x, y); }
inline float rhypotf(float x, float y) { return static_cast<float>(rhypot(x, y)); }
inline double norm3d(double x, double y, double z) { return hipport::compat::length(x, y, z); }
inline float norm3df(float x, float y, float z) { return static_cast<float>(norm3d(x, y, z)); }
inline double norm4d(double x, double y, double z, double w) { return hipport::compat::length(x, y, z, w); }
inline float norm4df(float x, float y, float z, float w) { return static_cast<float>(norm4d(x, y, z, w)); }
inline double rnorm3d(double x, double y, double z) { return hipport::compat::inverse_length(x, y, z); }
inline float rnorm3df(float x, float y, float z) { return static_cast<float>(rnorm3d(x, y, z)); }

inline constexpr double hipport_pi = 3.14159265358979323846;
// The argument is reduced to at most a quarter before it is multiplied by pi, which loses no digits.
inline double sinpi(double x) {
  const double r = std::remainder(x, 2.0), left = std::remainder(r, 0.5);
  if (r != r) return r;
  if (r == 0.0 || r == 1.0 || r == -1.0) return 0.0 * x;
  switch (static_cast<int>((r - left) * 2.0)) {
    case 0: return std::sin(hipport_pi * left);
    case 1: return std::cos(hipport_pi * left);
    case -1: return -std::cos(hipport_pi * left);
    default: return -std::sin(hipport_pi * left);
  }
}
inline double cospi(double x) {
  const double r = std::fabs(std::remainder(x, 2.0)), left = std::remainder(r, 0.5);
  if (r != r) return r;
  if (r == 0.5) return 0.0;
  switch (static_cast<int>((r - left) * 2.0)) {
    case 0: return std::cos(hipport_pi * left);
    case 1: return -std::sin(hipport_pi * left);
    default: return -std::cos(hipport_pi * left);
  }
}
inline float sinpif(float x) { return static_cast<float>(sinpi(x)); }
inline float cospif(float x) { return static_cast<float>(cospi(x)); }
inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospi(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
#ifndef _GNU_SOURCE
inline void sincos(double x, double* s, double* c) { *s = std::sin(x), *c = std::cos(x); }
inline void sincosf(float x, float* s, float* c) { *s = std::sin(x), *c = std::cos(x); }
#endif
inline void sincos(float x, float* s, float* c) { *s = std::sin(x), *c = std::cos(x); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }
inline double erfcx(double x) { return hipport::compat::erfcx(x); }
inline float erfcxf(float x) { return static_cast<float>(erfcx(x)); }

inline double erfinv(double y) { return hipport::compat::erfinv(y); }
inline float erfinvf(float y) { return static_cast<float>(erfinv(y)); }

// Fast versions; here they are as accurate as the others. glibc declares them as C functions.
extern "C" {
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.0f, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __tanhf(float x) { return std::tanh(x); }
inline void __sincosf(float x, float* s, float* c) { *s = std::sin(x), *c = std::cos(x); }
}
#ifndef _GNU_SOURCE
inline float exp10f(float x) { return std::pow(10.0f, x); }
#endif
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }

// Arithmetic with a rounding mode.
namespace hipport::cpu {
class Rounding {
 public:
  explicit Rounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int before_;
};

#ifdef __x86_64__
// The mode of SSE's arithmetic alone: a tenth of the time. The C library's functions may use the other unit.
class ArithmeticRounding {
 public:
  explicit ArithmeticRounding(int mode) : before_(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr((before_ & ~bits(FE_TOWARDZERO)) | bits(mode));
  }
  ~ArithmeticRounding() { __builtin_ia32_ldmxcsr(before_); }
  ArithmeticRounding(const ArithmeticRounding&) = delete;
  ArithmeticRounding& operator=(const ArithmeticRounding&) = delete;

 private:
  static constexpr unsigned bits(int mode) { return static_cast<unsigned>(mode) << 3; }
  unsigned before_;
};
#else
using ArithmeticRounding = Rounding;
#endif
}  // namespace hipport::cpu

// `volatile` operands and results keep the computation inside the scope in which the mode is set, and what they are
// computed from and used for outside: operands are written before it, results read after it.
#define HIPPORT_ROUNDED_1(T, name, mode, expression)         \
  inline T name(T a) {                                       \
    volatile T p = a, result;                                \
    {                                                        \
      const hipport::cpu::ArithmeticRounding rounding(mode); \
      result = expression;                                   \
    }                                                        \
    return result;                                           \
  }
#define HIPPORT_ROUNDED_2(T, name, mode, op)                 \
  inline T name(T a, T b) {                                  \
    volatile T p = a, q = b, result;                         \
    {                                                        \
      const hipport::cpu::ArithmeticRounding rounding(mode); \
      result = p op q;                                       \
    }                                                        \
    return result;                                           \
  }
#define HIPPORT_ROUNDED_FMA(T, name, mode)         \
  inline T name(T a, T b, T c) {                   \
    volatile T p = a, q = b, r = c, result;        \
    {                                              \
      const hipport::cpu::Rounding rounding(mode); \
      result = std::fma(p, q, r);                  \
    }                                              \
    return result;                                 \
  }
#define HIPPORT_ROUNDED(suffix, mode)                                 \
  HIPPORT_ROUNDED_2(float, __fadd##suffix, mode, +)                   \
  HIPPORT_ROUNDED_2(float, __fsub##suffix, mode, -)                   \
  HIPPORT_ROUNDED_2(float, __fmul##suffix, mode, *)                   \
  HIPPORT_ROUNDED_2(float, __fdiv##suffix, mode, /)                   \
  HIPPORT_ROUNDED_1(float, __frcp##suffix, mode, 1.0f / p)            \
  HIPPORT_ROUNDED_1(float, __fsqrt##suffix, mode, __builtin_sqrtf(p)) \
  HIPPORT_ROUNDED_FMA(float, __fmaf##suffix, mode)                    \
  HIPPORT_ROUNDED_2(double, __dadd##suffix, mode, +)                  \
  HIPPORT_ROUNDED_2(double, __dsub##suffix, mode, -)                  \
  HIPPORT_ROUNDED_2(double, __dmul##suffix, mode, *)                  \
  HIPPORT_ROUNDED_2(double, __ddiv##suffix, mode, /)                  \
  HIPPORT_ROUNDED_1(double, __drcp##suffix, mode, 1.0 / p)            \
  HIPPORT_ROUNDED_1(double, __dsqrt##suffix, mode, __builtin_sqrt(p)) \
  HIPPORT_ROUNDED_FMA(double, __fma##suffix, mode)
HIPPORT_ROUNDED(_ru, FE_UPWARD)
HIPPORT_ROUNDED(_rd, FE_DOWNWARD)
HIPPORT_ROUNDED(_rz, FE_TOWARDZERO)
#undef HIPPORT_ROUNDED
#undef HIPPORT_ROUNDED_FMA
#undef HIPPORT_ROUNDED_2
#undef HIPPORT_ROUNDED_1

// Rounding to nearest is the default; only __fmaf_rn fuses a product with a sum.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
