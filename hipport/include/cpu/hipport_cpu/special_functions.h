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
inline double rnorm4d(double x, double y, double z, double w) { return hipport::compat::inverse_length(x, y, z, w); }
inline float rnorm4df(float x, float y, float z, float w) { return static_cast<float>(rnorm4d(x, y, z, w)); }

inline double cyl_bessel_i0(double x) { return hipport::compat::bessel_i(0, x); }
inline double cyl_bessel_i1(double x) { return hipport::compat::bessel_i(1, x); }
inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(x)); }
inline float cyl_bessel_i1f(float x) { return static_cast<float>(cyl_bessel_i1(x)); }
inline double erfcinv(double y) { return hipport::compat::erfcinv(y); }
inline float erfcinvf(float y) { return static_cast<float>(erfcinv(y)); }
inline double normcdfinv(double y) { return -1.41421356237309504880 * erfcinv(2.0 * y); }
inline float normcdfinvf(float y) { return static_cast<float>(normcdfinv(y)); }

inline void __assertfail(const char* text, const char* file, unsigned line, const char* function, size_t = 1) {
  hipport::cpu::stop("%s:%u: %s: assertion `%s' failed", file, line, function, text);
}
