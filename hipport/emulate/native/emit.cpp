// SPDX-License-Identifier: MIT
#include "emit.h"

#include <cstddef>
#include <map>

namespace hipport::emulate {

namespace {

constexpr Vex kLoad{1, 1, 0x6f}, kStore{1, 1, 0x7f}, kMove = kLoad, kRepeat{1, 2, 0x58}, kRepeatScalar{1, 2, 0x7c};
constexpr Vex kAnd{1, 1, 0xdb}, kOr{1, 1, 0xeb}, kXor{1, 1, 0xef}, kAdd{1, 1, 0xfe}, kSubtract{1, 1, 0xfa};
constexpr Vex kMultiply{1, 2, 0x40}, kShift{1, 1, 0x72}, kShiftWide{1, 1, 0x73, true};
constexpr Vex kMultiplyWide{1, 1, 0xf4, true}, kFused{1, 2, 0xb8}, kBlend{1, 2, 0x64}, kTestZero{2, 2, 0x27};
constexpr Vex kCompareSigned{1, 3, 0x1f}, kCompareUnsigned{1, 3, 0x1e}, kCompareFloat{0, 1, 0xc2};
constexpr Vex kAddFloat{0, 1, 0x58}, kSubtractFloat{0, 1, 0x5c}, kMultiplyFloat{0, 1, 0x59}, kDivide{0, 1, 0x5e};
constexpr Vex kRoot{0, 1, 0x51}, kRound{1, 3, 0x08}, kFromSigned{0, 1, 0x5b}, kFromUnsigned{3, 1, 0x7a};
constexpr Vex kTruncate{2, 1, 0x5b}, kScale{1, 2, 0x2c}, kMaximum{0, 1, 0x5f}, kMinimum{0, 1, 0x5d};
constexpr Vex kShiftLeftBy{1, 2, 0x47}, kShiftRightBy{1, 2, 0x45}, kShiftSignedBy{1, 2, 0x46};
enum : unsigned { kRight = 2, kSigned = 4, kLeft = 6 };  // which shift by a constant
enum : uint8_t { kLess = 1 };

// Registers: 0 to 7 for arguments that change with the chunk, 8 to 15 for results, 16 and 20 on for those that do not.
constexpr unsigned kResult = 8, kOther = 9, kThird = 10, kOnes = 30, kSigns = 28, kValues = 29, kNumber = 31;
constexpr unsigned kScalarLow = 16, kScalarHigh = 20;

}  // namespace

const Operand& Emitter::operand(unsigned argument) const {
  const Places& places = *static_cast<const Places*>(op_->extra);
  const bool is_result = places.result_is_argument && argument + 1 == arguments_;
  return op_->operands[is_result ? 0 : places.first_argument + argument];
}

void Emitter::repeat(unsigned to, uint32_t value) {
  if (value == 0) return assembler_.vector(kXor, to, to, to);
  assembler_.constant(kRax, value);
  assembler_.vector(kRepeatScalar, to, 0, kRax);
}

void Emitter::begin(const Op& op, unsigned arguments) {
  op_ = &op;
  arguments_ = arguments;
  if (op.modifiers.negate) repeat(kSigns, 0x80000000u);
  if (op.modifiers.absolute) repeat(kValues, 0x7fffffffu);
  for (unsigned i = 0; i < arguments; ++i)
    if (operand(i).bank != Bank::kVector) prepare(i);
  if (values_ == nullptr) return;
  const Operand& result = op.operands[0];
  const unsigned words = op.fusing == Fusing::kCall && result.bank == Bank::kVector ? result.count : 0;
  for (unsigned i = 0; i < words; ++i) results_[i] = values_->allocate(assembler_, result.number + i, results_[0]);
  for (unsigned i = 0; i < arguments; ++i)
    for (unsigned which = 0; which < 2; ++which)
      sources_[i][which] = operand(i).bank == Bank::kVector ? values_->at(operand(i).number + which) : Value{};
  for (unsigned i = 0; i < words; ++i) values_->set_held(result.number + i, results_[i]);
}

void Emitter::prepare(unsigned argument) {
  const Operand& from = operand(argument);
  for (unsigned which = 0; which < 2; ++which) {
    const unsigned to = (which == 0 ? kScalarLow : kScalarHigh) + argument;
    if (from.bank == Bank::kScalar) {
      assembler_.vector(kRepeat, to, 0, scalar_place(from.number + which));
    } else if (const uint32_t* const constants = op_->constants[argument]; constants != nullptr) {
      repeat(to, constants[which * kMaxLanes]);
    }
    if (which == 0) change_sign(argument, to, to);
  }
}

bool Emitter::changes_sign(unsigned argument) const {
  return !op_->emission->packed && ((op_->modifiers.absolute | op_->modifiers.negate) >> argument & 1);
}
// Packed instructions change signs themselves.
void Emitter::change_sign(unsigned argument, unsigned to, unsigned from) {
  if (op_->emission->packed) return;
  if (op_->modifiers.absolute >> argument & 1) assembler_.vector(kAnd, to, from, kValues), from = to;
  if (op_->modifiers.negate >> argument & 1) assembler_.vector(kXor, to, from, kSigns);
}

unsigned Emitter::word(unsigned argument, unsigned which, unsigned chunk) {
  const Operand& from = operand(argument);
  if (from.bank != Bank::kVector) return (which == 0 ? kScalarLow : kScalarHigh) + argument;
  const unsigned to = argument + 4 * which;
  const Value& value = sources_[argument][which];
  if (value.is_held()) {
    const unsigned held = value.held[chunk];
    if (which == 0 && changes_sign(argument)) return change_sign(argument, to, held), to;
    return held;
  }
  if (value.form != Value::Form::kRow)
    values_->load(assembler_, value, from.number + which, chunk, to);
  else
    assembler_.vector(kLoad, to, 0, row(from.number + which, chunk));
  if (which == 0) change_sign(argument, to, to);
  return to;
}

unsigned Emitter::copy(unsigned argument, unsigned chunk) {
  const unsigned from = low(argument, chunk);
  if (from == argument) return from;
  assembler_.vector(kMove, kThird, 0, from);
  return kThird;
}

void Emitter::load_bits(unsigned argument, unsigned chunk, unsigned mask) {
  assembler_.load_mask(mask, scalar_place(operand(argument).number, 2 * chunk));
}

void Emitter::store(unsigned from, unsigned chunk, unsigned word) {
  if (values_ != nullptr) return assembler_.vector(kMove, results_[word][chunk], 0, from);
  const At at = row(op_->operands[0].number + word, chunk);
  if (active_ == Lanes::kSome) assembler_.load_mask(kActive, scalar_place(kExec, 2 * chunk));
  if (active_ != Lanes::kAll) {
    assembler_.vector(kLoad, 15, 0, at);
    assembler_.vector(kMove, 15, 0, from, kActive);
    from = 15;
  }
  assembler_.vector(kStore, from, 0, at);
}

void Emitter::store_bits(unsigned operand) {
  const unsigned number = op_->operands[operand].number;
  if (number == kNull) return;
  const At at = scalar_place(number);
  if (active_ == Lanes::kFirst) {
    assembler_.mask_and(1, 1, kActive);
    assembler_.mask_to(1, kRax);
    return lanes_ == 64 ? assembler_.store_64(kRax, at) : assembler_.store_32(kRax, at);
  }
  join_bits();
  const bool wide = lanes_ == 64;
  wide ? assembler_.store_mask_64(1, at) : assembler_.store_mask_32(1, at);
  if (active_ == Lanes::kAll) return;
  wide ? assembler_.load_64(kRax, at) : assembler_.load_32(kRax, at);
  assembler_.compute_with(0x21, kRax, scalar_place(kExec), wide);
  wide ? assembler_.store_64(kRax, at) : assembler_.store_32(kRax, at);
}

void Emitter::join_bits() {
  assembler_.join_16(1, 2, 1);
  if (lanes_ == 32) return;
  assembler_.join_16(3, 4, 3);
  assembler_.join_32(1, 3, 1);
}

namespace {

void emit_move(Emitter& e, const Emission&) {
  for (unsigned i = 0; i < e.chunks(); ++i) e.store(e.low(0, i), i);
}

void emit_unary(Emitter& e, const Emission& how) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned from = e.low(0, i);
    if (how.instruction.map == 3)
      e.code().vector(how.instruction, kResult, 0, from, 0, how.constant);
    else
      e.code().vector(how.instruction, kResult, 0, from);
    e.store(kResult, i);
  }
}

// The greater or the less of the result and another: a number rather than a NaN, and -0 is less than 0.
void combine(Emitter& e, const Emission& how, unsigned result, unsigned with) {
  constexpr uint8_t equal = 0, unordered = 3;
  e.code().vector(kCompareFloat, 5, result, with, 0, equal);
  e.code().vector(kCompareFloat, 6, with, with, 0, unordered);
  e.code().vector(how.instruction, kOther, result, with);
  e.code().vector(how.reversed ? kOr : kAnd, kOther, result, with, 5);
  e.code().vector(kMove, kOther, 0, result, 6);
  e.code().vector(kMove, result, 0, kOther);
}
void emit_extreme(Emitter& e, const Emission& how) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    e.code().vector(kMove, kResult, 0, e.low(0, i));
    for (unsigned k = 1; k < how.arguments; ++k) combine(e, how, kResult, e.low(k, i));
    e.store(kResult, i);
  }
}

// The host has no conversion that ends at the largest integers, and 0 for a NaN.
void emit_to_signed(Emitter& e, const Emission&) {
  constexpr uint8_t not_less = 13, unordered = 3;
  e.repeat(kNumber, 0x4f000000);  // 2 to the 31st
  e.repeat(kOnes, 0x7fffffff);
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned from = e.low(0, i);
    e.code().vector(kTruncate, kResult, 0, from);
    e.code().vector(kCompareFloat, 5, from, kNumber, 0, not_less);
    e.code().vector(kMove, kResult, 0, kOnes, 5);
    e.code().vector(kCompareFloat, 5, from, from, 0, unordered);
    e.code().vector(kXor, kResult, kResult, kResult, 5);
    e.store(kResult, i);
  }
}

void emit_scale(Emitter& e, const Emission&) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned value = e.low(0, i);
    e.code().vector(kFromSigned, kOther, 0, e.low(1, i));
    e.code().vector(kScale, kResult, value, kOther);
    e.store(kResult, i);
  }
}

// 1 / x, or 1 / sqrt(x).
void emit_reciprocal(Emitter& e, const Emission& how) {
  e.repeat(kNumber, 0x3f800000);
  for (unsigned i = 0; i < e.chunks(); ++i) {
    unsigned from = e.low(0, i);
    if (how.reversed) e.code().vector(kRoot, kOther, 0, from), from = kOther;
    e.code().vector(kDivide, kResult, kNumber, from);
    e.store(kResult, i);
  }
}

void emit_binary(Emitter& e, const Emission& how) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i);
    e.code().vector(how.instruction, kResult, how.reversed ? b : a, how.reversed ? a : b);
    e.store(kResult, i);
  }
}

void emit_fused(Emitter& e, const Emission&) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i), sum = e.copy(2, i);
    e.code().vector(kFused, sum, a, b);
    e.store(sum, i);
  }
}

// A shift of the second argument by the first.
void emit_shift(Emitter& e, const Emission& how) {
  if (!e.is_constant(0)) e.repeat(kNumber, 31);
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned value = e.low(1, i);
    if (e.is_constant(0)) {
      e.code().shift(kShift, how.constant, kResult, value, e.constant(0) & 31);
    } else {
      e.code().vector(kAnd, kOther, e.low(0, i), kNumber);
      e.code().vector(how.instruction, kResult, value, kOther);
    }
    e.store(kResult, i);
  }
}

bool has_constant_count(const Op& op) { return op.constants[0] != nullptr; }
bool has_constant_second(const Op& op) { return op.constants[1] != nullptr; }
bool has_constant_third(const Op& op) { return op.constants[2] != nullptr; }

void emit_shift_wide(Emitter& e, const Emission&) {
  const unsigned count = e.constant(0) & 63;
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned low = e.low(1, i), high = e.high(1, i);
    if (count >= 32) {
      e.code().shift(kShift, kLeft, kOther, low, uint8_t(count - 32));
      e.code().vector(kXor, kResult, kResult, kResult);
    } else {
      e.code().shift(kShift, kLeft, kOther, high, uint8_t(count));
      e.code().shift(kShift, kRight, kThird, low, uint8_t(32 - count));
      e.code().vector(kOr, kOther, kOther, kThird);
      e.code().shift(kShift, kLeft, kResult, low, uint8_t(count));
    }
    e.store(kResult, i);
    e.store(kOther, i, 1);
  }
}

// (a << b) and (a + b) << c with the third argument.
void emit_shift_then(Emitter& e, const Emission& how) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    e.code().shift(kShift, kLeft, kResult, e.low(0, i), e.constant(1) & 31);
    e.code().vector(how.instruction, kResult, kResult, e.low(2, i));
    e.store(kResult, i);
  }
}
void emit_add_shift(Emitter& e, const Emission&) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i);
    e.code().vector(kAdd, kResult, a, b);
    e.code().shift(kShift, kLeft, kResult, kResult, e.constant(2) & 31);
    e.store(kResult, i);
  }
}

// Two instructions: one for the first two arguments, another for the result and the third. `constant` selects the first.
void emit_two(Emitter& e, const Emission& how) {
  constexpr Vex first[] = {kAdd, kOr, kAnd, kXor, kXor};
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i);
    e.code().vector(first[how.constant], kResult, a, b);
    e.code().vector(how.instruction, kResult, kResult, e.low(2, i));
    e.store(kResult, i);
  }
}

bool has_constant_field(const Op& op) { return has_constant_second(op) && has_constant_third(op); }
void emit_field(Emitter& e, const Emission&) {
  e.repeat(kNumber, (1u << (e.constant(2) & 31)) - 1);
  for (unsigned i = 0; i < e.chunks(); ++i) {
    e.code().shift(kShift, kRight, kResult, e.low(0, i), e.constant(1) & 31);
    e.code().vector(kAnd, kResult, kResult, kNumber);
    e.store(kResult, i);
  }
}

// A mask may be a constant, too.
bool has_mask(const Op& op) { return op.operands[op.operand_count - 1].bank == Bank::kScalar; }
void emit_select(Emitter& e, const Emission&) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i);
    e.load_bits(2, i, 5);
    e.code().vector(kBlend, kResult, a, b, 5);
    e.store(kResult, i);
  }
}

bool writes_other_mask(const Op& op) {
  return op.operands[0].bank == Bank::kScalar &&
         (op.operands[0].number < kExec - 1 || op.operands[0].number > kExec + 1);
}
// Those of gfx10 and later.
bool writes_only_exec(const Op& op) { return static_cast<const Places*>(op.extra)->first_argument == 0; }
void compare_all(Emitter& e, const Emission& how) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i);
    e.code().vector(how.instruction, 1 + i, a, b, 0, how.constant);
  }
}
void emit_compare(Emitter& e, const Emission& how) {
  compare_all(e, how);
  e.store_bits(0);
}

bool carries_elsewhere(const Op& op) {
  return op.operands[1].bank == Bank::kScalar &&
         (op.operands[1].number < kExec - 1 || op.operands[1].number > kExec + 1);
}
void emit_add_carry(Emitter& e, const Emission&) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i);
    e.code().vector(kAdd, kResult, a, b);
    e.code().vector(kCompareUnsigned, 1 + i, kResult, b, 0, kLess);
    e.store(kResult, i);
  }
  e.store_bits(1);
}
void emit_subtract_carry(Emitter& e, const Emission& how) {
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned x = e.low(0, i), y = e.low(1, i), a = how.reversed ? y : x, b = how.reversed ? x : y;
    e.code().vector(kSubtract, kResult, a, b);
    e.code().vector(kCompareUnsigned, 1 + i, a, b, 0, kLess);
    e.store(kResult, i);
  }
  e.store_bits(1);
}

// Add 1 to the result where the mask register 5 has bits; those of them for which that carries are added to mask `to`.
void add_ones(Emitter& e, unsigned result, unsigned to) {
  e.code().vector(kSubtract, result, result, kOnes, 5);
  e.code().vector(kTestZero, 6, result, result, 5);
  e.code().mask_or(to, to, 6);
}
bool carries_both(const Op& op) { return has_mask(op) && carries_elsewhere(op); }
void emit_add_with_carry(Emitter& e, const Emission&) {
  e.repeat(kOnes, ~0u);
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i);
    e.load_bits(2, i, 5);
    e.code().vector(kAdd, kResult, a, b);
    e.code().vector(kCompareUnsigned, 1 + i, kResult, b, 0, kLess);
    add_ones(e, kResult, 1 + i);
    e.store(kResult, i);
  }
  e.store_bits(1);
}

// a * b + c of 64 bits: products of even and of odd lanes.
void emit_multiply_wide(Emitter& e, const Emission&) {
  e.repeat(kOnes, ~0u);
  e.code().constant(kRax, 0xaaaa);
  e.code().mask_from(kRax, 6);
  for (unsigned i = 0; i < e.chunks(); ++i) {
    const unsigned a = e.low(0, i), b = e.low(1, i), c = e.low(2, i), c_high = e.high(2, i);
    e.code().vector(kMultiply, kResult, a, b);
    e.code().vector(kMultiplyWide, kOther, a, b);
    e.code().shift(kShiftWide, kRight, kOther, kOther, 32);
    e.code().shift(kShiftWide, kRight, kThird, a, 32);
    e.code().shift(kShiftWide, kRight, 11, b, 32);
    e.code().vector(kMultiplyWide, kThird, kThird, 11);
    e.code().vector(kMove, kOther, 0, kThird, 6);  // the upper words of all lanes
    e.code().vector(kAdd, kResult, kResult, c);
    e.code().vector(kCompareUnsigned, 5, kResult, c, 0, kLess);
    e.code().vector(kAdd, kOther, kOther, c_high);
    e.code().vector(kCompareUnsigned, 1 + i, kOther, c_high, 0, kLess);
    e.code().vector(kSubtract, kOther, kOther, kOnes, 5);
    e.code().vector(kTestZero, 5, kOther, kOther, 5);
    e.code().mask_or(1 + i, 1 + i, 5);
    e.store(kResult, i);
    e.store(kOther, i, 1);
  }
  e.store_bits(1);
}

// The low or the high word of an argument of a packed instruction, with its sign.
unsigned packed_word(Emitter& e, unsigned argument, unsigned half, unsigned chunk, unsigned to) {
  const Modifiers& all = e.op().modifiers;
  const bool upper = (half == 0 ? all.select : all.select_high) >> argument & 1;
  const bool negate = (half == 0 ? all.negate : all.negate_high) >> argument & 1;
  const unsigned from = upper ? e.high(argument, chunk) : e.low(argument, chunk);
  if (negate)
    e.code().vector(kXor, to, from, kNumber);
  else
    e.code().vector(kMove, to, 0, from);
  return to;
}
void emit_packed(Emitter& e, const Emission& how) {
  e.repeat(kNumber, 0x80000000u);
  for (unsigned i = 0; i < e.chunks(); ++i) {
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned result = kResult + half;
      const unsigned a = packed_word(e, 0, half, i, 10), b = packed_word(e, 1, half, i, 11);
      if (how.arguments == 3) {
        packed_word(e, 2, half, i, result);
        e.code().vector(kFused, result, a, b);
      } else {
        e.code().vector(how.instruction, result, a, b);
      }
    }
    e.store(kResult, i);
    e.store(kOther, i, 1);
  }
}

using Table = std::map<std::string_view, Emission>;

void add_floats(Table& table) {
  table["v_add_f32"] = {2, emit_binary, nullptr, true, false, kAddFloat};
  table["v_sub_f32"] = {2, emit_binary, nullptr, true, false, kSubtractFloat};
  table["v_subrev_f32"] = {2, emit_binary, nullptr, true, false, kSubtractFloat, 0, true};
  table["v_mul_f32"] = {2, emit_binary, nullptr, true, false, kMultiplyFloat};
  for (const char* name : {"v_fma_f32", "v_fmac_f32", "v_fmaak_f32", "v_fmamk_f32"})
    table[name] = {3, emit_fused, nullptr, true};
  for (const char* name : {"v_max_f32", "v_max_num_f32"})
    table[name] = {2, emit_extreme, nullptr, true, false, kMaximum};
  for (const char* name : {"v_max3_f32", "v_max3_num_f32"})
    table[name] = {3, emit_extreme, nullptr, true, false, kMaximum};
  for (const char* name : {"v_min_f32", "v_min_num_f32"})
    table[name] = {2, emit_extreme, nullptr, true, false, kMinimum, 0, true};
  for (const char* name : {"v_min3_f32", "v_min3_num_f32"})
    table[name] = {3, emit_extreme, nullptr, true, false, kMinimum, 0, true};
  table["v_cvt_i32_f32"] = {1, emit_to_signed, nullptr, true};
  table["v_ldexp_f32"] = {2, emit_scale};
  table["v_rndne_f32"] = {1, emit_unary, nullptr, true, false, kRound, 12};
  table["v_floor_f32"] = {1, emit_unary, nullptr, true, false, kRound, 9};
  table["v_ceil_f32"] = {1, emit_unary, nullptr, true, false, kRound, 10};
  table["v_trunc_f32"] = {1, emit_unary, nullptr, true, false, kRound, 11};
  table["v_sqrt_f32"] = {1, emit_unary, nullptr, true, false, kRoot};
  table["v_rcp_f32"] = {1, emit_reciprocal, nullptr, true};
  table["v_rsq_f32"] = {1, emit_reciprocal, nullptr, true, false, {}, 0, true};
  table["v_cvt_f32_i32"] = {1, emit_unary, nullptr, false, false, kFromSigned};
  table["v_cvt_f32_u32"] = {1, emit_unary, nullptr, false, false, kFromUnsigned};
  table["v_pk_fma_f32"] = {3, emit_packed, nullptr, true, true};
  table["v_pk_mul_f32"] = {2, emit_packed, nullptr, true, true, kMultiplyFloat};
  table["v_pk_add_f32"] = {2, emit_packed, nullptr, true, true, kAddFloat};
}

void add_integers(Table& table) {
  for (const char* name : {"v_add_u32", "v_add_nc_u32"}) table[name] = {2, emit_binary, nullptr, false, false, kAdd};
  for (const char* name : {"v_sub_u32", "v_sub_nc_u32"})
    table[name] = {2, emit_binary, nullptr, false, false, kSubtract};
  for (const char* name : {"v_subrev_u32", "v_subrev_nc_u32"})
    table[name] = {2, emit_binary, nullptr, false, false, kSubtract, 0, true};
  table["v_mul_lo_u32"] = {2, emit_binary, nullptr, false, false, kMultiply};
  table["v_and_b32"] = {2, emit_binary, nullptr, false, false, kAnd};
  table["v_or_b32"] = {2, emit_binary, nullptr, false, false, kOr};
  table["v_xor_b32"] = {2, emit_binary, nullptr, false, false, kXor};
  table["v_min_i32"] = {2, emit_binary, nullptr, false, false, {1, 2, 0x39}};
  table["v_max_i32"] = {2, emit_binary, nullptr, false, false, {1, 2, 0x3d}};
  table["v_min_u32"] = {2, emit_binary, nullptr, false, false, {1, 2, 0x3b}};
  table["v_max_u32"] = {2, emit_binary, nullptr, false, false, {1, 2, 0x3f}};
  table["v_add_co_u32"] = {2, emit_add_carry, carries_elsewhere};
  for (const char* name : {"v_addc_co_u32", "v_add_co_ci_u32"}) table[name] = {3, emit_add_with_carry, carries_both};
  table["v_sub_co_u32"] = {2, emit_subtract_carry, carries_elsewhere};
  table["v_subrev_co_u32"] = {2, emit_subtract_carry, carries_elsewhere, false, false, {}, 0, true};
  for (const char* name : {"v_mad_u64_u32", "v_mad_co_u64_u32"})
    table[name] = {3, emit_multiply_wide, carries_elsewhere};
}

void add_bits(Table& table) {
  for (const char* name : {"v_mov_b32", "v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"})
    table[name] = {1, emit_move, nullptr, true};
  table["v_lshlrev_b32"] = {2, emit_shift, nullptr, false, false, kShiftLeftBy, kLeft};
  table["v_lshrrev_b32"] = {2, emit_shift, nullptr, false, false, kShiftRightBy, kRight};
  table["v_ashrrev_i32"] = {2, emit_shift, nullptr, false, false, kShiftSignedBy, kSigned};
  table["v_lshlrev_b64"] = {2, emit_shift_wide, has_constant_count};
  table["v_lshl_add_u32"] = {3, emit_shift_then, has_constant_second, false, false, kAdd};
  table["v_lshl_or_b32"] = {3, emit_shift_then, has_constant_second, false, false, kOr};
  table["v_add_lshl_u32"] = {3, emit_add_shift, has_constant_third};
  table["v_add3_u32"] = {3, emit_two, nullptr, false, false, kAdd, 0};
  table["v_or3_b32"] = {3, emit_two, nullptr, false, false, kOr, 1};
  table["v_and_or_b32"] = {3, emit_two, nullptr, false, false, kOr, 2};
  table["v_xor3_b32"] = {3, emit_two, nullptr, false, false, kXor, 3};
  table["v_xad_u32"] = {3, emit_two, nullptr, false, false, kAdd, 4};
  table["v_bfe_u32"] = {3, emit_field, has_constant_field};
  table["v_cndmask_b32"] = {3, emit_select, has_mask, true};
}

// The conditions of integers and of floating-point numbers, as the host numbers them.
void add_comparisons(Table& table) {
  static const std::map<std::string_view, uint8_t> integers = {{"lt", 1}, {"eq", 0}, {"le", 2},
                                                               {"gt", 6}, {"ge", 5}, {"ne", 4}};
  static const std::map<std::string_view, uint8_t> floats = {
      {"lt", 0x01}, {"eq", 0x00},  {"le", 0x02},  {"gt", 0x0e},  {"lg", 0x0c},  {"ge", 0x0d},  {"o", 0x07},
      {"u", 0x03},  {"nge", 0x09}, {"nlg", 0x08}, {"ngt", 0x0a}, {"nle", 0x06}, {"neq", 0x04}, {"nlt", 0x05}};
  const auto add = [&table](std::string_view condition, const char* type, Vex instruction, uint8_t constant) {
    // The table keeps views of names for as long as the program runs.
    const auto& name = *new std::string("v_cmp_" + std::string(condition) + "_" + type);
    const auto& changing = *new std::string("v_cmpx_" + std::string(condition) + "_" + type);
    table[name] = {2, emit_compare, writes_other_mask, type[0] == 'f', false, instruction, constant};
    table[changing] = {2, compare_all, writes_only_exec, type[0] == 'f', false, instruction, constant};
  };
  for (const auto& [condition, constant] : integers) {
    add(condition, "i32", kCompareSigned, constant);
    add(condition, "u32", kCompareUnsigned, constant);
  }
  for (const auto& [condition, constant] : floats) add(condition, "f32", kCompareFloat, constant);
}

}  // namespace

const Emission* find_emission(std::string_view name) {
  static const Table table = [] {
    Table all;
    add_floats(all);
    add_integers(all);
    add_bits(all);
    add_comparisons(all);
    return all;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

size_t emit_unchanged(Emitter& emitter, const Op& op, bool lanes_are_64) {
  constexpr uint8_t carry = 2;
  if (!is_emitted(op)) {
    const KeptMask kept = emit_kept_mask(emitter.code(), op, lanes_are_64);
    if (!kept.is_kept) return 0;
    const size_t done = emitter.code().jump();
    if (kept.other != 0) emitter.code().land(kept.other);
    return done;
  }
  emitter.begin(op, op.emission->arguments);
  op.emission->emit(emitter, *op.emission);
  emitter.join_bits();
  emitter.code().test_mask_full(1, lanes_are_64);
  return emitter.code().jump_if(carry);
}

bool is_emitted(const Op& op) {
  if (op.emission == nullptr) return false;
  const Emission& how = *op.emission;
  const Modifiers& all = op.modifiers;
  if (all.output || all.clamp || all.dpp.present || all.sdwa.present) return false;
  if (!how.packed && (all.select || all.select_high != 7)) return false;
  if (!how.floats && (all.negate || all.absolute)) return false;
  return how.can == nullptr || how.can(op);
}

}  // namespace hipport::emulate
