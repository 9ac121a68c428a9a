// SPDX-License-Identifier: MIT
// Runs the blocks of a grid.
#pragma once

#include "faults.h"
#include "pool.h"

namespace hipport::cpu {

// The launch configuration of a grid: grid and block size, and dynamic shared memory.
struct Geometry {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;

  uint64_t blocks() const { return uint64_t(grid.x) * grid.y * grid.z; }
  uint64_t threads() const { return uint64_t(block.x) * block.y * block.z; }
};

// Prepare this operating system thread for running blocks of a grid.
HIPPORT_RUNTIME Block& enter_grid(const Geometry& geometry) {
  if constexpr (!sanitizers::active) watch_for_faults();
  gridDim = geometry.grid;
  blockDim = geometry.block;
  size_dynamic_memory(geometry.shared_bytes);
  if (block_of_worker == nullptr) block_of_worker = std::make_unique<Block>();
  return *block_of_worker;
}

// Null in place of what a program without --lockstep does not need.
inline checks::BlockCalls calls_of_blocks() {
  checks::BlockCalls calls{[] { current_block->yield(); }, nullptr};
  if constexpr (checks::in_step) calls.step = [](uintptr_t code) { current_block->step(code); };
  return calls;
}

inline void run_block(Block& block, const Geometry& geometry, const Body& body, uint64_t number) {
  const dim3& grid = geometry.grid;
  blockIdx = uint3(static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                   static_cast<unsigned>(number / grid.x / grid.y));
  ++block_serial;
  checks::begin_block(number, static_cast<unsigned>(geometry.threads()), wave_size, calls_of_blocks());
  if (geometry.shared_bytes > 0) mark_unwritten(dynamic_memory.get(), geometry.shared_bytes);
  block.run(body);
  checks::end_block();
}

// Run all blocks, started in the order of their numbers; return when all have ended.
HIPPORT_RUNTIME void run_grid(const Geometry& geometry, const Body& body) {
  if (current_block != nullptr) stop("kernel %s: launched from device code, which HIP does not support", body.kernel);
  static std::mutex device;
  std::lock_guard<std::mutex> lock(device);
  const uint64_t blocks = geometry.blocks();
  const unsigned helpers = static_cast<unsigned>(std::min<uint64_t>(worker_count(), blocks)) - 1;
  const uint64_t chunk = std::max<uint64_t>(1, blocks / (uint64_t(helpers + 1) * 16));
  std::atomic<uint64_t> next{0};
  Pool::instance().run(helpers, [&] {
    Block& block = enter_grid(geometry);
    for (uint64_t first; (first = next.fetch_add(chunk)) < blocks;)
      for (uint64_t i = first; i < std::min(first + chunk, blocks); ++i) run_block(block, geometry, body, i);
  });
}

}  // namespace hipport::cpu
