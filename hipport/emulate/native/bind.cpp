// SPDX-License-Identifier: MIT
#include "bind.h"

#include "lanes.h"
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
    return table;
  }();
  return all;
}

const Op* unsupported(Wave& wave, const Op* op) {
  throw Fault(std::string("the instruction ") + op->name + " is not supported, at " + wave.program->place(op));
}

// Put what an instruction reads without naming it among the operands.
void add_implicit(const Decoded& decoded, unsigned lanes, std::vector<Operand>& operands) {
  if (decoded.name.substr(0, 10) == "v_div_fmas") operands.push_back({Bank::kScalar, uint8_t(lanes / 32), kVcc, 0});
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
  unsigned named = 0;
  for (const Kind kind : function.arguments) named += kind != Kind::kLane;
  Places* const places = new Places{uint8_t(results), op.operand_count < results + named};  // as long as the program
  op.extra = places;
  op.immediate = compares_exec;
  op.run = function.run[lanes == 64];
  op.keeps_high = processor.generation >= 10;
  op.modified = op.modifiers.any();
  for (unsigned i = 0; i < function.arguments.size(); ++i) {
    const Kind kind = function.arguments[i];
    if (kind == Kind::kLane) continue;
    if (kind == Kind::kHalfPair || kind == Kind::kShortPair || kind == Kind::kFloatPair) op.modified = true;
    const bool is_result = places->result_is_argument && i + 1 == function.arguments.size();
    const Operand& operand = op.operands[is_result ? 0 : results + i];
    if (operand.bank == Bank::kConstant) op.constants[i] = repeated(constant(operand, kind));
  }
  return true;
}

void bind_scalars(const Decoded& decoded, Op& op) {
  for (unsigned i = 0; i < op.operand_count; ++i) {
    const Operand& operand = op.operands[i];
    if (operand.bank != Bank::kConstant) continue;
    const bool is_long = operand.count == 2;
    op.values[i] =
        constant(operand, is_long && decoded.name.find("f64") == decoded.name.npos ? Kind::kLong : Kind::kInteger);
    // A literal of 64-bit operands has no sign unless it is an integer.
    if (is_long && operand.number == 255 && decoded.name.find("i64") == decoded.name.npos)
      op.values[i] = operand.literal;
  }
  if (decoded.has("simm16")) op.immediate = int16_t(decoded.get("simm16"));
}

}  // namespace

bool is_supported(const Op& op) { return op.run != &unsupported; }

Op bind(const Processor& processor, const Decoded& decoded, unsigned lanes) {
  Op op;
  op.name = decoded.row->name.data();
  op.modifiers = decoded.modifiers;
  std::vector<Operand> operands = decoded.operands;
  add_implicit(decoded, lanes, operands);
  for (const Operand& operand : operands)
    if (op.operand_count < kMostOperands) op.operands[op.operand_count++] = operand;
  bind_scalars(decoded, op);
  const auto found = scalar_table().find(decoded.name);
  if (found != scalar_table().end())
    op.run = found->second;
  else if (!bind_memory(processor, decoded, op) && !bind_lanes(processor, decoded, lanes, op))
    op.run = &unsupported;
  return op;
}

}  // namespace hipport::emulate
