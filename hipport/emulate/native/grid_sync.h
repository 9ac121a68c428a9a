// SPDX-License-Identifier: MIT
// What the device libraries synchronize the grid of a cooperative launch with where a GPU has no barrier for it: the
// kernel finds its address among its arguments. The layout is that of `struct mg_info` in ROCm's device libraries.
#pragma once

#include <cstdint>

namespace hipport::emulate {

struct GridSync {
  struct Counters {
    uint32_t first = 0, second = 0;
  };
  // All grids of a launch on several devices; here it is one.
  uint64_t grids_counters = 0;
  uint32_t grid = 0, grids = 1;
  uint64_t threads_before = 0, threads = 0;
  Counters counters;
  uint32_t blocks = 0;
  Counters of_grids;

  GridSync(uint64_t block_count, uint64_t block_threads)
      : threads(block_count * block_threads), blocks(uint32_t(block_count)) {
    grids_counters = reinterpret_cast<uint64_t>(&of_grids);
  }
  GridSync(const GridSync&) = delete;  // has its own address
  GridSync& operator=(const GridSync&) = delete;
};

}  // namespace hipport::emulate
