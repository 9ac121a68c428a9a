// SPDX-License-Identifier: MIT
#include "emit.h"

#include <cstddef>
#include <map>
#include <utility>

namespace hipport::emulate {

namespace {

constexpr uint8_t kEqual = 4;
constexpr Vex kAnd{1, 1, 0xdb}, kOr{1, 1, 0xeb}, kXor{1, 1, 0xef}, kAdd = kAddWords, kSubtract{1, 1, 0xfa};
constexpr Vex kMultiply{1, 2, 0x40}, kShift{1, 1, 0x72}, kShiftWide{1, 1, 0x73, true};
constexpr Vex kMultiplyWide{1, 1, 0xf4, true}, kFused{1, 2, 0xb8};
constexpr Vex kAddFloat{0, 1, 0x58}, kSubtractFloat{0, 1, 0x5c}, kMultiplyFloat{0, 1, 0x59}, kDivide{0, 1, 0x5e};
constexpr Vex kRoot{0, 1, 0x51}, kRound{1, 3, 0x08}, kFromSigned{0, 1, 0x5b};
constexpr Vex kTruncate{2, 1, 0x5b}, kMaximum{0, 1, 0x5f}, kMinimum{0, 1, 0x5d};
constexpr Vex kShiftLeftBy{1, 2, 0x47}, kShiftRightBy{1, 2, 0x45}, kShiftSignedBy{1, 2, 0x46};
enum : unsigned { kRight = 2, kSigned = 4, kLeft = 6 };  // which shift by a constant
enum : uint8_t { kLess = 1 };
constexpr uint32_t kSignBit = 0x80000000u, kOne = 0x3f800000u;

void emit_move(Emitter& e, const Emission&) { e.store(e.copy(0)); }

void emit_unary(Emitter& e, const Emission& how) {
  const unsigned from = e.low(0), result = e.temporary();
  if (how.instruction.map == 3)
    e.code().vector(how.instruction, result, 0, from, how.constant);
  else
    e.code().vector(how.instruction, result, 0, from);
  e.store(result);
}
void emit_from_unsigned(Emitter& e, const Emission&) {
  const unsigned from = e.low(0), result = e.temporary();
  e.code().from_unsigned(result, from);
  e.store(result);
}

// The greater or the less of the result and another: a number rather than a NaN, and -0 is less than 0.
void combine(Emitter& e, const Emission& how, unsigned result, unsigned with) {
  constexpr uint8_t equal = 0, unordered = 3;
  const unsigned mask = e.mask(), other = e.temporary();
  e.code().compare(Numbers::kFloat, equal, mask, result, with);
  e.code().vector(how.instruction, other, result, with);
  e.code().merge(how.reversed ? kOr : kAnd, other, result, with, mask);
  e.code().compare(Numbers::kFloat, unordered, mask, with, with);
  e.code().select(result, other, result, mask);
}
void emit_extreme(Emitter& e, const Emission& how) {
  const unsigned second = e.low(1), third = how.arguments == 3 ? e.low(2) : 0, first = e.low(0), result = e.temporary();
  e.code().vector(kMoveRow, result, 0, first);
  combine(e, how, result, second);
  if (how.arguments == 3) combine(e, how, result, third);
  e.store(result);
}

// The host has no conversion that ends at the largest integers, and 0 for a NaN.
void emit_to_signed(Emitter& e, const Emission&) {
  constexpr uint8_t not_less = 13, unordered = 3;
  constexpr uint32_t limit = 0x4f000000, largest = 0x7fffffff;  // 2 to the 31st
  const unsigned from = e.low(0), result = e.temporary(), bound = e.temporary(), mask = e.mask();
  e.code().vector(kTruncate, result, 0, from);
  e.code().vector(kMoveRow, bound, 0, e.code().repeated(limit));
  e.code().compare(Numbers::kFloat, not_less, mask, from, bound);
  e.code().vector(kMoveRow, bound, 0, e.code().repeated(largest));
  e.code().select(result, result, bound, mask);
  e.code().compare(Numbers::kFloat, unordered, mask, from, from);
  e.code().merge(kXor, result, result, result, mask);
  e.store(result);
}

void emit_scale(Emitter& e, const Emission&) {
  const unsigned value = e.low(0), from = e.low(1), result = e.temporary(), exponent = e.temporary();
  e.code().vector(kMoveRow, exponent, 0, from);
  e.code().scale(result, value, exponent, e.temporary());
  e.store(result);
}

// 1 / x, or 1 / sqrt(x).
void emit_reciprocal(Emitter& e, const Emission& how) {
  const unsigned from = e.low(0), root = e.temporary(), result = e.temporary();
  if (how.reversed) e.code().vector(kRoot, root, 0, from);
  e.code().vector(kMoveRow, result, 0, e.code().repeated(kOne));
  e.code().vector(kDivide, result, result, how.reversed ? root : from);
  e.store(result);
}

void emit_binary(Emitter& e, const Emission& how) {
  const unsigned a = e.low(0), b = e.low(1), result = e.temporary();
  e.code().vector(how.instruction, result, how.reversed ? b : a, how.reversed ? a : b);
  e.store(result);
}

void emit_fused(Emitter& e, const Emission&) {
  const unsigned a = e.low(0), b = e.low(1), sum = e.copy(2);
  e.code().vector(kFused, sum, a, b);
  e.store(sum);
}

// A shift of the second argument by the first.
void emit_shift(Emitter& e, const Emission& how) {
  constexpr uint32_t largest = 31;
  const unsigned value = e.low(1), count = e.is_constant(0) ? 0 : e.low(0), result = e.temporary();
  if (e.is_constant(0)) {
    e.code().shift(kShift, how.constant, result, value, e.constant(0) & largest);
  } else {
    e.code().vector(kAnd, result, count, e.code().repeated(largest));
    e.code().vector(how.instruction, result, value, result);
  }
  e.store(result);
}

bool has_constant_count(const Op& op) { return op.constants[0] != nullptr; }
bool has_constant_second(const Op& op) { return op.constants[1] != nullptr; }
bool has_constant_third(const Op& op) { return op.constants[2] != nullptr; }

void emit_shift_wide(Emitter& e, const Emission&) {
  const unsigned count = e.constant(0) & 63, low = e.low(1), high = e.high(1);
  const unsigned result = e.temporary(), upper = e.temporary();
  if (count >= 32) {
    e.code().shift(kShift, kLeft, upper, low, uint8_t(count - 32));
    e.code().vector(kXor, result, result, result);
  } else {
    e.code().shift(kShift, kLeft, upper, high, uint8_t(count));
    e.code().shift(kShift, kRight, result, low, uint8_t(32 - count));
    e.code().vector(kOr, upper, upper, result);
    e.code().shift(kShift, kLeft, result, low, uint8_t(count));
  }
  e.store(result);
  e.store(upper, 1);
}

// (a << b) + c of 64 bits.
bool has_small_second(const Op& op) { return has_constant_second(op) && op.constants[1][0] <= 4; }
void emit_shift_add_wide(Emitter& e, const Emission&) {
  const uint8_t count = uint8_t(e.constant(1));
  const unsigned low = e.low(0), high = e.high(0), c = e.low(2), c_high = e.high(2);
  const unsigned result = e.temporary(), upper = e.temporary(), carry = e.mask();
  if (count != 0) {
    e.code().shift(kShift, kLeft, upper, high, count);
    e.code().shift(kShift, kRight, result, low, uint8_t(32 - count));
    e.code().vector(kOr, upper, upper, result);
    e.code().shift(kShift, kLeft, result, low, count);
  }
  e.code().vector(kAdd, result, count != 0 ? result : low, c);
  e.code().compare(Numbers::kUnsigned, kLess, carry, result, c);
  e.code().vector(kAdd, upper, count != 0 ? upper : high, c_high);
  e.code().add_one(upper, carry);
  e.store(result);
  e.store(upper, 1);
}

void emit_move_wide(Emitter& e, const Emission&) {
  const unsigned from = e.low(0), from_high = e.high(0), low = e.temporary(), high = e.temporary();
  e.code().vector(kMoveRow, low, 0, from);
  e.code().vector(kMoveRow, high, 0, from_high);
  e.store(low);
  e.store(high, 1);
}

// (a << b) and (a + b) << c with the third argument.
void emit_shift_then(Emitter& e, const Emission& how) {
  const unsigned a = e.low(0), c = e.low(2), result = e.temporary();
  e.code().shift(kShift, kLeft, result, a, e.constant(1) & 31);
  e.code().vector(how.instruction, result, result, c);
  e.store(result);
}
void emit_add_shift(Emitter& e, const Emission&) {
  const unsigned a = e.low(0), b = e.low(1), result = e.temporary();
  e.code().vector(kAdd, result, a, b);
  e.code().shift(kShift, kLeft, result, result, e.constant(2) & 31);
  e.store(result);
}

// Two instructions: one for the first two arguments, another for the result and the third. `constant` selects the first.
void emit_two(Emitter& e, const Emission& how) {
  constexpr Vex first[] = {kAdd, kOr, kAnd, kXor, kXor};
  const unsigned a = e.low(0), b = e.low(1), c = e.low(2), result = e.temporary();
  e.code().vector(first[how.constant], result, a, b);
  e.code().vector(how.instruction, result, result, c);
  e.store(result);
}

bool has_constant_field(const Op& op) { return has_constant_second(op) && has_constant_third(op); }
void emit_field(Emitter& e, const Emission&) {
  const unsigned from = e.low(0), result = e.temporary();
  e.code().shift(kShift, kRight, result, from, e.constant(1) & 31);
  e.code().vector(kAnd, result, result, e.code().repeated((1u << (e.constant(2) & 31)) - 1));
  e.store(result);
}

// A mask may be a constant, too.
bool has_mask(const Op& op) { return op.operands[op.operand_count - 1].bank == Bank::kScalar; }
void emit_select(Emitter& e, const Emission&) {
  const unsigned a = e.low(0), b = e.low(1), mask = e.load_mask(2), result = e.temporary();
  e.code().select(result, a, b, mask);
  e.store(result);
}

bool writes_other_mask(const Op& op) {
  return op.operands[0].bank == Bank::kScalar &&
         (op.operands[0].number < kExec - 1 || op.operands[0].number > kExec + 1);
}
// Those of gfx10 and later.
bool writes_only_exec(const Op& op) { return static_cast<const Places*>(op.extra)->first_argument == 0; }
void emit_compare(Emitter& e, const Emission& how) {
  const unsigned a = e.low(0), b = e.low(1), mask = e.mask();
  e.code().compare(how.numbers, how.constant, mask, a, b);
  e.store_mask(mask);
}

bool carries_elsewhere(const Op& op) {
  return op.operands[1].bank == Bank::kScalar &&
         (op.operands[1].number < kExec - 1 || op.operands[1].number > kExec + 1);
}
void emit_add_carry(Emitter& e, const Emission&) {
  const unsigned a = e.low(0), b = e.low(1), result = e.temporary(), carry = e.mask();
  e.code().vector(kAdd, result, a, b);
  e.code().compare(Numbers::kUnsigned, kLess, carry, result, b);
  e.store_mask(carry);
  e.store(result);
}
void emit_subtract_carry(Emitter& e, const Emission& how) {
  const unsigned x = e.low(0), y = e.low(1), a = how.reversed ? y : x, b = how.reversed ? x : y;
  const unsigned result = e.temporary(), carry = e.mask();
  e.code().vector(kSubtract, result, a, b);
  e.code().compare(Numbers::kUnsigned, kLess, carry, a, b);
  e.store_mask(carry);
  e.store(result);
}

// Add 1 where a mask has lanes; those of them for which that carries are added to another mask.
void add_ones(Emitter& e, unsigned to, unsigned where, unsigned carry) {
  const unsigned zero = e.mask();
  e.code().add_one(to, where);
  e.code().find_zero(zero, to, where);
  e.code().join_masks(carry, zero);
}
bool carries_both(const Op& op) { return has_mask(op) && carries_elsewhere(op); }
void emit_add_with_carry(Emitter& e, const Emission&) {
  const unsigned a = e.low(0), b = e.low(1), before = e.load_mask(2), result = e.temporary(), carry = e.mask();
  e.code().vector(kAdd, result, a, b);
  e.code().compare(Numbers::kUnsigned, kLess, carry, result, b);
  add_ones(e, result, before, carry);
  e.store_mask(carry);
  e.store(result);
}

// a * b + c of 64 bits: products of even and of odd lanes.
void emit_multiply_wide(Emitter& e, const Emission&) {
  const unsigned a = e.low(0), b = e.low(1), c = e.low(2), c_high = e.high(2);
  const unsigned result = e.temporary(), upper = e.temporary(), odd = e.temporary();
  const unsigned low_carry = e.mask(), carry = e.mask();
  e.code().shift(kShiftWide, kRight, odd, a, 32);
  e.code().shift(kShiftWide, kRight, result, b, 32);
  e.code().vector(kMultiplyWide, odd, odd, result);
  e.code().vector(kMultiplyWide, upper, a, b);
  e.code().shift(kShiftWide, kRight, upper, upper, 32);
  e.code().merge_odd(upper, odd, carry);  // the upper words of all lanes
  e.code().vector(kMultiply, result, a, b);
  e.code().vector(kAdd, result, result, c);
  e.code().compare(Numbers::kUnsigned, kLess, low_carry, result, c);
  e.code().vector(kAdd, upper, upper, c_high);
  e.code().compare(Numbers::kUnsigned, kLess, carry, upper, c_high);
  add_ones(e, upper, low_carry, carry);
  e.store_mask(carry);
  e.store(result);
  e.store(upper, 1);
}

// The low or the high word of an argument of a packed instruction, with its sign; in `to`, if it changes.
unsigned packed_word(Emitter& e, unsigned argument, unsigned half, unsigned to) {
  const Modifiers& all = e.op().modifiers;
  const bool upper = (half == 0 ? all.select : all.select_high) >> argument & 1;
  const bool negate = (half == 0 ? all.negate : all.negate_high) >> argument & 1;
  const unsigned from = upper ? e.high(argument) : e.low(argument);
  if (!negate) return from;
  e.code().vector(kXor, to, from, e.code().repeated(kSignBit));
  return to;
}
void emit_packed(Emitter& e, const Emission& how) {
  for (unsigned i = 0; i < how.arguments; ++i) e.low(i), e.high(i);
  const unsigned results[] = {e.temporary(), e.temporary()}, first = e.temporary(), second = e.temporary();
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned result = results[half];
    const unsigned a = packed_word(e, 0, half, first), b = packed_word(e, 1, half, second);
    if (how.arguments == 3) {
      const unsigned sum = packed_word(e, 2, half, result);
      if (sum != result) e.code().vector(kMoveRow, result, 0, sum);
      e.code().vector(kFused, result, a, b);
    } else {
      e.code().vector(how.instruction, result, a, b);
    }
  }
  e.store(results[0]);
  e.store(results[1], 1);
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
  table["v_cvt_f32_u32"] = {1, emit_from_unsigned};
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
  const auto add_carrying = [&table](const char* name, Emission how) {
    how.mask = 1;
    table[name] = how;
  };
  add_carrying("v_add_co_u32", {2, emit_add_carry, carries_elsewhere});
  for (const char* name : {"v_addc_co_u32", "v_add_co_ci_u32"})
    add_carrying(name, {3, emit_add_with_carry, carries_both}), table[name].reads_mask = true;
  add_carrying("v_sub_co_u32", {2, emit_subtract_carry, carries_elsewhere});
  add_carrying("v_subrev_co_u32", {2, emit_subtract_carry, carries_elsewhere, false, false, {}, 0, true});
  for (const char* name : {"v_mad_u64_u32", "v_mad_co_u64_u32"})
    add_carrying(name, {3, emit_multiply_wide, carries_elsewhere});
}

void add_bits(Table& table) {
  for (const char* name : {"v_mov_b32", "v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"})
    table[name] = {1, emit_move, nullptr, true};
  table["v_lshlrev_b32"] = {2, emit_shift, nullptr, false, false, kShiftLeftBy, kLeft};
  table["v_lshrrev_b32"] = {2, emit_shift, nullptr, false, false, kShiftRightBy, kRight};
  table["v_ashrrev_i32"] = {2, emit_shift, nullptr, false, false, kShiftSignedBy, kSigned};
  table["v_lshlrev_b64"] = {2, emit_shift_wide, has_constant_count};
  table["v_lshl_add_u64"] = {3, emit_shift_add_wide, has_small_second};
  table["v_mov_b64"] = {1, emit_move_wide};
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
  table["v_cndmask_b32"].reads_mask = true;
}

// The conditions of integers and of floating-point numbers, as the host numbers them.
void add_comparisons(Table& table) {
  static const std::map<std::string_view, uint8_t> integers = {{"lt", 1}, {"eq", 0}, {"le", 2},
                                                               {"gt", 6}, {"ge", 5}, {"ne", 4}};
  static const std::map<std::string_view, uint8_t> floats = {
      {"lt", 0x01}, {"eq", 0x00},  {"le", 0x02},  {"gt", 0x0e},  {"lg", 0x0c},  {"ge", 0x0d},  {"o", 0x07},
      {"u", 0x03},  {"nge", 0x09}, {"nlg", 0x08}, {"ngt", 0x0a}, {"nle", 0x06}, {"neq", 0x04}, {"nlt", 0x05}};
  const auto add = [&table](std::string_view condition, const char* type, Numbers numbers, uint8_t constant) {
    // The table keeps views of names for as long as the program runs.
    const auto& name = *new std::string("v_cmp_" + std::string(condition) + "_" + type);
    const auto& changing = *new std::string("v_cmpx_" + std::string(condition) + "_" + type);
    const bool floats = numbers == Numbers::kFloat;
    table[name] = {2, emit_compare, writes_other_mask, floats, false, {}, constant, false, numbers, 0};
    table[changing] = {2, emit_compare, writes_only_exec, floats, false, {}, constant, false, numbers, kTested};
  };
  for (const auto& [condition, constant] : integers) {
    add(condition, "i32", Numbers::kSigned, constant);
    add(condition, "u32", Numbers::kUnsigned, constant);
  }
  for (const auto& [condition, constant] : floats) add(condition, "f32", Numbers::kFloat, constant);
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

size_t emit_unchanged(Emitter& emitter, const Op& op, bool lanes_are_64, bool needs_scc) {
  if (!is_emitted(op)) {
    const KeptMask kept = emit_kept_mask(emitter.code(), op, lanes_are_64, needs_scc);
    if (!kept.is_kept) return 0;
    const size_t done = emitter.code().jump();
    if (kept.other != 0) emitter.code().land(kept.other);
    return done;
  }
  emitter.add(op);
  emitter.flush();
  emitter.code().test_collected(lanes_are_64);
  return emitter.code().jump_if(kEqual);
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
