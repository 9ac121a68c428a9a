// SPDX-License-Identifier: MIT
// Norms of vectors, modified Bessel functions and inverse distribution functions.
#pragma once

#include "failure.h"
#include "math.h"

inline double norm(int count, const double* values) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum = std::hypot(sum, values[i]);
  return sum;
}
inline float normf(int count, const float* values) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum = std::hypot(sum, static_cast<double>(values[i]));
  return static_cast<float>(sum);
}
inline double rnorm(int count, const double* values) { return 1.0 / norm(count, values); }
inline float rnormf(int count, const float* values) { return 1.0f / normf(count, values); }
inline double rnorm4d(double x, double y, double z, double w) { return hipport::cpu::inverse_length(x, y, z, w); }
inline float rnorm4df(float x, float y, float z, float w) { return static_cast<float>(rnorm4d(x, y, z, w)); }

namespace hipport::cpu {

// The modified Bessel function of order 0 or 1 by its power series, whose terms all have the same sign.
inline double bessel_i(int order, double x) {
  const double quarter = 0.25 * x * x;
  double term = order == 0 ? 1.0 : 0.5 * x, sum = term;
  for (int k = 1; k < 2000 && std::fabs(term) > 1e-17 * std::fabs(sum); ++k)
    sum += term *= quarter / (static_cast<double>(k) * (k + order));
  return sum;
}

// The inverse of erfc by Newton steps on its logarithm, which is nearly a parabola for large arguments.
inline double erfcinv(double y) {
  if (!(y > 0.0 && y < 2.0)) return y == 0.0 ? INFINITY : y == 2.0 ? -INFINITY : NAN;
  if (y > 1.0) return -erfcinv(2.0 - y);
  if (y > 0.5) return erfinv(1.0 - y);
  double x = std::sqrt(-std::log(y));
  for (int i = 0; i < 60; ++i) {
    const double value = std::erfc(x);
    if (value == 0.0) return x;  // y is denormal, and has no more digits
    const double step = (std::log(value) - std::log(y)) * value / (1.12837916709551257390 * std::exp(-x * x));
    x += step;
    if (std::fabs(step) <= 1e-16 * std::fabs(x)) break;
  }
  return x;
}

}  // namespace hipport::cpu

inline double cyl_bessel_i0(double x) { return hipport::cpu::bessel_i(0, x); }
inline double cyl_bessel_i1(double x) { return hipport::cpu::bessel_i(1, x); }
inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(x)); }
inline float cyl_bessel_i1f(float x) { return static_cast<float>(cyl_bessel_i1(x)); }
inline double erfcinv(double y) { return hipport::cpu::erfcinv(y); }
inline float erfcinvf(float y) { return static_cast<float>(erfcinv(y)); }
inline double normcdfinv(double y) { return -1.41421356237309504880 * erfcinv(2.0 * y); }
inline float normcdfinvf(float y) { return static_cast<float>(normcdfinv(y)); }

inline void __assertfail(const char* text, const char* file, unsigned line, const char* function, size_t = 1) {
  hipport::cpu::stop("%s:%u: %s: assertion `%s' failed", file, line, function, text);
}
