// SPDX-License-Identifier: MIT
// Machine code for scalar operations: loads to rax and rcx, one instruction, and the flag that becomes scc.
#include "emit.h"
#include "host_codes.h"

#include <cstddef>
#include <map>
#include <string_view>

namespace hipport::emulate {
namespace {

// In place of a condition and of an operation.
constexpr uint8_t kNoFlag = 16, kMove = 0;

enum class Form : uint8_t {
  kShift,
  kMultiply,
  kTwo,
  kInvertedSecond,
  kMove,
  kCompare,
  kConstant,
  kCompareConstant,
  kMoveConstant
};

struct ScalarEmission {
  Form form;
  uint8_t operation;
  uint8_t flag;
  bool wide = false, uses_scc = false;
};
using Table = std::map<std::string_view, ScalarEmission>;

void add_sums(Table& all) {
  for (const char* name : {"s_add_u32", "s_add_co_u32"}) all[name] = {Form::kTwo, kAdd, kBelow};
  for (const char* name : {"s_sub_u32", "s_sub_co_u32"}) all[name] = {Form::kTwo, kSubtract, kBelow};
  for (const char* name : {"s_add_i32", "s_add_co_i32"}) all[name] = {Form::kTwo, kAdd, kOverflow};
  for (const char* name : {"s_sub_i32", "s_sub_co_i32"}) all[name] = {Form::kTwo, kSubtract, kOverflow};
  for (const char* name : {"s_addc_u32", "s_add_co_ci_u32"}) all[name] = {Form::kTwo, kAddCarry, kBelow, false, true};
  for (const char* name : {"s_subb_u32", "s_sub_co_ci_u32"})
    all[name] = {Form::kTwo, kSubtractBorrow, kBelow, false, true};
  for (const char* name : {"s_addk_i32", "s_addk_co_i32"}) all[name] = {Form::kConstant, kAdd, kOverflow};
}

void add_logic(Table& all) {
  all["s_and_b32"] = {Form::kTwo, kAnd, kNotEqual};
  all["s_or_b32"] = {Form::kTwo, kOr, kNotEqual};
  all["s_xor_b32"] = {Form::kTwo, kXor, kNotEqual};
  all["s_and_b64"] = {Form::kTwo, kAnd, kNotEqual, true};
  all["s_or_b64"] = {Form::kTwo, kOr, kNotEqual, true};
  all["s_xor_b64"] = {Form::kTwo, kXor, kNotEqual, true};
  for (const char* name : {"s_andn2_b32", "s_and_not1_b32"}) all[name] = {Form::kInvertedSecond, kAnd, kNotEqual};
  for (const char* name : {"s_andn2_b64", "s_and_not1_b64"}) all[name] = {Form::kInvertedSecond, kAnd, kNotEqual, true};
  all["s_lshl_b32"] = {Form::kShift, 4, kNotEqual};
  all["s_lshr_b32"] = {Form::kShift, 5, kNotEqual};
  all["s_ashr_i32"] = {Form::kShift, 7, kNotEqual};
  all["s_lshl_b64"] = {Form::kShift, 4, kNotEqual, true};
  all["s_lshr_b64"] = {Form::kShift, 5, kNotEqual, true};
  all["s_mul_i32"] = {Form::kMultiply, 0, kNoFlag};
  all["s_mov_b32"] = {Form::kMove, kMove, kNoFlag};
  all["s_mov_b64"] = {Form::kMove, kMove, kNoFlag, true};
  all["s_movk_i32"] = {Form::kMoveConstant, kMove, kNoFlag};
}

void add_comparisons(Table& all) {
  static const std::map<std::string_view, std::pair<uint8_t, uint8_t>> conditions = {
      {"eq", {kEqual, kEqual}},      {"lg", {kNotEqual, kNotEqual}}, {"gt", {kGreater, kAbove}},
      {"ge", {kNotLess, kNotBelow}}, {"lt", {kLessThan, kBelow}},    {"le", {kNotGreater, kNotAbove}}};
  for (const auto& [condition, flags] : conditions) {
    // The table keeps views of names for as long as the program runs.
    const auto name = [&condition](const char* start, const char* type) -> std::string_view {
      return *new std::string(start + std::string(condition) + type);
    };
    all[name("s_cmp_", "_i32")] = {Form::kCompare, kCompare, flags.first};
    all[name("s_cmp_", "_u32")] = {Form::kCompare, kCompare, flags.second};
    all[name("s_cmp_", "_u64")] = {Form::kCompare, kCompare, flags.second, true};
    all[name("s_cmpk_", "_i32")] = {Form::kCompareConstant, kCompare, flags.first};
  }
}

const Table& table() {
  static const Table found = [] {
    Table all;
    add_sums(all);
    add_logic(all);
    add_comparisons(all);
    return all;
  }();
  return found;
}

constexpr At kScc{kWave, int32_t(offsetof(Wave, scc))};

void load(Assembler& code, const Op& op, unsigned index, Register to, bool wide) {
  const Operand& operand = op.operands[index];
  if (operand.bank == Bank::kConstant) return code.constant(to, wide ? op.values[index] : uint32_t(op.values[index]));
  wide ? code.load_words(to, scalar_place(operand.number)) : code.load_32(to, scalar_place(operand.number));
}

void store(Assembler& code, const Op& op, bool wide) {
  const unsigned number = op.operands[0].number == kNull ? unsigned(kNowhere) : op.operands[0].number;
  wide ? code.store_64(kRax, scalar_place(number)) : code.store_32(kRax, scalar_place(number));
}

// Load the sources to rax and rcx.
void load_sources(Assembler& code, const Op& op, const ScalarEmission& how) {
  const bool compares = how.form == Form::kCompare || how.form == Form::kCompareConstant;
  const bool is_constant = how.form == Form::kConstant || how.form == Form::kCompareConstant;
  const unsigned first = compares || is_constant ? 0 : 1;
  load(code, op, first, kRax, how.wide);
  if (is_constant)
    code.constant(kRcx, uint32_t(op.immediate));
  else
    load(code, op, first + 1, kRcx, how.wide);
}

// A load of whole registers: the address to rax, then words by way of rcx.
void emit_load(Assembler& code, const Op& op) {
  const unsigned to = op.operands[0].number, count = op.operands[0].count;
  code.load_words(kRax, scalar_place(op.operands[1].number));
  code.clear_low_bits(kRax);
  if (op.extra != nullptr) {
    code.load_32(kRcx, scalar_place(unsigned(reinterpret_cast<uintptr_t>(op.extra)) - 1));
    code.compute(kAdd, kRax, kRcx, true);
  }
  const int32_t offset = int32_t(op.immediate);
  for (unsigned i = 0; i < count; i += 2) {
    const At from{kRax, offset + int32_t(4 * i)}, place = scalar_place(to + i);
    const bool both = i + 1 < count;
    both ? code.load_64(kRcx, from) : code.load_32(kRcx, from);
    both ? code.store_64(kRcx, place) : code.store_32(kRcx, place);
  }
}

}  // namespace

KeptMask emit_kept_mask(Assembler& code, const Op& op, bool lanes_are_64, bool needs_scc) {
  const std::string_view name = op.name, type = lanes_are_64 ? "_b64" : "_b32";
  const auto is = [&](std::string_view start) { return name == std::string(start) + std::string(type); };
  const auto is_exec = [&op](unsigned i) {
    return op.operands[i].bank == Bank::kScalar && op.operands[i].number == kExec;
  };
  const bool saves = is("s_and_saveexec"), ors = is("s_or"), ands = is("s_and");
  const bool clears = (is("s_andn2") || is("s_and_not1")) && is_exec(1);
  if (!saves && !((ands || ors || clears) && is_exec(0) && (is_exec(1) || is_exec(2)))) return {};
  size_t other = 0;
  if (clears) {
    load(code, op, 2, kRax, lanes_are_64);
    code.test(kRax, lanes_are_64);
    other = code.jump_if(kNotEqual);
  } else if (!ors) {
    load(code, op, saves || !is_exec(1) ? 1 : 2, kRax, lanes_are_64);
    code.constant(kRcx, lanes_are_64 ? ~uint64_t(0) : 0xffffffffu);
    code.compute(kCompare, kRax, kRcx, lanes_are_64);
    other = code.jump_if(kNotEqual);
  }
  if (saves) store(code, op, lanes_are_64);
  if (needs_scc) code.store_byte(kScc, 1);
  return {true, other};
}

SccUse scalar_scc_use(std::string_view name) {
  const auto found = table().find(name);
  if (found == table().end() || found->second.uses_scc) return SccUse::kReads;
  return found->second.flag == kNoFlag ? SccUse::kNone : SccUse::kWrites;
}

bool emit_scalar(Assembler& code, const Op& op, bool needs_scc) {
  if (op.access == AccessKind::kScalar) return emit_load(code, op), true;
  const auto found = table().find(op.name);
  if (found == table().end()) return false;
  const ScalarEmission& how = found->second;
  if (how.form == Form::kMoveConstant) {
    code.constant(kRax, uint32_t(op.immediate));
  } else if (how.form == Form::kMove) {
    load(code, op, 1, kRax, how.wide);
  } else if (how.form == Form::kShift) {
    if (op.operands[2].bank != Bank::kConstant) return false;
    load(code, op, 1, kRax, how.wide);
    code.shift(how.operation, kRax, op.values[2] & (how.wide ? 63 : 31), how.wide);
    if (needs_scc) code.test(kRax, how.wide), code.set(how.flag, kScc);
  } else if (how.form == Form::kMultiply) {
    load_sources(code, op, how);
    code.multiply(kRax, kRcx);
  } else {
    load_sources(code, op, how);
    if (how.form == Form::kInvertedSecond) code.invert(kRcx, how.wide);
    if (how.uses_scc) code.carry_from(kScc);
    code.compute(how.operation, kRax, kRcx, how.wide);
    if (needs_scc) code.set(how.flag, kScc);
  }
  if (how.form != Form::kCompare && how.form != Form::kCompareConstant) store(code, op, how.wide);
  return true;
}

}  // namespace hipport::emulate
