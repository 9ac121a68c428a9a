// SPDX-License-Identifier: MIT
// Which of the host's registers still have what was stored to memory, while code is written.
#pragma once

#include <cstdint>

namespace hipport::emulate {

// kPool stands for the constants behind the code.
enum Register : uint8_t { kRax = 0, kRcx = 1, kRdx = 2, kRbx = 3, kRsp = 4, kRbp = 5, kRsi = 6, kRdi = 7, kPool = 8 };

struct At {
  Register base;  // not rsp
  int32_t displacement;
};

// How many masks of all lanes can be collected at a time.
constexpr unsigned kMasks = 4;

// The registers r8 to r11, by numbers from 0 on. Those with collected masks are taken.
class StoredValues {
 public:
  // Return the register with the `size` bytes at a place, or -1.
  int find(At at, unsigned size) {
    for (State& state : states_)
      if (state.size >= size && state.at.base == at.base && state.at.displacement == at.displacement)
        return state.age = ++clock_, int(&state - states_);
    return -1;
  }
  // Return the register that is to have what has been stored, or -1 if it is not kept: registers in memory are.
  int keep(At at, unsigned size) {
    forget(at, size);
    if (at.base != kRbx) return -1;
    State* oldest = nullptr;
    for (State& state : states_)
      if (!state.taken && (oldest == nullptr || state.age < oldest->age)) oldest = &state;
    if (oldest == nullptr) return -1;
    *oldest = {at, size, ++clock_, false};
    return int(oldest - states_);
  }
  // Bytes in memory change.
  void forget(At at, unsigned size) {
    for (State& state : states_) {
      const bool is_before = state.at.displacement + int32_t(state.size) <= at.displacement;
      const bool is_behind = at.displacement + int32_t(size) <= state.at.displacement;
      if (state.at.base == at.base && !is_before && !is_behind) state.size = state.age = 0;
    }
  }
  void forget_all() {
    for (State& state : states_) state.size = state.age = 0;
  }
  void take(unsigned number) { states_[number] = {{}, 0, 0, true}; }
  void release(unsigned number) { states_[number].taken = false; }

 private:
  struct State {
    At at{};
    unsigned size = 0, age = 0;  // no bytes: the register has nothing
    bool taken = false;
  };
  State states_[kMasks] = {};
  unsigned clock_ = 0;
};

}  // namespace hipport::emulate
