// SPDX-License-Identifier: MIT
// Memory of pools that several processes have: an anonymous file, of which each allocation is a part.
#pragma once

#include "memory.h"

#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>

struct hipMemPoolPtrExportData {
  unsigned char reserved[64];
};

namespace hipport::cpu {

// Where an allocation is, for other processes.
struct PoolPlace {
  uint64_t device, file;  // the numbers that the system has for the pool's file
  uint64_t offset, size;
};
static_assert(sizeof(PoolPlace) <= sizeof(hipMemPoolPtrExportData));

class SharedPool {
 public:
  // `is_own`: the process may allocate from it.
  SharedPool(int file, bool is_own) : file_(file), is_own_(is_own) {}
  ~SharedPool() { close(file_); }
  SharedPool(const SharedPool&) = delete;
  SharedPool& operator=(const SharedPool&) = delete;

  // Return a new pool, or null if there can be no more files.
  static std::shared_ptr<SharedPool> create() {
    const int file = memfd_create("hipport pool", MFD_CLOEXEC);
    return file < 0 ? nullptr : std::make_shared<SharedPool>(file, true);
  }
  // Return the pool of a file, or null if it is none.
  static std::shared_ptr<SharedPool> import(int file) {
    struct stat found;
    if (file < 0 || fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return nullptr;
    const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return own < 0 ? nullptr : std::make_shared<SharedPool>(own, false);
  }

  bool is_own() const { return is_own_; }
  int file_for_others() const { return dup(file_); }

  // Return new memory, or null.
  void* allocate(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), room = (size + page - 1) / page * page;
    if (room < size || ftruncate(file_, static_cast<off_t>(end_ + room)) != 0) return nullptr;
    void* const memory = map_part(end_, size);
    if (memory != nullptr) end_ += room;
    return memory;
  }
  // Return an allocation of another process, or null if it is not of this pool.
  void* map(const PoolPlace& place) {
    const std::lock_guard<std::mutex> lock(mutex_);
    struct stat found;
    if (fstat(file_, &found) != 0 || found.st_dev != place.device || found.st_ino != place.file) return nullptr;
    const auto bytes = static_cast<uint64_t>(found.st_size);
    if (place.offset > bytes || place.size > bytes - place.offset) return nullptr;
    return map_part(place.offset, place.size);
  }
  // Describe an allocation of this pool; return false if it is none.
  bool describe(void* memory, PoolPlace& place) {
    const std::lock_guard<std::mutex> lock(mutex_);
    struct stat found;
    const auto part = parts_.find(memory);
    if (!is_own_ || part == parts_.end() || fstat(file_, &found) != 0) return false;
    place = {found.st_dev, found.st_ino, part->second.offset, part->second.size};
    return true;
  }
  void release(void* memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto part = parts_.find(memory);
    if (part == parts_.end()) return;
    munmap(memory, part->second.size);
    // Processes that still have it mapped must not use it any more.
    if (is_own_)
      fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(part->second.offset),
                static_cast<off_t>(part->second.size));
    parts_.erase(part);
  }

 private:
  struct Part {
    size_t offset, size;
  };
  void* map_part(size_t offset, size_t size) {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(offset));
    if (memory == MAP_FAILED) return nullptr;
    parts_[memory] = {offset, size};
    return memory;
  }

  std::mutex mutex_;
  int file_;
  bool is_own_;
  size_t end_ = 0;
  std::map<void*, Part> parts_;
};

}  // namespace hipport::cpu
