// SPDX-License-Identifier: MIT
// Virtual memory management: reserving addresses, creating memory, and mapping it.
#pragma once

#include "memory.h"

#include <sys/mman.h>

struct hipMemAllocationProp {
  hipMemAllocationType type;
  union {
    hipMemAllocationHandleType requestedHandleType;
    hipMemAllocationHandleType requestedHandleTypes;
  };
  hipMemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
  } allocFlags;
};
enum hipMemAllocationGranularity_flags {
  hipMemAllocationGranularityMinimum = 0,
  hipMemAllocationGranularityRecommended = 1
};

// Memory in an anonymous file, which is freed when it is neither held nor mapped.
struct ihipMemGenericAllocationHandle : hipport::cpu::Handled<ihipMemGenericAllocationHandle> {
  int file;
  size_t size;
  hipMemAllocationProp properties;
  ~ihipMemGenericAllocationHandle() { close(file); }
};
template <>
struct hipport::cpu::PointerArgument<ihipMemGenericAllocationHandle>
    : hipport::cpu::HandleArgument<ihipMemGenericAllocationHandle, hipErrorInvalidValue, hipErrorInvalidValue> {};
using hipMemGenericAllocationHandle_t = ihipMemGenericAllocationHandle*;

namespace hipport::cpu {

// What is mapped where: of which memory, and what the program may do with it.
struct Mapping {
  size_t size;
  std::shared_ptr<ihipMemGenericAllocationHandle> memory;  // a handle of its own to the same file
  unsigned long long access = hipMemAccessFlagsProtNone;
};
class Mappings {
 public:
  static Mappings& instance() {
    static Mappings& all = *new Mappings;
    return all;
  }
  void add(void* address, Mapping mapping) {
    const std::lock_guard<std::mutex> lock(mutex_);
    all_[static_cast<char*>(address)] = std::move(mapping);
  }
  void remove(void* address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    all_.erase(static_cast<char*>(address));
  }
  // Change or read the mappings that meet a range; return how many there are.
  template <typename F>
  size_t each(void* address, size_t size, F visit) {
    const std::lock_guard<std::mutex> lock(mutex_);
    size_t count = 0;
    char* const first = static_cast<char*>(address);
    for (auto& [start, mapping] : all_)
      if (start < first + size && first < start + mapping.size) {
        visit(mapping);
        ++count;
      }
    return count;
  }

 private:
  std::mutex mutex_;
  std::map<char*, Mapping> all_;
};

inline size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
inline bool whole_pages(size_t size) { return size > 0 && size % page_size() == 0; }

// Unmap the memory of a range, which stays reserved.
inline bool unmap_range(void* address, size_t size) {
  return mmap(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

HIPPORT_RUNTIME hipError_t map_range(void* address, size_t size, size_t offset, int file) {
  if (mmap(address, size, PROT_NONE, MAP_SHARED | MAP_FIXED, file, static_cast<off_t>(offset)) == MAP_FAILED)
    return status(hipErrorMapFailed);
  Allocations::instance().add(address, {size, hipMemoryTypeDevice, 0, [](void*) {}});
  return hipSuccess;
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipMemGetAllocationGranularity(size_t* granularity, const hipMemAllocationProp* properties,
                                                          hipMemAllocationGranularity_flags option) {
  if (granularity == nullptr || properties == nullptr || properties->type != hipMemAllocationTypePinned ||
      properties->location.type != hipMemLocationTypeDevice || !hipport::cpu::is_device(properties->location.id) ||
      (option != hipMemAllocationGranularityMinimum && option != hipMemAllocationGranularityRecommended))
    return hipport::cpu::status(hipErrorInvalidValue);
  *granularity = hipport::cpu::page_size();
  return hipSuccess;
}
template <typename T>
hipError_t hipMemAddressReserve(T** address, size_t size, size_t alignment, void* wanted, unsigned long long flags) {
  if (address == nullptr || flags != 0 || !hipport::cpu::whole_pages(size) || alignment > hipport::cpu::page_size())
    return hipport::cpu::status(hipErrorInvalidValue);
  void* range = mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return hipport::cpu::status(hipErrorOutOfMemory);
  *address = static_cast<T*>(range);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemAddressFree(void* address, size_t size) {
  HIPPORT_NEEDS(address);
  return hipport::cpu::status(munmap(address, size) == 0 ? hipSuccess : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t size,
                                        const hipMemAllocationProp* properties, unsigned long long flags) {
  if (handle == nullptr || properties == nullptr || flags != 0 || !hipport::cpu::whole_pages(size))
    return hipport::cpu::status(hipErrorInvalidValue);
  const hipMemLocation& place = properties->location;
  const bool is_somewhere = place.type != hipMemLocationTypeDevice || hipport::cpu::is_device(place.id);
  if (properties->type == hipMemAllocationTypeInvalid || place.type == hipMemLocationTypeInvalid || !is_somewhere)
    return hipport::cpu::status(hipErrorInvalidValue);
  const int file = memfd_create("hipport memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) {
    if (file >= 0) close(file);
    return hipport::cpu::status(hipErrorOutOfMemory);
  }
  *handle = new ihipMemGenericAllocationHandle{{}, file, size, *properties};
  return hipSuccess;
}
// Mapped memory stays until it is unmapped.
HIPPORT_RUNTIME hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  HIPPORT_NEEDS(handle);
  delete handle;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemMap(void* address, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                                     unsigned long long flags) {
  HIPPORT_NEEDS(address, handle);
  if (flags != 0 || !hipport::cpu::whole_pages(size) || offset + size > handle->size)
    return hipport::cpu::status(hipErrorInvalidValue);
  const hipError_t error = hipport::cpu::map_range(address, size, offset, handle->file);
  if (error != hipSuccess) return error;
  std::shared_ptr<ihipMemGenericAllocationHandle> same(
      new ihipMemGenericAllocationHandle{{}, dup(handle->file), handle->size, handle->properties});
  hipport::cpu::Mappings::instance().add(address, {size, std::move(same)});
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemUnmap(void* address, size_t size) {
  if (size == 0 || !hipport::cpu::Allocations::instance().remove(address))
    return hipport::cpu::status(hipErrorInvalidValue);
  hipport::cpu::Mappings::instance().remove(address);
  return hipport::cpu::status(hipport::cpu::unmap_range(address, size) ? hipSuccess : hipErrorUnmapFailed);
}
HIPPORT_RUNTIME hipError_t hipMemSetAccess(void* address, size_t size, const hipMemAccessDesc* access, size_t count) {
  HIPPORT_NEEDS(access);
  int allowed = PROT_NONE;
  for (size_t i = 0; i < count; ++i)
    allowed |= access[i].flags == hipMemAccessFlagsProtReadWrite ? PROT_READ | PROT_WRITE
               : access[i].flags == hipMemAccessFlagsProtRead    ? PROT_READ
                                                                 : PROT_NONE;
  if (mprotect(address, size, allowed) != 0) return hipport::cpu::status(hipErrorInvalidValue);
  const unsigned long long flags = allowed == PROT_NONE          ? hipMemAccessFlagsProtNone
                                   : (allowed & PROT_WRITE) == 0 ? hipMemAccessFlagsProtRead
                                                                 : hipMemAccessFlagsProtReadWrite;
  const auto set = [&](hipport::cpu::Mapping& one) { one.access = flags; };
  hipport::cpu::Mappings::instance().each(address, size, set);
  return hipSuccess;
}
// All devices have the same access: they are one processor.
HIPPORT_RUNTIME hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* where, void* address) {
  if (flags == nullptr || where == nullptr || address == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const auto get = [&](hipport::cpu::Mapping& one) { *flags = one.access; };
  const bool found = hipport::cpu::Mappings::instance().each(address, 1, get) == 1;
  return hipport::cpu::status(found ? hipSuccess : hipErrorInvalidValue);
}
// The program releases the handle as it releases one that it made.
HIPPORT_RUNTIME hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* address) {
  if (handle == nullptr || address == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const auto get = [&](hipport::cpu::Mapping& one) {
    *handle = new ihipMemGenericAllocationHandle{{}, dup(one.memory->file), one.memory->size, one.memory->properties};
  };
  const bool found = hipport::cpu::Mappings::instance().each(address, 1, get) == 1;
  return hipport::cpu::status(found ? hipSuccess : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* properties,
                                                                   hipMemGenericAllocationHandle_t handle) {
  HIPPORT_NEEDS(properties, handle);
  *properties = handle->properties;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemExportToShareableHandle(void* shared, hipMemGenericAllocationHandle_t handle,
                                                         hipMemAllocationHandleType type, unsigned long long) {
  HIPPORT_NEEDS(shared, handle);
  if (type != hipMemHandleTypePosixFileDescriptor)
    return hipport::cpu::missing("hipMemExportToShareableHandle but to files");
  *static_cast<int*>(shared) = dup(handle->file);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* shared,
                                                           hipMemAllocationHandleType type) {
  HIPPORT_NEEDS(handle);
  if (type != hipMemHandleTypePosixFileDescriptor)
    return hipport::cpu::missing("hipMemImportFromShareableHandle but of files");
  const int file = dup(static_cast<int>(reinterpret_cast<intptr_t>(shared)));
  const off_t size = lseek(file, 0, SEEK_END);
  if (size <= 0) return hipport::cpu::status(hipErrorInvalidValue);
  *handle = new ihipMemGenericAllocationHandle{{}, file, static_cast<size_t>(size), {}};
  return hipSuccess;
}
