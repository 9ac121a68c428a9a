// SPDX-License-Identifier: MIT
// Runs a function of one lane's values for all active lanes.
//
// The types of the function's parameters and of its result say how many registers an operand has, what its constants
// mean, and how modifiers change it.
#pragma once

#include "operation.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>
#include <type_traits>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace hipport::emulate {

using Half = _Float16;
// Two numbers of 16 bits in a register.
struct HalfPair {
  uint32_t bits;
};
// Two numbers of 32 bits in a register pair.
struct FloatPair {
  float low, high;
};
struct ShortPair {
  uint32_t bits;
};
// A lane's bit of a mask, as a parameter; and as a second result.
struct Bit {
  uint32_t value;
};
template <typename T>
struct Out {
  T value;
  uint32_t bit;
};

// The number of a lane, as a parameter that is no operand.
struct Lane {
  uint32_t value;
};

enum class Kind : uint8_t {
  kInteger,
  kFloat,
  kHalf,
  kDouble,
  kShort,
  kHalfPair,
  kShortPair,
  kFloatPair,
  kLong,
  kBit,
  kLane
};

template <typename T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, float>)
    return Kind::kFloat;
  else if constexpr (std::is_same_v<T, Half>)
    return Kind::kHalf;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::kDouble;
  else if constexpr (std::is_same_v<T, HalfPair>)
    return Kind::kHalfPair;
  else if constexpr (std::is_same_v<T, ShortPair>)
    return Kind::kShortPair;
  else if constexpr (std::is_same_v<T, FloatPair>)
    return Kind::kFloatPair;
  else if constexpr (std::is_same_v<T, Bit>)
    return Kind::kBit;
  else if constexpr (std::is_same_v<T, Lane>)
    return Kind::kLane;
  else if constexpr (sizeof(T) == 8)
    return Kind::kLong;
  else if constexpr (sizeof(T) == 2)
    return Kind::kShort;
  else
    return Kind::kInteger;
}
constexpr bool is_wide(Kind kind) { return kind == Kind::kDouble || kind == Kind::kLong || kind == Kind::kFloatPair; }
constexpr bool is_16_bit(Kind kind) { return kind == Kind::kHalf || kind == Kind::kShort; }
constexpr bool is_float(Kind kind) { return kind == Kind::kFloat || kind == Kind::kHalf || kind == Kind::kDouble; }

template <typename T>
inline T value_of(uint32_t low, uint32_t high) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(low | uint64_t(high) << 32);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<uint16_t>(low));
  else
    return std::bit_cast<T>(low);
}

// Return the value of a constant (operand code 128 to 248, or a literal) for an operand of this kind, as two words.
uint64_t constant(const Operand& operand, Kind kind);
// Return where a constant is repeated for each lane: 64 low words, then 64 high words.
const uint32_t* repeated(uint64_t value);
extern const uint32_t kLaneNumbers[kMaxLanes];
uint32_t special_value(const Wave& wave, unsigned code);

// The registers of a source, one value per lane.
struct Source {
  const uint32_t* low;
  const uint32_t* high;
};

// Memory for the sources and results of one instruction.
struct alignas(64) Scratch {
  uint32_t sources[4][2][kMaxLanes];
  uint32_t result[2][kMaxLanes];
  uint32_t bits[kMaxLanes];
};

inline uint64_t packed(const uint32_t* flags, unsigned lanes) {
  uint64_t mask = 0;
#if defined(__AVX512F__)
  for (unsigned i = 0; i < lanes; i += 16)
    mask |= uint64_t(_mm512_test_epi32_mask(_mm512_load_si512(flags + i), _mm512_load_si512(flags + i))) << i;
#else
  for (unsigned i = 0; i < lanes; ++i) mask |= uint64_t(flags[i] != 0) << i;
#endif
  return mask;
}

inline void spread(uint64_t mask, uint32_t* flags, unsigned lanes) {
  for (unsigned i = 0; i < 32; ++i) flags[i] = uint32_t(mask) >> i & 1;
  if (lanes == 64)
    for (unsigned i = 0; i < 32; ++i) flags[32 + i] = uint32_t(mask >> 32) >> i & 1;
}

// Return the lanes of an operand that is neither a vector register nor a constant.
Source read_scalar(Wave& wave, const Operand& operand, Kind kind, uint32_t (&to)[2][kMaxLanes]);

// Read argument `argument` of an operation, which is its operand `index`, without modifiers.
inline Source read(Wave& wave, const Op* op, unsigned index, unsigned argument, Kind kind, Scratch& scratch) {
  const Operand& operand = op->operands[index];
  if (kind == Kind::kLane) return {kLaneNumbers, kLaneNumbers};
  if (operand.bank == Bank::kVector) return {wave.v(operand.number), wave.v(operand.number + 1u)};
  if (const uint32_t* lanes = op->constants[argument]) return {lanes, lanes + kMaxLanes};
  return read_scalar(wave, operand, kind, scratch.sources[argument]);
}

// Change a source as the modifiers say. Lanes that must not be written are removed from `writable`.
Source modified(Wave& wave, const Op* op, unsigned argument, Kind kind, Source from, Scratch& scratch,
                uint64_t& writable);
// Return the lanes that dpp lets read from a lane of `from`. Those that must not be written leave `writable`.
uint64_t lanes_that_read(const Wave& wave, const Dpp& dpp, uint64_t from, uint64_t& writable);
// Change results as the modifiers say.
void modify_results(const Wave& wave, const Op* op, Kind kind, Scratch& scratch);
// Write 16-bit results, and those of sdwa, which change a part of a register.
void write_part(Wave& wave, const Op* op, const uint32_t* results, uint64_t writable);

// The types of a function.
template <typename F>
struct Types;
template <typename R, typename... A>
struct Types<R (*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<A...>;
  static constexpr unsigned kCount = sizeof...(A);
};
template <auto F>
using TypesOf = Types<decltype(+F)>;

template <typename T>
struct ValueOf {
  using Type = T;
  static constexpr bool kBit = false;
};
template <typename T>
struct ValueOf<Out<T>> {
  using Type = T;
  static constexpr bool kBit = true;
};

// Where a function's results and arguments are among the operands of an operation.
struct Places {
  uint8_t first_argument;   // operand of the first argument
  bool result_is_argument;  // the last argument is the destination's old value
};

constexpr unsigned kGroup = 32;

// `to` may be a register that is also a source: each lane is read before it is written.
// The lanes are computed in groups of 32, so that one function serves wavefronts of both sizes.
template <auto F, size_t... I>
inline void compute(const Source* sources, uint32_t* to, Scratch& scratch, unsigned lanes, std::index_sequence<I...>) {
  using Signature = TypesOf<F>;
  using Result = typename Signature::Result;
  using Arguments = typename Signature::Arguments;
  for (unsigned start = 0; start < lanes; start += kGroup) {
    const uint32_t* const low[] = {sources[I].low + start..., nullptr};
    const uint32_t* const high[] = {sources[I].high + start..., nullptr};
    uint32_t* const out = to + start;
    uint32_t* __restrict const out_high = scratch.result[1] + start;
    uint32_t* __restrict const bits = scratch.bits + start;
#pragma GCC ivdep
    for (unsigned i = 0; i < kGroup; ++i) {
      const auto result = F(value_of<std::tuple_element_t<I, Arguments>>(
          low[I][i], sizeof(std::tuple_element_t<I, Arguments>) == 8 ? high[I][i] : 0)...);
      if constexpr (std::is_same_v<Result, bool>) {
        bits[i] = result;
      } else {
        const auto value = [&] {
          if constexpr (ValueOf<Result>::kBit) {
            bits[i] = result.bit;
            return result.value;
          } else {
            return result;
          }
        }();
        if constexpr (sizeof(value) == 8) {
          const auto both = std::bit_cast<uint64_t>(value);
          out[i] = static_cast<uint32_t>(both);
          out_high[i] = static_cast<uint32_t>(both >> 32);
        } else if constexpr (sizeof(value) == 2) {
          out[i] = std::bit_cast<uint16_t>(value);
        } else {
          out[i] = std::bit_cast<uint32_t>(value);
        }
      }
    }
  }
}

constexpr int kFewLanes = 4;

inline void write_register(Wave& wave, unsigned number, const uint32_t* results, bool all) {
  uint32_t* __restrict const to = wave.v(number);
  const uint64_t exec = wave.exec();
  if (all)
    for (unsigned i = 0; i < wave.lanes; ++i) to[i] = results[i];
  else if (std::popcount(exec) <= kFewLanes)  // a branch for one thread, as often in front of a barrier
    for (uint64_t left = exec; left != 0; left &= left - 1)
      to[std::countr_zero(left)] = results[std::countr_zero(left)];
  else
    for (unsigned i = 0; i < wave.lanes; ++i)
      to[i] = (results[i] & wave.active_lanes[i]) | (to[i] & ~wave.active_lanes[i]);
}

// Write to the lanes of a mask, which are active ones.
inline void write_some(Wave& wave, unsigned number, const uint32_t* results, uint64_t mask) {
  uint32_t* const to = wave.v(number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (mask >> i & 1) to[i] = results[i];
}

// Run a function for the active lanes only, one after the other: for a branch that one thread takes.
template <auto F, size_t... I>
void compute_few(Wave& wave, const Op* op, const Source* sources, std::index_sequence<I...>) {
  using Arguments = typename TypesOf<F>::Arguments;
  uint32_t* const to = wave.v(op->operands[0].number);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned i = unsigned(std::countr_zero(left));
    to[i] = std::bit_cast<uint32_t>(F(value_of<std::tuple_element_t<I, Arguments>>(
        sources[I].low[i], sizeof(std::tuple_element_t<I, Arguments>) == 8 ? sources[I].high[i] : 0)...));
  }
}

// What follows the computation is the same for all functions: it is compiled once for each file, not for each function.

[[gnu::noinline]] inline void finish_compare(Wave& wave, const Op* op, const Scratch& scratch, uint64_t writable,
                                             bool stores) {
  const uint64_t mask = packed(scratch.bits, wave.lanes) & writable;
  if (stores) wave.set_mask(op->operands[0].number, mask);
  if (op->immediate) wave.set_mask(kExec, mask);  // v_cmpx
}

[[gnu::noinline]] inline void finish_value(Wave& wave, const Op* op, Kind kind, Scratch& scratch, uint64_t writable) {
  if (op->modified) modify_results(wave, op, kind, scratch);
  if (is_16_bit(kind) || op->modifiers.sdwa.present) {
    write_part(wave, op, scratch.result[0], writable);
  } else if (op->modified && writable != wave.exec()) {
    write_some(wave, op->operands[0].number, scratch.result[0], writable);
    if (is_wide(kind)) write_some(wave, op->operands[0].number + 1u, scratch.result[1], writable);
  } else {
    write_register(wave, op->operands[0].number, scratch.result[0], wave.full);
    if (is_wide(kind)) write_register(wave, op->operands[0].number + 1u, scratch.result[1], wave.full);
  }
}

// The compiler must not combine a multiplication and an addition of a function: AMD's instructions round each.
template <auto F>
const Op* run_lanes(Wave& wave, const Op* op) {
  using Signature = TypesOf<F>;
  using Result = typename Signature::Result;
  using Value = typename ValueOf<Result>::Type;
  using Arguments = typename Signature::Arguments;
  constexpr unsigned count = Signature::kCount;
  constexpr Kind kind = kind_of<Value>();
  const Places& places = *static_cast<const Places*>(op->extra);
  Scratch scratch;
  Source sources[count + 1];
  uint64_t writable = wave.exec();
  [&]<size_t... I>(std::index_sequence<I...>) {
    ((sources[I] =
          read(wave, op, places.result_is_argument && I + 1 == count ? 0u : places.first_argument + unsigned(I),
               unsigned(I), kind_of<std::tuple_element_t<I, Arguments>>(), scratch)),
     ...);
    if (op->modified)
      ((sources[I] = modified(wave, op, unsigned(I), kind_of<std::tuple_element_t<I, Arguments>>(), sources[I], scratch,
                              writable)),
       ...);
  }(std::make_index_sequence<count>());
  uint32_t* out = scratch.result[0];
  if constexpr (!std::is_same_v<Result, bool> && !ValueOf<Result>::kBit && !is_wide(kind) && !is_16_bit(kind)) {
    if (wave.full && !op->modified) {
      out = wave.v(op->operands[0].number);
    } else if (!op->modified && std::popcount(writable) <= kFewLanes) {
      compute_few<F>(wave, op, sources, std::make_index_sequence<count>());
      return op + 1;
    }
  }
  compute<F>(sources, out, scratch, wave.lanes, std::make_index_sequence<count>());
  if (out != scratch.result[0]) return op + 1;
  if constexpr (std::is_same_v<Result, bool>) {
    finish_compare(wave, op, scratch, writable, op->operand_count > count);
  } else {
    finish_value(wave, op, kind, scratch, writable);
    if constexpr (ValueOf<Result>::kBit)
      wave.set_mask(op->operands[1].number, packed(scratch.bits, wave.lanes) & writable);
  }
  return op + 1;
}

// A per-lane function with the types that binding a decoded instruction needs.
struct LaneFunction {
  Run run;
  unsigned results;
  std::vector<Kind> arguments;
  Kind result;
  bool compares;
};

// Functions by instruction name, from several files.
struct LaneTable {
  template <auto F>
  void add(std::string_view name) {
    functions.emplace(name, make<F>());
  }
  std::map<std::string_view, LaneFunction> functions;

 private:
  template <auto F>
  static LaneFunction make();
};
void add_float_functions(LaneTable& table);
void add_integer_functions(LaneTable& table);
void add_comparisons(LaneTable& table);
void add_packed_functions(LaneTable& table);
void add_saturating_functions(LaneTable& table);

template <auto F>
LaneFunction LaneTable::make() {
  using Signature = TypesOf<F>;
  using Result = typename Signature::Result;
  LaneFunction found{&run_lanes<F>,
                     1u + ValueOf<Result>::kBit,
                     {},
                     kind_of<typename ValueOf<Result>::Type>(),
                     std::is_same_v<Result, bool>};
  [&]<size_t... I>(std::index_sequence<I...>) {
    (found.arguments.push_back(kind_of<std::tuple_element_t<I, typename Signature::Arguments>>()), ...);
  }(std::make_index_sequence<Signature::kCount>());
  return found;
}

}  // namespace hipport::emulate
