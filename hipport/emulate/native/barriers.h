// SPDX-License-Identifier: MIT
// Named barriers of gfx12, which some wavefronts of a work-group join, and the first arrival at the usual one.
#pragma once

#include "bind.h"

#include <map>

namespace hipport::emulate {

// A work-group with its barriers. Named ones have numbers from 1 on.
struct WorkGroupWithBarriers : WorkGroup {
  struct Named {
    uint32_t members = 0, signals = 0, phase = 0;
  };
  // The barrier that a wavefront has joined, and the last phase of it that the wavefront has waited for.
  struct Member {
    unsigned barrier = 0;
    uint32_t phase = 0;
  };
  static constexpr unsigned kNamed = 17;

  Named named[kNamed];
  std::map<const Wave*, Member> joined;
  bool is_signaled = false;  // some wavefront has arrived at the usual barrier

  void reset() {
    for (Named& one : named) one = {};
    joined.clear();
    is_signaled = false;
  }
};

void add_barriers(ScalarTable& table);

}  // namespace hipport::emulate
