// SPDX-License-Identifier: MIT
// `ilogb`, which is the least integer for NaN in CUDA: on AMD GPUs, HIP's is the largest. `scalbln`, of whose exponent
// HIP's takes 32 bits.
#ifndef HIPPORT_COMPAT_EXPONENTS_H
#define HIPPORT_COMPAT_EXPONENTS_H

#include "core.h"

#include <math.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT int ilogb(double x) { return x != x ? -0x7fffffff - 1 : ::ilogb(x); }
HIPPORT_COMPAT int ilogbf(float x) { return x != x ? -0x7fffffff - 1 : ::ilogbf(x); }
HIPPORT_COMPAT int ilogb(float x) { return ilogbf(x); }
// Integers, as in the C++ library.
template <typename T, typename = decltype(T(1) % 2)>
HIPPORT_COMPAT int ilogb(T x) {
  return ilogb(static_cast<double>(x));
}

HIPPORT_COMPAT int limited_exponent(long n) { return n > 9999 ? 9999 : n < -9999 ? -9999 : static_cast<int>(n); }
HIPPORT_COMPAT double scalbln(double x, long n) { return ::scalbn(x, limited_exponent(n)); }
HIPPORT_COMPAT float scalblnf(float x, long n) { return ::scalbnf(x, limited_exponent(n)); }
HIPPORT_COMPAT float scalbln(float x, long n) { return scalblnf(x, n); }
// Integers, as in the C++ library.
template <typename T, typename = decltype(T(1) % 2)>
HIPPORT_COMPAT double scalbln(T x, long n) {
  return scalbln(static_cast<double>(x), n);
}

}  // namespace compat
}  // namespace hipport

#endif
