// SPDX-License-Identifier: MIT
// Runs functions of scalar values, and reads single values of operands.
#pragma once

#include "bind.h"
#include "lanes.h"

#include <string>

namespace hipport::emulate {

// The scalar condition code, as a parameter that a function may set.
struct Scc {
  bool& value;
};

template <typename T>
T scalar(const Wave& wave, const Op* op, unsigned index) {
  const Operand& operand = op->operands[index];
  if (operand.bank == Bank::kConstant) return static_cast<T>(op->values[index]);
  if (operand.bank == Bank::kSpecial) {
    const uint32_t value = special_value(wave, operand.number);
    const bool is_aperture = operand.number >= 235 && operand.number <= 238;
    return static_cast<T>(sizeof(T) == 8 && is_aperture ? uint64_t(value) << 32 : value);
  }
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(wave.pair(operand.number));
  else
    return static_cast<T>(wave.scalars[operand.number]);
}

template <typename T>
void set_scalar(Wave& wave, const Op* op, unsigned index, T value) {
  const unsigned number = op->operands[index].number == kNull ? unsigned(kNowhere) : op->operands[index].number;
  wave.scalars[number] = static_cast<uint32_t>(value);
  if constexpr (sizeof(T) == 8) wave.scalars[number + 1] = static_cast<uint32_t>(uint64_t(value) >> 32);
  if (number == kExec || number == kExec + 1) wave.exec_changed();
}

template <auto F, typename R, typename... A>
const Op* call_scalar(Wave& wave, const Op* op, R (*)(Scc, A...)) {
  constexpr unsigned first = std::is_void_v<R> ? 0 : 1;
  Scc scc{wave.scc};
  const auto call = [&]<size_t... I>(std::index_sequence<I...>) {
    return F(scc, scalar<A>(wave, op, first + unsigned(I))...);
  };
  if constexpr (std::is_void_v<R>)
    call(std::index_sequence_for<A...>());
  else
    set_scalar<R>(wave, op, 0, call(std::index_sequence_for<A...>()));
  return op + 1;
}
template <auto F>
const Op* run_scalar(Wave& wave, const Op* op) {
  return call_scalar<F>(wave, op, +F);
}

template <auto F>
void add_scalar(ScalarTable& table, std::string_view name) {
  table[name] = &run_scalar<F>;
}

// A register of a source for one lane, without modifiers.
inline uint32_t word_of(Wave& wave, const Op* op, unsigned index, unsigned lane, unsigned word) {
  const Operand& operand = op->operands[index];
  if (operand.bank == Bank::kVector) return wave.v(operand.number + word)[lane];
  if (operand.bank == Bank::kConstant) return uint32_t(op->values[index] >> (32 * word));
  return wave.scalars[operand.number + word];
}

// Store a word for the active lanes; `word(lane)` computes it.
template <typename F>
void set_words(Wave& wave, unsigned number, F word) {
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) found[i] = wave.active_lanes[i] ? word(i) : 0;
  write_some(wave, number, found, wave.exec());
}

void add_control(ScalarTable& table);
void add_lane_moves(ScalarTable& table);
void add_scalar_floats(ScalarTable& table);
void add_indexing(ScalarTable& table);
void add_small_conversions(ScalarTable& table);

}  // namespace hipport::emulate
