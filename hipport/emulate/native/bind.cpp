// SPDX-License-Identifier: MIT
#include "bind.h"

#include "formats.h"
#include "fuse.h"
#include "images.h"
#include "lanes.h"
#include "linear.h"
#include "matrix.h"
#include "modes.h"
#include "program.h"

namespace hipport::emulate {
namespace {

const LaneTable& lane_table() {
  static const LaneTable all = [] {
    LaneTable table;
    add_float_functions(table);
    add_integer_functions(table);
    add_comparisons(table);
    add_packed_functions(table);
    add_saturating_functions(table);
    return table;
  }();
  return all;
}

const Op* unsupported(Wave&, const Op* op) {
  throw Fault(std::string("the instruction ") + op->name + " is not supported");
}

// Put what an instruction reads without naming it among the operands.
void add_implicit(const Decoded& decoded, unsigned lanes, std::vector<Operand>& operands) {
  if (decoded.name.substr(0, 10) == "v_div_fmas") operands.push_back({Bank::kScalar, uint8_t(lanes / 32), kVcc, 0});
}

// In short encodings of gfx11 and later, operands of 16 bits have seven bits for the register and one for its half.
void choose_halves(const Processor& processor, const Decoded& decoded, const LaneFunction& function, unsigned results,
                   Op& op) {
  const std::string_view format = decoded.format->name;
  if (processor.generation < 11 || (format != "VOP1" && format != "VOP2" && format != "VOPC")) return;
  const auto choose = [&op](Operand& operand, unsigned bit) {
    if (operand.bank != Bank::kVector || operand.number < 128) return;
    operand.number = uint16_t(operand.number - 128);
    op.modifiers.select |= uint8_t(1u << bit);
  };
  for (unsigned i = 0; i < function.arguments.size(); ++i)
    if (is_16_bit(function.arguments[i])) {
      const bool is_result = op.operand_count < results + i + 1;
      if (is_result && op.operands[0].number >= 128) op.modifiers.select |= uint8_t(1u << i);
      if (!is_result) choose(op.operands[results + i], i);
    }
  if (is_16_bit(function.result) && results != 0 && !function.compares) choose(op.operands[0], 3);
}

// A literal for 64 bits has no sign unless the instruction's numbers have one.
uint64_t constant_of(const Decoded& decoded, const Operand& operand, Kind kind) {
  const bool is_signed = decoded.name.find("i64") != decoded.name.npos;
  const bool is_literal = operand.number == 255 && kind == Kind::kLong;
  return is_literal && !is_signed ? operand.literal : constant(operand, kind);
}

bool bind_lanes(const Processor& processor, const Decoded& decoded, unsigned lanes, Op& op) {
  const bool clamps_integer = decoded.modifiers.clamp;
  const LaneTable& table = lane_table();
  auto found = table.functions.end();
  if (clamps_integer) found = table.functions.find(std::string(decoded.name) + " clamp");
  const bool clamped = found != table.functions.end();
  if (!clamped) found = table.functions.find(decoded.name);
  if (found == table.functions.end()) return false;
  const LaneFunction& function = found->second;
  if (clamps_integer && !clamped && !is_float(function.result) && function.result != Kind::kHalfPair) return false;
  if (clamped) op.modifiers.clamp = false;
  const bool compares_exec = function.compares && decoded.name.substr(0, 7) == "v_cmpx_";
  const bool has_result = !(compares_exec && processor.generation >= 10);
  const unsigned results = function.compares ? has_result : function.results;
  choose_halves(processor, decoded, function, results, op);
  unsigned named = 0;
  for (const Kind kind : function.arguments) named += kind != Kind::kLane;
  Places* const places = new Places{uint8_t(results), op.operand_count < results + named};  // as long as the program
  op.extra = places;
  op.fusing = Fusing::kCall;
  op.immediate = compares_exec;
  op.run = function.run;
  op.keeps_high = processor.generation >= 10;
  op.modified = op.modifiers.any();
  if (!clamped) op.emission = find_emission(decoded.name);
  if (!clamped) op.linear = find_linear(decoded.name);
  for (unsigned i = 0; i < function.arguments.size(); ++i) {
    const Kind kind = function.arguments[i];
    if (kind == Kind::kLane) continue;
    if (kind == Kind::kHalfPair || kind == Kind::kShortPair || kind == Kind::kFloatPair) op.modified = true;
    const bool is_result = places->result_is_argument && i + 1 == function.arguments.size();
    const Operand& operand = op.operands[is_result ? 0 : results + i];
    if (operand.bank == Bank::kConstant) op.constants[i] = repeated(constant_of(decoded, operand, kind));
  }
  return true;
}

void bind_scalars(const Decoded& decoded, Op& op) {
  for (unsigned i = 0; i < op.operand_count; ++i) {
    const Operand& operand = op.operands[i];
    if (operand.bank != Bank::kConstant) continue;
    const bool is_long = operand.count == 2;
    const bool is_half = decoded.name.substr(0, 2) == "s_" && decoded.name.find("f16") != decoded.name.npos &&
                         decoded.name.find("f16_f32") == decoded.name.npos;
    const bool is_wide = is_long && decoded.name.find("f64") == decoded.name.npos;
    op.values[i] = constant_of(decoded, operand, is_half ? Kind::kHalf : is_wide ? Kind::kLong : Kind::kInteger);
  }
  if (decoded.has("simm16")) op.immediate = int16_t(decoded.get("simm16"));
  if (decoded.name.substr(0, 13) == "s_sendmsg_rtn") op.immediate = int64_t(decoded.get("ssrc0"));
  if (decoded.name == "s_set_gpr_idx_on") op.immediate = int64_t(decoded.get("ssrc1"));
}

bool starts(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// Return whether a scalar instruction computes and does nothing else. Of those that index registers, some fail.
bool is_plain_scalar(std::string_view name) {
  if (name.find("rel") != name.npos) return false;
  for (const std::string_view start :
       {"s_add", "s_sub",  "s_mul", "s_and", "s_or",   "s_xor", "s_nand", "s_nor", "s_xnor",
        "s_not", "s_mov",  "s_lsh", "s_ash", "s_bfe",  "s_bfm", "s_cmp",  "s_min", "s_max",
        "s_abs", "s_sext", "s_ff1", "s_ctz", "s_bcnt", "s_cse", "s_brev", "s_pack"})
    if (starts(name, start)) return true;
  return false;
}

bool is_end(std::string_view name) {
  return starts(name, "s_cbranch_") || name == "s_branch" || name == "s_barrier" || name == "s_barrier_wait" ||
         name == "s_endpgm";
}

// Scalar instructions have one result, others may have a mask as the second one.
bool writes_exec(std::string_view name, const Op& op) {
  const unsigned results = starts(name, "s_") ? 1 : 2;
  for (unsigned i = 0; i < results && i < op.operand_count; ++i) {
    const Operand& operand = op.operands[i];
    if (operand.bank == Bank::kScalar && operand.number <= kExec + 1 && operand.number + operand.count > kExec)
      return true;
  }
  return false;
}

Fusing fusing(const Decoded& decoded, const Op& op) {
  for (const Operand& operand : op.operands)
    if (operand.bank == Bank::kSpecial) return Fusing::kAlone;
  const std::string_view name = decoded.name;
  if (does_nothing(op.run)) return Fusing::kNothing;
  if (name == "s_cbranch_execz") return Fusing::kIfNone;
  if (is_end(name)) return Fusing::kEnd;
  if (name.find("saveexec") != name.npos || name.find("wrexec") != name.npos) return Fusing::kMask;
  if (op.modifiers.dpp.present || op.run == &unsupported) return Fusing::kAlone;
  const bool is_called = op.fusing == Fusing::kCall || is_plain_scalar(name) || starts(name, "v_read") ||
                         starts(name, "v_pk_mov") || starts(name, "v_fma_mix") || name == "ds_bpermute_b32";
  if (!is_called) return Fusing::kAlone;
  return writes_exec(name, op) || starts(name, "v_cmpx_") ? Fusing::kMask : Fusing::kCall;
}

}  // namespace

bool is_supported(const Op& op) { return op.run != &unsupported; }

Op bind(const Processor& processor, const Decoded& decoded, unsigned lanes) {
  Op op;
  op.name = decoded.row->slots.empty() ? decoded.name.data() : decoded.row->name.data();
  op.row = decoded.row->slots.empty() ? nullptr : decoded.row;
  op.modifiers = decoded.modifiers;
  op.mode_use = mode_use(decoded.name);
  std::vector<Operand> operands = decoded.operands;
  add_implicit(decoded, lanes, operands);
  for (const Operand& operand : operands)
    if (op.operand_count < kMostOperands) op.operands[op.operand_count++] = operand;
  bind_scalars(decoded, op);
  const auto found = scalar_table().find(decoded.name);
  if (found != scalar_table().end())
    op.run = found->second;
  else if (const Run wait = grid_wait(decoded.name))
    op.run = wait, op.immediate = int64_t(decoded.get("offset0"));
  else if (!bind_images(processor, decoded, op) && !bind_formatted(processor, decoded, op) &&
           !bind_memory(processor, decoded, lanes, op) && !bind_scaled_matrix(decoded, op) &&
           !bind_scaled_conversion(decoded, op) && !bind_matrix(processor, decoded, lanes, op) &&
           !bind_lanes(processor, decoded, lanes, op))
    op.run = &unsupported;
  op.fusing = fusing(decoded, op);
  if (decoded.name == "v_readfirstlane_b32") op.linear = find_linear(decoded.name);
  return op;
}

}  // namespace hipport::emulate
