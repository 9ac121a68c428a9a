// SPDX-License-Identifier: MIT
// `cuda_bf16.h` in software, for HIP before 6.2: types, conversions, arithmetic, comparisons.
//
// Operations compute in float or double and round once to nearest, so that the results are CUDA's.
#ifndef HIPPORT_COMPAT_BF16_H
#define HIPPORT_COMPAT_BF16_H

#include "device_compiler.h"
#include "float_formats.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cuda_bf16.h>
#elif defined(__HIPPORT_CPU__) || (defined(HIPPORT_COMPAT_HIP) && !HIPPORT_COMPAT_HIP_BEFORE(6, 2))

#include <hip/hip_bf16.h>
typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat162 __nv_bfloat162;
typedef __hip_bfloat16 nv_bfloat16;
typedef __hip_bfloat162 nv_bfloat162;

// Templates, so that HIP's own functions are preferred where they exist.
#define HIPPORT_COMPAT_FROM_FLOAT(suffix, mode)                                                                  \
  template <typename T>                                                                                          \
  HIPPORT_COMPAT __hip_bfloat16 __float2bfloat16_##suffix(T a) {                                                 \
    return hipport::compat::bits<__hip_bfloat16>(hipport::compat::to_bfloat16<hipport::compat::exact::mode>(a)); \
  }
HIPPORT_COMPAT_FROM_FLOAT(rd, downward)
HIPPORT_COMPAT_FROM_FLOAT(ru, upward)
HIPPORT_COMPAT_FROM_FLOAT(rz, to_zero)
#undef HIPPORT_COMPAT_FROM_FLOAT
template <typename A, typename B>
HIPPORT_COMPAT __hip_bfloat162 __floats2bfloat162_rn(A a, B b) {
  const uint32_t low = hipport::compat::nearest_bfloat16(static_cast<float>(a));
  const uint32_t high = hipport::compat::nearest_bfloat16(static_cast<float>(b));
  return hipport::compat::bits<__hip_bfloat162>(low | high << 16);
}
template <typename T>
HIPPORT_COMPAT __hip_bfloat162 __float2bfloat162_rn(T a) {
  return __floats2bfloat162_rn<float>(a, a);
}
template <typename A, typename B>
HIPPORT_COMPAT __hip_bfloat162 make_bfloat162(A first, B second) {
  const __hip_bfloat16 a = first, b = second;
  const uint32_t low = hipport::compat::bits<uint16_t>(a), high = hipport::compat::bits<uint16_t>(b);
  return hipport::compat::bits<__hip_bfloat162>(low | high << 16);
}

#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_fp16.h>

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  HIPPORT_COMPAT __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
  HIPPORT_COMPAT __nv_bfloat16(float value) : __x(hipport::compat::nearest_bfloat16(value)) {}
  HIPPORT_COMPAT __nv_bfloat16(double value) : __x(hipport::compat::to_bfloat16(value)) {}
  HIPPORT_COMPAT __nv_bfloat16(int value) : __x(hipport::compat::to_bfloat16(value)) {}
  HIPPORT_COMPAT __nv_bfloat16(unsigned value) : __x(hipport::compat::to_bfloat16(value)) {}
  HIPPORT_COMPAT __nv_bfloat16(long value) : __nv_bfloat16(static_cast<long long>(value)) {}
  HIPPORT_COMPAT __nv_bfloat16(unsigned long value) : __nv_bfloat16(static_cast<unsigned long long>(value)) {}
  HIPPORT_COMPAT __nv_bfloat16(long long value)
      : __x(hipport::compat::to_bfloat16(hipport::compat::odd_double(value))) {}
  HIPPORT_COMPAT __nv_bfloat16(unsigned long long value)
      : __x(hipport::compat::to_bfloat16(hipport::compat::odd_double(value))) {}
  HIPPORT_COMPAT operator float() const { return hipport::compat::from_bfloat16(__x); }
  HIPPORT_COMPAT operator __nv_bfloat16_raw() const { return {__x}; }
};

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  HIPPORT_COMPAT __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HIPPORT_COMPAT __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
HIPPORT_COMPAT __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
HIPPORT_COMPAT unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
HIPPORT_COMPAT short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }

HIPPORT_COMPAT float __bfloat162float(__nv_bfloat16 a) { return a; }
HIPPORT_COMPAT __nv_bfloat16 __float2bfloat16(float a) { return a; }
HIPPORT_COMPAT __nv_bfloat16 __float2bfloat16_rn(float a) { return a; }
HIPPORT_COMPAT __nv_bfloat16 __double2bfloat16(double a) { return a; }
#define HIPPORT_COMPAT_FROM_FLOAT(suffix, mode)                                                 \
  HIPPORT_COMPAT __nv_bfloat16 __float2bfloat16_##suffix(float a) {                             \
    return __ushort_as_bfloat16(hipport::compat::to_bfloat16<hipport::compat::exact::mode>(a)); \
  }
HIPPORT_COMPAT_FROM_FLOAT(rd, downward)
HIPPORT_COMPAT_FROM_FLOAT(ru, upward)
HIPPORT_COMPAT_FROM_FLOAT(rz, to_zero)
#undef HIPPORT_COMPAT_FROM_FLOAT

HIPPORT_COMPAT __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
HIPPORT_COMPAT __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
HIPPORT_COMPAT __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
HIPPORT_COMPAT __nv_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
HIPPORT_COMPAT __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
HIPPORT_COMPAT __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
HIPPORT_COMPAT float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }
HIPPORT_COMPAT __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
HIPPORT_COMPAT __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
HIPPORT_COMPAT __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
HIPPORT_COMPAT __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
HIPPORT_COMPAT __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
HIPPORT_COMPAT __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
HIPPORT_COMPAT float __low2float(__nv_bfloat162 a) { return a.x; }
HIPPORT_COMPAT float __high2float(__nv_bfloat162 a) { return a.y; }

// Rounding twice is harmless if the intermediate type is at least twice as wide, except for a * b + c.
#define HIPPORT_COMPAT_ARITHMETIC(name, operation)                                             \
  HIPPORT_COMPAT __nv_bfloat16 operator operation(__nv_bfloat16 a, __nv_bfloat16 b) {          \
    return float(a) operation float(b);                                                        \
  }                                                                                            \
  HIPPORT_COMPAT __nv_bfloat16& operator operation##=(__nv_bfloat16 & a, __nv_bfloat16 b) {    \
    return a = a operation b;                                                                  \
  }                                                                                            \
  HIPPORT_COMPAT __nv_bfloat162 operator operation(__nv_bfloat162 a, __nv_bfloat162 b) {       \
    return {a.x operation b.x, a.y operation b.y};                                             \
  }                                                                                            \
  HIPPORT_COMPAT __nv_bfloat162& operator operation##=(__nv_bfloat162 & a, __nv_bfloat162 b) { \
    return a = a operation b;                                                                  \
  }                                                                                            \
  HIPPORT_COMPAT __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) { return a operation b; }
#define HIPPORT_COMPAT_PAIRED(name, operation) \
  HIPPORT_COMPAT __nv_bfloat162 name(__nv_bfloat162 a, __nv_bfloat162 b) { return a operation b; }
HIPPORT_COMPAT_ARITHMETIC(__hadd, +)
HIPPORT_COMPAT_ARITHMETIC(__hsub, -)
HIPPORT_COMPAT_ARITHMETIC(__hmul, *)
HIPPORT_COMPAT_ARITHMETIC(__hdiv, /)
HIPPORT_COMPAT_PAIRED(__hadd2, +)
HIPPORT_COMPAT_PAIRED(__hsub2, -)
HIPPORT_COMPAT_PAIRED(__hmul2, *)
HIPPORT_COMPAT_PAIRED(__h2div, /)
#undef HIPPORT_COMPAT_ARITHMETIC
#undef HIPPORT_COMPAT_PAIRED

HIPPORT_COMPAT __nv_bfloat16 __hneg(__nv_bfloat16 a) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(a.__x ^ 0x8000u));
}
HIPPORT_COMPAT __nv_bfloat16 __habs(__nv_bfloat16 a) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(a.__x & 0x7fffu));
}
HIPPORT_COMPAT __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
HIPPORT_COMPAT __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return {__hneg(a.x), __hneg(a.y)}; }
HIPPORT_COMPAT __nv_bfloat162 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
HIPPORT_COMPAT __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return hipport::compat::odd_fma(a, b, c);
}
HIPPORT_COMPAT __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define HIPPORT_COMPAT_COMPARISON(name, operation)                                                                 \
  HIPPORT_COMPAT bool operator operation(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) operation float(b); } \
  HIPPORT_COMPAT bool name(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) operation float(b); }
HIPPORT_COMPAT_COMPARISON(__heq, ==)
HIPPORT_COMPAT_COMPARISON(__hlt, <)
HIPPORT_COMPAT_COMPARISON(__hle, <=)
HIPPORT_COMPAT_COMPARISON(__hgt, >)
HIPPORT_COMPAT_COMPARISON(__hge, >=)
#undef HIPPORT_COMPAT_COMPARISON
HIPPORT_COMPAT bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) != float(b); }
HIPPORT_COMPAT bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fffu) > 0x7f80u; }
// False for NaN, unlike `!=`.
HIPPORT_COMPAT bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) < float(b) || float(a) > float(b); }

// If one argument is NaN, the result is the other one; -0 is less than +0.
HIPPORT_COMPAT __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  if (__hisnan(a)) return __hisnan(b) ? __ushort_as_bfloat16(0x7fff) : b;
  return __hisnan(b) || a > b || (a == b && (a.__x & 0x8000u) == 0) ? a : b;
}
HIPPORT_COMPAT __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  if (__hisnan(a)) return __hisnan(b) ? __ushort_as_bfloat16(0x7fff) : b;
  return __hisnan(b) || a < b || (a == b && (a.__x & 0x8000u) != 0) ? a : b;
}
HIPPORT_COMPAT __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
HIPPORT_COMPAT __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}

#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)
#define HIPPORT_COMPAT_MATH(name, function) \
  HIPPORT_COMPAT_DEVICE __nv_bfloat16 name(__nv_bfloat16 a) { return function(float(a)); }
HIPPORT_COMPAT_MATH(hsqrt, ::sqrtf)
HIPPORT_COMPAT_MATH(hrsqrt, ::rsqrtf)
HIPPORT_COMPAT_MATH(hexp, ::expf)
HIPPORT_COMPAT_MATH(hexp2, ::exp2f)
HIPPORT_COMPAT_MATH(hlog, ::logf)
HIPPORT_COMPAT_MATH(hlog2, ::log2f)
HIPPORT_COMPAT_MATH(hsin, ::sinf)
HIPPORT_COMPAT_MATH(hcos, ::cosf)
HIPPORT_COMPAT_MATH(hfloor, ::floorf)
HIPPORT_COMPAT_MATH(hceil, ::ceilf)
HIPPORT_COMPAT_MATH(htrunc, ::truncf)
HIPPORT_COMPAT_MATH(hrint, ::rintf)
HIPPORT_COMPAT_MATH(hrcp, 1.0f /)
HIPPORT_COMPAT_MATH(hexp10, ::exp10f)
HIPPORT_COMPAT_MATH(hlog10, ::log10f)
HIPPORT_COMPAT_MATH(htanh, ::tanhf)
#undef HIPPORT_COMPAT_MATH
#endif

HIPPORT_COMPAT int __hisinf(__nv_bfloat16 a) {
  return (a.__x & 0x7fffu) != 0x7f80u ? 0 : (a.__x & 0x8000u) != 0 ? -1 : 1;
}
HIPPORT_COMPAT __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
HIPPORT_COMPAT __nv_bfloat162 operator-(__nv_bfloat162 a) { return __hneg2(a); }
HIPPORT_COMPAT __nv_bfloat162 __hisnan2(__nv_bfloat162 a) {
  return {__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f};
}

// `__hXX2` gives 1 or 0 for each number, `__hbXX2` and the operators whether both compare so.
#define HIPPORT_COMPAT_COMPARISON(name, operation)                                 \
  HIPPORT_COMPAT __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return {a.x operation b.x ? 1.0f : 0.0f, a.y operation b.y ? 1.0f : 0.0f};     \
  }                                                                                \
  HIPPORT_COMPAT bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {          \
    return a.x operation b.x && a.y operation b.y;                                 \
  }                                                                                \
  HIPPORT_COMPAT bool operator operation(__nv_bfloat162 a, __nv_bfloat162 b) { return __hb##name##2(a, b); }
HIPPORT_COMPAT_COMPARISON(eq, ==)
HIPPORT_COMPAT_COMPARISON(lt, <)
HIPPORT_COMPAT_COMPARISON(le, <=)
HIPPORT_COMPAT_COMPARISON(gt, >)
HIPPORT_COMPAT_COMPARISON(ge, >=)
#undef HIPPORT_COMPAT_COMPARISON
HIPPORT_COMPAT bool operator!=(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x != b.x && a.y != b.y; }

#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)
#define HIPPORT_COMPAT_MATH(name, one) \
  HIPPORT_COMPAT_DEVICE __nv_bfloat162 name(__nv_bfloat162 a) { return {one(a.x), one(a.y)}; }
HIPPORT_COMPAT_MATH(h2sqrt, hsqrt)
HIPPORT_COMPAT_MATH(h2rsqrt, hrsqrt)
HIPPORT_COMPAT_MATH(h2rcp, hrcp)
HIPPORT_COMPAT_MATH(h2exp, hexp)
HIPPORT_COMPAT_MATH(h2exp2, hexp2)
HIPPORT_COMPAT_MATH(h2exp10, hexp10)
HIPPORT_COMPAT_MATH(h2log, hlog)
HIPPORT_COMPAT_MATH(h2log2, hlog2)
HIPPORT_COMPAT_MATH(h2log10, hlog10)
HIPPORT_COMPAT_MATH(h2sin, hsin)
HIPPORT_COMPAT_MATH(h2cos, hcos)
HIPPORT_COMPAT_MATH(h2floor, hfloor)
HIPPORT_COMPAT_MATH(h2ceil, hceil)
HIPPORT_COMPAT_MATH(h2trunc, htrunc)
HIPPORT_COMPAT_MATH(h2rint, hrint)
#undef HIPPORT_COMPAT_MATH
#endif

#endif

#endif
