// SPDX-License-Identifier: MIT
// Comparisons of linear registers, and checks of bounds.
#include "emit.h"
#include "host_codes.h"
#include "lanes.h"
#include "linear.h"
#include "liveness.h"

namespace hipport::emulate {
namespace {

// Return a condition for the operands in the other order.
uint8_t swapped(uint8_t condition) {
  switch (condition) {
    case kGreater: return kLessThan;
    case kLessThan: return kGreater;
    case kNotLess: return kNotGreater;
    case kNotGreater: return kNotLess;
    case kAbove: return kBelow;
    case kBelow: return kAbove;
    case kNotBelow: return kNotAbove;
    case kNotAbove: return kNotBelow;
    default: return condition;
  }
}

// Return whether a condition holds for an extreme if it holds for both sides: that the less is above a bound, or the greater
// below it. `when` is when the extreme is the second side.
bool suits(uint8_t when, uint8_t condition) {
  switch (when) {
    case kGreater: return condition == kGreater || condition == kNotLess;
    case kLessThan: return condition == kLessThan || condition == kNotGreater;
    case kAbove: return condition == kAbove || condition == kNotBelow;
    case kBelow: return condition == kBelow || condition == kNotAbove;
    default: return false;
  }
}

}  // namespace

// Compare what the first lanes have, and exit unless the last lanes compare the same. Sets al.
bool LinearTranslator::compare_ends(const LinearEmission& how, const Term& a, const Term& b) {
  load(kRax, a);
  if (!a.exact || how.is_signed) keep_exact(kRax, a.stride, how.is_signed);
  load(kRcx, b);
  if (!b.exact || how.is_signed) keep_exact(kRcx, b.stride, how.is_signed);
  last_lane(kRax, a.stride);
  last_lane(kRcx, b.stride, kRdi);
  code_.compute(kCompare, kRax, kRcx, false);
  code_.set(how.detail, kRax);
  code_.compute(kCompare, kRsi, kRdi, false);
  code_.set(how.detail, kRcx);
  code_.compare_bytes(kRax, kRcx);
  exit_if(kNotEqual);
  return true;
}

// Return whether a comparison changes either exec or a mask, as its form says.
bool LinearTranslator::can_compare(const Op& op) const {
  const bool changes_exec = op.linear->form == LinearForm::kCompareExec;
  if (changes_exec != (static_cast<const Places*>(op.extra)->first_argument == 0)) return false;
  return changes_exec || (op.operands[0].bank == Bank::kScalar && op.operands[0].number / 2 != kExec / 2);
}

bool LinearTranslator::emit_compare(const LinearEmission& how) {
  const bool changes_exec = how.form == LinearForm::kCompareExec,
             is_equality = how.detail <= kNotEqual && how.detail >= kEqual;
  if (!can_compare(*op_)) return false;
  const Term a = term(0), b = term(1);
  if (!a.is_known() || !b.is_known() || (is_equality && a.stride != b.stride)) return false;
  if (a.stride == b.stride && (a.stride == 0 || is_equality)) {
    load(kRax, a);
    combine(kCompare, kRax, b);
    code_.set(how.detail, kRax);
  } else {
    compare_ends(how, a, b);
  }
  code_.extend_byte(kRax);
  if (changes_exec) {
    code_.test(kRax, false);
    exit_if(kEqual);
    return true;
  }
  code_.negate(kRax);
  store_mask(kRax, 0);
  return true;
}

// Exit unless a condition holds for all lanes of a side, of which the last lane is the greatest.
void LinearTranslator::keep_within(const Term& side, const Term& bound, uint8_t condition, bool is_signed) {
  const bool is_upper =
      condition == kLessThan || condition == kNotGreater || condition == kBelow || condition == kNotAbove;
  load(kRax, side);
  keep_exact(kRax, side.stride, is_signed);
  const Register extreme = is_upper && side.stride != 0 ? kRsi : kRax;
  combine(kCompare, extreme, bound);
  exit_if(uint8_t(condition ^ 1));  // the opposite
}

bool LinearTranslator::emit_bounds(const Op& op, Emitter& run) {
  const Op* const extreme = run.only_operation();
  if (extreme == nullptr || extreme->linear == nullptr || extreme->linear->form != LinearForm::kExtreme) return false;
  const bool is_comparison =
      op.linear != nullptr && (op.linear->form == LinearForm::kCompare || op.linear->form == LinearForm::kCompareExec);
  if (!is_comparison || !is_plain(op) || !is_plain(*extreme) || !can_compare(op)) return false;
  const unsigned number = extreme->operands[0].number, first = static_cast<const Places*>(op.extra)->first_argument;
  const auto is_extreme = [&](unsigned argument) {
    const Operand& operand = op.operands[first + argument];
    return operand.bank == Bank::kVector && operand.number == number;
  };
  if (is_extreme(0) == is_extreme(1)) return false;
  const unsigned mask = op.linear->form == LinearForm::kCompare ? op.operands[0].number : unsigned(kNull);
  if (!is_overwritten(&op + 1, end_, number, mask)) return false;
  const uint8_t condition = is_extreme(0) ? op.linear->detail : swapped(op.linear->detail);
  if (!suits(extreme->linear->detail, condition)) return false;
  begin(*extreme);
  const Term a = term(0), b = term(1);
  begin(op);
  const Term bound = term(is_extreme(0) ? 1 : 0);
  if (!a.is_known() || !b.is_known() || !bound.is_uniform()) return false;
  keep_within(a, bound, condition, op.linear->is_signed);
  keep_within(b, bound, condition, op.linear->is_signed);
  if (op.linear->form == LinearForm::kCompare) {
    code_.constant(kRax, masks_are_wide() ? ~uint64_t(0) : 0xffffffffu);
    store_mask(kRax, 0);
  }
  run.drop();
  return true;
}

}  // namespace hipport::emulate
