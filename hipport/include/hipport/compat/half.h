// SPDX-License-Identifier: MIT
// CUDA's values for functions of half and bfloat16 numbers that HIP lacks or computes otherwise.
//
// HIP ignores the rounding mode of conversions between halves and integers, does not limit constants out of range (the
// compiler makes any number of them), takes NaN for unequal in `__hne`, and lets NaN through where CUDA saturates.
// Functions here have the name of CUDA's without leading underscores; templates take half and bfloat16 numbers, or pairs
// of them, and build on the functions that HIP computes as CUDA does.
#ifndef HIPPORT_COMPAT_HALF_H
#define HIPPORT_COMPAT_HALF_H

#include "float_formats.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(half2short_rd)
HIPPORT_COMPAT_FORWARD(half2short_rn)
HIPPORT_COMPAT_FORWARD(half2short_ru)
HIPPORT_COMPAT_FORWARD(half2short_rz)
HIPPORT_COMPAT_FORWARD(short2half_rd)
HIPPORT_COMPAT_FORWARD(short2half_ru)
HIPPORT_COMPAT_FORWARD(short2half_rz)
HIPPORT_COMPAT_FORWARD(half2ushort_rd)
HIPPORT_COMPAT_FORWARD(half2ushort_rn)
HIPPORT_COMPAT_FORWARD(half2ushort_ru)
HIPPORT_COMPAT_FORWARD(half2ushort_rz)
HIPPORT_COMPAT_FORWARD(ushort2half_rd)
HIPPORT_COMPAT_FORWARD(ushort2half_ru)
HIPPORT_COMPAT_FORWARD(ushort2half_rz)
HIPPORT_COMPAT_FORWARD(half2int_rd)
HIPPORT_COMPAT_FORWARD(half2int_rn)
HIPPORT_COMPAT_FORWARD(half2int_ru)
HIPPORT_COMPAT_FORWARD(half2int_rz)
HIPPORT_COMPAT_FORWARD(int2half_rd)
HIPPORT_COMPAT_FORWARD(int2half_ru)
HIPPORT_COMPAT_FORWARD(int2half_rz)
HIPPORT_COMPAT_FORWARD(half2uint_rd)
HIPPORT_COMPAT_FORWARD(half2uint_rn)
HIPPORT_COMPAT_FORWARD(half2uint_ru)
HIPPORT_COMPAT_FORWARD(half2uint_rz)
HIPPORT_COMPAT_FORWARD(uint2half_rd)
HIPPORT_COMPAT_FORWARD(uint2half_ru)
HIPPORT_COMPAT_FORWARD(uint2half_rz)
HIPPORT_COMPAT_FORWARD(half2ll_rd)
HIPPORT_COMPAT_FORWARD(half2ll_rn)
HIPPORT_COMPAT_FORWARD(half2ll_ru)
HIPPORT_COMPAT_FORWARD(half2ll_rz)
HIPPORT_COMPAT_FORWARD(ll2half_rd)
HIPPORT_COMPAT_FORWARD(ll2half_ru)
HIPPORT_COMPAT_FORWARD(ll2half_rz)
HIPPORT_COMPAT_FORWARD(half2ull_rd)
HIPPORT_COMPAT_FORWARD(half2ull_rn)
HIPPORT_COMPAT_FORWARD(half2ull_ru)
HIPPORT_COMPAT_FORWARD(half2ull_rz)
HIPPORT_COMPAT_FORWARD(ull2half_rd)
HIPPORT_COMPAT_FORWARD(ull2half_ru)
HIPPORT_COMPAT_FORWARD(ull2half_rz)
HIPPORT_COMPAT_FORWARD(hmax_nan)
HIPPORT_COMPAT_FORWARD(hmin_nan)
HIPPORT_COMPAT_FORWARD(hmax2_nan)
HIPPORT_COMPAT_FORWARD(hmin2_nan)
HIPPORT_COMPAT_FORWARD(double2half)
HIPPORT_COMPAT_FORWARD(half2char_rz)
HIPPORT_COMPAT_FORWARD(half2uchar_rz)
HIPPORT_COMPAT_FORWARD(hne)
HIPPORT_COMPAT_FORWARD(hne2)
HIPPORT_COMPAT_FORWARD(hbne2)
HIPPORT_COMPAT_FORWARD(hbequ2)
HIPPORT_COMPAT_FORWARD(hbneu2)
HIPPORT_COMPAT_FORWARD(hbltu2)
HIPPORT_COMPAT_FORWARD(hbleu2)
HIPPORT_COMPAT_FORWARD(hbgtu2)
HIPPORT_COMPAT_FORWARD(hbgeu2)
HIPPORT_COMPAT_FORWARD(hadd_sat)
HIPPORT_COMPAT_FORWARD(hadd2_sat)
HIPPORT_COMPAT_FORWARD(hsub_sat)
HIPPORT_COMPAT_FORWARD(hsub2_sat)
HIPPORT_COMPAT_FORWARD(hmul_sat)
HIPPORT_COMPAT_FORWARD(hmul2_sat)
HIPPORT_COMPAT_FORWARD(hfma_sat)
HIPPORT_COMPAT_FORWARD(hfma2_sat)

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_fp16.h>

namespace hipport {
namespace compat {

// Round once. Numbers that are too large become infinity or the largest number.
template <int Mode>
HIPPORT_COMPAT __half to_half(double x) {
  const unsigned sign = exact::is_negative(x) ? 0x8000u : 0u, infinity = 0x7c00u;
  if (is_nan(x)) return bits<__half>(static_cast<uint16_t>(0x7fff));
  if (!exact::is_finite(x)) return bits<__half>(static_cast<uint16_t>(sign | infinity));
  const unsigned steps = steps_of(x, 10, -14, Mode);
  const bool away = Mode == to_nearest || Mode == (sign != 0 ? exact::downward : exact::upward);
  return bits<__half>(static_cast<uint16_t>(sign | (steps < infinity ? steps : away ? infinity : infinity - 1)));
}

#define HIPPORT_COMPAT_MODE(name, T, from, suffix, function, mode)                               \
  HIPPORT_COMPAT __half name##2half_##suffix(T x) { return to_half<mode>(odd_double(from(x))); } \
  HIPPORT_COMPAT T half2##name##_##suffix(__half x) { return saturated<T>(::function(__half2float(x))); }
#define HIPPORT_COMPAT_INTEGER(name, T, from)                    \
  HIPPORT_COMPAT_MODE(name, T, from, rn, rintf, to_nearest)      \
  HIPPORT_COMPAT_MODE(name, T, from, rz, truncf, exact::to_zero) \
  HIPPORT_COMPAT_MODE(name, T, from, ru, ceilf, exact::upward)   \
  HIPPORT_COMPAT_MODE(name, T, from, rd, floorf, exact::downward)
HIPPORT_COMPAT_INTEGER(short, short, double)
HIPPORT_COMPAT_INTEGER(ushort, unsigned short, double)
HIPPORT_COMPAT_INTEGER(int, int, double)
HIPPORT_COMPAT_INTEGER(uint, unsigned, double)
HIPPORT_COMPAT_INTEGER(ll, long long, static_cast<long long>)
HIPPORT_COMPAT_INTEGER(ull, unsigned long long, static_cast<unsigned long long>)
#undef HIPPORT_COMPAT_INTEGER
#undef HIPPORT_COMPAT_MODE

HIPPORT_COMPAT __half double2half(double x) { return to_half<to_nearest>(x); }
HIPPORT_COMPAT signed char half2char_rz(__half x) { return saturated<signed char>(::truncf(__half2float(x))); }
HIPPORT_COMPAT unsigned char half2uchar_rz(__half x) { return saturated<unsigned char>(::truncf(__half2float(x))); }

// The parts of a pair. Pairs of bfloat16 numbers have them as members, as do CUDA's pairs.
HIPPORT_COMPAT __half low(__half2 a) { return bits<__half>(static_cast<uint16_t>(bits<uint32_t>(a) & 0xffffu)); }
HIPPORT_COMPAT __half high(__half2 a) { return bits<__half>(static_cast<uint16_t>(bits<uint32_t>(a) >> 16)); }
template <typename T2>
HIPPORT_COMPAT auto low(T2 a) -> decltype(a.x) {
  return a.x;
}
template <typename T2>
HIPPORT_COMPAT auto high(T2 a) -> decltype(a.y) {
  return a.y;
}
template <typename T2, typename T>
HIPPORT_COMPAT T2 joined(T first, T second) {
  return bits<T2>(bits<uint16_t>(first) | static_cast<uint32_t>(bits<uint16_t>(second)) << 16);
}

// The first type of 16-bit numbers among those of the arguments, to which the others are converted; half if none is one.
template <typename... Types>
struct HalfAmong {
  typedef __half type;
};
template <bool Is, typename T, typename... Rest>
struct HalfOr : HalfAmong<Rest...> {};
template <typename T, typename... Rest>
struct HalfOr<true, T, Rest...> {
  typedef T type;
};
template <typename T, typename... Rest>
struct HalfAmong<T, Rest...> : HalfOr<__is_class(T) && sizeof(T) == 2, T, Rest...> {};

// False if one of the numbers is NaN, unlike `!=`.
template <typename A, typename B>
HIPPORT_COMPAT bool hne(A left, B right) {
  const typename HalfAmong<A, B>::type a = left, b = right;
  return __hlt(a, b) || __hgt(a, b);
}
// The results of comparisons of pairs as bits: 1 if the low numbers compare so, 2 if the high ones do.
template <typename T2>
HIPPORT_COMPAT unsigned ordered_unequal(T2 a, T2 b) {
  return (hne(low(a), low(b)) ? 1u : 0u) | (hne(high(a), high(b)) ? 2u : 0u);
}
HIPPORT_COMPAT uint16_t one_of(__half) { return 0x3c00; }
template <typename T>
HIPPORT_COMPAT uint16_t one_of(T) {
  return 0x3f80;
}
template <typename T2>
HIPPORT_COMPAT T2 hne2(T2 a, T2 b) {
  const unsigned found = ordered_unequal(a, b), one = one_of(low(a));
  return bits<T2>(((found & 1u) != 0 ? one : 0u) | ((found & 2u) != 0 ? one << 16 : 0u));
}
template <typename T2>
HIPPORT_COMPAT bool hbne2(T2 a, T2 b) {
  return ordered_unequal(a, b) == 3;
}
// Comparisons that are also true if one of the numbers is NaN.
#define HIPPORT_COMPAT_UNORDERED(name, negated, opposite)                                                   \
  template <typename A, typename B>                                                                         \
  HIPPORT_COMPAT bool h##name##u(A left, B right) {                                                         \
    const typename HalfAmong<A, B>::type a = left, b = right;                                               \
    return !opposite(a, b);                                                                                 \
  }                                                                                                         \
  template <typename T2>                                                                                    \
  HIPPORT_COMPAT bool hb##name##u2(T2 a, T2 b) {                                                            \
    return !opposite(low(a), low(b)) && !opposite(high(a), high(b));                                        \
  }                                                                                                         \
  template <typename T2>                                                                                    \
  HIPPORT_COMPAT T2 h##name##u2(T2 a, T2 b) {                                                               \
    const unsigned one = one_of(low(a));                                                                    \
    return bits<T2>((opposite(low(a), low(b)) ? 0u : one) | (opposite(high(a), high(b)) ? 0u : one << 16)); \
  }
HIPPORT_COMPAT_UNORDERED(eq, ne, hne)
HIPPORT_COMPAT_UNORDERED(ne, eq, __heq)
HIPPORT_COMPAT_UNORDERED(lt, ge, __hge)
HIPPORT_COMPAT_UNORDERED(le, gt, __hgt)
HIPPORT_COMPAT_UNORDERED(gt, le, __hle)
HIPPORT_COMPAT_UNORDERED(ge, lt, __hlt)
#undef HIPPORT_COMPAT_UNORDERED

// If one number is NaN, so is the result; -0 is less than +0.
#define HIPPORT_COMPAT_NAN(name, before, after, operation)                                        \
  template <typename A, typename B, typename T = typename HalfAmong<A, B>::type>                  \
  HIPPORT_COMPAT T name##_nan(A left, B right) {                                                  \
    const T a = left, b = right;                                                                  \
    if (__hisnan(a) || __hisnan(b)) return bits<T>(static_cast<uint16_t>(0x7fff));                \
    const T same = bits<T>(static_cast<uint16_t>(bits<uint16_t>(a) operation bits<uint16_t>(b))); \
    return before(a, b) ? a : after(a, b) ? b : same;                                             \
  }                                                                                               \
  template <typename T2>                                                                          \
  HIPPORT_COMPAT T2 name##2_nan(T2 a, T2 b) {                                                     \
    return joined<T2>(name##_nan(low(a), low(b)), name##_nan(high(a), high(b)));                  \
  }
HIPPORT_COMPAT_NAN(hmax, __hgt, __hlt, &)
HIPPORT_COMPAT_NAN(hmin, __hlt, __hgt, |)
#undef HIPPORT_COMPAT_NAN

// Limit a number to 0 to 1; NaN becomes 0.
template <typename T>
HIPPORT_COMPAT T limited(T a) {
  const T zero = bits<T>(static_cast<uint16_t>(0)), one = bits<T>(one_of(a));
  return !__hgt(a, zero) ? zero : __hgt(a, one) ? one : a;
}
#define HIPPORT_COMPAT_LIMITED(name, function)                                   \
  template <typename A, typename B, typename T = typename HalfAmong<A, B>::type> \
  HIPPORT_COMPAT T name##_sat(A left, B right) {                                 \
    const T a = left, b = right;                                                 \
    return limited(function(a, b));                                              \
  }                                                                              \
  template <typename T2>                                                         \
  HIPPORT_COMPAT T2 name##2_sat(T2 a, T2 b) {                                    \
    return joined<T2>(name##_sat(low(a), low(b)), name##_sat(high(a), high(b))); \
  }
HIPPORT_COMPAT_LIMITED(hadd, __hadd)
HIPPORT_COMPAT_LIMITED(hsub, __hsub)
HIPPORT_COMPAT_LIMITED(hmul, __hmul)
#undef HIPPORT_COMPAT_LIMITED
template <typename A, typename B, typename C, typename T = typename HalfAmong<A, B, C>::type>
HIPPORT_COMPAT T hfma_sat(A left, B right, C addend) {
  const T a = left, b = right, c = addend;
  return limited(__hfma(a, b, c));
}
template <typename T2>
HIPPORT_COMPAT T2 hfma2_sat(T2 a, T2 b, T2 c) {
  return joined<T2>(hfma_sat(low(a), low(b), low(c)), hfma_sat(high(a), high(b), high(c)));
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
