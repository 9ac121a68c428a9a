// SPDX-License-Identifier: MIT
// Conversions of floating-point numbers to integers as on NVIDIA GPUs: to 32 or 64 bits, where numbers out of range
// become the nearest integer, and from there to 8 or 16 bits; half and bfloat16 numbers become the nearest of any size. In
// C++ the result is undefined out of range.
#ifndef HIPPORT_COMPAT_TO_INTEGER_H
#define HIPPORT_COMPAT_TO_INTEGER_H

#include "core.h"

// Functions of several statements are constexpr since C++14.
#if __cplusplus >= 201402L
#define HIPPORT_COMPAT_CONSTEXPR constexpr
#else
#define HIPPORT_COMPAT_CONSTEXPR
#endif

namespace hipport {
namespace compat {

#if defined(HIPPORT_COMPAT_AMDGPU) || defined(__HIPPORT_CPU__)

// The bits of the integer that an instruction of a GPU makes.
template <size_t Bytes, bool Signed>
struct Converted;
template <>
struct Converted<4, true> {
  typedef int type;
};
template <>
struct Converted<4, false> {
  typedef unsigned type;
};
template <>
struct Converted<8, true> {
  typedef long long type;
};
template <>
struct Converted<8, false> {
  typedef unsigned long long type;
};

// Return the nearest integer of 32 or 64 bits. NaN becomes 0 if both types have 32 bits, else the number with only the
// highest bit set (PTX ISA, cvt).
template <typename To, typename From>
HIPPORT_COMPAT_CONSTEXPR HIPPORT_COMPAT_DEVICE To limited_integer(From x) {
  const bool is_signed = static_cast<To>(-1) < static_cast<To>(0);
  const To top = static_cast<To>(1ull << (8 * sizeof(To) - 1));
  const From half = static_cast<From>(1ull << (8 * sizeof(To) - 1));
  if (x != x) return sizeof(To) == 4 && sizeof(From) == 4 ? To(0) : top;
  if (x >= (is_signed ? half : half * 2)) return is_signed ? static_cast<To>(~top) : static_cast<To>(~0ull);
  if (x < (is_signed ? -half : From(0))) return is_signed ? top : To(0);
  return static_cast<To>(x);
}

// AMD GPUs limit conversions to 32 bits, too: only of constants, which clang converts, and of NaN the results differ.
template <typename To, typename From>
HIPPORT_COMPAT_CONSTEXPR HIPPORT_COMPAT_DEVICE To whole_number(From x) {
#if defined(HIPPORT_COMPAT_AMDGPU)
  if (sizeof(To) == 4 && !__builtin_constant_p(x)) {
    const To converted = static_cast<To>(x);
    return sizeof(From) == 8 && x != x ? static_cast<To>(1u << 31) : converted;
  }
#endif
  return limited_integer<To>(x);
}

template <typename To, int Kind>
struct ToInteger {
  template <typename From>
  static HIPPORT_COMPAT_CONSTEXPR HIPPORT_COMPAT_DEVICE To of(From x) {
    return static_cast<To>(x);
  }
};
template <typename To>
struct ToInteger<To, 1> {
  template <typename From>
  static HIPPORT_COMPAT_CONSTEXPR HIPPORT_COMPAT_DEVICE To of(From x) {
    const bool is_signed = static_cast<To>(-1) < static_cast<To>(0);
    return static_cast<To>(whole_number<typename Converted<(sizeof(To) < 4 ? 4 : sizeof(To)), is_signed>::type>(x));
  }
};

// Classes of half and bfloat16 numbers: the nearest integer of any size, and of NaN 0 or the highest bit of 64.
template <typename To, typename From>
HIPPORT_COMPAT_DEVICE To nearest_integer(From number) {
  const float x = static_cast<float>(number);
  const bool is_signed = static_cast<To>(-1) < static_cast<To>(0);
  const To top = static_cast<To>(1ull << (8 * sizeof(To) - 1));
  const float half = static_cast<float>(1ull << (8 * sizeof(To) - 1));
  if (x != x) return sizeof(To) == 8 ? top : To(0);
  if (x >= (is_signed ? half : half * 2)) return static_cast<To>(is_signed ? ~top : ~To(0));
  if (x < (is_signed ? -half : 0.0f)) return is_signed ? top : To(0);
  return static_cast<To>(x);
}

template <typename To>
struct ToInteger<To, 2> {
  template <typename From>
  static HIPPORT_COMPAT_DEVICE To of(From x) {
    return nearest_integer<To>(x);
  }
};

// 0 for other types than floating-point numbers, 1 for these, 2 for classes of them.
template <typename T, bool Class = __is_class(T)>
struct Floating {
  static constexpr int value = 0;
};
template <typename T>
struct Floating<T, true> {
  static constexpr int value = 2;
};
template <>
struct Floating<float, false> {
  static constexpr int value = 1;
};
template <>
struct Floating<double, false> {
  static constexpr int value = 1;
};

#endif

// Return `static_cast<To>(x)`, in device code for AMD GPUs and on the CPU with NVIDIA's results out of range.
template <typename To, typename From>
HIPPORT_COMPAT_CONSTEXPR HIPPORT_COMPAT To to_integer(From x) {
#if defined(HIPPORT_COMPAT_AMDGPU) || defined(__HIPPORT_CPU__)
  return ToInteger<To, Floating<From>::value>::of(x);
#else
  return static_cast<To>(x);
#endif
}

// The right operand of `a += x` for an integer `a`: the sum is one of floating-point numbers, and is converted as above.
template <typename From>
struct IntegerOperand {
  From value;
};
template <typename From>
HIPPORT_COMPAT_CONSTEXPR HIPPORT_COMPAT IntegerOperand<From> for_integer(From x) {
  return IntegerOperand<From>{x};
}

#define HIPPORT_COMPAT_ASSIGN_INTEGER(sign)                                                      \
  template <typename To, typename From>                                                          \
  HIPPORT_COMPAT_CONSTEXPR HIPPORT_COMPAT To& operator sign##=(To & a, IntegerOperand<From> b) { \
    a = to_integer<To>(a sign b.value);                                                          \
    return a;                                                                                    \
  }                                                                                              \
  template <typename To, typename From>                                                          \
  HIPPORT_COMPAT volatile To& operator sign##=(volatile To & a, IntegerOperand<From> b) {        \
    a = to_integer<To>(a sign b.value);                                                          \
    return a;                                                                                    \
  }
HIPPORT_COMPAT_ASSIGN_INTEGER(+)
HIPPORT_COMPAT_ASSIGN_INTEGER(-)
HIPPORT_COMPAT_ASSIGN_INTEGER(*)
HIPPORT_COMPAT_ASSIGN_INTEGER(/)
#undef HIPPORT_COMPAT_ASSIGN_INTEGER
#undef HIPPORT_COMPAT_CONSTEXPR

}  // namespace compat
}  // namespace hipport

#endif
