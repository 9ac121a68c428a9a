// SPDX-License-Identifier: MIT
// The functions of hip_fp16.h and hip_bf16.h.
#pragma once

#include "half.h"

namespace hipport::cpu {
// If one number is NaN, the result is the other one; -0 is less than +0.
template <typename T>
T larger(T a, T b) {
  if (float(a) == float(b)) return T::from_bits(a.x & b.x);
  return T(std::fmax(float(a), float(b)));
}
template <typename T>
T smaller(T a, T b) {
  if (float(a) == float(b)) return T::from_bits(a.x | b.x);
  return T(std::fmin(float(a), float(b)));
}
}  // namespace hipport::cpu

// Functions that have the same names for both types.
#define HIPPORT_HALF_FUNCTIONS(T, T2)                                                                          \
  inline T __hadd(T a, T b) { return a + b; }                                                                  \
  inline T __hsub(T a, T b) { return a - b; }                                                                  \
  inline T __hmul(T a, T b) { return a * b; }                                                                  \
  inline T __hdiv(T a, T b) { return a / b; }                                                                  \
  inline T __hneg(T a) { return -a; }                                                                          \
  inline T __habs(T a) { return T::from_bits(a.x & 0x7fff); }                                                  \
  inline T __hfma(T a, T b, T c) { return T(std::fma(double(float(a)), double(float(b)), double(float(c)))); } \
  inline T __hadd_sat(T a, T b) { return T(__saturatef(float(a) + float(b))); }                                \
  inline T __hsub_sat(T a, T b) { return T(__saturatef(float(a) - float(b))); }                                \
  inline T __hmul_sat(T a, T b) { return T(__saturatef(float(a) * float(b))); }                                \
  inline bool __heq(T a, T b) { return a == b; }                                                               \
  inline bool __hne(T a, T b) { return a != b; }                                                               \
  inline bool __hlt(T a, T b) { return a < b; }                                                                \
  inline bool __hle(T a, T b) { return a <= b; }                                                               \
  inline bool __hgt(T a, T b) { return a > b; }                                                                \
  inline bool __hge(T a, T b) { return a >= b; }                                                               \
  inline bool __hisnan(T a) { return float(a) != float(a); }                                                   \
  inline int __hisinf(T a) { return std::isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0; }                      \
  inline T __hmax(T a, T b) { return hipport::cpu::larger(a, b); }                                             \
  inline T __hmin(T a, T b) { return hipport::cpu::smaller(a, b); }                                            \
  inline T hsqrt(T a) { return T(std::sqrt(float(a))); }                                                       \
  inline T hrsqrt(T a) { return T(rsqrtf(float(a))); }                                                         \
  inline T hrcp(T a) { return T(1.0f / float(a)); }                                                            \
  inline T hexp(T a) { return T(std::exp(float(a))); }                                                         \
  inline T hexp2(T a) { return T(std::exp2(float(a))); }                                                       \
  inline T hlog(T a) { return T(std::log(float(a))); }                                                         \
  inline T hlog2(T a) { return T(std::log2(float(a))); }                                                       \
  inline T hlog10(T a) { return T(std::log10(float(a))); }                                                     \
  inline T hsin(T a) { return T(std::sin(float(a))); }                                                         \
  inline T hcos(T a) { return T(std::cos(float(a))); }                                                         \
  inline T hfloor(T a) { return T(std::floor(float(a))); }                                                     \
  inline T hceil(T a) { return T(std::ceil(float(a))); }                                                       \
  inline T htrunc(T a) { return T(std::trunc(float(a))); }                                                     \
  inline T hrint(T a) { return T(std::nearbyint(float(a))); }                                                  \
  inline T2 __hadd2(T2 a, T2 b) { return a + b; }                                                              \
  inline T2 __hsub2(T2 a, T2 b) { return a - b; }                                                              \
  inline T2 __hmul2(T2 a, T2 b) { return a * b; }                                                              \
  inline T2 __h2div(T2 a, T2 b) { return a / b; }                                                              \
  inline T2 __hneg2(T2 a) { return -a; }                                                                       \
  inline T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                                               \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }               \
  inline T2 __hmax2(T2 a, T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                               \
  inline T2 __hmin2(T2 a, T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                               \
  inline T2 h2exp(T2 a) { return {hexp(a.x), hexp(a.y)}; }                                                     \
  inline T2 h2sqrt(T2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }                                                  \
  inline T2 h2rsqrt(T2 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
HIPPORT_HALF_FUNCTIONS(__half, __half2)
HIPPORT_HALF_FUNCTIONS(__hip_bfloat16, __hip_bfloat162)
#undef HIPPORT_HALF_FUNCTIONS

inline __half __float2half(float a) { return __half(a); }
inline __half __float2half_rn(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline float __half2float(__half a) { return a; }
inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
inline __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
inline float2 __half22float2(__half2 a) { return {float(a.x), float(a.y)}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }
inline __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
inline __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
inline unsigned short __half_as_ushort(__half a) { return a.x; }
inline short __half_as_short(__half a) { return static_cast<short>(a.x); }
inline __half __ushort_as_half(unsigned short bits) { return __half::from_bits(bits); }
inline __half __short_as_half(short bits) { return __half::from_bits(static_cast<uint16_t>(bits)); }

inline __hip_bfloat16 __float2bfloat16(float a) { return __hip_bfloat16(a); }
inline __hip_bfloat16 __float2bfloat16_rn(float a) { return __hip_bfloat16(a); }
inline __hip_bfloat16 __double2bfloat16(double a) { return __hip_bfloat16(static_cast<float>(a)); }
inline float __bfloat162float(__hip_bfloat16 a) { return a; }
inline __hip_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__hip_bfloat16(a), __hip_bfloat16(b)}; }
inline __hip_bfloat162 __float22bfloat162_rn(float2 a) { return {__hip_bfloat16(a.x), __hip_bfloat16(a.y)}; }
inline float2 __bfloat1622float2(__hip_bfloat162 a) { return {float(a.x), float(a.y)}; }
inline __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return {a, a}; }
inline __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return {a, b}; }
inline __hip_bfloat16 __low2bfloat16(__hip_bfloat162 a) { return a.x; }
inline __hip_bfloat16 __high2bfloat16(__hip_bfloat162 a) { return a.y; }
inline float __low2float(__hip_bfloat162 a) { return a.x; }
inline float __high2float(__hip_bfloat162 a) { return a.y; }
inline unsigned short __bfloat16_as_ushort(__hip_bfloat16 a) { return a.x; }
inline __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __hip_bfloat16::from_bits(bits); }

#define HIPRT_INF_FP16 __ushort_as_half(0x7c00)
#define HIPRT_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define HIPRT_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define HIPRT_NAN_FP16 __ushort_as_half(0x7fff)
#define HIPRT_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define HIPRT_ONE_FP16 __ushort_as_half(0x3c00)
#define HIPRT_ZERO_FP16 __ushort_as_half(0x0000)
#define HIPRT_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define HIPRT_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define HIPRT_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define HIPRT_ONE_BF16 __ushort_as_bfloat16(0x3f80)
#define HIPRT_ZERO_BF16 __ushort_as_bfloat16(0x0000)
