// SPDX-License-Identifier: MIT
// Block: waiting for other threads, and the messages if they can never arrive.
#pragma once

#include "block.h"

namespace hipport::cpu {

// Return the first thread from `thread` on that has not ended; `size_` if there is none.
HIPPORT_RUNTIME unsigned Block::next_live(unsigned thread) const {
  unsigned wave = thread / wave_size;
  LaneMask lanes = ~first_lanes(thread % wave_size);
  for (; wave < waves_used_; ++wave, lanes = ~LaneMask(0))
    if ((lanes &= waves_[wave].live()) != 0) return wave * wave_size + static_cast<unsigned>(__builtin_ctzll(lanes));
  return size_;
}

inline unsigned Block::wait_in_step(unsigned value, const char* name, Site site) {
  step_site_ = site;
  barrier_name_ = name;
  votes_ += value != 0;
  ++waiting_;
  turn_ = live_ == size_ ? turn_ + 1 : next_live(turn_ + 1);
  if (turn_ == size_) next_round();
  go_on(wake(turn_));
  return outcome_;
}

HIPPORT_RUNTIME void Block::next_round() {
  end_round();
  turn_ = next_live(0);
}

inline void Block::end_round() {
  outcome_ = votes_;
  waiting_ = votes_ = 0;
  ++generation_;
  checks::barrier_met();
}

// All live threads have met at a barrier and continue in order. With ThreadSanitizer each thread must wait by itself,
// so that it sees the synchronization.
inline void Block::start_step() {
  in_step_ = !sanitizers::races;
  turn_ = next_live(0);
}

// Update the masks of all waves: the threads before the running one wait, those after it are ready.
inline void Block::break_step() {
  if (!in_step_) return;
  in_step_ = false;
  ready_waves_ = 0;
  for (unsigned i = 0; i < waves_used_; ++i) {
    Wave& wave = waves_[i];
    const unsigned first = i * wave_size;
    const LaneMask before = first_lanes(turn_ < first ? 0 : std::min(turn_ - first, 64u));
    wave.at_barrier = waiting_ == 0 ? 0 : wave.live() & before;
    wave.barrier = step_site_;
    wave.ready = wave.live() & ~before;
    if (turn_ / wave_size == i) wave.ready &= ~lane_bit(turn_ % wave_size);
    if (wave.ready != 0) ready_waves_ |= lane_bit(i);
  }
}

// Threads that run together wait for each other between regions only. What hides a wait from the translator, such as a
// macro, stops the program.
inline void Block::check_alone(const char* name, Site site) const {
  if (together_)
    stop("kernel %s: %s at %s:%d was not found when the kernel was translated: build with -DHIPPORT_NO_REGIONS",
         body_->kernel, name, site.file, site.line);
}

HIPPORT_RUNTIME unsigned Block::meet(unsigned value, const char* name, Site site) {
  check_alone(name, site);
  break_step();
  void* token = barrier_token();
  sanitizers::release(token);
  const unsigned votes = wait_at_barrier(value, name, site);
  sanitizers::acquire(token);
  return votes;
}

// Two tokens alternate: a thread can reach the next barrier before another has left this one.
inline void* Block::barrier_token() {
  AsWorker scope(base_);
  return &barrier_tokens_[generation_ & 1];
}

inline unsigned Block::wait_at_barrier(unsigned value, const char* name, Site site) {
  AsWorker scope(base_);
  const unsigned thread = claim();
  Wave& wave = waves_[thread / wave_size];
  if (wave.at_barrier != 0 && wave.barrier != site) diverged(thread, site, wave.barrier);
  wave.barrier = site;
  wave.at_barrier |= lane_bit(thread % wave_size);
  barrier_name_ = name;
  votes_ += value != 0;
  ++waiting_;
  suspend(thread);
  return outcome_;
}

inline void Block::release_barrier() {
  check_all_reached();
  if constexpr (checks::enabled) check_same_barrier();
  for (unsigned i = 0; i < waves_used_; ++i) {
    if (waves_[i].at_barrier == 0) continue;
    waves_[i].ready |= waves_[i].at_barrier;
    waves_[i].at_barrier = 0;
    ready_waves_ |= lane_bit(i);
  }
  end_round();
  start_step();
}

HIPPORT_RUNTIME void Block::exchange(LaneCall& call) {
  check_alone(call.name, call.site);
  const checks::Pause pause;
  break_step();
  const unsigned thread = flat_thread(), lane = thread % wave_size;
  sanitizers::release(&lane_tokens_[thread]);
  {
    AsWorker scope(base_);
    claim();
    Wave& wave = waves_[thread / wave_size];
    if (call.masked && (call.mask & lane_bit(lane)) == 0)
      fail("invalid-mask", thread, call.site, "%s at %s:%d with the mask 0x%llx, which lacks the caller's lane %u",
           call.name, call.site.file, call.site.line, static_cast<unsigned long long>(call.mask), lane);
    wave.calls[lane] = call;
    wave.calling |= lane_bit(lane);
    if (call.masked && wave.complete_masked(lane)) {
      wave.ready &= ~lane_bit(lane);
      ready_waves_ |= lane_bit(thread / wave_size);
    } else {
      suspend(thread);
    }
    call = wave.calls[lane];
  }
  if (sanitizers::races) {
    const unsigned first = thread - lane;
    each_lane(call.group, [&](unsigned other) { sanitizers::acquire(&lane_tokens_[first + other]); });
  }
}

HIPPORT_RUNTIME void Block::step(uintptr_t code) {
  LaneCall call{};
  call.site = {"", static_cast<int>(code & 0x7fffffff)};
  call.name = "step";
  call.kind = Exchange::step;
  exchange(call);
}

// Schedules threads that have not started first, then other lanes of the same wave, then the next wave that is ready.
// Kernels whose threads wait for each other by atomics do not run together.
HIPPORT_RUNTIME void Block::yield() {
  if (together_) return;
  const checks::Pause pause;
  checks::let_others_run();
  break_step();
  AsWorker scope(base_);
  const unsigned thread = claim(), wave = thread / wave_size, lane = thread % wave_size;
  const LaneMask others = waves_[wave].ready & ~first_lanes(lane + 1);
  waves_[wave].ready |= lane_bit(lane);
  ready_waves_ |= lane_bit(wave);
  const uint64_t behind = ready_waves_ & ~first_lanes(wave + 1);
  if (next_ < size_) return go_on(start_more(nullptr));
  if (others != 0) return go_on(resume_lane(wave, others));
  go_on(pick(static_cast<unsigned>(__builtin_ctzll(behind != 0 ? behind : ready_waves_)), nullptr));
}

HIPPORT_RUNTIME void Block::leave() {
  const checks::Pause pause;
  AsWorker scope(base_);
  const unsigned thread = flat_thread();
  waves_[thread / wave_size].left |= lane_bit(thread % wave_size);
}

HIPPORT_RUNTIME void Block::describe(char* text, size_t size, unsigned thread) const {
  std::snprintf(text, size, "kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", body_->kernel, blockIdx.x, blockIdx.y,
                blockIdx.z, thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y);
}

// Stop the program: this thread can never go on.
inline void Block::fail(const char* kind, unsigned thread, Site here, const char* format, ...) const {
  char who[160], what[400];
  describe(who, sizeof(who), thread);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  checks::stopping(kind, thread, {here.file, here.line}, what);
  stop("%s: %s", who, what);
}

// A thread that ran to the end of the kernel while others wait has bypassed a barrier, which is an error. A thread that
// executed a `return` has not: hardware does not wait for it.
inline void Block::check_all_reached() const {
  if (!body_->strict || live_ == size_) return;
  for (unsigned i = 0; i < waves_used_; ++i) {
    const LaneMask missing = waves_[i].ended & ~waves_[i].left;
    if (missing == 0) continue;
    unsigned other = 0;
    while (waves_[other].at_barrier == 0) ++other;
    const Site& barrier = waves_[other].barrier;
    fail("barrier-divergence", i * wave_size + static_cast<unsigned>(__builtin_ctzll(missing)), barrier,
         "ended without reaching %s at %s:%d, where %u threads of the block wait", barrier_name_, barrier.file,
         barrier.line, waiting_);
  }
}

// Wavefronts that wait at different barriers meet on hardware, too, but CUDA leaves it undefined.
inline void Block::check_same_barrier() const {
  const Wave* first = nullptr;
  for (unsigned i = 0; i < waves_used_; ++i) {
    const Wave& wave = waves_[i];
    if (wave.at_barrier == 0) continue;
    if (first == nullptr) first = &wave;
    if (wave.barrier == first->barrier) continue;
    checks::different_barriers(wave.first + static_cast<unsigned>(__builtin_ctzll(wave.at_barrier)),
                               {wave.barrier.file, wave.barrier.line},
                               first->first + static_cast<unsigned>(__builtin_ctzll(first->at_barrier)),
                               {first->barrier.file, first->barrier.line});
  }
}

inline void Block::diverged(unsigned thread, Site here, Site there) const {
  fail("barrier-divergence", thread, here,
       "reached the barrier at %s:%d while other lanes of its wavefront wait at the barrier at %s:%d", here.file,
       here.line, there.file, there.line);
}

// Deadlock: some threads wait at a barrier, others in a cross-lane function for lanes that never call it.
inline void Block::stuck() const {
  unsigned i = 0;
  while (waves_[i].calling == 0) ++i;
  const Wave& wave = waves_[i];
  const unsigned lane = static_cast<unsigned>(__builtin_ctzll(wave.calling));
  const LaneCall& call = wave.calls[lane];
  const LaneMask missing = call.mask & wave.live() & ~wave.calling;
  fail("missing-lanes", i * wave_size + lane, call.site,
       "waits in %s at %s:%d with the mask 0x%llx for lanes that never come (0x%llx of them are elsewhere); %u "
       "threads of the block wait at %s",
       call.name, call.site.file, call.site.line, static_cast<unsigned long long>(call.mask),
       static_cast<unsigned long long>(missing), waiting_, waiting_ != 0 ? barrier_name_ : "no barrier");
}

inline bool Block::complete_any() {
  for (unsigned i = 0; i < waves_used_; ++i) {
    if (waves_[i].calling == 0 || !waves_[i].complete_any()) continue;
    ready_waves_ |= lane_bit(i);
    return true;
  }
  return false;
}

}  // namespace hipport::cpu
