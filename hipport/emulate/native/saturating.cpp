// SPDX-License-Identifier: MIT
// Integer arithmetic with the clamp bit: results that their type cannot hold become its nearest value.
#include "lanes.h"

#include <algorithm>
#include <limits>

namespace hipport::emulate {
namespace {

template <typename T>
T saturated(int64_t value) {
  return T(std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

template <typename T>
T sum(T a, T b) {
  return saturated<T>(int64_t(a) + b);
}
template <typename T>
T difference(T a, T b) {
  return saturated<T>(int64_t(a) - b);
}
template <typename T>
T reverse_difference(T a, T b) {
  return difference(b, a);
}
// T is the type of the result, U of the factors, of which `Bits` bits count.
template <typename T, typename U, unsigned Bits = 8 * sizeof(U)>
T product_and_sum(U a, U b, T c) {
  const auto factor = [](U x) { return int64_t(U(x << (8 * sizeof(U) - Bits)) >> (8 * sizeof(U) - Bits)); };
  return saturated<T>(factor(a) * factor(b) + c);
}

// Apply F to the low and to the high halves.
template <typename T, auto F>
ShortPair both(ShortPair a, ShortPair b) {
  return {uint32_t(uint16_t(F(T(a.bits), T(b.bits)))) | uint32_t(uint16_t(F(T(a.bits >> 16), T(b.bits >> 16)))) << 16};
}
template <typename T>
ShortPair both_products(ShortPair a, ShortPair b, ShortPair c) {
  const auto part = [&](unsigned shift) {
    return uint32_t(uint16_t(product_and_sum<T, T>(T(a.bits >> shift), T(b.bits >> shift), T(c.bits >> shift))));
  };
  return {part(0) | part(16) << 16};
}

// Products of numbers of `Bits` bits, added to one of 32 bits.
template <typename T, unsigned Bits>
T dot(uint32_t a, uint32_t b, T c) {
  int64_t all = c;
  for (unsigned low = 0; low < 32; low += Bits) {
    const auto part = [low](uint32_t x) { return int64_t(T(x << (32 - Bits - low)) >> (32 - Bits)); };
    all += part(a) * part(b);
  }
  return saturated<T>(all);
}
template <typename T>
T dot_of_pairs(ShortPair a, ShortPair b, T c) {
  return dot<T, 16>(a.bits, b.bits, c);
}

template <unsigned Bits>
int64_t distances(uint32_t a, uint32_t b) {
  int64_t all = 0;
  for (unsigned low = 0; low < 32; low += Bits) {
    const int64_t x = a << (32 - Bits - low) >> (32 - Bits), y = b << (32 - Bits - low) >> (32 - Bits);
    all += x < y ? y - x : x - y;
  }
  return all;
}
template <unsigned Bits>
uint32_t distances_and_sum(uint32_t a, uint32_t b, uint32_t c) {
  return saturated<uint32_t>(distances<Bits>(a, b) + c);
}

template <auto F>
void add(LaneTable& table, std::initializer_list<const char*> names) {
  for (const char* name : names) table.add<F>(name);
}

void add_saturating_sums(LaneTable& table) {
  add<&sum<uint32_t>>(table, {"v_add_u32 clamp", "v_add_nc_u32 clamp"});
  add<&sum<int32_t>>(table, {"v_add_i32 clamp", "v_add_nc_i32 clamp"});
  add<&sum<uint16_t>>(table, {"v_add_u16 clamp", "v_add_nc_u16 clamp"});
  add<&sum<int16_t>>(table, {"v_add_i16 clamp", "v_add_nc_i16 clamp"});
  add<&difference<uint32_t>>(table, {"v_sub_u32 clamp", "v_sub_nc_u32 clamp"});
  add<&difference<int32_t>>(table, {"v_sub_i32 clamp", "v_sub_nc_i32 clamp"});
  add<&difference<uint16_t>>(table, {"v_sub_u16 clamp", "v_sub_nc_u16 clamp"});
  add<&difference<int16_t>>(table, {"v_sub_i16 clamp", "v_sub_nc_i16 clamp"});
  add<&reverse_difference<uint32_t>>(table, {"v_subrev_u32 clamp", "v_subrev_nc_u32 clamp"});
  add<&reverse_difference<uint16_t>>(table, {"v_subrev_u16 clamp"});
  add<&distances_and_sum<8>>(table, {"v_sad_u8 clamp"});
  add<&distances_and_sum<16>>(table, {"v_sad_u16 clamp"});
  add<&distances_and_sum<32>>(table, {"v_sad_u32 clamp"});
}

void add_saturating_products(LaneTable& table) {
  add<&product_and_sum<uint16_t, uint16_t>>(table, {"v_mad_u16 clamp"});
  add<&product_and_sum<int16_t, int16_t>>(table, {"v_mad_i16 clamp"});
  add<&product_and_sum<uint32_t, uint16_t>>(table, {"v_mad_u32_u16 clamp"});
  add<&product_and_sum<int32_t, int16_t>>(table, {"v_mad_i32_i16 clamp"});
  add<&product_and_sum<uint32_t, uint32_t, 24>>(table, {"v_mad_u32_u24 clamp"});
  add<&product_and_sum<int32_t, int32_t, 24>>(table, {"v_mad_i32_i24 clamp"});
  add<&dot_of_pairs<int32_t>>(table, {"v_dot2_i32_i16 clamp"});
  add<&dot_of_pairs<uint32_t>>(table, {"v_dot2_u32_u16 clamp"});
  add<&dot<int32_t, 8>>(table, {"v_dot4_i32_i8 clamp"});
  add<&dot<uint32_t, 8>>(table, {"v_dot4_u32_u8 clamp"});
  add<&dot<int32_t, 4>>(table, {"v_dot8_i32_i4 clamp"});
  add<&dot<uint32_t, 4>>(table, {"v_dot8_u32_u4 clamp"});
}

void add_saturating_pairs(LaneTable& table) {
  add<&both<uint16_t, &sum<uint16_t>>>(table, {"v_pk_add_u16 clamp"});
  add<&both<int16_t, &sum<int16_t>>>(table, {"v_pk_add_i16 clamp"});
  add<&both<uint16_t, &difference<uint16_t>>>(table, {"v_pk_sub_u16 clamp"});
  add<&both<int16_t, &difference<int16_t>>>(table, {"v_pk_sub_i16 clamp"});
  add<&both_products<uint16_t>>(table, {"v_pk_mad_u16 clamp"});
  add<&both_products<int16_t>>(table, {"v_pk_mad_i16 clamp"});
}

}  // namespace

void add_saturating_functions(LaneTable& table) {
  add_saturating_sums(table);
  add_saturating_products(table);
  add_saturating_pairs(table);
}

}  // namespace hipport::emulate
