// SPDX-License-Identifier: MIT
// __builtin_amdgcn_*: integer arithmetic.
#pragma once

#include <cstdint>

namespace hipport::cpu {

template <typename Part>
inline Part part_of(uint32_t word, unsigned index) {
  return static_cast<Part>(word >> index * 8 * sizeof(Part));
}

// The sum of absolute differences of the parts of two words; with `Masked` the parts that are 0 in `b` do not count.
template <typename Part, bool Masked = false>
uint32_t differences(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 4 / sizeof(Part); ++i) {
    const uint32_t left = part_of<Part>(a, i), right = part_of<Part>(b, i);
    if (!Masked || right != 0) sum += left > right ? left - right : right - left;
  }
  return sum;
}

template <int Bits>
int64_t nibbles_of(uint32_t word, unsigned index, bool is_signed) {
  const int64_t value = word >> index * Bits & ((1u << Bits) - 1);
  return is_signed && value >> (Bits - 1) != 0 ? value - (1 << Bits) : value;
}

template <int Bits, bool Signed>
int64_t dot_product(uint32_t a, uint32_t b) {
  int64_t sum = 0;
  for (unsigned i = 0; i < 32 / Bits; ++i) sum += nibbles_of<Bits>(a, i, Signed) * nibbles_of<Bits>(b, i, Signed);
  return sum;
}
inline int32_t signed_total(int64_t total, bool clamp) {
  const int64_t least = INT32_MIN, most = INT32_MAX;
  return static_cast<int32_t>(!clamp ? total : total < least ? least : total > most ? most : total);
}
inline uint32_t unsigned_total(int64_t total, bool clamp) {
  return static_cast<uint32_t>(clamp && total > int64_t(UINT32_MAX) ? int64_t(UINT32_MAX) : total);
}

// A byte that v_perm_b32 selects from `high`:`low`: 0 to 7 a byte, 8 to 11 the signs of 16-bit parts, 12 zero, 13 on 0xff.
inline uint32_t selected_byte(uint64_t bytes, unsigned selector) {
  if (selector < 8) return bytes >> 8 * selector & 0xff;
  if (selector < 12) return (bytes >> (16 * (selector - 8) + 15) & 1) != 0 ? 0xff : 0;
  return selector == 12 ? 0 : 0xff;
}

}  // namespace hipport::cpu

inline uint32_t __builtin_amdgcn_ubfe(uint32_t value, uint32_t offset, uint32_t width) {
  width &= 31;
  return value >> (offset & 31) & ((1u << width) - 1);
}
inline int32_t __builtin_amdgcn_sbfe(int32_t value, uint32_t offset, uint32_t width) {
  width &= 31;
  if (width == 0) return 0;
  const uint32_t field = __builtin_amdgcn_ubfe(static_cast<uint32_t>(value >> (offset & 31)), 0, width);
  return static_cast<int32_t>(field << (32 - width)) >> (32 - width);
}
inline uint32_t __builtin_amdgcn_alignbit(uint32_t high, uint32_t low, uint32_t count) {
  return static_cast<uint32_t>((uint64_t(high) << 32 | low) >> (count & 31));
}
inline uint32_t __builtin_amdgcn_alignbyte(uint32_t high, uint32_t low, uint32_t count) {
  return __builtin_amdgcn_alignbit(high, low, 8 * (count & 3));
}
inline uint32_t __builtin_amdgcn_perm(uint32_t high, uint32_t low, uint32_t selectors) {
  const uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) result |= hipport::cpu::selected_byte(bytes, selectors >> 8 * i & 0xff) << 8 * i;
  return result;
}
inline uint32_t __builtin_amdgcn_lerp(uint32_t a, uint32_t b, uint32_t round) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 32; i += 8) result |= ((a >> i & 0xff) + (b >> i & 0xff) + (round >> i & 1)) / 2 << i;
  return result;
}
inline uint32_t __builtin_amdgcn_sad_u8(uint32_t a, uint32_t b, uint32_t sum) {
  return hipport::cpu::differences<uint8_t>(a, b) + sum;
}
inline uint32_t __builtin_amdgcn_sad_hi_u8(uint32_t a, uint32_t b, uint32_t sum) {
  return (hipport::cpu::differences<uint8_t>(a, b) << 16) + sum;
}
inline uint32_t __builtin_amdgcn_sad_u16(uint32_t a, uint32_t b, uint32_t sum) {
  return hipport::cpu::differences<uint16_t>(a, b) + sum;
}
inline uint32_t __builtin_amdgcn_msad_u8(uint32_t a, uint32_t b, uint32_t sum) {
  return hipport::cpu::differences<uint8_t, true>(a, b) + sum;
}
inline int32_t __builtin_amdgcn_sdot4(int32_t a, int32_t b, int32_t sum, bool clamp) {
  using namespace hipport::cpu;
  return signed_total(dot_product<8, true>(static_cast<uint32_t>(a), static_cast<uint32_t>(b)) + sum, clamp);
}
inline uint32_t __builtin_amdgcn_udot4(uint32_t a, uint32_t b, uint32_t sum, bool clamp) {
  return hipport::cpu::unsigned_total(hipport::cpu::dot_product<8, false>(a, b) + sum, clamp);
}
inline int32_t __builtin_amdgcn_sdot8(int32_t a, int32_t b, int32_t sum, bool clamp) {
  using namespace hipport::cpu;
  return signed_total(dot_product<4, true>(static_cast<uint32_t>(a), static_cast<uint32_t>(b)) + sum, clamp);
}
inline uint32_t __builtin_amdgcn_udot8(uint32_t a, uint32_t b, uint32_t sum, bool clamp) {
  return hipport::cpu::unsigned_total(hipport::cpu::dot_product<4, false>(a, b) + sum, clamp);
}
inline int32_t __builtin_amdgcn_sffbh(int32_t value) {
  const uint32_t bits = static_cast<uint32_t>(value < 0 ? ~value : value);
  return bits == 0 ? -1 : __builtin_clz(bits);
}
