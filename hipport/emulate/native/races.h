// SPDX-License-Identifier: MIT
// Finds accesses of two wavefronts of a work-group that no barrier orders. Lanes of one wavefront run in step, so that
// their accesses are ordered. Each wavefront has a clock of each other one: an access is ordered behind another if the
// clock has reached it. Barriers set all clocks to the latest; an atomic operation passes its clock on to whoever
// accesses the same address later.
#pragma once

#include "wave.h"

#include <array>
#include <unordered_map>

namespace hipport::emulate {

// One thread's access.
struct Event {
  const Op* op = nullptr;
  uint32_t clock = 0;
  uint8_t wave = 0, lane = 0, bytes = 0;  // a bit for each byte of four
};

class Races {
 public:
  void start(size_t waves);
  // All wavefronts met at a barrier.
  void meet();

  // Record an access of up to four bytes within four aligned ones. Return the conflicting earlier one, or null.
  // `keeps` is set for a store of what is there already, which conflicts with no other store.
  const Event* access(uint64_t address, const Event& event, bool writes, bool atomic, bool keeps);
  Event event(const Op* op, unsigned wave, unsigned lane) const {
    return {op, clocks_[wave][wave], uint8_t(wave), uint8_t(lane), 0};
  }
  // Note an atomic operation, or another access to an address that has been accessed by one: who reads learns what the
  // writers before knew.
  void pass_on(uint64_t address, unsigned wave, bool atomic, bool reads, bool writes);

 private:
  static constexpr unsigned kMostWaves = 32;
  using Clocks = std::array<uint32_t, kMostWaves>;
  struct Cell {
    Event write, atomic, reads[2];  // the latest ones
    uint32_t same_writers = 0;      // wavefronts that stored the same value
  };

  bool is_ordered(const Event& before, unsigned wave) const {
    return before.op == nullptr || before.wave == wave || clocks_[wave][before.wave] >= before.clock;
  }

  size_t waves_ = 0;
  std::vector<Clocks> clocks_;
  std::unordered_map<uint64_t, Cell> cells_;
  std::unordered_map<uint64_t, Clocks> passed_;
  Event found_;
};

}  // namespace hipport::emulate
