// SPDX-License-Identifier: MIT
// Moves between lanes and scalar registers, and between lanes.
#include "bind.h"
#include "lanes.h"
#include "scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hipport::emulate {
namespace {

const Op* read_first_lane(Wave& wave, const Op* op) {
  const unsigned lane = wave.exec() == 0 ? 0 : unsigned(std::countr_zero(wave.exec()));
  const Operand& from = op->operands[1];
  set_scalar<uint32_t>(wave, op, 0,
                       from.bank == Bank::kVector ? wave.v(from.number)[lane] : scalar<uint32_t>(wave, op, 1));
  return op + 1;
}
const Op* read_lane(Wave& wave, const Op* op) {
  set_scalar<uint32_t>(wave, op, 0, wave.v(op->operands[1].number)[scalar<uint32_t>(wave, op, 2) % wave.lanes]);
  return op + 1;
}
const Op* write_lane(Wave& wave, const Op* op) {
  const uint32_t value = scalar<uint32_t>(wave, op, 1);
  wave.v(op->operands[0].number)[scalar<uint32_t>(wave, op, 2) % wave.lanes] = value;
  return op + 1;
}
// Each lane of a row of 16 reads the lane of that row (of the other one of two, for permlanex16) that 4 bits name.
template <bool Other>
const Op* permute_rows(Wave& wave, const Op* op) {
  const uint64_t selectors = scalar<uint32_t>(wave, op, 2) | uint64_t(scalar<uint32_t>(wave, op, 3)) << 32;
  const uint32_t* const from = wave.v(op->operands[1].number);
  uint32_t* const to = wave.v(op->operands[0].number);
  const bool fetch_inactive = op->modifiers.select & 1, bound_control = op->modifiers.select >> 1 & 1;
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) {
    const unsigned lane = ((i & ~15u) ^ (Other ? 16u : 0u)) | unsigned(selectors >> (4 * (i & 15)) & 15);
    const bool valid = fetch_inactive || (wave.exec() >> lane & 1);
    found[i] = valid ? from[lane] : bound_control ? 0 : to[i];
  }
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = found[i];
  return op + 1;
}
const Op* exchange_halves(Wave& wave, const Op* op) {
  if (wave.lanes == 32) return op + 1;
  const uint32_t* const from = wave.v(op->operands[1].number);
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) found[i] = from[(i + 32) % wave.lanes];
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) wave.v(op->operands[0].number)[i] = found[i];
  return op + 1;
}
const Op* swap_registers(Wave& wave, const Op* op) {
  uint32_t *const a = wave.v(op->operands[0].number), *const b = wave.v(op->operands[1].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) std::swap(a[i], b[i]);
  return op + 1;
}
// The highest bit of a register's number selects its upper half.
const Op* swap_halves(Wave& wave, const Op* op) {
  const unsigned first = op->operands[0].number, second = op->operands[1].number;
  uint32_t *const a = wave.v(first & 127), *const b = wave.v(second & 127);
  const unsigned from_a = first >> 7 ? 16 : 0, from_b = second >> 7 ? 16 : 0;
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    const uint32_t of_a = a[i] >> from_a & 0xffff, of_b = b[i] >> from_b & 0xffff;
    a[i] = (a[i] & ~(0xffffu << from_a)) | of_b << from_a;
    b[i] = (b[i] & ~(0xffffu << from_b)) | of_a << from_b;
  }
  return op + 1;
}

// Each result is one of a pair.
const Op* move_packed(Wave& wave, const Op* op) {
  const unsigned to = op->operands[0].number, select = op->modifiers.select;
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    const uint32_t low = word_of(wave, op, 1, i, select & 1), high = word_of(wave, op, 2, i, select >> 1 & 1);
    wave.v(to)[i] = low;
    wave.v(to + 1)[i] = high;
  }
  return op + 1;
}

constexpr float kLeastSingle = 0x1p-126f, kLeastHalf = 0x1p-14f;  // that are not denormal
float flushed(float value, float least) { return std::fabs(value) < least ? std::copysign(0.0f, value) : value; }

// v_fma_mix: each source has 16 bits or 32, and so has the result (`Part`: 0 for 32 bits, 1 and 2 for a half).
template <unsigned Part>
const Op* fused_mixed(Wave& wave, const Op* op) {
  const Modifiers& all = op->modifiers;
  uint32_t* const to = wave.v(op->operands[0].number);
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    float sources[3];
    for (unsigned k = 0; k < 3; ++k) {
      const bool is_half = all.select_high >> k & 1;
      const bool is_constant = op->operands[k + 1].bank == Bank::kConstant;
      const uint32_t word = is_half && is_constant ? uint32_t(constant(op->operands[k + 1], Kind::kHalf))
                                                   : word_of(wave, op, k + 1, i, 0);
      const uint16_t half = uint16_t(all.select >> k & 1 ? word >> 16 : word);
      float value = is_half ? float(std::bit_cast<Half>(half)) : std::bit_cast<float>(word);
      if (all.flush >> (is_half ? 2 : 0) & 1) value = flushed(value, is_half ? kLeastHalf : kLeastSingle);
      if (all.negate_high >> k & 1) value = std::fabs(value);
      sources[k] = all.negate >> k & 1 ? -value : value;
    }
    float result = __builtin_fmaf(sources[0], sources[1], sources[2]);
    if (all.flush >> (Part == 0 ? 1 : 3) & 1) result = flushed(result, Part == 0 ? kLeastSingle : kLeastHalf);
    if (all.clamp) result = result > 0 ? (result < 1 ? result : 1.0f) : 0.0f;
    if constexpr (Part == 0) {
      to[i] = std::bit_cast<uint32_t>(result);
    } else {
      const uint32_t half = std::bit_cast<uint16_t>(Half(result));
      to[i] = Part == 1 ? (to[i] & 0xffff0000u) | half : (to[i] & 0xffff) | half << 16;
    }
  }
  return op + 1;
}

}  // namespace

void add_lane_moves(ScalarTable& table) {
  table["v_readfirstlane_b32"] = &read_first_lane;
  table["v_readlane_b32"] = &read_lane;
  table["v_writelane_b32"] = &write_lane;
  table["v_permlane16_b32"] = &permute_rows<false>;
  table["v_permlanex16_b32"] = &permute_rows<true>;
  table["v_permlane64_b32"] = &exchange_halves;
  table["v_pk_mov_b32"] = &move_packed;
  for (const char* name : {"v_fma_mix_f32", "v_mad_mix_f32"}) table[name] = &fused_mixed<0>;
  for (const char* name : {"v_fma_mixlo_f16", "v_mad_mixlo_f16"}) table[name] = &fused_mixed<1>;
  for (const char* name : {"v_fma_mixhi_f16", "v_mad_mixhi_f16"}) table[name] = &fused_mixed<2>;
  table["v_swap_b16"] = &swap_halves;
  table["v_swap_b32"] = &swap_registers;
}

}  // namespace hipport::emulate
