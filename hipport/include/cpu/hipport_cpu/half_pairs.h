// SPDX-License-Identifier: MIT
// Functions on pairs of 16-bit numbers: comparisons, saturation, mathematics, rearranging halves.
//
// Comparisons with a `u` in the name are true if one of the numbers is NaN. `__hXX2` returns 1 or 0 for each half,
// `__hbXX2` whether both comparisons are true.
#pragma once

#include "half_functions.h"

#define HIPPORT_COMPARE(T, T2, name, condition)                           \
  inline T2 __h##name##2(T2 p, T2 q) {                                    \
    const auto one = [](T a, T b) { return T(condition ? 1.0f : 0.0f); }; \
    return {one(p.x, q.x), one(p.y, q.y)};                                \
  }                                                                       \
  inline bool __hb##name##2(T2 p, T2 q) {                                 \
    const auto one = [](T a, T b) { return condition; };                  \
    return one(p.x, q.x) && one(p.y, q.y);                                \
  }
#define HIPPORT_COMPARE_UNORDERED(T, T2, name, condition) \
  inline bool __h##name(T a, T b) { return condition; }   \
  HIPPORT_COMPARE(T, T2, name, condition)

#define HIPPORT_ONE_BY_ONE(T2, name, one) \
  inline T2 name(T2 a) { return {one(a.x), one(a.y)}; }

#define HIPPORT_HALF_PAIRS(T, T2)                                                                            \
  HIPPORT_COMPARE(T, T2, eq, (a == b))                                                                       \
  HIPPORT_COMPARE(T, T2, ne, (a != b))                                                                       \
  HIPPORT_COMPARE(T, T2, lt, (a < b))                                                                        \
  HIPPORT_COMPARE(T, T2, le, (a <= b))                                                                       \
  HIPPORT_COMPARE(T, T2, gt, (a > b))                                                                        \
  HIPPORT_COMPARE(T, T2, ge, (a >= b))                                                                       \
  HIPPORT_COMPARE_UNORDERED(T, T2, equ, (!(a < b) && !(a > b)))                                              \
  HIPPORT_COMPARE_UNORDERED(T, T2, neu, (!(a == b)))                                                         \
  HIPPORT_COMPARE_UNORDERED(T, T2, ltu, (!(a >= b)))                                                         \
  HIPPORT_COMPARE_UNORDERED(T, T2, leu, (!(a > b)))                                                          \
  HIPPORT_COMPARE_UNORDERED(T, T2, gtu, (!(a <= b)))                                                         \
  HIPPORT_COMPARE_UNORDERED(T, T2, geu, (!(a < b)))                                                          \
  inline T2 __hisnan2(T2 a) { return {T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f)}; }     \
  inline T __hmax_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }                 \
  inline T __hmin_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }                 \
  inline T __hfma_sat(T a, T b, T c) { return T(__saturatef(__hfma(a, b, c))); }                             \
  inline T2 __hadd2_sat(T2 a, T2 b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }                 \
  inline T2 __hsub2_sat(T2 a, T2 b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }                 \
  inline T2 __hmul2_sat(T2 a, T2 b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }                 \
  inline T2 __hfma2_sat(T2 a, T2 b, T2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; } \
  inline T hexp10(T a) { return T(exp10f(a)); }                                                              \
  HIPPORT_ONE_BY_ONE(T2, h2ceil, hceil)                                                                      \
  HIPPORT_ONE_BY_ONE(T2, h2cos, hcos)                                                                        \
  HIPPORT_ONE_BY_ONE(T2, h2exp10, hexp10)                                                                    \
  HIPPORT_ONE_BY_ONE(T2, h2exp2, hexp2)                                                                      \
  HIPPORT_ONE_BY_ONE(T2, h2floor, hfloor)                                                                    \
  HIPPORT_ONE_BY_ONE(T2, h2log, hlog)                                                                        \
  HIPPORT_ONE_BY_ONE(T2, h2log10, hlog10)                                                                    \
  HIPPORT_ONE_BY_ONE(T2, h2log2, hlog2)                                                                      \
  HIPPORT_ONE_BY_ONE(T2, h2rcp, hrcp)                                                                        \
  HIPPORT_ONE_BY_ONE(T2, h2rint, hrint)                                                                      \
  HIPPORT_ONE_BY_ONE(T2, h2sin, hsin)                                                                        \
  HIPPORT_ONE_BY_ONE(T2, h2trunc, htrunc)
HIPPORT_HALF_PAIRS(__half, __half2)
HIPPORT_HALF_PAIRS(__hip_bfloat16, __hip_bfloat162)
#undef HIPPORT_HALF_PAIRS
#undef HIPPORT_ONE_BY_ONE
#undef HIPPORT_COMPARE_UNORDERED
#undef HIPPORT_COMPARE

inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __hip_bfloat162 __low2bfloat162(__hip_bfloat162 a) { return {a.x, a.x}; }
inline __hip_bfloat162 __high2bfloat162(__hip_bfloat162 a) { return {a.y, a.y}; }
inline __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.x, b.x}; }
inline __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.y, b.y}; }
inline __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 a) { return {a.y, a.x}; }
inline short __bfloat16_as_short(__hip_bfloat16 a) { return static_cast<short>(a.x); }
inline __hip_bfloat16 __short_as_bfloat16(short bits) { return __hip_bfloat16::from_bits(static_cast<uint16_t>(bits)); }
