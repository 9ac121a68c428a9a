// SPDX-License-Identifier: MIT
// Runs the threads of a block on one operating system thread.
//
// A fiber calls the kernel for one thread after the other, in a plain loop. When a thread has to wait for others, it
// keeps the fiber until it ends, and another fiber continues the loop. A kernel that never waits therefore costs one
// function call per thread, and kernels need not be marked as waiting or not.
//
// After all threads have met at a barrier, they are "in step": they run to the next barrier one after the other, and
// waiting there is only a switch to the next thread. The first thread that does anything else (ends, calls a cross-lane
// function or reaches another barrier) ends this mode until all threads meet again.
#pragma once

#include "builtins.h"
#include "fiber.h"

#include <memory>
#include <vector>

namespace hipport::cpu {

inline constexpr unsigned max_threads = 1024;

// A loop over threads: where it began, the thread in it that was suspended, if any, and whether it must end: after that
// thread, or because one call has run all threads.
struct Runner {
  unsigned first = 0;
  unsigned thread = 0;
  bool suspended = false;
  bool done = false;
};

// The fiber and the index with which a suspended thread continues.
struct Seat {
  Fiber* fiber;
  uint3 index;
};

// A kernel with its arguments. `run` calls it for the threads from `runner.first` on. If one of them is suspended,
// `run` returns when that thread has ended; it returns at once when `runner.done`.
struct Body {
  void (*run)(const void* call, Runner& runner);
  const void* call;
  const char* kernel;
  bool strict;  // the translator has marked the `return`s of kernels with barriers
};

// The second run of threads of which one has faulted: the one that runs.
struct Retrace {
  bool active = false;
  volatile unsigned thread = 0;  // only the handler of faults reads it
  void (*not_again)() = nullptr;
};

class Block {
 public:
  // Run a whole block. All built-in variables except `threadIdx` must be set.
  void run(const Body& body);

  // Wait for all threads of the block; return how many of the values were not 0. Inlined because the processor
  // mispredicts every return after a stack switch.
  [[gnu::always_inline]] unsigned barrier(unsigned value, const char* name, Site site) {
    const checks::Pause pause;
    if (!in_step_ || (waiting_ != 0 && site != step_site_)) return meet(value, name, site);
    return wait_in_step(value, name, site);
  }

  // Wait for the lanes that take part in `call`, which then holds the result.
  void exchange(LaneCall& call);

  // Wait for the lanes that are at the same instruction; lanes that are behind go first.
  void step(uintptr_t code);

  // Let other threads run.
  void yield();

  // Record that the current thread ends with a `return`.
  void leave();

  // Called around a kernel that runs all threads in the call for the first one: see regions.h.
  // The fences keep the compiler from leaving out what only the handler of faults reads.
  void begin_together() {
    together_ = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  void end_together() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    together_ = false;
    runner_->done = true;
  }

  // Called around each thread of a loop for ThreadSanitizer.
  void begin_thread(unsigned x, unsigned y, unsigned z);
  void end_thread();

  // Write which thread runs: kernel, block, thread; threads that run together are not told apart, unless retraced.
  void describe_thread(char* text, size_t size) const {
    describe(text, size, retrace_.active ? retrace_.thread : flat_thread());
    if (together_ && !retrace_.active) *std::strstr(text, ", thread") = '\0';
  }

  // Run the threads that the current fiber has begun once more, one at a time, to see which of them faults: the compiler
  // may have made one loop of them. Called in the handler of the fault, which the second one ends. `not_again` is called
  // if there is none, and does not return either.
  [[noreturn]] void retrace(void (*not_again)());
  bool can_retrace() const { return together_ || runner_ != nullptr; }
  bool is_retraced() const { return retrace_.active; }
  void retraces(unsigned thread) { retrace_.thread = thread; }

  const Body& body() const { return *body_; }
  unsigned size() const { return size_; }

 private:
  void reset(const Body& body);
  unsigned run_threads(Fiber& fiber);
  static void fiber_main(Fiber& fiber);
  unsigned claim();
  void end_range(unsigned first, unsigned last);
  void suspend(unsigned thread);
  void go_on(Fiber& next);
  Fiber& wake(unsigned thread);
  Fiber& pick(unsigned wave, Fiber* idle);
  Fiber& resume_lane(unsigned wave, LaneMask lanes);
  Fiber& start_more(Fiber* idle);
  bool complete_any();
  bool has_unstarted(unsigned wave) const { return next_ < std::min(size_, (wave + 1) * wave_size); }
  [[gnu::always_inline]] unsigned wait_in_step(unsigned value, const char* name, Site site);
  [[gnu::noinline]] unsigned meet(unsigned value, const char* name, Site site);
  [[gnu::noinline]] unsigned next_live(unsigned thread) const;
  [[gnu::noinline]] void next_round();
  void end_round();
  void start_step();
  void break_step();
  void* barrier_token();
  unsigned wait_at_barrier(unsigned value, const char* name, Site site);
  void release_barrier();
  void check_all_reached() const;
  void check_alone(const char* name, Site site) const;
  [[noreturn]] void stuck() const;
  void check_same_barrier() const;
  [[noreturn]] void diverged(unsigned thread, Site here, Site there) const;
  [[noreturn]] void fail(const char* kind, unsigned thread, Site here, const char* format, ...) const;
  void describe(char* text, size_t size, unsigned thread) const;

  static void retrace_main(Fiber& fiber);

  const Body* body_ = nullptr;
  Retrace retrace_;
  unsigned size_ = 0, waves_used_ = 0;
  unsigned next_ = 0;  // the first thread that has not started
  unsigned live_ = 0;  // number of threads that have not ended
  unsigned waiting_ = 0, votes_ = 0, outcome_ = 0;
  unsigned generation_ = 0;
  const char* barrier_name_ = "";
  bool together_ = false;
  bool in_step_ = false;  // if true, the waves' masks of waiting and ready lanes are out of date
  unsigned turn_ = 0;     // the running thread while all are in step
  Site step_site_{nullptr, 0};
  uint64_t ready_waves_ = 0;
  Wave waves_[max_threads / wave_size];
  Seat seats_[max_threads];  // of the suspended threads
  Fiber home_;
  Fiber* current_ = nullptr;
  Runner* runner_ = nullptr;                // null if `current_` belongs to a single thread
  void* base_ = nullptr;                    // ThreadSanitizer's fiber of the worker
  uint64_t barrier_tokens_[2], end_token_;  // addresses whose release and acquire order threads for ThreadSanitizer
  uint64_t lane_tokens_[max_threads];
  std::vector<std::unique_ptr<Fiber>> pool_;
  std::vector<Fiber*> idle_;
};

inline thread_local std::unique_ptr<Block> block_of_worker;
inline thread_local Block* current_block = nullptr;  // null outside kernels

}  // namespace hipport::cpu

#include "block_run.h"
#include "block_wait.h"
