// SPDX-License-Identifier: MIT
// How threads of the host share the work-groups of a launch.
#pragma once

#include "workers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace hipport::emulate {

inline unsigned processors() {
  static const unsigned count = std::max(1u, std::thread::hardware_concurrency());  // asks the system for a file
  return count;
}

// Work-groups that follow each other.
struct Range {
  uint64_t first = 0, count = 0;
};

// The work-groups of a launch that no thread has taken.
class Queue {
 public:
  Queue(uint64_t count, uint64_t share) : count_(count), share_(share) {}
  // Return the next ones; none if there are no more.
  Range take() {
    if (const uint64_t first = next_.fetch_add(share_); first < count_)
      return {first, std::min(share_, count_ - first)};
    const std::lock_guard lock(mutex_);
    if (returned_.empty()) return {};
    const Range found = returned_.back();
    returned_.pop_back();
    return found;
  }
  // Let others have work-groups that were taken. Return whether there are any, of these or of others.
  bool give_back(Range range) {
    const std::lock_guard lock(mutex_);
    if (range.count != 0) returned_.push_back(range);
    return next_ < count_ || !returned_.empty();
  }
  void clear() {
    next_ = count_;
    const std::lock_guard lock(mutex_);
    returned_.clear();
  }
  const std::atomic<uint64_t>& taken() const { return next_; }

 private:
  const uint64_t count_, share_;
  std::atomic<uint64_t> next_{0};
  std::mutex mutex_;
  std::vector<Range> returned_;
};

// Threads that take work-groups in place of those whose work-groups wait for others: each time as many as there are, but
// not at once.
class MoreHelpers {
 public:
  std::function<void()> work;
  void call() {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (now < next_) return;
    next_ = now + kInterval;
    const unsigned count = std::min(std::max(1u, called_), kMost - called_);
    if (count == 0) return;
    called_ += count;
    all_.push_back(std::make_unique<Helpers>(count, work));
    all_.back()->call();
  }
  // Wait for all, of which each may call more.
  void finish() {
    for (;;) {
      std::unique_ptr<Helpers> last;
      {
        const std::lock_guard lock(mutex_);
        if (all_.empty()) return;
        last = std::move(all_.back());
        all_.pop_back();
      }
    }
  }

 private:
  static constexpr unsigned kMost = 512;
  static constexpr auto kInterval = std::chrono::milliseconds(50);
  std::chrono::steady_clock::time_point next_{};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Helpers>> all_;
  unsigned called_ = 0;
};

// Whether a launch is so short that threads of its own are not worth it, as the one before tells.
class Pace {
 public:
  // `nanoseconds` are those of a work-group in the last launch of the kernel; 0 if there was none.
  Pace(std::atomic<uint32_t>& nanoseconds, uint64_t groups)
      : nanoseconds_(nanoseconds), groups_(groups), start_(Clock::now()) {}
  bool is_short() const { return nanoseconds_ != 0 && groups_ * nanoseconds_ < kShort; }
  bool goes_on_alone() const { return elapsed() < 2 * kShort; }
  void finish(bool with_helpers) {
    const uint64_t each = elapsed() / groups_ * (with_helpers ? processors() : 1);
    nanoseconds_ = uint32_t(std::clamp<uint64_t>(each, 1, ~0u));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kShort = 20000;  // nanoseconds
  uint64_t elapsed() const { return uint64_t(std::chrono::nanoseconds(Clock::now() - start_).count()); }

  std::atomic<uint32_t>& nanoseconds_;
  const uint64_t groups_;
  const Clock::time_point start_;
};

}  // namespace hipport::emulate
