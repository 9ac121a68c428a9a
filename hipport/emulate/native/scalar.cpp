// SPDX-License-Identifier: MIT
// Scalar instructions, and moves between lanes and scalar registers.
#include "bind.h"
#include "hostcall.h"
#include "lanes.h"
#include "program.h"
#include "scalar.h"

#include "barriers.h"
#include "modes.h"

#include <algorithm>
#include <chrono>

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

// Moves between lanes.
const Op* read_first_lane(Wave& wave, const Op* op) {
  const unsigned lane = wave.exec() == 0 ? 0 : unsigned(std::countr_zero(wave.exec()));
  const Operand& from = op->operands[1];
  set_scalar<uint32_t>(wave, op, 0,
                       from.bank == Bank::kVector ? wave.v(from.number)[lane] : scalar<uint32_t>(wave, op, 1));
  return op + 1;
}
const Op* read_lane(Wave& wave, const Op* op) {
  set_scalar<uint32_t>(wave, op, 0, wave.v(op->operands[1].number)[scalar<uint32_t>(wave, op, 2) % wave.lanes]);
  return op + 1;
}
const Op* write_lane(Wave& wave, const Op* op) {
  const uint32_t value = scalar<uint32_t>(wave, op, 1);
  wave.v(op->operands[0].number)[scalar<uint32_t>(wave, op, 2) % wave.lanes] = value;
  return op + 1;
}
// Each lane of a row of 16 reads the lane of that row (of the other one of two, for permlanex16) that 4 bits name.
template <bool Other>
const Op* permute_rows(Wave& wave, const Op* op) {
  const uint64_t selectors = scalar<uint32_t>(wave, op, 2) | uint64_t(scalar<uint32_t>(wave, op, 3)) << 32;
  const uint32_t* const from = wave.v(op->operands[1].number);
  uint32_t* const to = wave.v(op->operands[0].number);
  const bool fetch_inactive = op->modifiers.select & 1, bound_control = op->modifiers.select >> 1 & 1;
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) {
    const unsigned lane = ((i & ~15u) ^ (Other ? 16u : 0u)) | unsigned(selectors >> (4 * (i & 15)) & 15);
    const bool valid = fetch_inactive || (wave.exec() >> lane & 1);
    found[i] = valid ? from[lane] : bound_control ? 0 : to[i];
  }
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = found[i];
  return op + 1;
}
const Op* exchange_halves(Wave& wave, const Op* op) {
  if (wave.lanes == 32) return op + 1;
  const uint32_t* const from = wave.v(op->operands[1].number);
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) found[i] = from[(i + 32) % wave.lanes];
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) wave.v(op->operands[0].number)[i] = found[i];
  return op + 1;
}
const Op* swap_registers(Wave& wave, const Op* op) {
  uint32_t *const a = wave.v(op->operands[0].number), *const b = wave.v(op->operands[1].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) std::swap(a[i], b[i]);
  return op + 1;
}
// The highest bit of a register's number selects its upper half.
const Op* swap_halves(Wave& wave, const Op* op) {
  const unsigned first = op->operands[0].number, second = op->operands[1].number;
  uint32_t *const a = wave.v(first & 127), *const b = wave.v(second & 127);
  const unsigned from_a = first >> 7 ? 16 : 0, from_b = second >> 7 ? 16 : 0;
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    const uint32_t of_a = a[i] >> from_a & 0xffff, of_b = b[i] >> from_b & 0xffff;
    a[i] = (a[i] & ~(0xffffu << from_a)) | of_b << from_a;
    b[i] = (b[i] & ~(0xffffu << from_b)) | of_a << from_b;
  }
  return op + 1;
}

// Each result is one of a pair.
const Op* move_packed(Wave& wave, const Op* op) {
  const unsigned to = op->operands[0].number, select = op->modifiers.select;
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    const uint32_t low = word_of(wave, op, 1, i, select & 1), high = word_of(wave, op, 2, i, select >> 1 & 1);
    wave.v(to)[i] = low;
    wave.v(to + 1)[i] = high;
  }
  return op + 1;
}

constexpr float kLeastSingle = 0x1p-126f, kLeastHalf = 0x1p-14f;  // that are not denormal
float flushed(float value, float least) { return std::fabs(value) < least ? std::copysign(0.0f, value) : value; }

// v_fma_mix: each source has 16 bits or 32, and so has the result (`Part`: 0 for 32 bits, 1 and 2 for a half).
template <unsigned Part>
const Op* fused_mixed(Wave& wave, const Op* op) {
  const Modifiers& all = op->modifiers;
  uint32_t* const to = wave.v(op->operands[0].number);
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    float sources[3];
    for (unsigned k = 0; k < 3; ++k) {
      const bool is_half = all.select_high >> k & 1;
      const bool is_constant = op->operands[k + 1].bank == Bank::kConstant;
      const uint32_t word = is_half && is_constant ? uint32_t(constant(op->operands[k + 1], Kind::kHalf))
                                                   : word_of(wave, op, k + 1, i, 0);
      const uint16_t half = uint16_t(all.select >> k & 1 ? word >> 16 : word);
      float value = is_half ? float(std::bit_cast<Half>(half)) : std::bit_cast<float>(word);
      if (all.flush >> (is_half ? 2 : 0) & 1) value = flushed(value, is_half ? kLeastHalf : kLeastSingle);
      if (all.negate_high >> k & 1) value = std::fabs(value);
      sources[k] = all.negate >> k & 1 ? -value : value;
    }
    float result = __builtin_fmaf(sources[0], sources[1], sources[2]);
    if (all.flush >> (Part == 0 ? 1 : 3) & 1) result = flushed(result, Part == 0 ? kLeastSingle : kLeastHalf);
    if (all.clamp) result = result > 0 ? (result < 1 ? result : 1.0f) : 0.0f;
    if constexpr (Part == 0) {
      to[i] = std::bit_cast<uint32_t>(result);
    } else {
      const uint32_t half = std::bit_cast<uint16_t>(Half(result));
      to[i] = Part == 1 ? (to[i] & 0xffff0000u) | half : (to[i] & 0xffff) | half << 16;
    }
  }
  return op + 1;
}

// Control.
template <auto Condition>
const Op* branch(Wave& wave, const Op* op) {
  return Condition(wave) ? op->target : op + 1;
}
const Op* nothing(Wave&, const Op* op) { return op + 1; }
// Kernels sleep while they wait for the host, among other things.
const Op* sleep(Wave&, const Op* op) {
  answer_hostcalls();
  return op + 1;
}
const Op* end_program(Wave& wave, const Op*) {
  wave.ended = true;
  return nullptr;
}
const Op* barrier(Wave& wave, const Op* op) {
  wave.at_barrier = true;
  wave.next = op + 1;
  return nullptr;
}
const Op* trap(Wave&, const Op* op) {
  if (op->immediate == 3) return op + 1;  // for debuggers
  throw Fault("a trap instruction was executed, as assert() and __builtin_trap() do");
}
// Counts at 100 MHz.
uint64_t ticks() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() / 10);
}
const Op* get_counter(Wave& wave, const Op* op) {
  set_scalar<uint64_t>(wave, op, 0, ticks());
  return op + 1;
}
// Messages with an answer: the time, or addresses of the trap handler and of the queue, which do not exist.
template <typename T>
const Op* send_message(Wave& wave, const Op* op) {
  constexpr unsigned get_realtime = 0x83;
  set_scalar<T>(wave, op, 0, op->immediate == get_realtime ? T(ticks()) : T(0));
  return op + 1;
}
const Op* get_pc(Wave& wave, const Op* op) {
  set_scalar<uint64_t>(wave, op, 0, wave.program->address(op) + 4);
  return op + 1;
}
const Op* set_pc(Wave& wave, const Op* op) { return wave.program->at(scalar<uint64_t>(wave, op, 0)); }
const Op* swap_pc(Wave& wave, const Op* op) {
  const uint64_t to = scalar<uint64_t>(wave, op, 1);
  set_scalar<uint64_t>(wave, op, 0, wave.program->address(op) + 4);
  return wave.program->at(to);
}
const Op* call(Wave& wave, const Op* op) {
  set_scalar<uint64_t>(wave, op, 0, wave.program->address(op) + 4);
  return op->target;
}
// Hardware registers: `id | offset << 6 | (size - 1) << 11`.
const Op* get_register(Wave& wave, const Op* op) {
  constexpr unsigned mode = 1, memory_bases = 15, cycles_low = 29, cycles_high = 30;
  const unsigned code = unsigned(op->immediate) & 0xffff, offset = code >> 6 & 31, size = (code >> 11 & 31) + 1;
  uint32_t value = 0;
  if ((code & 63) == mode) value = wave.mode;
  if ((code & 63) == memory_bases) value = kPrivateAperture >> 16 | (kLocalAperture & 0xffff0000u);
  if ((code & 63) == cycles_low) value = uint32_t(ticks());
  if ((code & 63) == cycles_high) value = uint32_t(ticks() >> 32);
  set_scalar<uint32_t>(wave, op, 0, uint32_t(value >> offset & ((uint64_t(1) << size) - 1)));
  return op + 1;
}
// Where the usual mode begins or ends, the wavefront stops, to go on in the loop for its mode.
const Op* set_mode(Wave& wave, const Op* op, unsigned offset, unsigned size, uint32_t value) {
  const uint32_t field = uint32_t(((uint64_t(1) << size) - 1) << offset);
  const bool was_usual = is_usual_mode(wave);
  wave.mode = (wave.mode & ~field) | (value << offset & field);
  wave.next = op + 1;
  return was_usual == is_usual_mode(wave) ? op + 1 : nullptr;
}
// Only the mode register can be written. The operand is a scalar register, or a literal.
const Op* set_register(Wave& wave, const Op* op) {
  const unsigned code = unsigned(op->immediate) & 0xffff;
  for (unsigned i = 0; i < op->operand_count; ++i)
    if ((code & 63) == 1 && op->operands[i].bank != Bank::kNone)
      return set_mode(wave, op, code >> 6 & 31, (code >> 11 & 31) + 1, scalar<uint32_t>(wave, op, i));
  return op + 1;
}
template <unsigned Offset>
const Op* set_mode_part(Wave& wave, const Op* op) {
  return set_mode(wave, op, Offset, 4, uint32_t(op->immediate) & 15);
}

void add_control(ScalarTable& table) {
  table["s_branch"] = &branch<([](const Wave&) { return true; })>;
  table["s_cbranch_scc0"] = &branch<([](const Wave& wave) { return !wave.scc; })>;
  table["s_cbranch_scc1"] = &branch<([](const Wave& wave) { return wave.scc; })>;
  table["s_cbranch_vccz"] = &branch<([](const Wave& wave) { return wave.mask(kVcc) == 0; })>;
  table["s_cbranch_vccnz"] = &branch<([](const Wave& wave) { return wave.mask(kVcc) != 0; })>;
  table["s_cbranch_execz"] = &branch<([](const Wave& wave) { return wave.exec() == 0; })>;
  table["s_cbranch_execnz"] = &branch<([](const Wave& wave) { return wave.exec() != 0; })>;
  for (const char* name : {"s_endpgm", "s_endpgm_saved"}) table[name] = &end_program;
  table["s_barrier"] = &barrier;
  add_barriers(table);
  table["s_trap"] = &trap;
  for (const char* name : {"s_memtime", "s_memrealtime"}) table[name] = &get_counter;
  table["s_sleep"] = &sleep;
  table["s_getpc_b64"] = &get_pc;
  table["s_setpc_b64"] = &set_pc;
  table["s_swappc_b64"] = &swap_pc;
  table["s_call_b64"] = &call;
  table["s_getreg_b32"] = &get_register;
  for (const char* name : {"s_setreg_b32", "s_setreg_imm32_b32"}) table[name] = &set_register;
  table["s_round_mode"] = &set_mode_part<0>;
  table["s_denorm_mode"] = &set_mode_part<4>;
  table["s_sendmsg_rtn_b32"] = &send_message<uint32_t>;
  table["s_sendmsg_rtn_b64"] = &send_message<uint64_t>;
  // Time passes in no particular way, and memory is always up to date: there is nothing to wait for.
  for (const char* name : {"s_nop",
                           "s_waitcnt",
                           "s_setprio",
                           "s_sendmsg",
                           "s_icache_inv",
                           "s_clause",
                           "s_delay_alu",
                           "s_inst_prefetch",
                           "s_set_inst_prefetch_distance",
                           "s_waitcnt_depctr",
                           "s_waitcnt_vscnt",
                           "s_waitcnt_vmcnt",
                           "s_waitcnt_expcnt",
                           "s_waitcnt_lgkmcnt",
                           "s_dcache_inv",
                           "s_dcache_wb",
                           "s_dcache_inv_vol",
                           "s_gl1_inv",
                           "s_ttracedata",
                           "s_wait_loadcnt",
                           "s_wait_storecnt",
                           "s_wait_dscnt",
                           "s_wait_kmcnt",
                           "s_wait_alu",
                           "s_wait_idle",
                           "s_wait_event",
                           "s_wait_samplecnt",
                           "s_wait_bvhcnt",
                           "s_wait_expcnt",
                           "s_wait_loadcnt_dscnt",
                           "s_wait_storecnt_dscnt",
                           "s_sleep_var",
                           "s_singleuse_vdst",
                           "s_set_vgpr_msb",
                           "s_ttracedata_imm",
                           "s_wait_asynccnt",
                           "s_buffer_prefetch_data",
                           "s_prefetch_data_pc_rel",
                           "s_buffer_prefetch_inst",
                           "s_dcache_wb_vol",
                           "s_atc_probe",
                           "s_atc_probe_buffer",
                           "s_incperflevel",
                           "s_decperflevel",
                           "s_version",
                           "s_code_end",
                           "v_nop",
                           "v_clrexcp",
                           "buffer_wbinvl1",
                           "buffer_wbinvl1_vol",
                           "buffer_gl0_inv",
                           "buffer_gl1_inv",
                           "buffer_wbl2",
                           "buffer_invl2",
                           "buffer_inv",
                           "global_inv",
                           "global_wb",
                           "global_wbinv",
                           "s_prefetch_inst",
                           "s_prefetch_inst_pc_rel",
                           "s_prefetch_data",
                           "s_sethalt",
                           "s_wakeup",
                           "ds_nop"})
    table[name] = &nothing;
}

}  // namespace

bool does_nothing(Run run) { return run == &nothing; }

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
    table["v_readfirstlane_b32"] = &read_first_lane;
    table["v_readlane_b32"] = &read_lane;
    table["v_writelane_b32"] = &write_lane;
    table["v_permlane16_b32"] = &permute_rows<false>;
    table["v_permlanex16_b32"] = &permute_rows<true>;
    table["v_permlane64_b32"] = &exchange_halves;
    table["v_pk_mov_b32"] = &move_packed;
    for (const char* name : {"v_fma_mix_f32", "v_mad_mix_f32"}) table[name] = &fused_mixed<0>;
    for (const char* name : {"v_fma_mixlo_f16", "v_mad_mixlo_f16"}) table[name] = &fused_mixed<1>;
    for (const char* name : {"v_fma_mixhi_f16", "v_mad_mixhi_f16"}) table[name] = &fused_mixed<2>;
    table["v_swap_b16"] = &swap_halves;
    table["v_swap_b32"] = &swap_registers;
    return table;
  }();
  return all;
}

}  // namespace hipport::emulate
