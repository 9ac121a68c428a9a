// SPDX-License-Identifier: MIT
#include "values.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace hipport::emulate {

const uint32_t* steps(uint32_t stride) {
  struct alignas(64) Steps {
    uint32_t of[kMaxThreads];
  };
  static std::map<uint32_t, std::unique_ptr<Steps>> all;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Steps>& found = all[stride];
  if (found == nullptr) {
    found = std::make_unique<Steps>();
    for (unsigned i = 0; i < kMaxThreads; ++i) found->of[i] = stride * i;
  }
  return found->of;
}

Value Values::at(unsigned number) const {
  const auto found = known_.find(number);
  return found == known_.end() ? Value{} : found->second;
}

void Values::set_linear(unsigned number, uint32_t stride, bool exact) {
  Value& value = known_[number] = {};
  value.form = Value::Form::kLinear;
  value.stride = stride;
  value.exact = exact || stride == 0;
}

void Values::set_sum(unsigned number, unsigned row) {
  Value& value = known_[number] = {};
  value.form = Value::Form::kSum;
  value.row = row;
}

void Values::set_row(unsigned number) { known_.erase(number); }

bool Values::needs_row(unsigned number) const {
  return std::any_of(known_.begin(), known_.end(), [number](const auto& one) {
    return one.second.form == Value::Form::kSum && one.second.row == number;
  });
}

void Values::load(Assembler& code, const Value& value, unsigned number, unsigned chunk, unsigned to) const {
  code.vector(kRepeatWord, to, 0, base_place(number));
  if (value.form == Value::Form::kSum)
    return code.vector(kAddWords, to, to, row_place(value.row, chunk, lanes_, code.width()));
  if (value.stride == 0) return;
  code.constant(kRcx, reinterpret_cast<uint64_t>(steps(value.stride)));
  code.vector(kAddWords, to, to, At{kRcx, int32_t(4 * code.width() * chunk)});
}

void Values::claim(Assembler& code, unsigned number) {
  for (const auto& [other, value] : std::map(known_))
    if (value.form == Value::Form::kSum && value.row == number && other != number) materialize(code, other);
}

void Values::materialize(Assembler& code, unsigned number) {
  constexpr unsigned kBase = 8, kResult = 9;
  const Value value = at(number);
  if (value.form == Value::Form::kRow || value.stored) return;
  claim(code, number);
  code.vector(kRepeatWord, kBase, 0, base_place(number));
  if (value.stride != 0) code.constant(kRcx, reinterpret_cast<uint64_t>(steps(value.stride)));
  for (unsigned i = 0; i < lanes_ / code.width(); ++i) {
    const At here = row_place(number, i, lanes_, code.width());
    unsigned from = kBase;
    if (value.form == Value::Form::kSum)
      code.vector(kAddWords, from = kResult, kBase, row_place(value.row, i, lanes_, code.width()));
    else if (value.stride != 0)
      code.vector(kAddWords, from = kResult, kBase, At{kRcx, int32_t(4 * code.width() * i)});
    code.vector(kStoreRow, from, 0, here);
  }
  if (value.is_linear())
    known_[number].stored = true;
  else
    set_row(number);
}

void Values::materialize_all(Assembler& code) {
  for (const auto& [number, value] : std::map(known_)) materialize(code, number);
}

void Values::materialize_sums(Assembler& code) {
  for (const auto& [number, value] : std::map(known_))
    if (value.form == Value::Form::kSum) materialize(code, number);
}

void Values::forget_exact() {
  for (auto& [number, value] : known_) value.exact = value.is_linear() && value.stride == 0;
}

void Values::forget_if(const std::function<bool(unsigned)>& is_dead) {
  std::erase_if(known_, [&](const auto& one) { return is_dead(one.first); });
}

}  // namespace hipport::emulate
