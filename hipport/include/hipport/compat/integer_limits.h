// SPDX-License-Identifier: MIT
// Integer results out of range: conversions, and `__sad` of numbers whose difference takes more than 31 bits.
#ifndef HIPPORT_COMPAT_INTEGER_LIMITS_H
#define HIPPORT_COMPAT_INTEGER_LIMITS_H

#include "core.h"
#include "to_integer.h"

#if defined(HIPPORT_COMPAT_CUDA)

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(float2ll_rd)
HIPPORT_COMPAT_FORWARD(float2ll_rn)
HIPPORT_COMPAT_FORWARD(float2ll_ru)
HIPPORT_COMPAT_FORWARD(float2ll_rz)
HIPPORT_COMPAT_FORWARD(float2ull_rd)
HIPPORT_COMPAT_FORWARD(float2ull_rn)
HIPPORT_COMPAT_FORWARD(float2ull_ru)
HIPPORT_COMPAT_FORWARD(float2ull_rz)
HIPPORT_COMPAT_FORWARD(double2int_rd)
HIPPORT_COMPAT_FORWARD(double2int_rn)
HIPPORT_COMPAT_FORWARD(double2int_ru)
HIPPORT_COMPAT_FORWARD(double2int_rz)
HIPPORT_COMPAT_FORWARD(double2uint_rd)
HIPPORT_COMPAT_FORWARD(double2uint_rn)
HIPPORT_COMPAT_FORWARD(double2uint_ru)
HIPPORT_COMPAT_FORWARD(double2uint_rz)
HIPPORT_COMPAT_FORWARD(double2ll_rd)
HIPPORT_COMPAT_FORWARD(double2ll_rn)
HIPPORT_COMPAT_FORWARD(double2ll_ru)
HIPPORT_COMPAT_FORWARD(double2ll_rz)
HIPPORT_COMPAT_FORWARD(double2ull_rd)
HIPPORT_COMPAT_FORWARD(double2ull_rn)
HIPPORT_COMPAT_FORWARD(double2ull_ru)
HIPPORT_COMPAT_FORWARD(double2ull_rz)
HIPPORT_COMPAT_FORWARD(sad)

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

#define HIPPORT_COMPAT_MODE(suffix, round)                                                             \
  HIPPORT_COMPAT int double2int_##suffix(double x) { return to_integer<int>(::round(x)); }             \
  HIPPORT_COMPAT unsigned double2uint_##suffix(double x) { return to_integer<unsigned>(::round(x)); }  \
  HIPPORT_COMPAT long long float2ll_##suffix(float x) { return to_integer<long long>(::round##f(x)); } \
  HIPPORT_COMPAT long long double2ll_##suffix(double x) { return to_integer<long long>(::round(x)); }  \
  HIPPORT_COMPAT unsigned long long float2ull_##suffix(float x) {                                      \
    return to_integer<unsigned long long>(::round##f(x));                                              \
  }                                                                                                    \
  HIPPORT_COMPAT unsigned long long double2ull_##suffix(double x) { return to_integer<unsigned long long>(::round(x)); }
HIPPORT_COMPAT_MODE(rn, rint)
HIPPORT_COMPAT_MODE(rz, trunc)
HIPPORT_COMPAT_MODE(ru, ceil)
HIPPORT_COMPAT_MODE(rd, floor)
#undef HIPPORT_COMPAT_MODE

HIPPORT_COMPAT unsigned sad(int a, int b, unsigned sum) {
  const unsigned first = static_cast<unsigned>(a), second = static_cast<unsigned>(b);
  return (a > b ? first - second : second - first) + sum;
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
