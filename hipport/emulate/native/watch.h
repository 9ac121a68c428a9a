// SPDX-License-Identifier: MIT
// Notes that a kernel makes no progress: wavefronts that repeat the same instructions with the same registers, as those do
// that wait for a lock or a flag.
#pragma once

#include "grid.h"

#include <atomic>
#include <chrono>
#include <unordered_set>
#include <vector>

namespace hipport::emulate {

using Moment = std::chrono::steady_clock::time_point;

// What all threads that run a launch know of it. There is one note for a launch, on stderr; the kernel goes on.
class Watch {
 public:
  // `begun` is how many work-groups threads have taken.
  Watch(const GridLaunch& launch, const Program& program, const std::atomic<uint64_t>& begun);

  // A wavefront has come to a state that it was not in before.
  void progressed(Moment now) { last_ = now.time_since_epoch().count(); }
  // No wavefront of a work-group has: say so if that is so for all of the launch, and has been for the limit.
  void stands(Moment now, const std::vector<Wave>& waves, Size3 group);

 private:
  void write(const std::vector<Wave>& waves, Size3 group) const;
  std::string place(const Wave& wave) const;

  const GridLaunch& launch_;
  const Program& program_;
  const std::atomic<uint64_t>& begun_;
  std::atomic<uint64_t> last_begun_{0};
  std::atomic<Moment::rep> last_;
  std::atomic<bool> has_said_;
};

// Looks at the wavefronts of a work-group every now and then.
class Observer {
 public:
  explicit Observer(Watch& watch) : watch_(watch) {}
  void start() { known_.clear(), next_ = Moment::min(), stands_ = has_stood_ = false; }
  // Call when wavefronts have run for a while.
  void look(const std::vector<Wave>& waves, Size3 group);
  // Return whether they stood still when they were last looked at.
  bool stands() const { return stands_; }
  bool has_stood() const { return has_stood_; }

 private:
  Watch& watch_;
  Moment next_ = Moment::min();
  bool stands_ = false, has_stood_ = false;
  std::unordered_set<uint64_t> known_;  // states of wavefronts
};

}  // namespace hipport::emulate
