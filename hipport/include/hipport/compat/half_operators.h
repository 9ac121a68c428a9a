// SPDX-License-Identifier: MIT
// CUDA's comparisons of half numbers, and of pairs of half and of bfloat16 numbers, by operators.
//
// HIP's `a <= b` of half numbers is `!(b < a)`, which is true of NaN. Its `a <= b` of pairs is true if one number is less,
// its `a != b` if one number differs, and its `a < b` of bfloat16 pairs compares the first number of `a` twice; CUDA's are
// true if both numbers compare so. Where two functions match equally, clang takes the one with `enable_if`.
#ifndef HIPPORT_COMPAT_HALF_OPERATORS_H
#define HIPPORT_COMPAT_HALF_OPERATORS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "bf16.h"
#include "half.h"

#if defined(HIPPORT_COMPAT_HIP)

#if defined(__HIPPORT_CPU__)
#define HIPPORT_COMPAT_PREFERRED  // its own operators of pairs are templates, to which functions are preferred
namespace hipport {
namespace cpu {
#else
#define HIPPORT_COMPAT_PREFERRED __attribute__((enable_if(true, "CUDA's comparison")))
#endif

#define HIPPORT_COMPAT_COMPARISON(T2, number, operation)                                         \
  HIPPORT_COMPAT bool operator operation(const T2& a, const T2& b) HIPPORT_COMPAT_PREFERRED {    \
    using namespace ::hipport::compat;                                                           \
    return number(low(a)) operation number(low(b)) && number(high(a)) operation number(high(b)); \
  }
#define HIPPORT_COMPAT_COMPARISONS(T2, number) \
  HIPPORT_COMPAT_COMPARISON(T2, number, !=)    \
  HIPPORT_COMPAT_COMPARISON(T2, number, <)     \
  HIPPORT_COMPAT_COMPARISON(T2, number, <=)    \
  HIPPORT_COMPAT_COMPARISON(T2, number, >)     \
  HIPPORT_COMPAT_COMPARISON(T2, number, >=)

#if !defined(__HIP_NO_HALF_OPERATORS__)
HIPPORT_COMPAT_COMPARISONS(__half2, __half2float)
#if !defined(__HIPPORT_CPU__)
HIPPORT_COMPAT bool operator<=(const __half& a, const __half& b) HIPPORT_COMPAT_PREFERRED {
  return __half2float(a) <= __half2float(b);
}
HIPPORT_COMPAT bool operator>=(const __half& a, const __half& b) HIPPORT_COMPAT_PREFERRED {
  return __half2float(a) >= __half2float(b);
}
#endif
#endif

#if defined(__HIPPORT_CPU__)
HIPPORT_COMPAT_COMPARISONS(__hip_bfloat162, float)
}  // namespace cpu
}  // namespace hipport
#elif !HIPPORT_COMPAT_HIP_BEFORE(6, 2)
HIPPORT_COMPAT_COMPARISONS(__hip_bfloat162, __bfloat162float)
#endif

#undef HIPPORT_COMPAT_COMPARISONS
#undef HIPPORT_COMPAT_COMPARISON
#undef HIPPORT_COMPAT_PREFERRED

#endif

#endif

#endif
