// SPDX-License-Identifier: MIT
#include "registers.h"

#include "access.h"
#include "decode.h"
#include "lanes.h"

#include <bit>
#include <set>
#include <string_view>

namespace hipport::emulate {
namespace {

bool starts(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Return whether the low half of a result depends on the low halves of its sources alone. Compilers add pairs of registers
// of which only the low ones have values.
bool is_upward(std::string_view name) {
  return starts(name, "v_mad_u64") || starts(name, "v_mad_i64") || starts(name, "v_mad_nc_") ||
         starts(name, "v_mad_co_") || starts(name, "v_lshlrev_b64") || starts(name, "v_lshl_add_u64") ||
         starts(name, "v_add_nc_u64") || starts(name, "v_add_u64") || starts(name, "v_mul_u64");
}

// Count the operands that are written.
uint8_t written(const Op& op) {
  if (op.row == nullptr) return op.operand_count > 0;  // a half of a dual instruction
  uint8_t count = 0;
  const std::string_view name = op.name;
  for (const Slot& slot : op.row->slots) {
    const bool is_result = slot.field == "vdst" || slot.field == "sdst" || slot.field == "sdata" ||
                           (slot.word.substr(0, 3) == "vcc" && (count == 1 || starts(name, "v_cmp_"))) ||
                           (slot.word.substr(0, 4) == "exec" && starts(name, "v_cmpx_"));
    if (!is_result) break;
    ++count;
  }
  return count;
}

const std::set<std::string_view>& leaves_scc() {
  static const std::set<std::string_view> all = {
      "s_mov_b32",         "s_mov_b64",        "s_movk_i32",      "s_cmov_b32",        "s_cmov_b64",
      "s_cmovk_i32",       "s_cselect_b32",    "s_cselect_b64",   "s_mul_i32",         "s_mulk_i32",
      "s_mul_hi_u32",      "s_mul_hi_i32",     "s_mul_u64",       "s_bitset0_b32",     "s_bitset1_b32",
      "s_bitset0_b64",     "s_bitset1_b64",    "s_sext_i32_i8",   "s_sext_i32_i16",    "s_bfm_b32",
      "s_bfm_b64",         "s_brev_b32",       "s_brev_b64",      "s_ff1_i32_b32",     "s_ff1_i32_b64",
      "s_ctz_i32_b32",     "s_ctz_i32_b64",    "s_flbit_i32_b32", "s_flbit_i32_b64",   "s_flbit_i32",
      "s_clz_i32_u32",     "s_clz_i32_u64",    "s_cls_i32",       "s_pack_ll_b32_b16", "s_pack_lh_b32_b16",
      "s_pack_hh_b32_b16", "s_pack_hl_b32_b16"};
  return all;
}

}  // namespace

FlowFacts flow_facts(const Op& op) {
  FlowFacts facts;
  const std::string_view name = op.name;
  facts.results = written(op);
  for (unsigned i = 0; i < facts.results; ++i)
    facts.writes_exec |= op.operands[i].bank == Bank::kScalar && op.operands[i].number == kExec;
  if (starts(name, "s_")) {
    facts.reads_scc = starts(name, "s_addc") || starts(name, "s_subb") || starts(name, "s_cselect") ||
                      starts(name, "s_cmov") || starts(name, "s_cbranch_scc") || starts(name, "s_add_co_ci") ||
                      starts(name, "s_sub_co_ci");
    if (starts(name, "s_cmp") || starts(name, "s_bitcmp")) {
      facts.flow = Flow::kCompare;
      return facts;
    }
    facts.writes_exec |= holds(name, "saveexec") || holds(name, "wrexec");
    if (starts(name, "s_load") || starts(name, "s_buffer") || starts(name, "s_get") || starts(name, "s_swappc") ||
        starts(name, "s_call") || starts(name, "s_mem") || facts.results == 0) {
      facts.flow = facts.results == 0 ? Flow::kNone : Flow::kUnknown;
      return facts;
    }
    facts.flow = Flow::kScalar;
    facts.writes_scc = leaves_scc().count(name) == 0;
    return facts;
  }
  if (starts(name, "ds_bpermute") || starts(name, "ds_permute") || starts(name, "ds_swizzle")) {
    facts.flow = Flow::kShuffle;
    for (unsigned i = 0; i < op.row->slots.size(); ++i)
      if (op.row->slots[i].field == (starts(name, "ds_swizzle") ? "addr" : "data0")) facts.shuffled = int(i);
    if (facts.shuffled < 0) facts.flow = Flow::kUnknown;
    return facts;
  }
  if (!starts(name, "v_") || facts.results == 0) {
    facts.flow = Flow::kUnknown;
    return facts;
  }
  if (starts(name, "v_cmp")) {
    facts.flow = Flow::kMask;
  } else if (starts(name, "v_cndmask")) {
    facts.flow = Flow::kSelect;
  } else if (starts(name, "v_readfirstlane")) {
    facts.flow = Flow::kReadFirst;
  } else if (starts(name, "v_readlane")) {
    facts.flow = Flow::kReadLane;
  } else if (starts(name, "v_writelane")) {
    facts.flow = Flow::kWriteLane;
  } else if (starts(name, "v_permlane") && !holds(name, "swap")) {
    facts.flow = Flow::kShuffle;
    facts.shuffled = 1;
  } else if (holds(name, "mfma") || holds(name, "wmma") || holds(name, "smfmac") || holds(name, "swap") ||
             holds(name, "movrel") || starts(name, "v_accvgpr_mov")) {
    facts.flow = Flow::kUnknown;
  } else {
    facts.flow = Flow::kLanes;
    facts.reads_result = holds(name, "mac_") || starts(name, "v_dot2c") || starts(name, "v_dot4c") ||
                         starts(name, "v_dot8c") || starts(name, "v_dot2acc");
  }
  return facts;
}

void Definedness::start(const Wave& wave, unsigned scalars, unsigned first_vectors) {
  vectors_.assign(wave.vectors.size() / wave.lanes, wave.all());
  origins_.assign(vectors_.size(), nullptr);
  for (unsigned i = 0; i < first_vectors; ++i) vectors_[i] = 0;
  for (unsigned i = 0; i < kScalars; ++i) scalars_[i] = i >= scalars && i < kFlatScratch ? ~0u : 0;
  scalars_[kVcc] = scalars_[kVcc + 1] = ~0u;
  scc_ = true;
}

void Definedness::set_lanes(unsigned number, uint64_t undefined, uint64_t changed, const Op* origin) {
  if (number >= vectors_.size()) return;
  vectors_[number] = (vectors_[number] & ~changed) | (undefined & changed);
  if (undefined & changed) origins_[number] = origin;
}

// Return the lanes in which a source is undefined.
uint64_t Definedness::lanes_of(const Wave& wave, const Op* op, unsigned operand, const Op*& origin) const {
  const Operand& from = op->operands[operand];
  uint64_t undefined = 0;
  if (from.bank == Bank::kVector) {
    for (unsigned i = 0; i < std::max<unsigned>(1, from.count); ++i) {
      const uint64_t here = lanes(from.number + i);
      if (here != 0) origin = this->origin(from.number + i);
      undefined |= here;
    }
  } else if (from.bank == Bank::kScalar && from.number < kScalars) {
    for (unsigned i = 0; i < std::max<unsigned>(1, from.count) && from.number + i < kScalars; ++i)
      if (scalars_[from.number + i] != 0) undefined = wave.all();
  }
  return undefined;
}

void Definedness::write_scalar(const Operand& to, uint64_t undefined) {
  if (to.bank != Bank::kScalar || to.number >= kScalars || to.number == kNull) return;
  scalars_[to.number] = uint32_t(undefined);
  if (to.count > 1) scalars_[to.number + 1] = uint32_t(undefined >> 32);
}

void Definedness::scalar(const Wave& wave, const Op* op, const FlowFacts& facts) {
  const std::string_view name = op->name;
  struct Value {
    uint64_t value, undefined;
  };
  const auto source = [&](unsigned operand) -> Value {
    if (operand >= op->operand_count) return {0, 0};
    const Operand& from = op->operands[operand];
    if (from.bank == Bank::kConstant) return {op->values[operand], 0};
    if (from.bank != Bank::kScalar || from.number + 1u >= kScalars) return {0, 0};
    const bool is_pair = from.count > 1;
    return {is_pair ? wave.pair(from.number) : wave.scalars[from.number],
            scalars_[from.number] | (is_pair ? uint64_t(scalars_[from.number + 1]) << 32 : 0)};
  };
  Value a = source(facts.results), b = source(facts.results + 1u);
  const bool saves = holds(name, "saveexec");
  if (saves) b = {wave.exec(), 0};
  const uint64_t any = a.undefined | b.undefined;
  uint64_t undefined = any != 0 ? ~uint64_t(0) : 0;
  if (starts(name, "s_mov_b") || starts(name, "s_not_b")) {
    undefined = a.undefined;
  } else if (starts(name, "s_and_")) {
    undefined = (a.undefined & b.undefined) | (a.undefined & b.value) | (b.undefined & a.value);
  } else if (starts(name, "s_or_")) {
    undefined = (a.undefined & b.undefined) | (a.undefined & ~b.value) | (b.undefined & ~a.value);
  } else if (starts(name, "s_andn2") || starts(name, "s_and_not") || starts(name, "s_orn2") || starts(name, "s_xor") ||
             starts(name, "s_nand") || starts(name, "s_nor") || starts(name, "s_xnor")) {
    undefined = any;
  } else if (starts(name, "s_cselect")) {
    undefined = scc_ ? ~uint64_t(0) : wave.scc ? a.undefined : b.undefined;
  } else if (starts(name, "s_cmov")) {
    if (!scc_ && !wave.scc) return;
    undefined = scc_ ? ~uint64_t(0) : a.undefined;
  } else if (starts(name, "s_bitset") || starts(name, "s_addk") || starts(name, "s_mulk")) {
    return;  // changes a register in part: what was undefined stays so
  } else if (facts.reads_scc && scc_) {
    undefined = ~uint64_t(0);
  }
  if (facts.writes_scc) scc_ = undefined != 0;
  // The old exec is saved, and is defined.
  write_scalar(op->operands[0], saves ? 0 : undefined);
  if (saves) scalars_[kExec] = uint32_t(undefined), scalars_[kExec + 1] = uint32_t(undefined >> 32);
}

void Definedness::select(const Wave& wave, const Op* op) {
  const Op *origin = nullptr, *first_origin = nullptr, *second_origin = nullptr;
  uint64_t first = lanes_of(wave, op, 1, first_origin), writable = wave.exec();
  const uint64_t second = lanes_of(wave, op, 2, second_origin);
  if (op->modifiers.dpp.present) first = lanes_that_read(wave, op->modifiers.dpp, first, writable);
  const unsigned number = op->operand_count > 3 ? op->operands[3].number : unsigned(kVcc);
  const uint64_t condition = wave.mask(number), unknown = mask(number, wave.lanes);
  const uint64_t undefined = unknown | (condition & second) | (~condition & first);
  origin = first & ~condition ? first_origin : second_origin;
  set_lanes(op->operands[0].number, undefined, writable, origin);
}

void Definedness::compute(const Wave& wave, const Op* op, const FlowFacts& facts) {
  uint64_t undefined = 0, low = 0, writable = wave.exec();
  const Op* origin = nullptr;
  for (unsigned i = facts.reads_result ? 0 : facts.results; i < op->operand_count; ++i) {
    const Operand& from = op->operands[i];
    // Carries are masks: a bit for each lane.
    const bool is_mask = from.bank == Bank::kScalar && i + 1u == op->operand_count && i >= facts.results + 2u &&
                         (from.number == kVcc || from.count == 2 || wave.lanes == 32);
    uint64_t here = is_mask ? mask(from.number, wave.lanes) : lanes_of(wave, op, i, origin);
    if (i == facts.results && op->modifiers.dpp.present)
      here = lanes_that_read(wave, op->modifiers.dpp, here, writable);
    undefined |= here;
    low |= from.bank == Bank::kVector && from.count == 2 ? here & lanes(from.number) : here;
  }
  if (facts.flow == Flow::kMask) {
    const uint64_t bits = undefined & wave.exec();
    for (unsigned i = 0; i < facts.results; ++i) {
      Operand to = op->operands[i];
      to.count = uint8_t(wave.lanes / 32);
      write_scalar(to, bits);
    }
    if (starts(op->name, "v_cmpx_")) scalars_[kExec] = uint32_t(bits), scalars_[kExec + 1] = uint32_t(bits >> 32);
    return;
  }
  const Operand& to = op->operands[0];
  if (to.bank != Bank::kVector) return;
  const bool has_low = to.count == 2 && is_upward(op->name);
  for (unsigned i = 0; i < std::max<unsigned>(1, to.count); ++i)
    set_lanes(to.number + i, has_low && i == 0 ? low : undefined, writable, origin);
  if (facts.results < 2) return;
  Operand carry = op->operands[1];
  carry.count = uint8_t(wave.lanes / 32);
  write_scalar(carry, undefined & wave.exec());
}

// Perform the operation on flags in the place of values, to see where they go.
void Definedness::shuffle(Wave& wave, const Op* op, unsigned operand) {
  const Operand &from = op->operands[operand], &to = op->operands[0];
  if (from.bank != Bank::kVector || to.bank != Bank::kVector) return;
  const uint64_t source = lanes(from.number), old = lanes(to.number);
  if ((source | old) == 0) return;
  const Op* const came_from = origin(source != 0 ? from.number : to.number);
  const std::vector<uint32_t> values(wave.v(from.number), wave.v(from.number) + wave.lanes);
  const std::vector<uint32_t> old_values(wave.v(to.number), wave.v(to.number) + wave.lanes);
  spread(old, wave.v(to.number), wave.lanes);
  spread(source, wave.v(from.number), wave.lanes);
  op->run(wave, op);
  uint64_t undefined = 0;
  for (unsigned i = 0; i < wave.lanes; ++i) undefined |= uint64_t(wave.v(to.number)[i] & 1) << i;
  std::copy(old_values.begin(), old_values.end(), wave.v(to.number));
  std::copy(values.begin(), values.end(), wave.v(from.number));
  set_lanes(to.number, undefined, wave.exec(), came_from);
}

void Definedness::propagate(Wave& wave, const Op* op, const FlowFacts& facts) {
  const Op* origin = nullptr;
  switch (facts.flow) {
    case Flow::kNone: return;
    case Flow::kScalar: return scalar(wave, op, facts);
    case Flow::kCompare: {
      scc_ = false;
      for (unsigned i = 0; i < op->operand_count; ++i) scc_ |= lanes_of(wave, op, i, origin) != 0;
      return;
    }
    case Flow::kLanes:
    case Flow::kMask: return compute(wave, op, facts);
    case Flow::kSelect: return select(wave, op);
    case Flow::kReadFirst:
    case Flow::kReadLane: {
      if (op->operands[1].bank != Bank::kVector) return write_scalar(op->operands[0], 0);
      unsigned lane = wave.exec() == 0 ? 0 : unsigned(std::countr_zero(wave.exec()));
      if (facts.flow == Flow::kReadLane) {
        const Operand& number = op->operands[2];
        lane = (number.bank == Bank::kScalar ? wave.scalars[number.number] : uint32_t(op->values[2])) % wave.lanes;
      }
      return write_scalar(op->operands[0], lanes(op->operands[1].number) >> lane & 1 ? ~uint64_t(0) : 0);
    }
    case Flow::kWriteLane: {
      const Operand& number = op->operands[2];
      const unsigned lane =
          (number.bank == Bank::kScalar ? wave.scalars[number.number] : uint32_t(op->values[2])) % wave.lanes;
      return set_lanes(op->operands[0].number, lanes_of(wave, op, 1, origin), uint64_t(1) << lane, nullptr);
    }
    case Flow::kShuffle: return shuffle(wave, op, unsigned(facts.shuffled));
    case Flow::kUnknown:
      for (unsigned i = 0; i < facts.results; ++i) {
        const Operand& to = op->operands[i];
        for (unsigned k = 0; k < std::max<unsigned>(1, to.count); ++k) {
          if (to.bank == Bank::kVector) set_lanes(to.number + k, 0, wave.all(), nullptr);
          if (to.bank == Bank::kScalar && to.number + k < kScalars) scalars_[to.number + k] = 0;
        }
      }
      return;
  }
}

}  // namespace hipport::emulate
