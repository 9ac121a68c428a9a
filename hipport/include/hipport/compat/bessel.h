// SPDX-License-Identifier: MIT
// `jn`, `yn`, `jnf` and `ynf`: HIP's `yn` of a double returns values of `jn`, its `jn` of a double has the precision of float,
// and its recurrence from low orders loses all digits where the order exceeds |x|.
#ifndef HIPPORT_COMPAT_BESSEL_H
#define HIPPORT_COMPAT_BESSEL_H

#include <math.h>

#include <type_traits>

#include "core.h"

namespace hipport {
namespace compat {

#if defined(__HIP_DEVICE_COMPILE__) && !defined(__HIPPORT_CPU__)

// Recur upwards from orders 0 and 1 to `n` > 1, which is stable for Y, and for J where `n` <= |x|.
HIPPORT_COMPAT double bessel_upwards(int n, double x, double before, double value) {
  for (int order = 1; order < n && value > -HUGE_VAL; ++order) {
    const double next = 2.0 * order / x * value - before;
    before = value;
    value = next;
  }
  return value;
}

// J of order `n` > x > 0 by Miller's algorithm: recur downwards from a high order, and divide by the sum that is 1.
HIPPORT_COMPAT double bessel_downwards(int n, double x) {
  double above = 0, value = 1, sum = 0, wanted = 0;
  for (int order = 2 * ((n + static_cast<int>(::sqrt(160.0 * n))) / 2); order > 0; --order) {
    const double below = 2.0 * order / x * value - above;
    above = value;
    value = below;
    if (::fabs(value) > 1e100) {
      value *= 1e-100;
      above *= 1e-100;
      sum *= 1e-100;
      wanted *= 1e-100;
    }
    if (order % 2 == 1 && order > 1) sum += 2 * value;  // `value` is of the even order `order - 1`
    if (order == n) wanted = above;
  }
  return wanted / (sum + value);
}

HIPPORT_COMPAT double jn(int n, double x) {
  if (n < 0 || x != x) return NAN;
  if (n == 0) return ::j0(x);
  if (n == 1) return ::j1(x);
  const double size = ::fabs(x);
  if (size == 0 || size > 1.7976931348623157e308) return 0;
  const double value = size >= n ? bessel_upwards(n, size, ::j0(size), ::j1(size)) : bessel_downwards(n, size);
  return x < 0 && n % 2 != 0 ? -value : value;
}

HIPPORT_COMPAT double yn(int n, double x) {
  if (n < 0 || !(x >= 0)) return NAN;
  if (n == 0) return ::y0(x);
  if (n == 1) return ::y1(x);
  if (x == 0) return -HUGE_VAL;
  if (x > 1.7976931348623157e308) return 0;
  return bessel_upwards(n, x, ::y0(x), ::y1(x));
}

HIPPORT_COMPAT float jnf(int n, float x) { return static_cast<float>(jn(n, static_cast<double>(x))); }
HIPPORT_COMPAT float ynf(int n, float x) { return static_cast<float>(yn(n, static_cast<double>(x))); }

#else  // the C library's, as for CUDA's host code

HIPPORT_COMPAT double jn(int n, double x) { return ::jn(n, x); }
HIPPORT_COMPAT double yn(int n, double x) { return ::yn(n, x); }
HIPPORT_COMPAT float jnf(int n, float x) { return ::jnf(n, x); }
HIPPORT_COMPAT float ynf(int n, float x) { return ::ynf(n, x); }

#endif

// CUDA's overloads of a float and of integers; types of 16-bit numbers are floats.
template <typename T>
using BesselOf =
    typename std::conditional<std::is_integral<T>::value, std::enable_if<true, double>,
                              std::enable_if<std::is_class<T>::value && sizeof(T) == 2, float>>::type::type;

HIPPORT_COMPAT float jn(int n, float x) { return jnf(n, x); }
HIPPORT_COMPAT float yn(int n, float x) { return ynf(n, x); }
template <typename T>
HIPPORT_COMPAT BesselOf<T> jn(int n, T x) {
  return jn(n, static_cast<BesselOf<T>>(x));
}
template <typename T>
HIPPORT_COMPAT BesselOf<T> yn(int n, T x) {
  return yn(n, static_cast<BesselOf<T>>(x));
}

}  // namespace compat
}  // namespace hipport

#endif
