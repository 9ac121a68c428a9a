// SPDX-License-Identifier: MIT
// Runs a kernel for a grid of work-groups.
#pragma once

#include "code_object.h"

namespace hipport::emulate {

struct Size3 {
  uint32_t x, y, z;
};

struct GridLaunch {
  CodeObject* object;
  const Kernel* kernel;
  Size3 grid, block;  // work-groups, and threads of one
  uint32_t dynamic_local_bytes;
  std::vector<uint8_t> arguments;  // the explicit ones, each at its offset
  bool cooperative = false;        // all work-groups run at the same time
};

// Run all work-groups, on all cores. Throws `Fault`.
void run_grid(const GridLaunch& launch);

}  // namespace hipport::emulate
