// SPDX-License-Identifier: MIT
#include "findings.h"

#include <hip/hip_runtime_api.h>

#include "allowed_memory.h"
#include "loaded.h"
#include "operation_text.h"
#include "tool_report.h"

#include <algorithm>
#include <cinttypes>
#include <deque>
#include <malloc.h>
#include <map>
#include <set>
#include <tuple>

namespace hipport::emulate {
namespace {

constexpr size_t kMostFindings = 500;

using Key = std::tuple<std::string, const Op*, const Op*>;

struct Seen {
  std::mutex mutex;
  std::map<Key, std::pair<size_t, uint64_t>> counts;  // number of the finding, and how often it was seen
  std::map<uint64_t, std::pair<uint64_t, std::string>> living, freed;  // allocations: start, size, kind
};
Seen& seen() {
  static Seen& all = *new Seen;
  return all;
}

std::string text(const Size3& size) {
  return "[" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " + std::to_string(size.z) + "]";
}

std::string place(const Watched& watched, const Op* op, const Thread& where) {
  char offset[16];
  std::snprintf(offset, sizeof offset, "0x%x", op->offset);
  return "\"block\": " + text(where.block) + ", \"thread\": " + text(where.thread) +
         ", \"instruction\": " + json_text(text_of(*op)) + ", \"offset\": \"" + offset +
         "\", \"line\": " + json_text(watched.program->line(op));
}

const char* kind_of(hipMemoryType type) {
  switch (type) {
    case hipMemoryTypeHost: return "host memory";
    case hipMemoryTypeManaged: return "managed memory";
    case hipMemoryTypeArray: return "an array";
    default: return "device memory";
  }
}

// Compare what is allocated now with what was: what is gone was freed.
void update_allocations(Seen& all) {
  std::map<uint64_t, std::pair<uint64_t, std::string>> now;
  hipport::cpu::Allocations::instance().each([&](const char* start, const hipport::cpu::Allocation& allocation) {
    now[reinterpret_cast<uint64_t>(start)] = {allocation.size, kind_of(allocation.type)};
  });
  for (const auto& [start, was] : all.living)
    if (now.find(start) == now.end()) all.freed[start] = was;
  all.living = std::move(now);
}

// Freed memory that is not given back yet, so that its addresses are not those of new allocations.
class Quarantine {
 public:
  void put(void* pointer, size_t size) {
    const std::lock_guard lock(mutex_);
    all_.emplace_back(pointer, size);
    bytes_ += size;
    while (bytes_ > kMostBytes) {
      bytes_ -= all_.front().second;
      std::free(all_.front().first);
      all_.pop_front();
    }
  }

 private:
  static constexpr size_t kMostBytes = size_t(1) << 28;
  std::mutex mutex_;
  std::deque<std::pair<void*, size_t>> all_;
  size_t bytes_ = 0;
};

constexpr size_t kGap = 4096;

}  // namespace

void begin_checks() {
  static Quarantine& quarantine = *new Quarantine;
  hipport::cpu::Allocations& all = hipport::cpu::Allocations::instance();
  all.gap = kGap;
  all.take_back = [](void* pointer, size_t size) {
    {
      const std::lock_guard lock(seen().mutex);
      seen().freed[reinterpret_cast<uint64_t>(pointer)] = {size, "memory"};
    }
    quarantine.put(pointer, size);
  };
}

void report(const Watched& watched, const Finding& finding) {
  Seen& all = seen();
  const std::lock_guard lock(all.mutex);
  const auto [found, is_new] = all.counts.try_emplace({finding.kind, finding.op, finding.other.op}, 0, 0);
  if (is_new) found->second.first = all.counts.size() - 1;
  if (++found->second.second > 1 || all.counts.size() > kMostFindings) return;
  std::string line = "{\"number\": " + std::to_string(found->second.first) + ", \"kind\": " + json_text(finding.kind) +
                     ", \"message\": " + json_text(finding.message) +
                     ", \"kernel\": " + json_text(hipport::cpu::demangled(watched.launch->kernel->name.c_str())) +
                     ", \"target\": " + json_text(std::string(watched.launch->object->processor().name)) + ", " +
                     place(watched, finding.op, finding.where);
  if (finding.other.op != nullptr)
    line += ", \"other\": {" + place(watched, finding.other.op, finding.other.where) + "}";
  report_line(line + "}");
}

bool is_reported(const Watched&, const std::string& kind, const Op* op, const Op* other) {
  Seen& all = seen();
  const std::lock_guard lock(all.mutex);
  const auto found = all.counts.find({kind, op, other});
  if (found == all.counts.end()) return false;
  ++found->second.second;
  return true;
}

Allocated::Allocated(const Watched& watched) {
  Seen& all = seen();
  {
    const std::lock_guard lock(all.mutex);
    update_allocations(all);
    for (const auto& [start, allocation] : all.living) ranges_.push_back({start, allocation.first, allocation.second});
  }
  for (const auto& [start, bytes] : watched.memory)
    ranges_.push_back({reinterpret_cast<uint64_t>(start), bytes, "the kernel's arguments"});
  for (const auto& [start, bytes] : allowed_memory())
    ranges_.push_back({reinterpret_cast<uint64_t>(start), bytes, "memory of the runtime library"});
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.start < b.start; });
}

bool Allocated::contains(uint64_t address, uint64_t bytes) const {
  const auto inside = [&](const Range& range) {
    return address >= range.start && address + bytes <= range.start + range.bytes;
  };
  if (last_ < ranges_.size() && inside(ranges_[last_])) return true;
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](uint64_t value, const Range& range) { return value < range.start; });
  // The runtime library may have allocated memory during the launch, for malloc() in kernels.
  if (after == ranges_.begin() || !inside(*(after - 1))) return is_allowed(address, bytes);
  last_ = size_t(after - 1 - ranges_.begin());
  return true;
}

std::string Allocated::describe(uint64_t address) const {
  char text[160];
  const auto named = [&](const char* relation, uint64_t distance, const std::string& what, uint64_t start,
                         uint64_t bytes) {
    std::snprintf(text, sizeof text, "%" PRIu64 " bytes %s %s of %" PRIu64 " bytes at 0x%" PRIx64, distance, relation,
                  what.c_str(), bytes, start);
    return std::string(text);
  };
  {
    Seen& all = seen();
    const std::lock_guard lock(all.mutex);
    const auto after = all.freed.upper_bound(address);
    if (after != all.freed.begin()) {
      const auto& [start, allocation] = *std::prev(after);
      if (address < start + allocation.first)
        return named("into", address - start, allocation.second + " that was freed,", start, allocation.first);
    }
  }
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](uint64_t value, const Range& range) { return value < range.start; });
  const Range* best = nullptr;
  uint64_t least = 1 << 20;  // farther away, an allocation has nothing to do with the address
  if (after != ranges_.begin()) {
    const Range& before = *(after - 1);
    const uint64_t end = before.start + before.bytes;
    const uint64_t distance = address >= end ? address - end : 0;
    if (distance < least) best = &before, least = distance;
  }
  if (after != ranges_.end() && after->start - address < least)
    return named("before", after->start - address, after->what, after->start, after->bytes);
  if (best != nullptr && address < best->start + best->bytes)
    return named("into", address - best->start, best->what, best->start, best->bytes);
  if (best != nullptr) return named("behind the end of", least, best->what, best->start, best->bytes);
  return address < 4096 ? "a null pointer" : "no allocation is near";
}

void finish_checks() {
  for (const auto& [kernel, why] : missing_kernels())
    report_line("{\"number\": -1, \"kind\": \"missing-kernel\", \"kernel\": " +
                json_text(hipport::cpu::demangled(kernel.c_str())) +
                ", \"message\": " + json_text("the host code registers this kernel, but " + why) + "}");
  Seen& all = seen();
  const std::lock_guard lock(all.mutex);
  for (const auto& [key, count] : all.counts)
    report_line("{\"count\": " + std::to_string(count.second) + ", \"number\": " + std::to_string(count.first) + "}");
}

}  // namespace hipport::emulate
