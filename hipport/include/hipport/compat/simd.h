// SPDX-License-Identifier: MIT
// SIMD within a word: CUDA's intrinsics on two halfwords (`__vadd2`) or four bytes (`__vadd4`) of 32 bits.
//
// The names give the type of the parts: `s` signed, `u` unsigned, `ss` and `us` with saturation.
#ifndef HIPPORT_COMPAT_SIMD_H
#define HIPPORT_COMPAT_SIMD_H

#include "core.h"

namespace hipport {
namespace compat {
namespace simd {

// The largest unsigned value of a part, which is also its bit mask.
template <int Bits>
HIPPORT_COMPAT unsigned all() {
  return (1u << Bits) - 1u;
}

template <int Bits>
HIPPORT_COMPAT unsigned unsigned_part(unsigned word, int at) {
  return (word >> at) & all<Bits>();
}

template <int Bits>
HIPPORT_COMPAT int signed_part(unsigned word, int at) {
  const unsigned sign = 1u << (Bits - 1);
  return static_cast<int>(unsigned_part<Bits>(word, at) ^ sign) - static_cast<int>(sign);
}

// Clamp to the range of a signed part.
template <int Bits>
HIPPORT_COMPAT int saturated(int value) {
  const int most = (1 << (Bits - 1)) - 1;
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}

// Define a function of the parts of one or two words. The expression uses `sa`, `sb` (signed) and `ua`, `ub`
// (unsigned).
#define HIPPORT_COMPAT_PARTS(expression)                                             \
  unsigned result = 0;                                                               \
  for (int at = 0; at < 32; at += Bits) {                                            \
    const int sa = signed_part<Bits>(a, at), sb = signed_part<Bits>(b, at);          \
    const unsigned ua = unsigned_part<Bits>(a, at), ub = unsigned_part<Bits>(b, at); \
    (void)sa, (void)sb, (void)ua, (void)ub;                                          \
    result |= (static_cast<unsigned>(expression) & all<Bits>()) << at;               \
  }                                                                                  \
  return result;
#define HIPPORT_COMPAT_UNARY(name, expression) \
  template <int Bits>                          \
  HIPPORT_COMPAT unsigned name(unsigned a) {   \
    const unsigned b = 0;                      \
    HIPPORT_COMPAT_PARTS(expression)           \
  }
#define HIPPORT_COMPAT_BINARY(name, expression)          \
  template <int Bits>                                    \
  HIPPORT_COMPAT unsigned name(unsigned a, unsigned b) { \
    HIPPORT_COMPAT_PARTS(expression)                     \
  }
// A comparison: `cmp` sets a part to all ones, `set` to 1.
#define HIPPORT_COMPAT_COMPARISON(name, expression)         \
  HIPPORT_COMPAT_BINARY(cmp##name, (expression) ? ~0u : 0u) \
  HIPPORT_COMPAT_BINARY(set##name, (expression) ? 1u : 0u)

HIPPORT_COMPAT_UNARY(abs, sa < 0 ? -sa : sa)
HIPPORT_COMPAT_UNARY(absss, saturated<Bits>(sa < 0 ? -sa : sa))
HIPPORT_COMPAT_BINARY(absdiffs, sa > sb ? sa - sb : sb - sa)
// Not `ua > ub ? ua - ub : ub - ua`: of the upper 16 bits, clang 19 computes `ua - ub` only (gfx90a).
HIPPORT_COMPAT_BINARY(absdiffu, (ua > ub ? ua : ub) - (ua > ub ? ub : ua))
HIPPORT_COMPAT_BINARY(add, ua + ub)
HIPPORT_COMPAT_BINARY(addss, saturated<Bits>(sa + sb))
HIPPORT_COMPAT_BINARY(addus, ua + ub > all<Bits>() ? all<Bits>() : ua + ub)
HIPPORT_COMPAT_BINARY(avgs, (sa + sb + (sa + sb >= 0 ? 1 : 0)) >> 1)
HIPPORT_COMPAT_BINARY(avgu, (ua + ub + 1) >> 1)
HIPPORT_COMPAT_BINARY(haddu, (ua + ub) >> 1)
HIPPORT_COMPAT_BINARY(maxs, sa > sb ? sa : sb)
HIPPORT_COMPAT_BINARY(maxu, ua > ub ? ua : ub)
HIPPORT_COMPAT_BINARY(mins, sa < sb ? sa : sb)
HIPPORT_COMPAT_BINARY(minu, ua < ub ? ua : ub)
HIPPORT_COMPAT_UNARY(neg, -sa)
HIPPORT_COMPAT_UNARY(negss, saturated<Bits>(-sa))
HIPPORT_COMPAT_BINARY(sub, ua - ub)
HIPPORT_COMPAT_BINARY(subss, saturated<Bits>(sa - sb))
HIPPORT_COMPAT_BINARY(subus, ua > ub ? ua - ub : 0u)
HIPPORT_COMPAT_COMPARISON(eq, ua == ub)
HIPPORT_COMPAT_COMPARISON(ne, ua != ub)
HIPPORT_COMPAT_COMPARISON(ges, sa >= sb)
HIPPORT_COMPAT_COMPARISON(geu, ua >= ub)
HIPPORT_COMPAT_COMPARISON(gts, sa > sb)
HIPPORT_COMPAT_COMPARISON(gtu, ua > ub)
HIPPORT_COMPAT_COMPARISON(les, sa <= sb)
HIPPORT_COMPAT_COMPARISON(leu, ua <= ub)
HIPPORT_COMPAT_COMPARISON(lts, sa < sb)
HIPPORT_COMPAT_COMPARISON(ltu, ua < ub)

#undef HIPPORT_COMPAT_PARTS
#undef HIPPORT_COMPAT_UNARY
#undef HIPPORT_COMPAT_BINARY
#undef HIPPORT_COMPAT_COMPARISON

// Sum of the parts, each taken as unsigned.
template <int Bits>
HIPPORT_COMPAT unsigned sum(unsigned word) {
  unsigned total = 0;
  for (int at = 0; at < 32; at += Bits) total += unsigned_part<Bits>(word, at);
  return total;
}

// Sums of absolute differences.
template <int Bits>
HIPPORT_COMPAT unsigned sads(unsigned a, unsigned b) {
  return sum<Bits>(absdiffs<Bits>(a, b));
}
template <int Bits>
HIPPORT_COMPAT unsigned sadu(unsigned a, unsigned b) {
  return sum<Bits>(absdiffu<Bits>(a, b));
}

}  // namespace simd
}  // namespace compat
}  // namespace hipport

#if defined(HIPPORT_COMPAT_HIP)

#define HIPPORT_COMPAT_UNARY(name)                                                                       \
  HIPPORT_COMPAT_DEVICE unsigned __v##name##2(unsigned a) { return hipport::compat::simd::name<16>(a); } \
  HIPPORT_COMPAT_DEVICE unsigned __v##name##4(unsigned a) { return hipport::compat::simd::name<8>(a); }
#define HIPPORT_COMPAT_BINARY(name)                                     \
  HIPPORT_COMPAT_DEVICE unsigned __v##name##2(unsigned a, unsigned b) { \
    return hipport::compat::simd::name<16>(a, b);                       \
  }                                                                     \
  HIPPORT_COMPAT_DEVICE unsigned __v##name##4(unsigned a, unsigned b) { return hipport::compat::simd::name<8>(a, b); }
#define HIPPORT_COMPAT_COMPARISON(name) \
  HIPPORT_COMPAT_BINARY(cmp##name)      \
  HIPPORT_COMPAT_BINARY(set##name)

HIPPORT_COMPAT_UNARY(abs)
HIPPORT_COMPAT_UNARY(absss)
HIPPORT_COMPAT_BINARY(absdiffs)
HIPPORT_COMPAT_BINARY(absdiffu)
HIPPORT_COMPAT_BINARY(add)
HIPPORT_COMPAT_BINARY(addss)
HIPPORT_COMPAT_BINARY(addus)
HIPPORT_COMPAT_BINARY(avgs)
HIPPORT_COMPAT_BINARY(avgu)
HIPPORT_COMPAT_BINARY(haddu)
HIPPORT_COMPAT_BINARY(maxs)
HIPPORT_COMPAT_BINARY(maxu)
HIPPORT_COMPAT_BINARY(mins)
HIPPORT_COMPAT_BINARY(minu)
HIPPORT_COMPAT_UNARY(neg)
HIPPORT_COMPAT_UNARY(negss)
HIPPORT_COMPAT_BINARY(sub)
HIPPORT_COMPAT_BINARY(subss)
HIPPORT_COMPAT_BINARY(subus)
HIPPORT_COMPAT_BINARY(sads)
HIPPORT_COMPAT_BINARY(sadu)
HIPPORT_COMPAT_COMPARISON(eq)
HIPPORT_COMPAT_COMPARISON(ne)
HIPPORT_COMPAT_COMPARISON(ges)
HIPPORT_COMPAT_COMPARISON(geu)
HIPPORT_COMPAT_COMPARISON(gts)
HIPPORT_COMPAT_COMPARISON(gtu)
HIPPORT_COMPAT_COMPARISON(les)
HIPPORT_COMPAT_COMPARISON(leu)
HIPPORT_COMPAT_COMPARISON(lts)
HIPPORT_COMPAT_COMPARISON(ltu)

#undef HIPPORT_COMPAT_UNARY
#undef HIPPORT_COMPAT_BINARY
#undef HIPPORT_COMPAT_COMPARISON

#endif

#endif
