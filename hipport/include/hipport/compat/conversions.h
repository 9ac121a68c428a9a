// SPDX-License-Identifier: MIT
// Conversions to floating point with a rounding direction, which HIP before 5.6 ignores, and `__uint2double_rn`, which
// takes a signed number before 5.7.
#ifndef HIPPORT_COMPAT_CONVERSIONS_H
#define HIPPORT_COMPAT_CONVERSIONS_H

#include "half.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(double2float_rd)
HIPPORT_COMPAT_FORWARD(double2float_ru)
HIPPORT_COMPAT_FORWARD(double2float_rz)
HIPPORT_COMPAT_FORWARD(int2float_rd)
HIPPORT_COMPAT_FORWARD(int2float_ru)
HIPPORT_COMPAT_FORWARD(int2float_rz)
HIPPORT_COMPAT_FORWARD(uint2float_rd)
HIPPORT_COMPAT_FORWARD(uint2float_ru)
HIPPORT_COMPAT_FORWARD(uint2float_rz)
HIPPORT_COMPAT_FORWARD(ll2float_rd)
HIPPORT_COMPAT_FORWARD(ll2float_ru)
HIPPORT_COMPAT_FORWARD(ll2float_rz)
HIPPORT_COMPAT_FORWARD(ull2float_rd)
HIPPORT_COMPAT_FORWARD(ull2float_ru)
HIPPORT_COMPAT_FORWARD(ull2float_rz)
HIPPORT_COMPAT_FORWARD(ll2double_rd)
HIPPORT_COMPAT_FORWARD(ll2double_ru)
HIPPORT_COMPAT_FORWARD(ll2double_rz)
HIPPORT_COMPAT_FORWARD(ull2double_rd)
HIPPORT_COMPAT_FORWARD(ull2double_ru)
HIPPORT_COMPAT_FORWARD(ull2double_rz)
HIPPORT_COMPAT_FORWARD(float2half_rd)
HIPPORT_COMPAT_FORWARD(float2half_ru)
HIPPORT_COMPAT_FORWARD(float2half_rz)
HIPPORT_COMPAT_FORWARD(uint2double_rn)

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

HIPPORT_COMPAT exact::Number whole_number(unsigned long long x) { return {false, 0, x}; }
HIPPORT_COMPAT exact::Number whole_number(long long x) {
  const unsigned long long magnitude = static_cast<unsigned long long>(x);
  return {x < 0, 0, x < 0 ? 0ull - magnitude : magnitude};
}
template <exact::Rounding Mode, typename T>
HIPPORT_COMPAT double to_double(T x) {
  return x == 0 ? 0.0 : exact::rounded<Mode>(whole_number(x), false);
}
template <exact::Rounding Mode>
HIPPORT_COMPAT float to_float(double x) {
  return exact::narrowed<Mode>(x, 0);
}

#define HIPPORT_COMPAT_MODE(suffix, mode)                                                                 \
  HIPPORT_COMPAT float double2float_##suffix(double x) { return to_float<mode>(x); }                      \
  HIPPORT_COMPAT float int2float_##suffix(int x) { return to_float<mode>(static_cast<double>(x)); }       \
  HIPPORT_COMPAT float uint2float_##suffix(unsigned x) { return to_float<mode>(static_cast<double>(x)); } \
  HIPPORT_COMPAT float ll2float_##suffix(long long x) { return to_float<mode>(odd_double(x)); }           \
  HIPPORT_COMPAT float ull2float_##suffix(unsigned long long x) { return to_float<mode>(odd_double(x)); } \
  HIPPORT_COMPAT double ll2double_##suffix(long long x) { return to_double<mode>(x); }                    \
  HIPPORT_COMPAT double ull2double_##suffix(unsigned long long x) { return to_double<mode>(x); }          \
  HIPPORT_COMPAT __half float2half_##suffix(float x) { return to_half<mode>(x); }
HIPPORT_COMPAT_MODE(rz, exact::to_zero)
HIPPORT_COMPAT_MODE(ru, exact::upward)
HIPPORT_COMPAT_MODE(rd, exact::downward)
#undef HIPPORT_COMPAT_MODE

HIPPORT_COMPAT double uint2double_rn(unsigned x) { return static_cast<double>(x); }

}  // namespace compat
}  // namespace hipport

#endif

#endif
