// SPDX-License-Identifier: MIT
#include "allowed_memory.h"

#include <algorithm>
#include <mutex>

namespace hipport::emulate {
namespace {

struct Allowed {
  std::mutex mutex;
  std::vector<std::pair<const void*, size_t>> ranges;
};
Allowed& allowed() {
  static Allowed& all = *new Allowed;  // used while static objects are destroyed
  return all;
}

}  // namespace

void allow_memory(const void* start, size_t bytes) {
  const std::lock_guard lock(allowed().mutex);
  allowed().ranges.emplace_back(start, bytes);
}

bool is_allowed(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(allowed().mutex);
  return std::any_of(allowed().ranges.begin(), allowed().ranges.end(), [&](const auto& range) {
    const auto start = reinterpret_cast<uint64_t>(range.first);
    return address >= start && address + bytes <= start + range.second;
  });
}

std::vector<std::pair<const void*, size_t>> allowed_memory() {
  const std::lock_guard lock(allowed().mutex);
  return allowed().ranges;
}

}  // namespace hipport::emulate
