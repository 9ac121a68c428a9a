// SPDX-License-Identifier: MIT
// The addresses of checked memory, and what is known of each byte and each word there.
//
// All of it lies in one range of reserved addresses, with gaps that belong to nobody, so that an address alone tells
// where its shadow is. Addresses of freed memory are not used again before the range is used up.
#pragma once

#include "hooks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace hipport::cpu::checks {

using Trail = std::vector<uintptr_t>;  // return addresses, innermost first

enum ByteState : uint8_t { is_allocated = 1, is_written = 2, is_for_host = 4, is_shared = 8, is_freed = 16 };

// One access: who, when, where in the code, and to which bytes of a word.
struct Slot {
  uint32_t block = 0;  // the number of the block among all that ran; 0: nobody
  uint32_t clock = 0;
  uint32_t site = 0;
  uint16_t thread = 0;
  uint8_t bytes = 0;
  uint8_t kind = 0;
};

// The accesses to a word that matter for races.
struct Cell {
  Slot write, reads[2];
};

struct Extent {
  uintptr_t start;
  size_t size;
  Memory memory;
  bool freed;
  Trail allocated_at, freed_at;
};

class Arena {
 public:
  static constexpr size_t kBytes = size_t(1) << 37;
  static constexpr size_t kWord = 4;
  // Far accesses hit the gap: a row of a matrix, or a block of threads that does not check its bounds.
  static constexpr size_t kGap = size_t(1) << 16, kSharedGap = 1024;
  // What memory holds that nothing has written: libraries that were not instrumented change it.
  static constexpr int kUnwritten = 0xa7, kUnwrittenShared = 0xff;

  static Arena& instance() {
    static Arena& arena = *new Arena;
    return arena;
  }

  bool holds(uintptr_t address) const { return address - base_ < kBytes; }
  uint8_t* states(uintptr_t address) const { return states_ + (address - base_); }
  Cell& cell(uintptr_t address) const { return cells_[(address - base_) / kWord]; }

  void* allocate(size_t size, size_t alignment, Memory memory, Trail trail) {
    const size_t gap = memory == Memory::shared || memory == Memory::heap ? kSharedGap : kGap;
    alignment = std::max<size_t>(alignment, 256);
    const std::lock_guard<std::mutex> lock(mutex_);
    const uintptr_t start = find_room(size, alignment, gap);
    if (start == 0) return nullptr;
    forget_freed(start - gap, start + size + gap);
    std::memset(states(start - gap), 0, size + 2 * gap);
    extents_[start] = {start, size, memory, false, std::move(trail), {}};
    cursor_ = start + size + gap;
    fill(start, size, memory);
    return reinterpret_cast<void*>(start);
  }

  // Memory is unwritten again.
  void fill(uintptr_t start, size_t size, Memory memory) const {
    const bool is_visible = memory == Memory::host || memory == Memory::managed;
    std::memset(reinterpret_cast<void*>(start), memory == Memory::shared ? kUnwrittenShared : kUnwritten, size);
    std::memset(states(start),
                is_visible                 ? is_allocated | is_written | is_for_host
                : memory == Memory::shared ? is_allocated | is_shared
                                           : is_allocated,
                size);
  }

  void forget_accesses(uintptr_t start, size_t size) const {
    std::fill_n(&cell(start), (size + kWord - 1) / kWord, Cell{});
  }

  // Return false if no allocation begins here.
  bool release(uintptr_t start, Trail trail) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = extents_.find(start);
    if (found == extents_.end() || found->second.freed) return false;
    Extent& extent = found->second;
    extent.freed = true;
    extent.freed_at = std::move(trail);
    std::memset(states(start), is_freed, extent.size);
    const uintptr_t first = (start + 4095) & ~uintptr_t(4095), last = (start + extent.size) & ~uintptr_t(4095);
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    return true;
  }

  // Copy the extent that an address belongs to, or the nearest one; return false if none is near.
  bool nearest(uintptr_t address, Extent* extent) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto after = extents_.upper_bound(address);
    const Extent *before = after == extents_.begin() ? nullptr : &std::prev(after)->second,
                 *next = after == extents_.end() ? nullptr : &after->second;
    const auto distance = [&](const Extent& one) {
      return address < one.start               ? one.start - address
             : address >= one.start + one.size ? address - one.start - one.size
                                               : 0;
    };
    const Extent* best = before;
    if (best == nullptr || (next != nullptr && distance(*next) < distance(*best))) best = next;
    if (best == nullptr || distance(*best) > (size_t(1) << 24)) return false;
    *extent = *best;
    return true;
  }

  std::vector<Extent> living() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Extent> found;
    for (const auto& [start, extent] : extents_)
      if (!extent.freed && extent.memory != Memory::shared) found.push_back(extent);
    return found;
  }

 private:
  Arena() {
    base_ = reinterpret_cast<uintptr_t>(reserve(kBytes));
    states_ = static_cast<uint8_t*>(reserve(kBytes));
    cells_ = static_cast<Cell*>(reserve(kBytes / kWord * sizeof(Cell)));
    cursor_ = base_ + kGap;
  }

  static void* reserve(size_t bytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) return memory;
    std::fputs(
        "hipport: the checks of --sanitize cannot reserve addresses: is the address space limited "
        "(ulimit -v)?\n",
        stderr);
    std::_Exit(1);
  }

  // Return the first place from the last allocation on that no living memory is near.
  uintptr_t find_room(size_t size, size_t alignment, size_t gap) {
    for (int pass = 0; pass < 2; ++pass, cursor_ = base_ + kGap) {
      uintptr_t start = aligned(cursor_ + gap, alignment);
      auto next = extents_.upper_bound(start);
      for (;; ++next) {
        while (next != extents_.end() && next->second.freed) ++next;
        const uintptr_t end = next == extents_.end() ? base_ + kBytes : next->second.start;
        if (start + size + gap <= end) return start;
        if (next == extents_.end()) break;
        start = aligned(next->second.start + next->second.size + gap, alignment);
      }
    }
    return 0;
  }

  void forget_freed(uintptr_t first, uintptr_t last) {
    auto from = extents_.lower_bound(first);
    if (from != extents_.begin() && std::prev(from)->second.start + std::prev(from)->second.size > first) --from;
    while (from != extents_.end() && from->first < last) from = from->second.freed ? extents_.erase(from) : ++from;
  }

  static uintptr_t aligned(uintptr_t address, size_t alignment) {
    return (address + alignment - 1) / alignment * alignment;
  }

  std::mutex mutex_;
  std::map<uintptr_t, Extent> extents_;
  uintptr_t base_ = 0, cursor_ = 0;
  uint8_t* states_ = nullptr;
  Cell* cells_ = nullptr;
};

}  // namespace hipport::cpu::checks
