// SPDX-License-Identifier: MIT
// Integer intrinsics: dot products of bytes, minimum and maximum by name, the n-th set bit.
#ifndef HIPPORT_COMPAT_INTEGER_H
#define HIPPORT_COMPAT_INTEGER_H

#include "core.h"

namespace hipport {
namespace compat {

// Return part `at` of a word that is divided into signed or unsigned Parts.
template <typename Part, typename Word>
HIPPORT_COMPAT Word part(Word word, int at) {
  return static_cast<Part>(static_cast<unsigned>(word) >> (at * static_cast<int>(sizeof(Part)) * 8));
}

// Return the dot product of four bytes plus an addend; it wraps around. LLVM generates dot instructions where they
// exist.
template <typename Byte, typename Word>
HIPPORT_COMPAT Word dp4a(Word a, Word b, Word sum) {
  unsigned total = static_cast<unsigned>(sum);
  for (int i = 0; i < 4; ++i) total += static_cast<unsigned>(part<Byte>(a, i) * part<Byte>(b, i));
  return static_cast<Word>(total);
}

// Return the dot product of two halfwords of `a` and two bytes of `b`, beginning at byte `from`, plus an addend; it
// wraps around.
template <typename Half, typename Byte, typename Word>
HIPPORT_COMPAT Word dp2a(Word a, Word b, Word sum, int from) {
  unsigned total = static_cast<unsigned>(sum);
  for (int i = 0; i < 2; ++i) total += static_cast<unsigned>(part<Half>(a, i) * part<Byte>(b, from + i));
  return static_cast<Word>(total);
}

// Return the position of the n-th set bit at or above `base` (n > 0), or at or below it (n < 0); `base` itself for n =
// 0 if that bit is set. All ones if there is none.
HIPPORT_COMPAT unsigned find_nth_set(unsigned mask, unsigned base, int n) {
  if (n == 0) return base < 32 && ((mask >> base) & 1u) ? base : ~0u;
  const int step = n > 0 ? 1 : -1;
  int left = n > 0 ? n : -n;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if (((mask >> at) & 1u) && --left == 0) return static_cast<unsigned>(at);
  }
  return ~0u;
}

}  // namespace compat
}  // namespace hipport

#if defined(HIPPORT_COMPAT_HIP)

#if !defined(__HIPPORT_CPU__)
HIPPORT_COMPAT_DEVICE int __dp4a(int a, int b, int sum) { return hipport::compat::dp4a<int8_t>(a, b, sum); }
HIPPORT_COMPAT_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  return hipport::compat::dp4a<uint8_t>(a, b, sum);
}
#endif
HIPPORT_COMPAT_DEVICE int __dp4a(char4 a, char4 b, int sum) {
  return hipport::compat::dp4a<int8_t>(hipport::compat::bits<int>(a), hipport::compat::bits<int>(b), sum);
}
HIPPORT_COMPAT_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
  return hipport::compat::dp4a<uint8_t>(hipport::compat::bits<unsigned>(a), hipport::compat::bits<unsigned>(b), sum);
}

#define HIPPORT_COMPAT_DP2A(name, from)                                                       \
  HIPPORT_COMPAT_DEVICE int name(int a, int b, int sum) {                                     \
    return hipport::compat::dp2a<int16_t, int8_t>(a, b, sum, from);                           \
  }                                                                                           \
  HIPPORT_COMPAT_DEVICE unsigned name(unsigned a, unsigned b, unsigned sum) {                 \
    return hipport::compat::dp2a<uint16_t, uint8_t>(a, b, sum, from);                         \
  }                                                                                           \
  HIPPORT_COMPAT_DEVICE int name(short2 a, char4 b, int sum) {                                \
    return name(hipport::compat::bits<int>(a), hipport::compat::bits<int>(b), sum);           \
  }                                                                                           \
  HIPPORT_COMPAT_DEVICE unsigned name(ushort2 a, uchar4 b, unsigned sum) {                    \
    return name(hipport::compat::bits<unsigned>(a), hipport::compat::bits<unsigned>(b), sum); \
  }
HIPPORT_COMPAT_DP2A(__dp2a_lo, 0)
HIPPORT_COMPAT_DP2A(__dp2a_hi, 2)
#undef HIPPORT_COMPAT_DP2A

#if !defined(__HIPPORT_CPU__) && HIPPORT_COMPAT_HIP_BEFORE(6, 3)
HIPPORT_COMPAT_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  return hipport::compat::find_nth_set(mask, base, offset);
}
#endif

HIPPORT_COMPAT unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
HIPPORT_COMPAT unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
HIPPORT_COMPAT long long llmin(long long a, long long b) { return b < a ? b : a; }
HIPPORT_COMPAT long long llmax(long long a, long long b) { return a < b ? b : a; }
HIPPORT_COMPAT unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
HIPPORT_COMPAT unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

#endif

#endif
