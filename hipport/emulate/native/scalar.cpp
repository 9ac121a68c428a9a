// SPDX-License-Identifier: MIT
// Scalar arithmetic, and the table of instructions that are no operations on lanes.
#include "scalar.h"

#include "bind.h"
#include "lanes.h"

#include <algorithm>

namespace hipport::emulate {

uint32_t special_value(const Wave& wave, unsigned code) {
  switch (code) {
    case 235: return kLocalAperture;
    case 237: return kPrivateAperture;
    case 236:
    case 238: return 0xffffffffu;
    case 251: return wave.mask(kVcc) == 0;
    case 252: return wave.exec() == 0;
    case 253: return wave.scc;
    default: throw Fault("operand " + std::to_string(code) + " is not known");
  }
}

namespace {

#define SCALAR(name, ...) add_scalar<(__VA_ARGS__)>(table, name);

template <typename T>
T nonzero(Scc scc, T value) {
  scc.value = value != 0;
  return value;
}

void add_scalar_sums(ScalarTable& table) {
  for (const char* name : {"s_add_u32", "s_add_co_u32"})
    add_scalar<([](Scc s, uint32_t a, uint32_t b) { return s.value = a + b < a, a + b; })>(table, name);
  for (const char* name : {"s_sub_u32", "s_sub_co_u32"})
    add_scalar<([](Scc s, uint32_t a, uint32_t b) { return s.value = a < b, a - b; })>(table, name);
  for (const char* name : {"s_addc_u32", "s_add_co_ci_u32"})
    add_scalar<([](Scc s, uint32_t a, uint32_t b) {
      const uint64_t sum = uint64_t(a) + b + s.value;
      return s.value = sum >> 32, uint32_t(sum);
    })>(table, name);
  for (const char* name : {"s_subb_u32", "s_sub_co_ci_u32"})
    add_scalar<([](Scc s, uint32_t a, uint32_t b) {
      const uint64_t difference = uint64_t(a) - b - s.value;
      return s.value = difference >> 63, uint32_t(difference);
    })>(table, name);
  for (const char* name : {"s_add_i32", "s_add_co_i32"})
    add_scalar<([](Scc s, int32_t a, int32_t b) {
      int32_t sum;
      s.value = __builtin_add_overflow(a, b, &sum);
      return uint32_t(sum);
    })>(table, name);
  for (const char* name : {"s_sub_i32", "s_sub_co_i32"})
    add_scalar<([](Scc s, int32_t a, int32_t b) {
      int32_t difference;
      s.value = __builtin_sub_overflow(a, b, &difference);
      return uint32_t(difference);
    })>(table, name);
  SCALAR("s_add_u64", [](Scc, uint64_t a, uint64_t b) { return a + b; })
  SCALAR("s_add_nc_u64", [](Scc, uint64_t a, uint64_t b) { return a + b; })
  SCALAR("s_sub_nc_u64", [](Scc, uint64_t a, uint64_t b) { return a - b; })
  SCALAR("s_mul_u64", [](Scc, uint64_t a, uint64_t b) { return a * b; })
  SCALAR("s_mul_i32", [](Scc, uint32_t a, uint32_t b) { return a * b; })
  SCALAR("s_mul_hi_u32", [](Scc, uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); })
  SCALAR("s_mul_hi_i32", [](Scc, int32_t a, int32_t b) { return uint32_t(int64_t(a) * b >> 32); })
  SCALAR("s_abs_i32", [](Scc s, uint32_t a) { return nonzero(s, int32_t(a) < 0 ? 0 - a : a); })
  SCALAR("s_absdiff_i32",
         [](Scc s, int32_t a, int32_t b) { return nonzero(s, uint32_t(a > b ? int64_t(a) - b : int64_t(b) - a)); })
  SCALAR("s_min_u32", [](Scc s, uint32_t a, uint32_t b) { return s.value = a < b, std::min(a, b); })
  SCALAR("s_max_u32", [](Scc s, uint32_t a, uint32_t b) { return s.value = a > b, std::max(a, b); })
  SCALAR("s_min_i32", [](Scc s, int32_t a, int32_t b) { return s.value = a < b, uint32_t(std::min(a, b)); })
  SCALAR("s_max_i32", [](Scc s, int32_t a, int32_t b) { return s.value = a > b, uint32_t(std::max(a, b)); })
#define SHIFT_ADD(n)                                                 \
  SCALAR("s_lshl" #n "_add_u32", [](Scc s, uint32_t a, uint32_t b) { \
    const uint64_t sum = (uint64_t(a) << n) + b;                     \
    return s.value = sum >> 32, uint32_t(sum);                       \
  })
  SHIFT_ADD(1) SHIFT_ADD(2) SHIFT_ADD(3) SHIFT_ADD(4)
#undef SHIFT_ADD
}

template <typename T>
void add_logic(ScalarTable& table, const char* suffix) {
  const auto name = [suffix](const char* start) -> std::string_view {
    return *new std::string(start + std::string(suffix));
  };
  add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, a & b); })>(table, name("s_and_"));
  add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, a | b); })>(table, name("s_or_"));
  add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, a ^ b); })>(table, name("s_xor_"));
  add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, ~(a & b)); })>(table, name("s_nand_"));
  add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, ~(a | b)); })>(table, name("s_nor_"));
  add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, ~(a ^ b)); })>(table, name("s_xnor_"));
  for (const char* start : {"s_andn2_", "s_and_not1_"})
    add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, a & ~b); })>(table, name(start));
  for (const char* start : {"s_orn2_", "s_or_not1_"})
    add_scalar<([](Scc s, T a, T b) { return nonzero<T>(s, a | ~b); })>(table, name(start));
  add_scalar<([](Scc, T a) { return a; })>(table, name("s_mov_"));
  add_scalar<([](Scc s, T a) { return nonzero<T>(s, ~a); })>(table, name("s_not_"));
  add_scalar<([](Scc s, T a, T b) { return s.value ? a : b; })>(table, name("s_cselect_"));
  add_scalar<([](Scc s, T a) { return nonzero<uint32_t>(s, uint32_t(std::popcount(a))); })>(table,
                                                                                            name("s_bcnt1_i32_"));
  add_scalar<([](Scc s, T a) { return nonzero<uint32_t>(s, uint32_t(std::popcount(T(~a)))); })>(table,
                                                                                                name("s_bcnt0_i32_"));
  for (const char* start : {"s_ff1_i32_", "s_ctz_i32_"})
    add_scalar<([](Scc, T a) { return a == 0 ? ~0u : uint32_t(std::countr_zero(a)); })>(table, name(start));
  add_scalar<([](Scc, T a) { return T(~a) == 0 ? ~0u : uint32_t(std::countr_one(a)); })>(table, name("s_ff0_i32_"));
  // Each group of four lanes, whole or none.
  add_scalar<([](Scc s, T a) {
    T found = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; i += 4)
      if (a >> i & 15) found |= T(15) << i;
    return nonzero<T>(s, found);
  })>(table, name("s_wqm_"));
  add_scalar<([](Scc s, T a) {
    T found = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; i += 4) found |= T((a >> i & 15) != 0) << (i / 4);
    return nonzero<T>(s, found);
  })>(table, name("s_quadmask_"));
  add_scalar<([](Scc, T a) {
    T found = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; ++i) found |= (a >> i & 1) << (sizeof(T) * 8 - 1 - i);
    return found;
  })>(table, name("s_brev_"));
  add_scalar<([](Scc, uint32_t a, uint32_t b) {
    return T(((T(1) << (a % (sizeof(T) * 8))) - 1) << (b % (sizeof(T) * 8)));
  })>(table, name("s_bfm_"));
}

void add_scalar_bits(ScalarTable& table) {
  add_logic<uint32_t>(table, "b32");
  add_logic<uint64_t>(table, "b64");
  SCALAR("s_lshl_b32", [](Scc s, uint32_t a, uint32_t b) { return nonzero(s, a << (b & 31)); })
  SCALAR("s_lshl_b64", [](Scc s, uint64_t a, uint32_t b) { return nonzero(s, a << (b & 63)); })
  SCALAR("s_lshr_b32", [](Scc s, uint32_t a, uint32_t b) { return nonzero(s, a >> (b & 31)); })
  SCALAR("s_lshr_b64", [](Scc s, uint64_t a, uint32_t b) { return nonzero(s, a >> (b & 63)); })
  SCALAR("s_ashr_i32", [](Scc s, int32_t a, uint32_t b) { return nonzero(s, uint32_t(a >> (b & 31))); })
  SCALAR("s_ashr_i64", [](Scc s, int64_t a, uint32_t b) { return nonzero(s, uint64_t(a >> (b & 63))); })
  SCALAR("s_bfe_u32", [](Scc s, uint32_t a, uint32_t b) {
    const unsigned width = b >> 16 & 0x7f;
    const uint32_t value = a >> (b & 31);
    return nonzero(s, width >= 32 ? value : value & ((1u << width) - 1));
  })
  SCALAR("s_bfe_i32", [](Scc s, int32_t a, uint32_t b) {
    const unsigned width = std::min(b >> 16 & 0x7f, 32u);
    const int32_t value = a >> (b & 31);
    return nonzero(s, width == 0 ? 0u : uint32_t(int32_t(uint32_t(value) << (32 - width)) >> (32 - width)));
  })
  SCALAR("s_bfe_u64", [](Scc s, uint64_t a, uint32_t b) {
    const unsigned width = b >> 16 & 0x7f;
    const uint64_t value = a >> (b & 63);
    return nonzero(s, width >= 64 ? value : value & ((uint64_t(1) << width) - 1));
  })
  SCALAR("s_bfe_i64", [](Scc s, int64_t a, uint32_t b) {
    const unsigned width = std::min(b >> 16 & 0x7f, 64u);
    const int64_t value = a >> (b & 63);
    return nonzero(s, width == 0 ? uint64_t(0) : uint64_t(int64_t(uint64_t(value) << (64 - width)) >> (64 - width)));
  })
  for (const char* name : {"s_flbit_i32_b32", "s_clz_i32_u32"})
    add_scalar<([](Scc, uint32_t a) { return a == 0 ? ~0u : uint32_t(std::countl_zero(a)); })>(table, name);
  for (const char* name : {"s_flbit_i32_b64", "s_clz_i32_u64"})
    add_scalar<([](Scc, uint64_t a) { return a == 0 ? ~0u : uint32_t(std::countl_zero(a)); })>(table, name);
  for (const char* name : {"s_flbit_i32", "s_cls_i32"})
    add_scalar<([](Scc, uint32_t a) {
      const uint32_t differs = int32_t(a) < 0 ? ~a : a;
      return differs == 0 ? ~0u : uint32_t(std::countl_zero(differs));
    })>(table, name);
  for (const char* name : {"s_flbit_i32_i64", "s_cls_i32_i64"})
    add_scalar<([](Scc, uint64_t a) {
      const uint64_t differs = int64_t(a) < 0 ? ~a : a;
      return differs == 0 ? ~0u : uint32_t(std::countl_zero(differs));
    })>(table, name);
  SCALAR("s_bitreplicate_b64_b32", [](Scc, uint32_t a) {
    uint64_t found = 0;
    for (unsigned i = 0; i < 32; ++i) found |= uint64_t(a >> i & 1) * 3 << (2 * i);
    return found;
  })
  SCALAR("s_sext_i32_i8", [](Scc, uint32_t a) { return uint32_t(int32_t(int8_t(a))); })
  SCALAR("s_sext_i32_i16", [](Scc, uint32_t a) { return uint32_t(int32_t(int16_t(a))); })
  SCALAR("s_pack_ll_b32_b16", [](Scc, uint32_t a, uint32_t b) { return (a & 0xffff) | b << 16; })
  SCALAR("s_pack_lh_b32_b16", [](Scc, uint32_t a, uint32_t b) { return (a & 0xffff) | (b & 0xffff0000u); })
  SCALAR("s_pack_hh_b32_b16", [](Scc, uint32_t a, uint32_t b) { return a >> 16 | (b & 0xffff0000u); })
  SCALAR("s_pack_hl_b32_b16", [](Scc, uint32_t a, uint32_t b) { return a >> 16 | b << 16; })
}

template <typename T>
void add_compare(ScalarTable& table, const char* type) {
  const auto name = [type](const char* start) -> std::string_view {
    return *new std::string("s_cmp_" + std::string(start) + type);
  };
  add_scalar<([](Scc s, T a, T b) { s.value = a == b; })>(table, name("eq_"));
  add_scalar<([](Scc s, T a, T b) { s.value = a != b; })>(table, name("lg_"));
  add_scalar<([](Scc s, T a, T b) { s.value = a < b; })>(table, name("lt_"));
  add_scalar<([](Scc s, T a, T b) { s.value = a <= b; })>(table, name("le_"));
  add_scalar<([](Scc s, T a, T b) { s.value = a > b; })>(table, name("gt_"));
  add_scalar<([](Scc s, T a, T b) { s.value = a >= b; })>(table, name("ge_"));
}

void add_scalar_compares(ScalarTable& table) {
  add_compare<int32_t>(table, "i32");
  add_compare<uint32_t>(table, "u32");
  add_compare<uint64_t>(table, "u64");
  SCALAR("s_bitcmp0_b32", [](Scc s, uint32_t a, uint32_t b) { s.value = !(a >> (b & 31) & 1); })
  SCALAR("s_bitcmp1_b32", [](Scc s, uint32_t a, uint32_t b) { s.value = a >> (b & 31) & 1; })
  SCALAR("s_bitcmp0_b64", [](Scc s, uint64_t a, uint32_t b) { s.value = !(a >> (b & 63) & 1); })
  SCALAR("s_bitcmp1_b64", [](Scc s, uint64_t a, uint32_t b) { s.value = a >> (b & 63) & 1; })
}

// Conditional moves, and the instructions with a constant of 16 bits (op->immediate).
template <auto F>
const Op* run_with_immediate(Wave& wave, const Op* op) {
  uint32_t& to = wave.scalars[op->operands[0].number];
  F(wave, to, int32_t(op->immediate));
  if (op->operands[0].number == kExec) wave.exec_changed();
  return op + 1;
}

void add_immediates(ScalarTable& table) {
#define IMMEDIATE(name, ...)                                                       \
  table[name] = &run_with_immediate<([](Wave& wave, uint32_t& to, int32_t value) { \
    (void)wave;                                                                    \
    __VA_ARGS__;                                                                   \
  })>;
  IMMEDIATE("s_movk_i32", to = uint32_t(value))
  IMMEDIATE("s_cmovk_i32", if (wave.scc) to = uint32_t(value))
  IMMEDIATE("s_addk_i32", int32_t sum; wave.scc = __builtin_add_overflow(int32_t(to), value, &sum); to = uint32_t(sum))
  IMMEDIATE("s_addk_co_i32", int32_t sum; wave.scc = __builtin_add_overflow(int32_t(to), value, &sum);
            to = uint32_t(sum))
  IMMEDIATE("s_mulk_i32", to *= uint32_t(value))
  IMMEDIATE("s_cmpk_eq_i32", wave.scc = int32_t(to) == value)
  IMMEDIATE("s_cmpk_lg_i32", wave.scc = int32_t(to) != value)
  IMMEDIATE("s_cmpk_gt_i32", wave.scc = int32_t(to) > value)
  IMMEDIATE("s_cmpk_ge_i32", wave.scc = int32_t(to) >= value)
  IMMEDIATE("s_cmpk_lt_i32", wave.scc = int32_t(to) < value)
  IMMEDIATE("s_cmpk_le_i32", wave.scc = int32_t(to) <= value)
  IMMEDIATE("s_cmpk_eq_u32", wave.scc = to == uint32_t(value & 0xffff))
  IMMEDIATE("s_cmpk_lg_u32", wave.scc = to != uint32_t(value & 0xffff))
  IMMEDIATE("s_cmpk_gt_u32", wave.scc = to > uint32_t(value & 0xffff))
  IMMEDIATE("s_cmpk_ge_u32", wave.scc = to >= uint32_t(value & 0xffff))
  IMMEDIATE("s_cmpk_lt_u32", wave.scc = to < uint32_t(value & 0xffff))
  IMMEDIATE("s_cmpk_le_u32", wave.scc = to <= uint32_t(value & 0xffff))
#undef IMMEDIATE
}

// The destination gets the old mask (`Saves`) or the new one.
template <typename T, bool Saves, auto F>
const Op* run_changing_exec(Wave& wave, const Op* op) {
  const T old = sizeof(T) == 8 ? T(wave.pair(kExec)) : T(wave.scalars[kExec]);
  const T next = F(scalar<T>(wave, op, 1), old);
  set_scalar<T>(wave, op, 0, Saves ? old : next);
  if constexpr (sizeof(T) == 8)
    wave.set_pair(kExec, next);
  else
    wave.scalars[kExec] = uint32_t(next);
  wave.exec_changed();
  wave.scc = next != 0;
  return op + 1;
}

template <typename T>
void add_masks(ScalarTable& table, const std::string& suffix) {
  const auto name = [&suffix](const char* start) -> std::string_view {
    return *new std::string("s_" + (start + suffix));
  };
#define SAVE(start, expression) \
  table[name(start)] = &run_changing_exec<T, true, ([](T a, T exec) { return T(expression); })>;
  SAVE("and_saveexec_", a & exec)
  SAVE("or_saveexec_", a | exec)
  SAVE("xor_saveexec_", a ^ exec)
  SAVE("nand_saveexec_", ~(a & exec))
  SAVE("nor_saveexec_", ~(a | exec))
  SAVE("xnor_saveexec_", ~(a ^ exec))
  SAVE("andn2_saveexec_", a & ~exec)
  SAVE("and_not1_saveexec_", a & ~exec)
  SAVE("orn2_saveexec_", a | ~exec)
  SAVE("or_not1_saveexec_", a | ~exec)
  SAVE("andn1_saveexec_", ~a & exec)
  SAVE("and_not0_saveexec_", ~a & exec)
  SAVE("orn1_saveexec_", ~a | exec)
  SAVE("or_not0_saveexec_", ~a | exec)
#undef SAVE
#define WRITE(start, expression) \
  table[name(start)] = &run_changing_exec<T, false, ([](T a, T exec) { return T(expression); })>;
  WRITE("andn1_wrexec_", ~a & exec)
  WRITE("and_not0_wrexec_", ~a & exec)
  WRITE("andn2_wrexec_", a & ~exec)
  WRITE("and_not1_wrexec_", a & ~exec)
#undef WRITE
}

template <typename T>
const Op* conditional_move(Wave& wave, const Op* op) {
  if (wave.scc) set_scalar<T>(wave, op, 0, scalar<T>(wave, op, 1));
  return op + 1;
}
template <bool Value, unsigned Width>
const Op* set_bit(Wave& wave, const Op* op) {
  const unsigned bit = scalar<uint32_t>(wave, op, 1) % Width, number = op->operands[0].number + bit / 32;
  uint32_t& to = wave.scalars[number];
  to = Value ? to | 1u << bit % 32 : to & ~(1u << bit % 32);
  if (number == kExec || number == kExec + 1) wave.exec_changed();
  return op + 1;
}

}  // namespace

const ScalarTable& scalar_table() {
  static const ScalarTable all = [] {
    ScalarTable table;
    add_scalar_sums(table);
    add_scalar_bits(table);
    add_scalar_compares(table);
    add_immediates(table);
    add_masks<uint32_t>(table, "b32");
    add_masks<uint64_t>(table, "b64");
    add_control(table);
    table["s_cmov_b32"] = &conditional_move<uint32_t>;
    table["s_cmov_b64"] = &conditional_move<uint64_t>;
    table["s_bitset0_b32"] = &set_bit<false, 32>;
    table["s_bitset1_b32"] = &set_bit<true, 32>;
    table["s_bitset0_b64"] = &set_bit<false, 64>;
    table["s_bitset1_b64"] = &set_bit<true, 64>;
    add_scalar_floats(table);
    add_indexing(table);
    add_small_conversions(table);
    add_lane_moves(table);
    return table;
  }();
  return all;
}

}  // namespace hipport::emulate
