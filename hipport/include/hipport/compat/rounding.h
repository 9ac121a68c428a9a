// SPDX-License-Identifier: MIT
// Arithmetic with a rounding direction: `__fadd_rd`, `__dmul_ru`, `__fsqrt_rz` and so on.
#ifndef HIPPORT_COMPAT_ROUNDING_H
#define HIPPORT_COMPAT_ROUNDING_H

#include "exact.h"

// The CPU target has these functions, and so does HIP if OCML_BASIC_ROUNDED_OPERATIONS is defined.
#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && !defined(OCML_BASIC_ROUNDED_OPERATIONS)

#define HIPPORT_COMPAT_BINARY(T, letter, name, suffix, mode)                 \
  HIPPORT_COMPAT_DEVICE T __##letter##name##_##suffix(T a, T b) {            \
    return hipport::compat::exact::name<hipport::compat::exact::mode>(a, b); \
  }
#define HIPPORT_COMPAT_ALL(T, letter, fma_name, suffix, mode)                  \
  HIPPORT_COMPAT_BINARY(T, letter, add, suffix, mode)                          \
  HIPPORT_COMPAT_BINARY(T, letter, sub, suffix, mode)                          \
  HIPPORT_COMPAT_BINARY(T, letter, mul, suffix, mode)                          \
  HIPPORT_COMPAT_BINARY(T, letter, div, suffix, mode)                          \
  HIPPORT_COMPAT_DEVICE T __##letter##rcp_##suffix(T a) {                      \
    return hipport::compat::exact::div<hipport::compat::exact::mode>(T(1), a); \
  }                                                                            \
  HIPPORT_COMPAT_DEVICE T __##letter##sqrt_##suffix(T a) {                     \
    return hipport::compat::exact::sqrt<hipport::compat::exact::mode>(a);      \
  }                                                                            \
  HIPPORT_COMPAT_DEVICE T fma_name##_##suffix(T a, T b, T c) {                 \
    return hipport::compat::exact::fma<hipport::compat::exact::mode>(a, b, c); \
  }
#define HIPPORT_COMPAT_MODES(T, letter, fma_name)       \
  HIPPORT_COMPAT_ALL(T, letter, fma_name, rd, downward) \
  HIPPORT_COMPAT_ALL(T, letter, fma_name, ru, upward)   \
  HIPPORT_COMPAT_ALL(T, letter, fma_name, rz, to_zero)
HIPPORT_COMPAT_MODES(float, f, __fmaf)
HIPPORT_COMPAT_MODES(double, d, __fma)
#undef HIPPORT_COMPAT_BINARY
#undef HIPPORT_COMPAT_ALL
#undef HIPPORT_COMPAT_MODES

#endif

#endif
