// SPDX-License-Identifier: MIT
// Block: starts, ends and schedules threads.
#pragma once

#include "block.h"

#include <algorithm>

namespace hipport::cpu {

// While an object of this class exists, ThreadSanitizer attributes accesses to the worker instead of the GPU thread and
// ignores them: the worker's bookkeeping may read and write the stacks of GPU threads.
class AsWorker {
 public:
  explicit AsWorker(void* base) : thread_(sanitizers::current_fiber()) {
    sanitizers::switch_fiber(base);
    sanitizers::ignore_begin();
  }
  ~AsWorker() {
    sanitizers::ignore_end();
    sanitizers::switch_fiber(thread_);
  }
  AsWorker(const AsWorker&) = delete;
  AsWorker& operator=(const AsWorker&) = delete;

 private:
  void* thread_;
};

inline void Block::reset(const Body& body) {
  body_ = &body;
  size_ = blockDim.x * blockDim.y * blockDim.z;
  waves_used_ = (size_ + wave_size - 1) / wave_size;
  next_ = waiting_ = votes_ = 0;
  live_ = size_;
  ready_waves_ = 0;
  in_step_ = together_ = false;
  base_ = sanitizers::current_fiber();
  for (unsigned i = 0; i < waves_used_; ++i) {
    Wave& wave = waves_[i];
    wave.first = i * wave_size;
    wave.present = first_lanes(std::min(wave_size, size_ - i * wave_size));
    wave.ready = wave.calling = wave.at_barrier = wave.ended = wave.left = 0;
  }
}

HIPPORT_RUNTIME void Block::run(const Body& body) {
  reset(body);
  current_block = this;
  current_ = &start_more(nullptr);
  home_.switch_to(*current_);
  sanitizers::acquire(&end_token_);
  current_block = nullptr;
}

HIPPORT_RUNTIME void Block::fiber_main(Fiber& fiber) {
  for (;;) {
    Block& block = *current_block;
    Fiber& next = block.pick(block.run_threads(fiber), &fiber);
    if (&next == &fiber) continue;
    block.idle_.push_back(&fiber);
    block.current_ = &next;
    fiber.switch_to(next);
  }
}

// Run threads, beginning with the first that has not started; return the wave to schedule next.
inline unsigned Block::run_threads(Fiber& fiber) {
  Runner runner;
  runner.first = next_;
  runner_ = &runner;
  current_ = &fiber;
  body_->run(body_->call, runner);
  break_step();
  if (runner.suspended) {
    end_range(runner.thread, runner.thread + 1);
    return runner.thread / wave_size;
  }
  end_range(runner.first, size_);
  next_ = size_;
  return runner.first / wave_size;
}

inline void Block::end_range(unsigned first, unsigned last) {
  live_ -= last - first;
  while (first < last) {
    const unsigned wave = first / wave_size, lane = first % wave_size;
    const unsigned end = std::min(last, (wave + 1) * wave_size) - wave * wave_size;
    waves_[wave].ended |= first_lanes(end) & ~first_lanes(lane);
    first = wave * wave_size + end;
  }
}

// The stack of the fault is left as it is: nothing returns to it.
HIPPORT_RUNTIME void Block::retrace(void (*not_again)()) {
  retrace_.active = true;
  retrace_.thread = together_ ? 0 : runner_->first;
  retrace_.not_again = not_again;
  in_step_ = false;
  Fiber handler, fiber(&Block::retrace_main, 0);
  handler.switch_to(fiber);
  std::abort();
}

HIPPORT_RUNTIME void Block::retrace_main(Fiber&) {
  Block& block = *current_block;
  const unsigned first = block.retrace_.thread, last = block.together_ ? first + 1 : block.size_;
  for (unsigned thread = first; thread < last; ++thread) {
    block.retraces(thread);
    Runner runner;
    runner.first = thread;
    runner.done = true;  // after this thread
    block.runner_ = &runner;
    block.body_->run(block.body_->call, runner);
  }
  block.retrace_.not_again();
  std::abort();
}

// Reserve the current fiber for the current thread; return the thread's number in the block.
inline unsigned Block::claim() {
  if (retrace_.active) retrace_.not_again();
  const unsigned thread = flat_thread();
  if (runner_ == nullptr) return thread;
  runner_->suspended = runner_->done = true;
  runner_->thread = thread;
  end_range(runner_->first, thread);
  next_ = thread + 1;
  seats_[thread] = {current_, threadIdx};
  runner_ = nullptr;  // even if the thread continues at once: it claims its fiber only once
  return thread;
}

// Run other threads until `thread`, which waits for something, is scheduled again.
inline void Block::suspend(unsigned thread) { go_on(pick(thread / wave_size, nullptr)); }

inline void Block::go_on(Fiber& next) {
  Fiber& self = *current_;
  if (&next == &self) return;
  current_ = &next;
  self.switch_to(next);
}

// Make a suspended thread the current one; the caller must switch to the returned fiber.
inline Fiber& Block::wake(unsigned thread) {
  const Seat& seat = seats_[thread];
  set_thread(seat.index);
  runner_ = nullptr;
  return *seat.fiber;
}

// Choose the fiber to run next, preferably in the same wave; `idle` is a fiber without work.
inline Fiber& Block::pick(unsigned wave, Fiber* idle) {
  for (;;) {
    Wave& same = waves_[wave];
    if (same.ready != 0) return resume_lane(wave, same.ready);
    ready_waves_ &= ~lane_bit(wave);
    if (same.calling != 0 && !has_unstarted(wave) && same.complete_any()) continue;
    if (ready_waves_ != 0) {
      wave = static_cast<unsigned>(__builtin_ctzll(ready_waves_));
    } else if (next_ < size_) {
      return start_more(idle);
    } else if (live_ == 0) {
      return home_;
    } else if (!complete_any()) {
      if (waiting_ != live_) stuck();
      release_barrier();
      if (in_step_) return wake(turn_);
    }
  }
}

// Resume the first of `lanes`, which are ready.
inline Fiber& Block::resume_lane(unsigned wave, LaneMask lanes) {
  const unsigned lane = static_cast<unsigned>(__builtin_ctzll(lanes));
  waves_[wave].ready &= ~lane_bit(lane);
  ready_waves_ |= lane_bit(wave);
  return wake(wave * wave_size + lane);
}

inline Fiber& Block::start_more(Fiber* idle) {
  if (idle != nullptr) return *idle;
  if (idle_.empty()) {
    pool_.push_back(std::make_unique<Fiber>(&Block::fiber_main, static_cast<unsigned>(pool_.size())));
    return *pool_.back();
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

inline void Block::begin_thread(unsigned x, unsigned y, unsigned z) {
  set_thread(uint3(x, y, z));
  sanitizers::switch_fiber(sanitizers::create_fiber());
}

inline void Block::end_thread() {
  void *thread = sanitizers::current_fiber(), *base = base_;
  sanitizers::release(&end_token_);  // after the last access of this thread
  sanitizers::switch_fiber(base);
  sanitizers::destroy_fiber(thread);
}

}  // namespace hipport::cpu
