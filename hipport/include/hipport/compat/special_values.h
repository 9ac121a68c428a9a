// SPDX-License-Identifier: MIT
// Values of special functions on the host: lengths of vectors, erfcx, inverse error functions, modified Bessel functions.
#ifndef HIPPORT_COMPAT_SPECIAL_VALUES_H
#define HIPPORT_COMPAT_SPECIAL_VALUES_H

#include <cmath>

namespace hipport {
namespace compat {

// The length of a vector. An infinite element wins over NaN, as in hypot; std::hypot of three numbers gets both wrong.
inline double length(double x, double y, double z = 0.0, double w = 0.0) {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
template <typename T>
double length(int count, const T* values) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum = std::hypot(sum, static_cast<double>(values[i]));
  return sum;
}
// 1 / length, which may be a number where the length overflows.
inline double inverse_length(double x, double y, double z = 0.0, double w = 0.0) {
  const double whole = length(x, y, z, w);
  if (std::isinf(whole) && std::isfinite(x) && std::isfinite(y) && std::isfinite(z) && std::isfinite(w))
    return 0.25 / length(0.25 * x, 0.25 * y, 0.25 * z, 0.25 * w);
  return 1.0 / whole;
}

// exp(x * x) * erfc(x); for large x by its asymptotic series, since both factors leave the range of numbers.
inline double erfcx(double x) {
  if (!(x > 25.0)) return std::exp(x * x) * std::erfc(x);
  const double square = 0.5 / x / x, first = 0.56418958354775628695 / x;
  return first * (1.0 - square * (1.0 - 3.0 * square * (1.0 - 5.0 * square * (1.0 - 7.0 * square))));
}

inline double erfcinv(double y);
// The inverse of erf, an increasing function, by Newton steps from a rough start.
inline double erfinv(double y) {
  if (std::fabs(y) > 0.5 && std::fabs(y) < 1.0) return std::copysign(erfcinv(1.0 - std::fabs(y)), y);
  if (y <= -1.0 || y >= 1.0 || y != y) return y == 1.0 || y == -1.0 ? y * INFINITY : NAN;
  const double w = std::log((1.0 - y) * (1.0 + y)), a = 2.0 / (3.14159265358979323846 * 0.147) + w / 2.0;
  double x = std::copysign(std::sqrt(std::sqrt(a * a - w / 0.147) - a), y);
  for (int i = 0; i < 3; ++i) x -= (std::erf(x) - y) / (1.12837916709551257390 * std::exp(-x * x));
  return x;
}

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

}  // namespace compat
}  // namespace hipport

#endif
