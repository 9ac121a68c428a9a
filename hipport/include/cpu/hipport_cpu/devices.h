// SPDX-License-Identifier: MIT
// Devices: one, or as many as HIPPORT_DEVICES says. All are this machine's processors, with one memory.
#pragma once

#include "errors.h"
#include "handles.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

namespace hipport::cpu {

inline constexpr int most_devices = 64;

inline int device_count() {
  static const int count = [] {
    const char* const wanted = std::getenv("HIPPORT_DEVICES");
    return wanted == nullptr ? 1 : std::clamp(std::atoi(wanted), 1, most_devices);
  }();
  return count;
}

inline bool is_device(int device) { return device >= 0 && device < device_count(); }
HIPPORT_RUNTIME hipError_t check_device(int device) {
  return status(is_device(device) ? hipSuccess : hipErrorInvalidDevice);
}

// The device of the calling thread.
inline int& current_device() {
  thread_local int device = 0;
  return device;
}

// Pairs of a device and of one whose memory it may use. It can use it in any case: programs only see whether they asked.
class Peers {
 public:
  static Peers& instance() {
    static Peers& all = *new Peers;
    return all;
  }
  hipError_t enable(int from, int to) {
    if (!is_device(to) || from == to) return status(hipErrorInvalidDevice);
    const std::lock_guard<std::mutex> lock(mutex_);
    return status(enabled_.emplace(from, to).second ? hipSuccess : hipErrorPeerAccessAlreadyEnabled);
  }
  hipError_t disable(int from, int to) {
    if (!is_device(to) || from == to) return status(hipErrorInvalidDevice);
    const std::lock_guard<std::mutex> lock(mutex_);
    return status(enabled_.erase({from, to}) != 0 ? hipSuccess : hipErrorPeerAccessNotEnabled);
  }

 private:
  std::mutex mutex_;
  std::set<std::pair<int, int>> enabled_;
};

}  // namespace hipport::cpu
