// SPDX-License-Identifier: MIT
// DPX: CUDA's combined additions, minima and maxima of integers (`__viaddmax_s32`, `__vimax3_u16x2`), for host and
// device.
//
// The names end in the type: `s32` and `u32` take numbers, `s16x2` and `u16x2` pairs of halfwords; `_relu` limits the
// result to 0 and above. Additions wrap around.
#ifndef HIPPORT_COMPAT_DPX_H
#define HIPPORT_COMPAT_DPX_H

#include "simd.h"

namespace hipport {
namespace compat {
namespace dpx {

struct S32 {
  int word;
};
struct U32 {
  unsigned word;
};
struct S16x2 {
  unsigned word;
};
struct U16x2 {
  unsigned word;
};

HIPPORT_COMPAT S32 add(S32 a, S32 b) {
  return {static_cast<int>(static_cast<unsigned>(a.word) + static_cast<unsigned>(b.word))};
}
HIPPORT_COMPAT U32 add(U32 a, U32 b) { return {a.word + b.word}; }
HIPPORT_COMPAT S16x2 add(S16x2 a, S16x2 b) { return {simd::add<16>(a.word, b.word)}; }
HIPPORT_COMPAT U16x2 add(U16x2 a, U16x2 b) { return {simd::add<16>(a.word, b.word)}; }

HIPPORT_COMPAT S32 max(S32 a, S32 b) { return a.word > b.word ? a : b; }
HIPPORT_COMPAT U32 max(U32 a, U32 b) { return a.word > b.word ? a : b; }
HIPPORT_COMPAT S16x2 max(S16x2 a, S16x2 b) { return {simd::maxs<16>(a.word, b.word)}; }
HIPPORT_COMPAT U16x2 max(U16x2 a, U16x2 b) { return {simd::maxu<16>(a.word, b.word)}; }

HIPPORT_COMPAT S32 min(S32 a, S32 b) { return a.word < b.word ? a : b; }
HIPPORT_COMPAT U32 min(U32 a, U32 b) { return a.word < b.word ? a : b; }
HIPPORT_COMPAT S16x2 min(S16x2 a, S16x2 b) { return {simd::mins<16>(a.word, b.word)}; }
HIPPORT_COMPAT U16x2 min(U16x2 a, U16x2 b) { return {simd::minu<16>(a.word, b.word)}; }

template <typename T>
HIPPORT_COMPAT T relu(T a) {
  return max(a, T{0});
}

// Return whether the halfwords at a bit position are equal.
HIPPORT_COMPAT bool same_part(unsigned a, unsigned b, int at) { return (((a ^ b) >> at) & 0xffffu) == 0; }

}  // namespace dpx
}  // namespace compat
}  // namespace hipport

#if defined(HIPPORT_COMPAT_HIP)

#define HIPPORT_COMPAT_TERNARY(T, name, suffix, Lanes, expression) \
  HIPPORT_COMPAT T name##suffix(T first, T second, T third) {      \
    namespace dpx = hipport::compat::dpx;                          \
    const dpx::Lanes a{first}, b{second}, c{third};                \
    return (expression).word;                                      \
  }
#define HIPPORT_COMPAT_BOTH(T, suffix, Lanes)                                        \
  HIPPORT_COMPAT_TERNARY(T, __viaddmax_, suffix, Lanes, dpx::max(dpx::add(a, b), c)) \
  HIPPORT_COMPAT_TERNARY(T, __viaddmin_, suffix, Lanes, dpx::min(dpx::add(a, b), c)) \
  HIPPORT_COMPAT_TERNARY(T, __vimax3_, suffix, Lanes, dpx::max(dpx::max(a, b), c))   \
  HIPPORT_COMPAT_TERNARY(T, __vimin3_, suffix, Lanes, dpx::min(dpx::min(a, b), c))
#define HIPPORT_COMPAT_RELU(T, suffix, Lanes)                                                          \
  HIPPORT_COMPAT_TERNARY(T, __viaddmax_, suffix##_relu, Lanes, dpx::relu(dpx::max(dpx::add(a, b), c))) \
  HIPPORT_COMPAT_TERNARY(T, __viaddmin_, suffix##_relu, Lanes, dpx::relu(dpx::min(dpx::add(a, b), c))) \
  HIPPORT_COMPAT_TERNARY(T, __vimax3_, suffix##_relu, Lanes, dpx::relu(dpx::max(dpx::max(a, b), c)))   \
  HIPPORT_COMPAT_TERNARY(T, __vimin3_, suffix##_relu, Lanes, dpx::relu(dpx::min(dpx::min(a, b), c)))   \
  HIPPORT_COMPAT T __vimax_##suffix##_relu(T a, T b) { return __vimax3_##suffix##_relu(a, b, b); }     \
  HIPPORT_COMPAT T __vimin_##suffix##_relu(T a, T b) { return __vimin3_##suffix##_relu(a, b, b); }
HIPPORT_COMPAT_BOTH(int, s32, S32)
HIPPORT_COMPAT_BOTH(unsigned, u32, U32)
HIPPORT_COMPAT_BOTH(unsigned, s16x2, S16x2)
HIPPORT_COMPAT_BOTH(unsigned, u16x2, U16x2)
HIPPORT_COMPAT_RELU(int, s32, S32)
HIPPORT_COMPAT_RELU(unsigned, s16x2, S16x2)
#undef HIPPORT_COMPAT_TERNARY
#undef HIPPORT_COMPAT_BOTH
#undef HIPPORT_COMPAT_RELU

// The predicates say whether the result is `a`, also of equal numbers; of pairs for the high and the low halfword.
#define HIPPORT_COMPAT_WHOLE(T, suffix)                      \
  HIPPORT_COMPAT T __vibmax_##suffix(T a, T b, bool* is_a) { \
    *is_a = a >= b;                                          \
    return *is_a ? a : b;                                    \
  }                                                          \
  HIPPORT_COMPAT T __vibmin_##suffix(T a, T b, bool* is_a) { \
    *is_a = a <= b;                                          \
    return *is_a ? a : b;                                    \
  }
#define HIPPORT_COMPAT_PAIR(name, suffix, function)                                               \
  HIPPORT_COMPAT unsigned name##suffix(unsigned a, unsigned b, bool* high_is_a, bool* low_is_a) { \
    const unsigned found = hipport::compat::simd::function<16>(a, b);                             \
    *high_is_a = hipport::compat::dpx::same_part(found, a, 16);                                   \
    *low_is_a = hipport::compat::dpx::same_part(found, a, 0);                                     \
    return found;                                                                                 \
  }
HIPPORT_COMPAT_WHOLE(int, s32)
HIPPORT_COMPAT_WHOLE(unsigned, u32)
HIPPORT_COMPAT_PAIR(__vibmax_, s16x2, maxs)
HIPPORT_COMPAT_PAIR(__vibmax_, u16x2, maxu)
HIPPORT_COMPAT_PAIR(__vibmin_, s16x2, mins)
HIPPORT_COMPAT_PAIR(__vibmin_, u16x2, minu)
#undef HIPPORT_COMPAT_WHOLE
#undef HIPPORT_COMPAT_PAIR

#endif

#endif
