// SPDX-License-Identifier: MIT
// `min` and `max` of mixed types, with CUDA's results.
//
// HIP declares them for two ints, two floats and two doubles. In device code mixed types are converted to double:
// 64-bit integers lose bits, min(-1, 1u) is -1 where CUDA returns 1, and max(c, 0) / 2 of a char is a fraction. In host
// code such calls are ambiguous or undeclared.
#ifndef HIPPORT_COMPAT_MINMAX_H
#define HIPPORT_COMPAT_MINMAX_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

#include <math.h>

namespace hipport {
namespace compat {

// Has a member only where a type is one of 16-bit numbers.
template <bool Is, typename Float>
struct IfHalf {};
template <typename Float>
struct IfHalf<true, Float> {
  typedef Float type;
};

}  // namespace compat
}  // namespace hipport

// The project may define macros with these names.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#define HIPPORT_COMPAT_PAIR(space, Result, A, B)                                                              \
  space inline Result min(const A a, const B b) {                                                             \
    return static_cast<Result>(b) < static_cast<Result>(a) ? static_cast<Result>(b) : static_cast<Result>(a); \
  }                                                                                                           \
  space inline Result max(const A a, const B b) {                                                             \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(b) : static_cast<Result>(a); \
  }

// An integer type, its unsigned counterpart, and the two mixed.
#define HIPPORT_COMPAT_MIXED(space, Signed, Unsigned)    \
  HIPPORT_COMPAT_PAIR(space, Unsigned, Signed, Unsigned) \
  HIPPORT_COMPAT_PAIR(space, Unsigned, Unsigned, Signed)
#define HIPPORT_COMPAT_WIDE(space, Signed, Unsigned)       \
  HIPPORT_COMPAT_PAIR(space, Signed, Signed, Signed)       \
  HIPPORT_COMPAT_PAIR(space, Unsigned, Unsigned, Unsigned) \
  HIPPORT_COMPAT_MIXED(space, Signed, Unsigned)

// Types smaller than int, with each other and with int, as ints.
#define HIPPORT_COMPAT_SMALL_WITH(space, Small)          \
  HIPPORT_COMPAT_PAIR(space, int, Small, bool)           \
  HIPPORT_COMPAT_PAIR(space, int, Small, char)           \
  HIPPORT_COMPAT_PAIR(space, int, Small, signed char)    \
  HIPPORT_COMPAT_PAIR(space, int, Small, unsigned char)  \
  HIPPORT_COMPAT_PAIR(space, int, Small, short)          \
  HIPPORT_COMPAT_PAIR(space, int, Small, unsigned short) \
  HIPPORT_COMPAT_PAIR(space, int, Small, int)            \
  HIPPORT_COMPAT_PAIR(space, int, int, Small)            \
  HIPPORT_COMPAT_PAIR(space, unsigned, Small, unsigned)  \
  HIPPORT_COMPAT_PAIR(space, unsigned, unsigned, Small)
#define HIPPORT_COMPAT_SMALL(space)               \
  HIPPORT_COMPAT_SMALL_WITH(space, bool)          \
  HIPPORT_COMPAT_SMALL_WITH(space, char)          \
  HIPPORT_COMPAT_SMALL_WITH(space, signed char)   \
  HIPPORT_COMPAT_SMALL_WITH(space, unsigned char) \
  HIPPORT_COMPAT_SMALL_WITH(space, short)         \
  HIPPORT_COMPAT_SMALL_WITH(space, unsigned short)

// If one argument is NaN, the result is the other one.
#define HIPPORT_COMPAT_FLOATING(space, Result, A, B, low, high)       \
  space inline Result min(const A a, const B b) { return low(a, b); } \
  space inline Result max(const A a, const B b) { return high(a, b); }

// A type of 16-bit numbers and a float or double, to which CUDA converts it.
#define HIPPORT_COMPAT_HALF_AND(space, Float, low, high)                                                           \
  template <typename T>                                                                                            \
  space inline typename hipport::compat::IfHalf<__is_class(T) && sizeof(T) == 2, Float>::type min(const T a,       \
                                                                                                  const Float b) { \
    return low(static_cast<float>(a), b);                                                                          \
  }                                                                                                                \
  template <typename T>                                                                                            \
  space inline typename hipport::compat::IfHalf<__is_class(T) && sizeof(T) == 2, Float>::type min(const Float a,   \
                                                                                                  const T b) {     \
    return low(a, static_cast<float>(b));                                                                          \
  }                                                                                                                \
  template <typename T>                                                                                            \
  space inline typename hipport::compat::IfHalf<__is_class(T) && sizeof(T) == 2, Float>::type max(const T a,       \
                                                                                                  const Float b) { \
    return high(static_cast<float>(a), b);                                                                         \
  }                                                                                                                \
  template <typename T>                                                                                            \
  space inline typename hipport::compat::IfHalf<__is_class(T) && sizeof(T) == 2, Float>::type max(const Float a,   \
                                                                                                  const T b) {     \
    return high(a, static_cast<float>(b));                                                                         \
  }

HIPPORT_COMPAT_PAIR(__device__, unsigned, unsigned, unsigned)
#if defined(__CLANG_HIP_RUNTIME_WRAPPER_INCLUDED__)
HIPPORT_COMPAT_MIXED(__device__, int, unsigned)
#else
// HIP's own headers have min(unsigned, int).
HIPPORT_COMPAT_PAIR(__device__, unsigned, int, unsigned)
#endif
HIPPORT_COMPAT_SMALL(__device__)
HIPPORT_COMPAT_HALF_AND(__device__, float, fminf, fmaxf)
HIPPORT_COMPAT_HALF_AND(__device__, double, fmin, fmax)
HIPPORT_COMPAT_WIDE(__device__, long, unsigned long)
HIPPORT_COMPAT_WIDE(__device__, long long, unsigned long long)
HIPPORT_COMPAT_FLOATING(__device__, double, float, double, fmin, fmax)
HIPPORT_COMPAT_FLOATING(__device__, double, double, float, fmin, fmax)

HIPPORT_COMPAT_HALF_AND(__host__, float, fminf, fmaxf)
HIPPORT_COMPAT_HALF_AND(__host__, double, fmin, fmax)

// Newer compilers declare these for the host if this macro is set.
#if !(defined(__HIP_DEFINE_EXTENDED_HOST_MIN_MAX__) && __HIP_DEFINE_EXTENDED_HOST_MIN_MAX__)
HIPPORT_COMPAT_PAIR(__host__, unsigned, unsigned, unsigned)
HIPPORT_COMPAT_PAIR(__host__, long, long, long)
HIPPORT_COMPAT_PAIR(__host__, unsigned long, unsigned long, unsigned long)
HIPPORT_COMPAT_PAIR(__host__, long long, long long, long long)
HIPPORT_COMPAT_PAIR(__host__, unsigned long long, unsigned long long, unsigned long long)
HIPPORT_COMPAT_FLOATING(__host__, float, float, float, fminf, fmaxf)
HIPPORT_COMPAT_FLOATING(__host__, double, double, double, fmin, fmax)
#endif
#if !(defined(__HIP_DEFINE_MIXED_HOST_MIN_MAX__) && __HIP_DEFINE_MIXED_HOST_MIN_MAX__)
HIPPORT_COMPAT_MIXED(__host__, int, unsigned)
HIPPORT_COMPAT_MIXED(__host__, long, unsigned long)
HIPPORT_COMPAT_MIXED(__host__, long long, unsigned long long)
HIPPORT_COMPAT_FLOATING(__host__, double, float, double, fmin, fmax)
HIPPORT_COMPAT_FLOATING(__host__, double, double, float, fmin, fmax)
#endif

#undef HIPPORT_COMPAT_HALF_AND
#undef HIPPORT_COMPAT_SMALL
#undef HIPPORT_COMPAT_SMALL_WITH
#undef HIPPORT_COMPAT_PAIR
#undef HIPPORT_COMPAT_MIXED
#undef HIPPORT_COMPAT_WIDE
#undef HIPPORT_COMPAT_FLOATING

#pragma pop_macro("min")
#pragma pop_macro("max")

#endif

#endif

#endif
