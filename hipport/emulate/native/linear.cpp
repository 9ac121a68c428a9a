// SPDX-License-Identifier: MIT
#include "linear.h"

#include "emit.h"
#include "host_codes.h"
#include "lanes.h"

#include <map>

namespace hipport::emulate {
namespace {

// Which shift, in the host's opcodes.
enum : uint8_t { kLeft = 4, kRight = 5, kSignedRight = 7 };

using Table = std::map<std::string_view, LinearEmission>;

void add_sums(Table& table) {
  using enum LinearForm;
  table["v_mov_b32"] = {kMove};
  table["v_readfirstlane_b32"] = {kReadFirst};
  for (const char* name : {"v_add_u32", "v_add_nc_u32"}) table[name] = {kAdd};
  for (const char* name : {"v_sub_u32", "v_sub_nc_u32"}) table[name] = {kSubtract};
  for (const char* name : {"v_subrev_u32", "v_subrev_nc_u32"}) table[name] = {kSubtract, 0, true};
  table["v_add3_u32"] = {kAddThree};
  table["v_lshlrev_b32"] = {kShiftLeft};
  table["v_lshl_add_u32"] = {kShiftAdd};
  table["v_add_lshl_u32"] = {kAddShift};
  table["v_mul_lo_u32"] = {kMultiply};
  table["v_add_co_u32"] = {kAddCarry};
  table["v_sub_co_u32"] = {kSubtractCarry};
  table["v_subrev_co_u32"] = {kSubtractCarry, 0, true};
  for (const char* name : {"v_addc_co_u32", "v_add_co_ci_u32"}) table[name] = {kAddWithCarry};
  for (const char* name : {"v_lshlrev_b64", "v_lshlrev_b64_e64"}) table[name] = {kShiftWide};
  table["v_lshl_add_u64"] = {kShiftAddWide};
  for (const char* name : {"v_mad_u64_u32", "v_mad_co_u64_u32"}) table[name] = {kMultiplyWide};
}

void add_bits(Table& table) {
  using enum LinearForm;
  table["v_lshrrev_b32"] = {kShiftRight, kRight};
  table["v_ashrrev_i32"] = {kShiftRight, kSignedRight};
  table["v_bfe_u32"] = {kField, kRight};
  table["v_and_b32"] = {kBits, kAnd};
  table["v_xor_b32"] = {kBits, kXor};
  table["v_or_b32"] = {kJoin};
  table["v_lshl_or_b32"] = {kShiftOr};
  table["v_min_i32"] = {kExtreme, kGreater};
  table["v_max_i32"] = {kExtreme, kLessThan};
  table["v_min_u32"] = {kExtreme, kAbove};
  table["v_max_u32"] = {kExtreme, kBelow};
}

void add_comparisons(Table& table) {
  static const std::map<std::string_view, std::pair<uint8_t, uint8_t>> conditions = {
      {"eq", {kEqual, kEqual}},      {"ne", {kNotEqual, kNotEqual}}, {"gt", {kGreater, kAbove}},
      {"ge", {kNotLess, kNotBelow}}, {"lt", {kLessThan, kBelow}},    {"le", {kNotGreater, kNotAbove}}};
  for (const auto& [condition, flags] : conditions)
    for (const bool is_signed : {false, true}) {
      const std::string end = std::string(condition) + (is_signed ? "_i32" : "_u32");
      // The table keeps views of names for as long as the program runs.
      const uint8_t flag = is_signed ? flags.first : flags.second;
      table[*new std::string("v_cmp_" + end)] = {LinearForm::kCompare, flag, false, is_signed};
      table[*new std::string("v_cmpx_" + end)] = {LinearForm::kCompareExec, flag, false, is_signed};
    }
}

}  // namespace

bool is_plain(const Op& op) {
  const Modifiers& all = op.modifiers;
  return !all.any() && !all.clamp && all.select_high == 7 && all.negate_high == 0;
}

const LinearEmission* find_linear(std::string_view name) {
  static const Table table = [] {
    Table all;
    add_sums(all);
    add_bits(all);
    add_comparisons(all);
    return all;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

void LinearTranslator::add_exit(size_t jump, const Op& op) {
  if (before_ == nullptr) before_ = std::make_shared<const Values>(values_);
  exits_.push_back({jump, &op, before_, run_.is_empty() ? nullptr : std::make_shared<Emitter>(run_)});
}

// ---- operands ----

LinearTranslator::Term LinearTranslator::term(unsigned argument, unsigned which) const {
  const Places& places = *static_cast<const Places*>(op_->extra);
  const Operand& operand = op_->operands[places.first_argument + argument];
  if (operand.bank == Bank::kScalar) return {Term::Kind::kMemory, 0, scalar_place(operand.number + which)};
  if (const uint32_t* const constants = op_->constants[argument]; constants != nullptr)
    return {Term::Kind::kConstant, constants[which * kMaxLanes]};
  return operand.bank == Bank::kVector ? term_of(operand.number + which) : Term{};
}

LinearTranslator::Term LinearTranslator::term_of(unsigned number) const {
  const Value value = values_.at(number);
  if (!value.is_linear()) return {};
  return {Term::Kind::kMemory, 0, base_place(number), value.stride, value.exact, int(number)};
}

void LinearTranslator::load(Register to, const Term& term) {
  term.is_constant() ? code_.constant(to, term.value) : code_.load_32(to, term.place);
}

void LinearTranslator::load_pair(Register to, const Term& low, const Term& high) {
  if (low.is_constant() && high.is_constant()) return code_.constant(to, low.value | uint64_t(high.value) << 32);
  code_.load_words(to, low.place);  // words of a pair are neighbors
}

void LinearTranslator::combine(uint8_t operation, Register to, const Term& term) {
  if (term.is_constant()) return code_.compute_constant(operation, to, term.value);
  code_.compute_with(operation, to, term.place, false);
}

void LinearTranslator::last_lane(Register first, uint32_t stride, Register to) {
  code_.load_address_32(to, {first, int32_t(stride * (lanes_ - 1))});
}

void LinearTranslator::keep_exact(Register first, uint32_t stride, bool is_signed) {
  if (stride == 0) return;
  last_lane(first, stride);
  code_.compute(kCompare, kRsi, first, false);
  exit_if(is_signed ? kLessThan : kBelow);
}

void LinearTranslator::keep_exact(Register loaded, const Term& term) {
  if (term.exact) return;
  keep_exact(loaded, term.stride);
  values_.set_exact(unsigned(term.vector));
}

unsigned LinearTranslator::result() const { return op_->operands[0].number; }

bool LinearTranslator::finish(uint32_t stride, bool exact) {
  code_.store_32(kRax, base_place(result()));
  values_.set_linear(result(), stride, exact);
  return true;
}

bool LinearTranslator::finish_wide(uint32_t stride) {
  code_.store_64(kRax, base_place(result()));
  values_.set_linear(result(), stride, true);
  values_.set_linear(result() + 1, 0, true);
  return true;
}

void LinearTranslator::store_mask(Register from, unsigned operand) {
  const unsigned number = op_->operands[operand].number;
  if (number == kNull) return;
  masks_are_wide() ? code_.store_64(from, scalar_place(number)) : code_.store_32(from, scalar_place(number));
}

// Set the carry flag by a mask of lanes, which must be the same for all of them. Changes rdx and rsi.
void LinearTranslator::load_carry(unsigned operand) {
  const At place = scalar_place(op_->operands[operand].number);
  const bool wide = masks_are_wide();
  wide ? code_.load_64(kRdx, place) : code_.load_32(kRdx, place);
  wide ? code_.load_address_64(kRsi, {kRdx, 1}) : code_.load_address_32(kRsi, {kRdx, 1});
  code_.compare_with(kRsi, 1, wide);
  exit_if(kAbove);
  code_.compute_constant(kAdd, kRdx, 1);
}

// ---- sums, shifts and the like ----

bool LinearTranslator::emit_move(const LinearEmission&) {
  const Term from = term(0);
  if (!from.is_known()) return false;
  load(kRax, from);
  return finish(from.stride, from.exact);
}

bool LinearTranslator::emit_read_first() {
  const Operand &to = op_->operands[0], &from = op_->operands[1];
  if (to.bank != Bank::kScalar || from.bank != Bank::kVector || to.number >= kExec) return false;
  if (!values_.at(from.number).is_linear()) return false;
  code_.load_32(kRax, base_place(from.number));
  code_.store_32(kRax, scalar_place(to.number));
  return true;
}

bool LinearTranslator::emit_sum(const LinearEmission& how) {
  const bool subtracts = how.form == LinearForm::kSubtract, three = how.form == LinearForm::kAddThree;
  Term a = term(0), b = term(1);
  if (how.reversed) std::swap(a, b);
  const Term c = three ? term(2) : Term{Term::Kind::kConstant};
  if (!a.is_known() || !b.is_known() || !c.is_known() || (subtracts && b.stride > a.stride)) return false;
  const uint32_t stride = subtracts ? a.stride - b.stride : a.stride + b.stride + c.stride;
  if (stride > kLargestStride) return false;
  load(kRax, a);
  combine(subtracts ? kSubtract : kAdd, kRax, b);
  if (three) combine(kAdd, kRax, c);
  return finish(stride, false);
}

bool LinearTranslator::emit_shift_left() {
  const Term count = term(0), value = term(1);
  if (!count.is_constant() || !value.is_known()) return false;
  const unsigned bits = count.value & 31;
  if ((uint64_t(value.stride) << bits) > kLargestStride) return false;
  load(kRax, value);
  code_.shift(kLeft, kRax, uint8_t(bits), false);
  return finish(value.stride << bits, false);
}

// (a << b) + c and (a + b) << c.
bool LinearTranslator::emit_shifted_sum(const LinearEmission& how) {
  const bool sum_first = how.form == LinearForm::kAddShift;
  const Term a = term(0), b = term(sum_first ? 1 : 2), count = term(sum_first ? 2 : 1);
  if (!a.is_known() || !b.is_known() || !count.is_constant()) return false;
  const unsigned bits = count.value & 31;
  const uint64_t stride = sum_first ? uint64_t(a.stride + b.stride) << bits : (uint64_t(a.stride) << bits) + b.stride;
  if (stride > kLargestStride) return false;
  load(kRax, a);
  if (sum_first) combine(kAdd, kRax, b);
  code_.shift(kLeft, kRax, uint8_t(bits), false);
  if (!sum_first) combine(kAdd, kRax, b);
  return finish(uint32_t(stride), false);
}

// A shift to the right, or a field of bits: the same for all lanes if they differ in lower bits only.
bool LinearTranslator::emit_shift_right(const LinearEmission& how) {
  const bool is_field = how.form == LinearForm::kField;
  const Term value = term(is_field ? 0 : 1), count = term(is_field ? 1 : 0);
  const Term width = is_field ? term(2) : Term{Term::Kind::kConstant, 31};
  if (!value.is_known() || !count.is_constant() || !width.is_constant()) return false;
  const unsigned bits = count.value & 31;
  if (value.stride != 0 && (value.stride * (lanes_ - 1)) >> bits != 0) return false;
  load(kRax, value);
  if (value.stride != 0) {
    last_lane(kRax, value.stride);
    code_.compute(kXor, kRsi, kRax, false);
    code_.shift(kRight, kRsi, uint8_t(bits), false);
    exit_if(kNotEqual);
    values_.set_exact(unsigned(value.vector));
  }
  code_.shift(how.detail, kRax, uint8_t(bits), false);
  if (is_field) code_.compute_constant(kAnd, kRax, (1u << (width.value & 31)) - 1);
  return finish(0, true);
}

bool LinearTranslator::emit_multiply() {
  Term a = term(0), b = term(1);
  if (a.is_constant()) std::swap(a, b);
  if (!a.is_known() || !b.is_known() || b.stride != 0 || (a.stride != 0 && !b.is_constant())) return false;
  const uint64_t stride = uint64_t(a.stride) * b.value;
  if (stride > kLargestStride) return false;
  load(kRax, a);
  load(kRcx, b);
  code_.multiply(kRax, kRcx);
  return finish(uint32_t(stride), false);
}

bool LinearTranslator::emit_and(const LinearEmission& how) {
  Term a = term(0), b = term(1);
  if (a.is_constant()) std::swap(a, b);
  if (!a.is_known() || !b.is_known() || b.stride != 0) return false;
  const bool is_low = b.is_constant() && (b.value & (b.value + 1)) == 0 && b.value >> 31 == 0;
  if (a.stride != 0 && (how.detail != kAnd || !is_low)) return false;
  if (b.is_constant() && a.stride * (lanes_ - 1) > b.value) return false;
  load(kRax, a);
  combine(how.detail, kRax, b);
  if (a.stride != 0) {  // the lowest bits, which must not overflow
    last_lane(kRax, a.stride);
    code_.compute_constant(kCompare, kRsi, b.value);
    exit_if(kAbove);
  }
  return finish(a.stride, true);
}

// a | b, and a << count | b. It is a sum if all lanes of one are below the lowest bit of the other.
bool LinearTranslator::emit_or(const LinearEmission& how) {
  const bool shifts = how.form == LinearForm::kShiftOr;
  const Term count = shifts ? term(1) : Term{Term::Kind::kConstant};
  Term a = term(0), b = term(shifts ? 2 : 1);
  if (a.stride != 0 && !shifts) std::swap(a, b);
  if (!a.is_uniform() || !b.is_known() || !count.is_constant()) return false;
  load(kRax, a);
  if (shifts) code_.shift(kLeft, kRax, count.value & 31, false);
  if (b.stride != 0) {
    load(kRcx, b);
    keep_exact(kRcx, b);
    last_lane(kRcx, b.stride);
    code_.move(kRdx, kRax);
    code_.negate(kRdx);
    code_.compute(kAnd, kRdx, kRax, false);
    code_.compute_constant(kSubtract, kRdx, 1);
    code_.compute(kCompare, kRsi, kRdx, false);
    exit_if(kAbove);
  }
  combine(kOr, kRax, b);
  return finish(b.stride, true);
}

bool LinearTranslator::emit_extreme(const LinearEmission& how) {
  const Term a = term(0), b = term(1);
  if (!a.is_uniform() || !b.is_uniform()) return false;
  load(kRax, a);
  load(kRcx, b);
  code_.compute(kCompare, kRax, kRcx, false);
  code_.move_if(how.detail, kRax, kRcx);
  return finish(0, true);
}

// ---- all operations ----

bool LinearTranslator::may_emit(const Op& op) const {
  if (done_ == &op) return true;
  if (op.linear == nullptr || !is_plain(op)) return false;
  for (unsigned i = 1; i < op.operand_count; ++i)
    if (op.operands[i].bank == Bank::kVector && !values_.at(op.operands[i].number).is_linear()) return false;
  return op.linear->form != LinearForm::kCompareExec || op.operands[0].bank != Bank::kVector ||
         values_.at(op.operands[0].number).is_linear();
}

bool LinearTranslator::can_precede_run(const Op& op) const {
  const auto can = [this](const Op& one) {
    const Operand& to = one.operands[0];
    return run_.is_independent(one) &&
           (to.bank != Bank::kVector || !run_.uses(to.number, std::max<unsigned>(to.count, 1)));
  };
  if (run_.is_empty() || !can(op)) return run_.is_empty();
  // A sum of 64 bits is two operations.
  const Op* const next = op.linear->form == LinearForm::kAddCarry ? next_of(op) : nullptr;
  return next == nullptr || can(*next);
}

bool LinearTranslator::emit(const Op& op) {
  if (done_ == &op) return true;
  if (op.linear == nullptr || !is_plain(op)) return false;
  begin(op);
  const LinearEmission& how = *op.linear;
  switch (how.form) {
    case LinearForm::kMove: return emit_move(how);
    case LinearForm::kReadFirst: return emit_read_first();
    case LinearForm::kAdd:
    case LinearForm::kSubtract:
    case LinearForm::kAddThree: return emit_sum(how);
    case LinearForm::kShiftLeft: return emit_shift_left();
    case LinearForm::kShiftAdd:
    case LinearForm::kAddShift: return emit_shifted_sum(how);
    case LinearForm::kShiftRight:
    case LinearForm::kField: return emit_shift_right(how);
    case LinearForm::kMultiply: return emit_multiply();
    case LinearForm::kBits: return emit_and(how);
    case LinearForm::kJoin:
    case LinearForm::kShiftOr: return emit_or(how);
    case LinearForm::kExtreme: return emit_extreme(how);
    case LinearForm::kAddCarry: return emit_address() || emit_carry(how);
    case LinearForm::kAddWithCarry:
    case LinearForm::kSubtractCarry: return emit_carry(how);
    case LinearForm::kShiftWide: return emit_shift_wide();
    case LinearForm::kShiftAddWide: return emit_shift_add_wide();
    case LinearForm::kMultiplyWide: return emit_multiply_wide();
    case LinearForm::kCompare:
    case LinearForm::kCompareExec: return emit_compare(how);
  }
  return false;
}

}  // namespace hipport::emulate
