// SPDX-License-Identifier: MIT
// Cooperative launches, whose blocks wait for each other: every block has its own operating system thread.
#pragma once

#include "kernel_handle.h"
#include "sync.h"

#include <system_error>

namespace hipport::cpu {

// The barrier for the blocks of a grid.
class GridBarrier {
 public:
  GridBarrier(uint64_t blocks, const char* kernel) : blocks_(blocks), kernel_(kernel) {}

  void wait() {
    const checks::Pause pause;
    checks::grid_waits();
    std::unique_lock<std::mutex> lock(mutex_);
    if (ended_ > 0) stop("kernel %s: a block waits for the grid, and another block has ended", kernel_);
    const uint64_t turn = turn_;
    if (++waiting_ == blocks_) {
      waiting_ = 0;
      ++turn_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return turn_ != turn; });
    }
    lock.unlock();
    checks::grid_met();
  }

  // A block has ended: the others must not wait for it.
  void leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++ended_;
    if (waiting_ > 0) stop("kernel %s: a block has ended while others wait for the grid", kernel_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  const uint64_t blocks_;
  const char* const kernel_;
  uint64_t waiting_ = 0, turn_ = 0, ended_ = 0;
};

inline thread_local GridBarrier* grid_barrier = nullptr;  // null in ordinary launches

inline void sync_grid(Site site) {
  if (grid_barrier == nullptr) stop("%s:%d: the grid can wait only in a cooperative launch", site.file, site.line);
  Block& block = block_here("grid_group::sync");
  block.barrier(0, "grid_group::sync", site);
  if (flat_thread() == 0) grid_barrier->wait();
  block.barrier(0, "grid_group::sync", site);
}

inline void run_cooperative(const Geometry& geometry, const Body& body) {
  GridBarrier barrier(geometry.blocks(), body.kernel);
  std::vector<std::thread> threads;
  try {
    for (uint64_t i = 0; i < geometry.blocks(); ++i)
      threads.emplace_back([&, i] {
        grid_barrier = &barrier;
        run_block(enter_grid(geometry), geometry, body, i);
        barrier.leave();
      });
  } catch (const std::system_error&) {
    stop("kernel %s: the system has not enough threads for the %llu blocks of a cooperative launch", body.kernel,
         static_cast<unsigned long long>(geometry.blocks()));
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace hipport::cpu

template <typename F>
hipError_t hipLaunchKernel(F kernel, dim3 grid, dim3 block, void** arguments, size_t bytes = 0,
                           hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  const hipport::cpu::Launch launch{{grid, block, bytes}, stream, "launched by hipLaunchKernel", HIPPORT_STRICT};
  return hipport::cpu::launch_by_address("hipLaunchKernel of an untyped pointer", hipport::cpu::kernel(kernel), launch,
                                         arguments, false);
}
template <typename F>
hipError_t hipLaunchCooperativeKernel(F kernel, dim3 grid, dim3 block, void** arguments, unsigned bytes = 0,
                                      hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  const hipport::cpu::Launch launch{
      {grid, block, bytes}, stream, "launched by hipLaunchCooperativeKernel", HIPPORT_STRICT};
  return hipport::cpu::launch_by_address("hipLaunchCooperativeKernel of an untyped pointer",
                                         hipport::cpu::kernel(kernel), launch, arguments, true);
}
