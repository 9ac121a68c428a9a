// SPDX-License-Identifier: MIT
// Memory for vector registers, kept from one launch to the next: the system is slow to provide it anew.
#pragma once

#include "wave.h"

#include <mutex>
#include <utility>
#include <vector>

namespace hipport::emulate {

class RowPool {
 public:
  // Return `size` elements, all 0 if they are new, or as the last wavefront left them.
  Rows take(size_t size) {
    {
      const std::lock_guard lock(mutex_);
      for (Rows& one : free_)
        if (one.size() == size) {
          std::swap(one, free_.back());
          Rows found = std::move(free_.back());
          free_.pop_back();
          return found;
        }
    }
    return Rows(size);
  }
  void give(Rows rows) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < kMost) free_.push_back(std::move(rows));
  }

 private:
  static constexpr size_t kMost = 256;
  std::mutex mutex_;
  std::vector<Rows> free_;
};

}  // namespace hipport::emulate
