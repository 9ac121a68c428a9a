// SPDX-License-Identifier: MIT
// `ilogb`, which is the least integer for NaN in CUDA: on AMD GPUs, HIP's is the largest.
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

}  // namespace compat
}  // namespace hipport

#endif
