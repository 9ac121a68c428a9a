// SPDX-License-Identifier: MIT
// Registers that m0 selects at run time.
#include "scalar.h"

#include <algorithm>

namespace hipport::emulate {
namespace {

template <typename T, bool Source, bool Destination>
const Op* move_scalar(Wave& wave, const Op* op) {
  Op moved = *op;
  if (Source) moved.operands[1].number = uint16_t(moved.operands[1].number + wave.scalars[kM0]);
  if (Destination) moved.operands[0].number = uint16_t(moved.operands[0].number + wave.scalars[kM0]);
  set_scalar<T>(wave, &moved, 0, scalar<T>(wave, &moved, 1));
  return op + 1;
}
const Op* move_scalar_two(Wave& wave, const Op* op) {
  Op moved = *op;
  moved.operands[1].number = uint16_t(moved.operands[1].number + (wave.scalars[kM0] & 0x3ff));
  moved.operands[0].number = uint16_t(moved.operands[0].number + (wave.scalars[kM0] >> 16 & 0x3ff));
  set_scalar<uint32_t>(wave, &moved, 0, scalar<uint32_t>(wave, &moved, 1));
  return op + 1;
}

// v_movrel*: m0 has one distance for both registers, or, of the `Two` forms, one for each.
template <bool Source, bool Destination, bool Two>
const Op* move_vector(Wave& wave, const Op* op) {
  const uint32_t m0 = wave.scalars[kM0], from = Two ? m0 & 0x3ff : m0, to = Two ? m0 >> 16 & 0x3ff : m0;
  Op moved = *op;
  if (Source) moved.operands[1].number = uint16_t(moved.operands[1].number + from);
  set_words(wave, op->operands[0].number + (Destination ? to : 0),
            [&](unsigned lane) { return word_of(wave, &moved, 1, lane, 0); });
  return op + 1;
}
const Op* swap_vectors(Wave& wave, const Op* op) {
  const uint32_t m0 = wave.scalars[kM0];
  uint32_t* const a = wave.v(op->operands[0].number + (m0 >> 16 & 0x3ff));
  uint32_t* const b = wave.v(op->operands[1].number + (m0 & 0x3ff));
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.active_lanes[i]) std::swap(a[i], b[i]);
  return op + 1;
}

// Up to s_set_gpr_idx_off, vector registers of some operands are counted from m0 (gfx9). Compilers put few instructions
// there, and no branch.
const Op* run_indexed(Wave& wave, const Op* op, unsigned which) {
  const std::string_view end = "s_set_gpr_idx_off";
  for (++op; op->name != end; ++op) {
    if (op->target != nullptr || op->run == nullptr) throw Fault("a branch with indexed registers is not supported");
    Op moved = *op;
    const unsigned distance = wave.scalars[kM0] & 0xff;
    const bool is_vector = std::string_view(op->name).substr(0, 2) == "v_";
    for (unsigned i = 0; is_vector && i < moved.operand_count; ++i) {
      Operand& operand = moved.operands[i];
      const unsigned bit = i == 0 ? 8 : 1u << (i - 1);
      if (operand.bank == Bank::kVector && (which & bit)) operand.number = uint16_t(operand.number + distance);
    }
    moved.alone(wave, &moved);
  }
  return op + 1;
}
const Op* start_indexing(Wave& wave, const Op* op) {
  const uint32_t which = uint32_t(op->immediate) & 15;
  wave.scalars[kM0] = (wave.scalars[kM0] & ~0xf0ffu) | (scalar<uint32_t>(wave, op, 0) & 0xff) | which << 12;
  return run_indexed(wave, op, which);
}

}  // namespace

void add_indexing(ScalarTable& table) {
  table["s_movrels_b32"] = &move_scalar<uint32_t, true, false>;
  table["s_movrels_b64"] = &move_scalar<uint64_t, true, false>;
  table["s_movreld_b32"] = &move_scalar<uint32_t, false, true>;
  table["s_movreld_b64"] = &move_scalar<uint64_t, false, true>;
  table["s_movrelsd_2_b32"] = &move_scalar_two;
  table["v_movrels_b32"] = &move_vector<true, false, false>;
  table["v_movreld_b32"] = &move_vector<false, true, false>;
  table["v_movrelsd_b32"] = &move_vector<true, true, false>;
  table["v_movrelsd_2_b32"] = &move_vector<true, true, true>;
  table["v_swaprel_b32"] = &swap_vectors;
  table["s_set_gpr_idx_on"] = &start_indexing;
  table["s_set_gpr_idx_idx"] = [](Wave& wave, const Op* op) {
    wave.scalars[kM0] = (wave.scalars[kM0] & ~0xffu) | (scalar<uint32_t>(wave, op, 0) & 0xff);
    return op + 1;
  };
}

}  // namespace hipport::emulate
