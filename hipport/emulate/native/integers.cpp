// SPDX-License-Identifier: MIT
// Functions of integers and bits.
#include "lanes.h"

#include <algorithm>

namespace hipport::emulate {
namespace {

int32_t signed24(uint32_t a) { return int32_t(a << 8) >> 8; }
uint32_t unsigned24(uint32_t a) { return a & 0xffffff; }
template <typename T>
T middle(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
uint32_t byte(uint32_t a, unsigned i) { return a >> (8 * i) & 0xff; }
uint32_t distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
uint32_t byte_distances(uint32_t a, uint32_t b) {
  return distance(byte(a, 0), byte(b, 0)) + distance(byte(a, 1), byte(b, 1)) + distance(byte(a, 2), byte(b, 2)) +
         distance(byte(a, 3), byte(b, 3));
}
// Bytes of the second operand that are 0 do not count.
uint32_t masked_byte_distances(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += byte(b, i) == 0 ? 0 : distance(byte(a, i), byte(b, i));
  return sum;
}
// Sums of differences for a window of four bytes that moves by one.
template <auto Distances>
uint64_t moving_distances(uint64_t a, uint32_t b, uint64_t c) {
  uint64_t found = 0;
  for (unsigned i = 0; i < 4; ++i)
    found |= uint64_t(uint16_t(Distances(uint32_t(a >> (8 * i)), b) + uint32_t(c >> (16 * i)))) << (16 * i);
  return found;
}
uint32_t permuted_byte(uint32_t a, uint32_t b, uint32_t select) {
  const uint64_t both = uint64_t(a) << 32 | b;
  if (select < 8) return uint32_t(both >> (8 * select)) & 0xff;
  if (select < 12) return both >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
  return select == 12 ? 0 : 0xff;
}
int32_t leading_signs(uint32_t a) {
  const uint32_t differs = int32_t(a) < 0 ? ~a : a;
  return differs == 0 ? -1 : std::countl_zero(differs);
}

}  // namespace

#define LANE(name, ...) table.add<(__VA_ARGS__)>(name);

void add_sums(LaneTable& table) {
  for (const char* name : {"v_add_u32", "v_add_nc_u32", "v_add_i32", "v_add_nc_i32"})
    table.add<([](uint32_t a, uint32_t b) { return a + b; })>(name);
  for (const char* name : {"v_sub_u32", "v_sub_nc_u32", "v_sub_i32", "v_sub_nc_i32"})
    table.add<([](uint32_t a, uint32_t b) { return a - b; })>(name);
  for (const char* name : {"v_subrev_u32", "v_subrev_nc_u32"})
    table.add<([](uint32_t a, uint32_t b) { return b - a; })>(name);
  LANE("v_add_co_u32", [](uint32_t a, uint32_t b) { return Out<uint32_t>{a + b, a + b < a}; })
  LANE("v_sub_co_u32", [](uint32_t a, uint32_t b) { return Out<uint32_t>{a - b, a < b}; })
  LANE("v_subrev_co_u32", [](uint32_t a, uint32_t b) { return Out<uint32_t>{b - a, b < a}; })
  for (const char* name : {"v_addc_co_u32", "v_add_co_ci_u32"})
    table.add<([](uint32_t a, uint32_t b, Bit c) {
      const uint64_t sum = uint64_t(a) + b + c.value;
      return Out<uint32_t>{uint32_t(sum), uint32_t(sum >> 32)};
    })>(name);
  for (const char* name : {"v_subb_co_u32", "v_sub_co_ci_u32"})
    table.add<([](uint32_t a, uint32_t b, Bit c) {
      return Out<uint32_t>{a - b - c.value, uint64_t(a) < uint64_t(b) + c.value};
    })>(name);
  for (const char* name : {"v_subbrev_co_u32", "v_subrev_co_ci_u32"})
    table.add<([](uint32_t a, uint32_t b, Bit c) {
      return Out<uint32_t>{b - a - c.value, uint64_t(b) < uint64_t(a) + c.value};
    })>(name);
  LANE("v_add3_u32", [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; })
  LANE("v_lshl_add_u32", [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) + c; })
  LANE("v_lshl_add_u64", [](uint64_t a, uint32_t b, uint64_t c) { return (a << (b & 7)) + c; })
  LANE("v_add_lshl_u32", [](uint32_t a, uint32_t b, uint32_t c) { return (a + b) << (c & 31); })
  LANE("v_xad_u32", [](uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; })
  LANE("v_sad_u32", [](uint32_t a, uint32_t b, uint32_t c) { return distance(a, b) + c; })
  LANE("v_sad_u16", [](uint32_t a, uint32_t b, uint32_t c) {
    return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c;
  })
  LANE("v_sad_u8", [](uint32_t a, uint32_t b, uint32_t c) { return byte_distances(a, b) + c; })
  LANE("v_msad_u8", [](uint32_t a, uint32_t b, uint32_t c) { return masked_byte_distances(a, b) + c; })
  LANE("v_qsad_pk_u16_u8", [](uint64_t a, uint32_t b, uint64_t c) { return moving_distances<byte_distances>(a, b, c); })
  LANE("v_mqsad_pk_u16_u8",
       [](uint64_t a, uint32_t b, uint64_t c) { return moving_distances<masked_byte_distances>(a, b, c); })
  LANE("v_lerp_u8", [](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t found = 0;
    for (unsigned i = 0; i < 4; ++i) found |= (byte(a, i) + byte(b, i) + (c >> (8 * i) & 1)) / 2 << (8 * i);
    return found;
  })
  LANE("v_sad_hi_u8", [](uint32_t a, uint32_t b, uint32_t c) { return (byte_distances(a, b) << 16) + c; })
}

void add_products(LaneTable& table) {
  LANE("v_mul_lo_u32", [](uint32_t a, uint32_t b) { return a * b; })
  LANE("v_mul_hi_u32", [](uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); })
  LANE("v_mul_hi_i32", [](int32_t a, int32_t b) { return int32_t(int64_t(a) * b >> 32); })
  LANE("v_mul_u32_u24", [](uint32_t a, uint32_t b) { return unsigned24(a) * unsigned24(b); })
  LANE("v_mul_i32_i24", [](uint32_t a, uint32_t b) { return uint32_t(signed24(a)) * uint32_t(signed24(b)); })
  LANE("v_mul_hi_u32_u24",
       [](uint32_t a, uint32_t b) { return uint32_t(uint64_t(unsigned24(a)) * unsigned24(b) >> 32); })
  LANE("v_mul_hi_i32_i24", [](uint32_t a, uint32_t b) { return int32_t(int64_t(signed24(a)) * signed24(b) >> 32); })
  LANE("v_mad_u32_u24", [](uint32_t a, uint32_t b, uint32_t c) { return unsigned24(a) * unsigned24(b) + c; })
  LANE("v_mad_i32_i24",
       [](uint32_t a, uint32_t b, uint32_t c) { return uint32_t(signed24(a)) * uint32_t(signed24(b)) + c; })
  LANE("v_mad_u64_u32", [](uint32_t a, uint32_t b, uint64_t c) {
    const uint64_t product = uint64_t(a) * b, sum = product + c;
    return Out<uint64_t>{sum, sum < product};
  })
  for (const char* name : {"v_mad_i64_i32", "v_mad_co_i64_i32"})
    table.add<([](int32_t a, int32_t b, int64_t c) {
      const __int128 sum = __int128(int64_t(a) * b) + c;
      return Out<int64_t>{int64_t(sum), sum != int64_t(sum)};
    })>(name);
  for (const char* name : {"v_mad_co_u64_u32"})
    table.add<([](uint32_t a, uint32_t b, uint64_t c) {
      const uint64_t product = uint64_t(a) * b, sum = product + c;
      return Out<uint64_t>{sum, sum < product};
    })>(name);
  LANE("v_mad_u32_u16", [](uint16_t a, uint16_t b, uint32_t c) { return uint32_t(a) * b + c; })
  LANE("v_mad_i32_i16", [](int16_t a, int16_t b, int32_t c) { return uint32_t(int32_t(a) * b) + uint32_t(c); })
}

void add_bits(LaneTable& table) {
  LANE("v_mov_b32", [](uint32_t a) { return a; })
  LANE("v_accvgpr_read_b32", [](uint32_t a) { return a; })
  LANE("v_accvgpr_write_b32", [](uint32_t a) { return a; })
  LANE("v_accvgpr_mov_b32", [](uint32_t a) { return a; })
  LANE("v_mov_b64", [](uint64_t a) { return a; })
  LANE("v_not_b32", [](uint32_t a) { return ~a; })
  LANE("v_and_b32", [](uint32_t a, uint32_t b) { return a & b; })
  LANE("v_or_b32", [](uint32_t a, uint32_t b) { return a | b; })
  LANE("v_xor_b32", [](uint32_t a, uint32_t b) { return a ^ b; })
  LANE("v_xnor_b32", [](uint32_t a, uint32_t b) { return ~(a ^ b); })
  LANE("v_and_or_b32", [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; })
  LANE("v_or3_b32", [](uint32_t a, uint32_t b, uint32_t c) { return a | b | c; })
  LANE("v_xor3_b32", [](uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; })
  LANE("v_lshl_or_b32", [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) | c; })
  LANE("v_bfi_b32", [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); })
  LANE("v_bfm_b32", [](uint32_t a, uint32_t b) { return ((1u << (a & 31)) - 1) << (b & 31); })
  LANE("v_bfe_u32", [](uint32_t a, uint32_t b, uint32_t c) { return a >> (b & 31) & ((1u << (c & 31)) - 1); })
  LANE("v_bfe_i32", [](int32_t a, uint32_t b, uint32_t c) {
    const unsigned width = c & 31;
    return width == 0 ? 0 : int32_t(uint32_t(a >> (b & 31)) << (32 - width)) >> (32 - width);
  })
  LANE("v_lshlrev_b32", [](uint32_t a, uint32_t b) { return b << (a & 31); })
  LANE("v_lshrrev_b32", [](uint32_t a, uint32_t b) { return b >> (a & 31); })
  LANE("v_ashrrev_i32", [](uint32_t a, int32_t b) { return b >> (a & 31); })
  LANE("v_lshlrev_b64", [](uint32_t a, uint64_t b) { return b << (a & 63); })
  LANE("v_lshrrev_b64", [](uint32_t a, uint64_t b) { return b >> (a & 63); })
  LANE("v_ashrrev_i64", [](uint32_t a, int64_t b) { return b >> (a & 63); })
  LANE("v_bfrev_b32", [](uint32_t a) {
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
  })
  LANE("v_bcnt_u32_b32", [](uint32_t a, uint32_t b) { return uint32_t(std::popcount(a)) + b; })
  for (const char* name : {"v_ffbh_u32", "v_clz_i32_u32"})
    table.add<([](uint32_t a) { return a == 0 ? -1 : std::countl_zero(a); })>(name);
  for (const char* name : {"v_ffbl_b32", "v_ctz_i32_b32"})
    table.add<([](uint32_t a) { return a == 0 ? -1 : std::countr_zero(a); })>(name);
  for (const char* name : {"v_ffbh_i32", "v_cls_i32"}) table.add<([](uint32_t a) { return leading_signs(a); })>(name);
  LANE("v_alignbit_b32",
       [](uint32_t a, uint32_t b, uint32_t c) { return uint32_t((uint64_t(a) << 32 | b) >> (c & 31)); })
  LANE("v_alignbyte_b32",
       [](uint32_t a, uint32_t b, uint32_t c) { return uint32_t((uint64_t(a) << 32 | b) >> (8 * (c & 3))); })
  LANE("v_perm_b32", [](uint32_t a, uint32_t b, uint32_t c) {
    return permuted_byte(a, b, byte(c, 0)) | permuted_byte(a, b, byte(c, 1)) << 8 |
           permuted_byte(a, b, byte(c, 2)) << 16 | permuted_byte(a, b, byte(c, 3)) << 24;
  })
  LANE("v_cndmask_b32", [](uint32_t a, uint32_t b, Bit c) { return c.value ? b : a; })
  LANE("v_cndmask_b16", [](uint16_t a, uint16_t b, Bit c) { return c.value ? b : a; })
  LANE("v_mbcnt_lo_u32_b32", [](uint32_t a, uint32_t b, Lane lane) {
    const uint32_t below = lane.value >= 32 ? ~0u : (1u << lane.value) - 1;
    return uint32_t(std::popcount(a & below)) + b;
  })
  LANE("v_mbcnt_hi_u32_b32", [](uint32_t a, uint32_t b, Lane lane) {
    const uint32_t below = lane.value <= 32 ? 0 : (1u << (lane.value - 32)) - 1;
    return uint32_t(std::popcount(a & below)) + b;
  })
}

void add_extremes(LaneTable& table) {
  LANE("v_min_u32", [](uint32_t a, uint32_t b) { return std::min(a, b); })
  LANE("v_max_u32", [](uint32_t a, uint32_t b) { return std::max(a, b); })
  LANE("v_min_i32", [](int32_t a, int32_t b) { return std::min(a, b); })
  LANE("v_max_i32", [](int32_t a, int32_t b) { return std::max(a, b); })
  LANE("v_min3_u32", [](uint32_t a, uint32_t b, uint32_t c) { return std::min(std::min(a, b), c); })
  LANE("v_max3_u32", [](uint32_t a, uint32_t b, uint32_t c) { return std::max(std::max(a, b), c); })
  LANE("v_min3_i32", [](int32_t a, int32_t b, int32_t c) { return std::min(std::min(a, b), c); })
  LANE("v_max3_i32", [](int32_t a, int32_t b, int32_t c) { return std::max(std::max(a, b), c); })
  LANE("v_med3_u32", [](uint32_t a, uint32_t b, uint32_t c) { return middle(a, b, c); })
  LANE("v_med3_i32", [](int32_t a, int32_t b, int32_t c) { return middle(a, b, c); })
  LANE("v_minmax_u32", [](uint32_t a, uint32_t b, uint32_t c) { return std::max(std::min(a, b), c); })
  LANE("v_maxmin_u32", [](uint32_t a, uint32_t b, uint32_t c) { return std::min(std::max(a, b), c); })
  LANE("v_minmax_i32", [](int32_t a, int32_t b, int32_t c) { return std::max(std::min(a, b), c); })
  LANE("v_maxmin_i32", [](int32_t a, int32_t b, int32_t c) { return std::min(std::max(a, b), c); })
}

void add_short(LaneTable& table) {
  for (const char* name : {"v_add_u16", "v_add_nc_u16", "v_add_i16", "v_add_nc_i16"})
    table.add<([](uint16_t a, uint16_t b) { return uint16_t(a + b); })>(name);
  for (const char* name : {"v_sub_u16", "v_sub_nc_u16", "v_sub_i16", "v_sub_nc_i16"})
    table.add<([](uint16_t a, uint16_t b) { return uint16_t(a - b); })>(name);
  LANE("v_subrev_u16", [](uint16_t a, uint16_t b) { return uint16_t(b - a); })
  LANE("v_mul_lo_u16", [](uint16_t a, uint16_t b) { return uint16_t(a * b); })
  for (const char* name : {"v_mad_u16", "v_mad_i16", "v_mad_legacy_u16", "v_mad_legacy_i16"})
    table.add<([](uint16_t a, uint16_t b, uint16_t c) { return uint16_t(a * b + c); })>(name);
  LANE("v_sat_pk_u8_i16", [](uint32_t a) {
    const auto part = [](int16_t x) { return uint32_t(x < 0 ? 0 : x > 255 ? 255 : x); };
    return uint16_t(part(int16_t(a)) | part(int16_t(a >> 16)) << 8);
  })
  LANE("v_lshlrev_b16", [](uint16_t a, uint16_t b) { return uint16_t(b << (a & 15)); })
  LANE("v_lshrrev_b16", [](uint16_t a, uint16_t b) { return uint16_t(b >> (a & 15)); })
  LANE("v_ashrrev_i16", [](uint16_t a, int16_t b) { return int16_t(b >> (a & 15)); })
  LANE("v_min_u16", [](uint16_t a, uint16_t b) { return std::min(a, b); })
  LANE("v_max_u16", [](uint16_t a, uint16_t b) { return std::max(a, b); })
  LANE("v_min_i16", [](int16_t a, int16_t b) { return std::min(a, b); })
  LANE("v_max_i16", [](int16_t a, int16_t b) { return std::max(a, b); })
  LANE("v_min3_u16", [](uint16_t a, uint16_t b, uint16_t c) { return std::min(std::min(a, b), c); })
  LANE("v_max3_u16", [](uint16_t a, uint16_t b, uint16_t c) { return std::max(std::max(a, b), c); })
  LANE("v_min3_i16", [](int16_t a, int16_t b, int16_t c) { return std::min(std::min(a, b), c); })
  LANE("v_max3_i16", [](int16_t a, int16_t b, int16_t c) { return std::max(std::max(a, b), c); })
  LANE("v_med3_u16", [](uint16_t a, uint16_t b, uint16_t c) { return middle(a, b, c); })
  LANE("v_med3_i16", [](int16_t a, int16_t b, int16_t c) { return middle(a, b, c); })
  LANE("v_and_b16", [](uint16_t a, uint16_t b) { return uint16_t(a & b); })
  LANE("v_or_b16", [](uint16_t a, uint16_t b) { return uint16_t(a | b); })
  LANE("v_xor_b16", [](uint16_t a, uint16_t b) { return uint16_t(a ^ b); })
  LANE("v_not_b16", [](uint16_t a) { return uint16_t(~a); })
  LANE("v_mov_b16", [](uint16_t a) { return a; })
  LANE("v_pack_b32_f16",
       [](Half a, Half b) { return uint32_t(std::bit_cast<uint16_t>(a)) | uint32_t(std::bit_cast<uint16_t>(b)) << 16; })
}

void add_integer_functions(LaneTable& table) {
  add_sums(table);
  add_products(table);
  add_bits(table);
  add_extremes(table);
  add_short(table);
}

}  // namespace hipport::emulate
