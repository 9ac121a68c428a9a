// SPDX-License-Identifier: MIT
// Functions of several floating-point numbers for a half or bfloat16 number beside other types: `fma(1.f, h, 2.f)`.
//
// nvcc converts the half to the type of the others. Clang's header for HIP asks for the type to which a number is
// promoted, for which a half has several candidates; `pow` has an overload for an integer exponent, too.
#ifndef HIPPORT_COMPAT_HALF_PROMOTIONS_H
#define HIPPORT_COMPAT_HALF_PROMOTIONS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "bf16.h"

#if defined(HIPPORT_COMPAT_HIP) && defined(__CLANG_HIP_CMATH_H__)

#define HIPPORT_COMPAT_PROMOTED(T)                                                                        \
  namespace __hip {                                                                                       \
  template <>                                                                                             \
  struct __numeric_type<T> {                                                                              \
    typedef float type;                                                                                   \
    static const bool value = true;                                                                       \
  };                                                                                                      \
  }                                                                                                       \
  HIPPORT_COMPAT float pow(float base, T exponent) { return ::powf(base, static_cast<float>(exponent)); } \
  HIPPORT_COMPAT float pow(T base, float exponent) { return ::powf(static_cast<float>(base), exponent); }
HIPPORT_COMPAT_PROMOTED(__half)
#if !HIPPORT_COMPAT_HIP_BEFORE(6, 2)  // clang 15 cannot generate code for the bfloat16 numbers of before
HIPPORT_COMPAT_PROMOTED(__hip_bfloat16)
#endif
#undef HIPPORT_COMPAT_PROMOTED

#endif

#endif

#endif
