// SPDX-License-Identifier: MIT
// Integer intrinsics and clocks.
#pragma once

#include "platform.h"

#include <algorithm>
#include <chrono>
#include <type_traits>

namespace hipport::cpu {
// Convert to an integer of 8 or 16 bits: floating-point values by way of 32 bits, as GPUs do.
template <typename To, typename From>
constexpr To narrow(From value) {
  if constexpr (std::is_floating_point_v<From>) {
    return static_cast<To>(static_cast<std::conditional_t<std::is_signed_v<To>, int, unsigned>>(value));
  } else {
    return static_cast<To>(value);
  }
}
}  // namespace hipport::cpu

inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
inline int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
// Return the 1-based position of the lowest set bit; 0 if there is none. Templates, so that 64-bit arguments such as
// ballots are not truncated.
template <typename T>
constexpr int __ffs(T value) {
  return sizeof(T) > 4 ? __builtin_ffsll(static_cast<long long>(value)) : __builtin_ffs(static_cast<int>(value));
}
inline int __ffsll(unsigned long long value) { return __builtin_ffsll(static_cast<long long>(value)); }

inline unsigned __brev(unsigned value) {
  value = (value >> 1 & 0x55555555u) | (value & 0x55555555u) << 1;
  value = (value >> 2 & 0x33333333u) | (value & 0x33333333u) << 2;
  value = (value >> 4 & 0x0f0f0f0fu) | (value & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(value);
}
inline unsigned long long __brevll(unsigned long long value) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(value))) << 32 |
         __brev(static_cast<unsigned>(value >> 32));
}

// Return the position of the n-th set bit from `base` on, upwards or, for negative n, downwards; n = 0 asks for `base`
// itself. All bits set if there is none.
inline unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return base < 32 && (mask >> base & 1) != 0 ? base : ~0u;
  const int step = n < 0 ? -1 : 1;
  int left = n < 0 ? -n : n;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    left -= static_cast<int>(mask >> bit & 1);
    if (left == 0) return static_cast<unsigned>(bit);
  }
  return ~0u;
}

// Select four of the eight bytes in `low` and `high` by the low three bits of each hexadecimal digit of `selector`.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned byte = bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff;
    result |= byte << (8 * i);
  }
  return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
// Multiply the low 24 bits.
inline int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __sad(int a, int b, unsigned c) {
  return static_cast<unsigned>(std::abs(static_cast<long long>(a) - b)) + c;
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<uint64_t>(a) + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<uint64_t>(a) + b + 1) >> 1);
}
inline unsigned __bitextract_u32(unsigned value, unsigned offset, unsigned width) {
  return width == 0 ? 0 : value << (32 - offset - width) >> (32 - width);
}
inline unsigned long long __bitextract_u64(unsigned long long value, unsigned offset, unsigned width) {
  return width == 0 ? 0 : value << (64 - offset - width) >> (64 - width);
}
// Return `value` with the lowest `width` bits of `inserted` from bit `offset` on.
inline unsigned __bitinsert_u32(unsigned value, unsigned inserted, unsigned offset, unsigned width) {
  const unsigned mask = width >= 32 ? ~0u : (1u << width) - 1;
  offset &= 31;
  return (value & ~(mask << offset)) | (inserted & mask) << offset;
}
inline unsigned long long __bitinsert_u64(unsigned long long value, unsigned long long inserted, unsigned offset,
                                          unsigned width) {
  const unsigned long long mask = width >= 64 ? ~0ull : (1ull << width) - 1;
  offset &= 63;
  return (value & ~(mask << offset)) | (inserted & mask) << offset;
}

namespace hipport::cpu {
// Dot product of four signed or unsigned bytes plus an addend.
template <typename Byte, typename Word>
Word dot4(Word a, Word b, Word sum) {
  for (int i = 0; i < 4; ++i) sum += static_cast<Byte>(a >> (8 * i)) * static_cast<Byte>(b >> (8 * i));
  return sum;
}
}  // namespace hipport::cpu
inline int __dp4a(int a, int b, int sum) { return hipport::cpu::dot4<signed char>(a, b, sum); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) { return hipport::cpu::dot4<unsigned char>(a, b, sum); }

// Return nanoseconds, in accordance with the device's reported clock rate.
inline long long clock64() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
inline long long __clock() { return clock64(); }
inline long long wall_clock64() { return clock64(); }
inline unsigned long long __clock64() { return static_cast<unsigned long long>(clock64()); }

// min and max of mixed arithmetic types, after C++'s usual conversions.
template <typename A, typename B, typename = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) return __builtin_fmin(static_cast<T>(a), static_cast<T>(b));
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <typename A, typename B, typename = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) return __builtin_fmax(static_cast<T>(a), static_cast<T>(b));
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
