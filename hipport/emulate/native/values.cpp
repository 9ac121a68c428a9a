// SPDX-License-Identifier: MIT
#include "values.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace hipport::emulate {

const uint32_t* steps(uint32_t stride) {
  struct alignas(64) Steps {
    uint32_t of[kMaxLanes];
  };
  static std::map<uint32_t, std::unique_ptr<Steps>> all;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Steps>& found = all[stride];
  if (found == nullptr) {
    found = std::make_unique<Steps>();
    for (unsigned i = 0; i < kMaxLanes; ++i) found->of[i] = stride * i;
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

void Values::set_held(unsigned number, const Held& held) {
  Value& value = known_[number] = {};
  value.form = Value::Form::kHeld;
  value.held = held;
  value.age = ++clock_;
}

Held Values::allocate(Assembler& code, unsigned number, const Held& other) {
  const std::vector<uint8_t>& all = code.spare_registers();
  const unsigned chunks = lanes_ / code.width();
  if (const Value value = at(number); value.is_held()) return value.held;
  for (;;) {
    Held found{};
    unsigned count = 0;
    for (const uint8_t one : all) {
      bool is_free = std::find(other.begin(), other.end(), one) == other.end();
      for (const auto& [known, value] : known_)
        for (unsigned i = 0; i < chunks && value.is_held(); ++i) is_free &= value.held[i] != one;
      if (is_free && count < chunks) found[count++] = one;
    }
    if (count == chunks) return found;
    auto oldest = known_.end();
    for (auto i = known_.begin(); i != known_.end(); ++i)
      if (i->second.is_held() && (oldest == known_.end() || i->second.age < oldest->second.age)) oldest = i;
    const unsigned evicted = oldest->first;
    materialize(code, evicted);
    set_row(evicted);
  }
}

void Values::release_all(Assembler& code) {
  for (const auto& [number, value] : std::map(known_))
    if (value.is_held()) materialize(code, number), set_row(number);
}

void Values::claim_held(Assembler& code) {
  for (const auto& [number, value] : std::map(known_))
    if (value.is_held() && !value.stored) claim(code, number);
}

void Values::store_held(Assembler& code) const {
  for (const auto& [number, value] : known_)
    for (unsigned i = 0; value.is_held() && !value.stored && i < lanes_ / code.width(); ++i)
      code.vector(kStoreRow, value.held[i], 0, row_place(number, i, lanes_, code.width()));
}

void Values::load_held(Assembler& code) const {
  for (const auto& [number, value] : known_)
    for (unsigned i = 0; value.is_held() && i < lanes_ / code.width(); ++i)
      code.vector(kLoadRow, value.held[i], 0, row_place(number, i, lanes_, code.width()));
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
  if (value.is_held()) {
    for (unsigned i = 0; i < lanes_ / code.width(); ++i)
      code.vector(kStoreRow, value.held[i], 0, row_place(number, i, lanes_, code.width()));
    known_[number].stored = true;
    return;
  }
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

}  // namespace hipport::emulate
