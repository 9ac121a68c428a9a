// SPDX-License-Identifier: MIT
// Sums of 64 bits, and carries, of linear registers.
#include "host_codes.h"
#include "lanes.h"
#include "linear.h"

namespace hipport::emulate {
namespace {

constexpr uint8_t kLeft = 4;  // a shift, in the host's opcodes

}  // namespace

// Return the operation after another one, or null at the end.
const Op* LinearTranslator::next_of(const Op& op) const {
  const Op* next = &op + 1;
  while (next < end_ && next->fusing == Fusing::kNothing) ++next;
  return next < end_ ? next : nullptr;
}

// Return whether two words are one number of 64 bits in memory.
bool LinearTranslator::are_neighbors(const Term& low, const Term& high) {
  const bool are_stored = low.kind == Term::Kind::kMemory && high.kind == Term::Kind::kMemory;
  return are_stored && high.place.base == low.place.base && high.place.displacement == low.place.displacement + 4;
}

// A sum of 64 bits as compilers make it for addresses: low words, then high words that are the same for all lanes.
bool LinearTranslator::emit_address() {
  const Op& low = *op_;
  const Op* const next = next_of(low);
  if (next == nullptr || next->linear == nullptr || next->linear->form != LinearForm::kAddWithCarry || !is_plain(*next))
    return false;
  const auto is_carry = [&low](const Operand& mask) {
    return mask.bank == Bank::kScalar && mask.number == low.operands[1].number && mask.number != kNull;
  };
  if (!is_carry(next->operands[1]) || !is_carry(next->operands[4]) || low.operands[1].number / 2 == kExec / 2)
    return false;
  const Term a = term(0), b = term(1);
  op_ = next;
  const Term a_high = term(0), b_high = term(1);
  op_ = &low;
  const auto is_result = [this](const Term& term) { return term.vector == int(result()); };
  const uint32_t stride = a.stride + b.stride;
  if (!a.is_known() || !b.is_known() || stride > kLargestStride) return false;
  if (!a_high.is_uniform() || !b_high.is_uniform() || is_result(a_high) || is_result(b_high)) return false;
  const unsigned high = next->operands[0].number;
  const bool is_one = high == result() + 1 && are_neighbors(a, a_high) && are_neighbors(b, b_high);
  if (is_one) {
    load_pair(kRax, a, a_high);
    keep_exact(kRax, a);
    load_pair(kRcx, b, b_high);
    keep_exact(kRcx, b);
    code_.compute(kAdd, kRax, kRcx, true);
  } else {
    load(kRax, a);
    keep_exact(kRax, a);
    if (!b.exact) load(kRcx, b), keep_exact(kRcx, b);
    load(kRcx, a_high);
    combine(kAdd, kRax, b);
    combine(kAddCarry, kRcx, b_high);
  }
  code_.compute(kSubtractBorrow, kRdx, kRdx, true);
  keep_exact(kRax, stride);
  store_mask(kRdx, 1);
  if (is_one) {
    code_.store_64(kRax, base_place(result()));
  } else if (high == result() + 1) {
    code_.shift_left(kRcx, 32);
    code_.compute(kOr, kRax, kRcx, true);
    code_.store_64(kRax, base_place(result()));
  } else {
    code_.store_32(kRax, base_place(result()));
    code_.store_32(kRcx, base_place(high));
  }
  values_.set_linear(result(), stride, true);
  values_.set_linear(high, 0, true);
  done_ = next;
  return true;
}

// A sum or a difference with a carry to a mask: the same for all lanes if the result does not wrap around.
bool LinearTranslator::emit_carry(const LinearEmission& how) {
  const bool subtracts = how.form == LinearForm::kSubtractCarry, takes = how.form == LinearForm::kAddWithCarry;
  Term a = term(0), b = term(1);
  if (how.reversed) std::swap(a, b);
  if (!a.is_known() || !b.is_known() || (subtracts && b.stride != 0)) return false;
  const uint32_t stride = a.stride + b.stride;
  const Operand& carry = op_->operands[1];
  if (stride > kLargestStride || carry.bank != Bank::kScalar || carry.number / 2 == kExec / 2) return false;
  if (takes && op_->operands[4].bank != Bank::kScalar) return false;
  load(kRax, a);
  keep_exact(kRax, a);
  load(kRcx, b);
  keep_exact(kRcx, b);
  if (takes) load_carry(4);
  code_.compute(takes ? kAddCarry : subtracts ? kSubtract : kAdd, kRax, kRcx, false);
  code_.compute(kSubtractBorrow, kRdx, kRdx, true);
  keep_exact(kRax, stride);
  store_mask(kRdx, 1);
  return finish(stride, true);
}

bool LinearTranslator::emit_shift_wide() {
  const Term count = term(0), low = term(1), high = term(1, 1);
  if (!count.is_constant() || !low.is_known() || !high.is_uniform()) return false;
  const unsigned bits = count.value & 63;
  const uint64_t stride = bits < 32 ? uint64_t(low.stride) << bits : low.stride == 0 ? 0 : ~uint64_t(0);
  if (stride > kLargestStride) return false;
  load_pair(kRax, low, high);
  keep_exact(kRax, low);
  code_.shift(kLeft, kRax, uint8_t(bits), true);
  keep_exact(kRax, uint32_t(stride));
  return finish_wide(uint32_t(stride));
}

// (a << count) + c with words of 64 bits.
bool LinearTranslator::emit_shift_add_wide() {
  const Term low = term(0), high = term(0, 1), count = term(1), c = term(2), c_high = term(2, 1);
  if (!count.is_constant() || !low.is_known() || !high.is_uniform() || !c.is_known() || !c_high.is_uniform())
    return false;
  const unsigned bits = count.value & 7;
  const uint64_t shifted = uint64_t(low.stride) << bits, stride = shifted + c.stride;
  if (count.value > 4 || stride > kLargestStride) return false;
  load_pair(kRax, low, high);
  keep_exact(kRax, low);
  code_.shift(kLeft, kRax, uint8_t(bits), true);
  keep_exact(kRax, uint32_t(shifted));
  load_pair(kRcx, c, c_high);
  keep_exact(kRcx, c);
  code_.compute(kAdd, kRax, kRcx, true);
  keep_exact(kRax, uint32_t(stride));
  return finish_wide(uint32_t(stride));
}

// a * b + c of 64 bits. Compilers leave the upper word of c undefined if they want no upper word: it may be any row.
bool LinearTranslator::emit_multiply_wide() {
  const Term a = term(0), b = term(1), c = term(2), c_high = term(2, 1);
  const Places& places = *static_cast<const Places*>(op_->extra);
  const Operand& sum = op_->operands[places.first_argument + 2];
  if (op_->operands[1].bank != Bank::kScalar || op_->operands[1].number / 2 == kExec / 2) return false;
  const bool is_row = sum.bank == Bank::kVector && values_.at(sum.number + 1u).form == Value::Form::kRow &&
                      op_->operands[1].number == kNull;
  if (!a.is_uniform() || !b.is_uniform() || !c.is_known() || !(c_high.is_uniform() || is_row)) return false;
  load(kRax, a);
  load(kRcx, b);
  code_.multiply_wide(kRax, kRcx);
  is_row ? load(kRcx, c) : load_pair(kRcx, c, c_high);
  keep_exact(kRcx, c);
  code_.compute(kAdd, kRax, kRcx, true);
  code_.compute(kSubtractBorrow, kRdx, kRdx, true);
  keep_exact(kRax, c.stride);
  store_mask(kRdx, 1);
  finish_wide(c.stride);
  if (is_row) values_.set_sum(result() + 1, sum.number + 1u);
  return true;
}

}  // namespace hipport::emulate
