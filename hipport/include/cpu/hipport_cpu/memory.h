// SPDX-License-Identifier: MIT
// Host, device and managed memory; on this target all of it is host memory.
#pragma once

#include "checks/hooks.h"
#include "devices.h"
#include "stream.h"
#include "trace_memory.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <unistd.h>
#include <vector>

enum hipMemoryType {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3,
  hipMemoryTypeArray = 10,
  hipMemoryTypeUnified = 11
};
struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
};
inline constexpr unsigned hipHostMallocDefault = 0, hipHostMallocPortable = 1, hipHostMallocMapped = 2,
                          hipHostMallocWriteCombined = 4, hipHostMallocNumaUser = 0x20000000,
                          hipHostMallocCoherent = 0x40000000, hipHostMallocNonCoherent = 0x80000000;
inline constexpr unsigned hipHostRegisterDefault = 0, hipHostRegisterPortable = 1, hipHostRegisterMapped = 2,
                          hipHostRegisterIoMemory = 4, hipHostRegisterReadOnly = 8;
inline constexpr unsigned hipMemAttachGlobal = 1, hipMemAttachHost = 2, hipMemAttachSingle = 4;

using hipDeviceptr_t = void*;

// Locations and access rights of memory, for pools, virtual memory and managed ranges.
enum hipMemLocationType {
  hipMemLocationTypeInvalid = 0,
  hipMemLocationTypeNone = 0,
  hipMemLocationTypeDevice = 1,
  hipMemLocationTypeHost = 2,
  hipMemLocationTypeHostNuma = 3,
  hipMemLocationTypeHostNumaCurrent = 4
};
struct hipMemLocation {
  hipMemLocationType type;
  int id;
};
enum hipMemAccessFlags {
  hipMemAccessFlagsProtNone = 0,
  hipMemAccessFlagsProtRead = 1,
  hipMemAccessFlagsProtReadWrite = 3
};
struct hipMemAccessDesc {
  hipMemLocation location;
  hipMemAccessFlags flags;
};
enum hipMemAllocationType {
  hipMemAllocationTypeInvalid = 0,
  hipMemAllocationTypePinned = 1,
  hipMemAllocationTypeMax = 0x7fffffff
};
enum hipMemAllocationHandleType {
  hipMemHandleTypeNone = 0,
  hipMemHandleTypePosixFileDescriptor = 1,
  hipMemHandleTypeWin32 = 2,
  hipMemHandleTypeWin32Kmt = 4
};

namespace hipport::cpu {

inline checks::Memory checked_as(hipMemoryType type) {
  return type == hipMemoryTypeHost      ? checks::Memory::host
         : type == hipMemoryTypeManaged ? checks::Memory::managed
                                        : checks::Memory::device;
}

// Return memory of a type, or null.
HIPPORT_RUNTIME void* obtain(size_t size, hipMemoryType type) {
  if constexpr (checks::enabled) return checks::allocate(size, 256, checked_as(type));
  void* memory = nullptr;
  return posix_memalign(&memory, 256, size) == 0 ? memory : nullptr;
}

HIPPORT_RUNTIME void give_back_memory(void* memory) {
  if constexpr (checks::enabled)
    checks::release(memory, "hipFree");
  else
    std::free(memory);
}

// What was said about a part of an allocation, which has no effect but can be asked for: an attribute of ranges has a
// value, for one device if it is that of the devices that access the range.
struct Advised {
  const char* begin;
  const char* end;
  int attribute;
  int device;
  int value;
  bool is_about(int other, int of) const { return attribute == other && device == of; }
  bool covers(const char* first, const char* last) const { return begin <= first && last <= end; }
};

struct Allocation {
  size_t size;
  hipMemoryType type;
  unsigned flags;
  std::function<void(void*)> give_back = &give_back_memory;
  int device = current_device();
  std::shared_ptr<std::vector<Advised>> advised = nullptr;
};

// Allocated and registered memory, by address.
class Allocations {
 public:
  static Allocations& instance() {
    static Allocations& all = *new Allocations;  // never destroyed: static objects may free memory in destructors
    return all;
  }

  hipError_t allocate(void** pointer, size_t size, hipMemoryType type, unsigned flags) {
    if (pointer == nullptr) return status(hipErrorInvalidValue);
    *pointer = nullptr;
    if (size == 0) return hipSuccess;
    if (size > (size_t(1) << 46) || (*pointer = obtain(size + gap, type)) == nullptr)
      return status(hipErrorOutOfMemory);
    std::function<void(void*)> give_back = &give_back_memory;
    if (take_back) give_back = [this, size](void* freed) { take_back(freed, size); };
    add(*pointer, {size, type, flags, give_back});
    if (type != hipMemoryTypeArray) trace_allocation(*pointer, size);  // arrays are opaque on NVIDIA GPUs
    return hipSuccess;
  }

  void add(void* pointer, Allocation allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    known_[static_cast<char*>(pointer)] = allocation;
  }

  // For checks: bytes behind each allocation that belong to none, and what happens to memory that is freed.
  size_t gap = 0;
  std::function<void(void*, size_t)> take_back;

  // Forget the allocation that begins at this address; return false if there is none.
  bool remove(void* pointer, Allocation* allocation = nullptr) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = known_.find(static_cast<char*>(pointer));
    if (found == known_.end()) return false;
    if (allocation != nullptr) *allocation = found->second;
    known_.erase(found);
    return true;
  }

  // Call `visit` with the start of each allocation and what is known of it.
  template <typename F>
  void each(F visit) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& entry : known_) visit(entry.first, entry.second);
  }

  // Find the allocation that contains an address.
  bool find(const void* pointer, char** base, Allocation* allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    char* address = static_cast<char*>(const_cast<void*>(pointer));
    auto found = known_.upper_bound(address);
    if (found == known_.begin() || address >= (--found)->first + found->second.size) return false;
    *base = found->first;
    *allocation = found->second;
    return true;
  }
  // Keep what is said about a range, in place of what was said about all of it before.
  void advise(const void* pointer, size_t size, int attribute, int device, int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    const char* const begin = static_cast<const char*>(pointer);
    auto found = known_.upper_bound(const_cast<char*>(begin));
    if (found == known_.begin() || begin >= (--found)->first + found->second.size) return;
    auto& advised = found->second.advised;
    if (advised == nullptr) advised = std::make_shared<std::vector<Advised>>();
    const auto replaced = [&](const Advised& each) {
      return each.is_about(attribute, device) && begin <= each.begin && each.end <= begin + size;
    };
    advised->erase(std::remove_if(advised->begin(), advised->end(), replaced), advised->end());
    advised->push_back({begin, begin + size, attribute, device, value});
  }
  // Return what was said last about all parts of a range; `otherwise` if that differs, or nothing was said.
  int advised(const void* pointer, size_t size, int attribute, int device, int otherwise) {
    char* base = nullptr;
    Allocation found{};
    if (!find(pointer, &base, &found) || found.advised == nullptr) return otherwise;
    std::lock_guard<std::mutex> lock(mutex_);
    const char *const begin = static_cast<const char*>(pointer), *const end = begin + size;
    std::set<const char*> parts{begin};
    for (const Advised& each : *found.advised)
      for (const char* bound : {each.begin, each.end})
        if (begin < bound && bound < end) parts.insert(bound);
    std::set<int> values;
    for (const char* part : parts) {
      int value = otherwise;
      for (const Advised& each : *found.advised)
        if (each.is_about(attribute, device) && each.covers(part, part + 1)) value = each.value;
      values.insert(value);
    }
    return values.size() == 1 ? *values.begin() : otherwise;
  }
  bool knows(const void* pointer) {
    char* base = nullptr;
    Allocation found{};
    return find(pointer, &base, &found);
  }

 private:
  std::mutex mutex_;
  std::map<char*, Allocation> known_;
};

// Variables of device code whose addresses the host knows.
class Variables {
 public:
  struct Variable {
    size_t size;
    hipMemoryType type;
  };
  static Variables& instance() {
    static Variables& all = *new Variables;
    return all;
  }
  void add(const void* address, Variable variable) {
    const std::lock_guard<std::mutex> lock(mutex_);
    known_[static_cast<const char*>(address)] = variable;
  }
  // Return the variable that contains an address; its size is 0 if there is none.
  Variable find(const void* address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto* at = static_cast<const char*>(address);
    auto found = known_.upper_bound(at);
    if (found == known_.begin() || at >= (--found)->first + found->second.size) return {0, hipMemoryTypeUnregistered};
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::map<const char*, Variable> known_;
};

// Know a variable as memory of the device, unless it is managed.
HIPPORT_RUNTIME void know_variable(const void* address, size_t size) {
  if (size != 0 && Variables::instance().find(address).size == 0)
    Variables::instance().add(address, {size, hipMemoryTypeDevice});
}

}  // namespace hipport::cpu

// The bounds of the section with the managed variables of a program or shared library, which the linker defines.
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_hipport_managed[], __stop_hipport_managed[];

namespace hipport::cpu {
namespace {

[[maybe_unused]] const bool has_managed_variables = [] {
  const char *const first = __start_hipport_managed, *const end = __stop_hipport_managed;
  if (first != end) Variables::instance().add(first, {static_cast<size_t>(end - first), hipMemoryTypeManaged});
  return first != end;
}();

}  // namespace

// Return whether an access would go beyond the end of the allocation that it begins in. Checks report that themselves.
HIPPORT_RUNTIME bool overruns(const void* pointer, size_t size) {
  if constexpr (checks::enabled) return false;
  char* base = nullptr;
  Allocation found{};
  size_t left = size;
  for (auto* at = static_cast<const char*>(pointer); Allocations::instance().find(at, &base, &found);) {
    const size_t here = found.size - static_cast<size_t>(at - base);
    if (left <= here) return false;
    left -= here;
    at += here;  // memory that is mapped side by side is one range
  }
  return left != size;
}

// Return whether accesses to rows would go beyond the allocation that they begin in, or be more than addresses are.
HIPPORT_RUNTIME bool rows_overrun(const void* first, size_t pitch, size_t width, size_t rows) {
  constexpr size_t most_bytes = size_t(1) << 47;
  size_t before_last = 0, all = 0;
  if (__builtin_mul_overflow(rows - 1, pitch, &before_last) || __builtin_add_overflow(before_last, width, &all))
    return true;
  return all > most_bytes || overruns(first, all);
}

HIPPORT_RUNTIME hipError_t allocate(void** pointer, size_t size, hipMemoryType type, unsigned flags = 0) {
  return Allocations::instance().allocate(pointer, size, type, flags);
}

HIPPORT_RUNTIME hipError_t release(void* pointer, const char* function = "hipFree") {
  if (pointer == nullptr) return hipSuccess;
  Allocation allocation{};
  if (!Allocations::instance().remove(pointer, &allocation)) {
    checks::release(pointer, function);  // reports it
    return status(hipErrorInvalidValue);
  }
  trace_release(pointer);
  allocation.give_back(pointer);
  return hipSuccess;
}

// Allocate memory for the program, which it must not while it captures.
HIPPORT_RUNTIME hipError_t allocate_for(void** pointer, size_t size, hipMemoryType type, unsigned flags = 0) {
  const hipError_t refused = refuse_unsafe_call();
  return refused != hipSuccess ? status(refused) : allocate(pointer, size, type, flags);
}
HIPPORT_RUNTIME hipError_t release_for(void* pointer, const char* function) {
  const hipError_t refused = pointer != nullptr ? refuse_unsafe_call() : hipSuccess;
  return refused != hipSuccess ? status(refused) : release(pointer, function);
}

// Return the address of a pointer, whose type may be to constants.
template <typename T>
void** untyped(T** pointer) {
  return const_cast<void**>(reinterpret_cast<const volatile void* const volatile*>(pointer));
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipMalloc(void** pointer, size_t size) {
  return hipport::cpu::allocate_for(pointer, size, hipMemoryTypeDevice);
}
template <typename T>
hipError_t hipMalloc(T** pointer, size_t size) {
  return hipMalloc(hipport::cpu::untyped(pointer), size);
}
HIPPORT_RUNTIME hipError_t hipExtMallocWithFlags(void** pointer, size_t size, unsigned flags) {
  constexpr unsigned signal = 2, contiguous = 4;
  if (flags > contiguous || (flags == signal && size != sizeof(uint64_t)))
    return hipport::cpu::status(hipErrorInvalidValue);
  return hipMalloc(pointer, size);
}
HIPPORT_RUNTIME hipError_t hipMemAlloc(hipDeviceptr_t* pointer, size_t size) { return hipMalloc(pointer, size); }
HIPPORT_RUNTIME hipError_t hipFree(void* pointer) { return hipport::cpu::release_for(pointer, "hipFree"); }

HIPPORT_RUNTIME hipError_t hipHostMalloc(void** pointer, size_t size, unsigned flags = 0) {
  constexpr unsigned both = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if ((flags & both) == both) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::allocate_for(pointer, size, hipMemoryTypeHost, flags);
}
template <typename T>
hipError_t hipHostMalloc(T** pointer, size_t size, unsigned flags = 0) {
  return hipHostMalloc(hipport::cpu::untyped(pointer), size, flags);
}
template <typename T>
hipError_t hipHostAlloc(T** pointer, size_t size, unsigned flags) {
  return hipHostMalloc(hipport::cpu::untyped(pointer), size, flags);
}
template <typename T>
hipError_t hipMallocHost(T** pointer, size_t size) {
  return hipHostMalloc(hipport::cpu::untyped(pointer), size, 0);
}
template <typename T>
hipError_t hipMemAllocHost(T** pointer, size_t size) {
  return hipHostMalloc(hipport::cpu::untyped(pointer), size, 0);
}
HIPPORT_RUNTIME hipError_t hipHostFree(void* pointer) { return hipport::cpu::release_for(pointer, "hipHostFree"); }
HIPPORT_RUNTIME hipError_t hipFreeHost(void* pointer) { return hipHostFree(pointer); }
template <typename T>
hipError_t hipHostGetDevicePointer(T** device, void* host, unsigned flags) {
  HIPPORT_NEEDS(device, host);
  if (flags != 0) return hipport::cpu::status(hipErrorInvalidValue);
  const bool is_known = hipport::cpu::Allocations::instance().knows(host);
  *device = is_known ? static_cast<T*>(host) : nullptr;
  return hipport::cpu::status(is_known ? hipSuccess : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipHostGetFlags(unsigned* flags, void* pointer) {
  HIPPORT_NEEDS(flags);
  char* base = nullptr;
  hipport::cpu::Allocation found{};
  if (!hipport::cpu::Allocations::instance().find(pointer, &base, &found))
    return hipport::cpu::status(hipErrorInvalidValue);
  *flags = found.flags;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipHostRegister(void* pointer, size_t size, unsigned flags) {
  constexpr unsigned all_flags =
      hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory | hipHostRegisterReadOnly;
  if (pointer == nullptr || size == 0 || flags > all_flags) return hipport::cpu::status(hipErrorInvalidValue);
  // AMD's runtime takes memory that is registered already, and the first hipHostUnregister ends all.
  if (hipport::cpu::Allocations::instance().knows(pointer)) return hipSuccess;
  hipport::cpu::Allocations::instance().add(pointer, {size, hipMemoryTypeHost, flags, [](void*) {}});
  hipport::cpu::checks::adopt(pointer, size);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipHostUnregister(void* pointer) {
  HIPPORT_NEEDS(pointer);
  return hipport::cpu::Allocations::instance().remove(pointer) ? hipSuccess
                                                               : hipport::cpu::status(hipErrorHostMemoryNotRegistered);
}

template <typename T>
hipError_t hipMallocManaged(T** pointer, size_t size, unsigned flags = hipMemAttachGlobal) {
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::allocate_for(hipport::cpu::untyped(pointer), size, hipMemoryTypeManaged, flags);
}
enum hipMemoryAdvise {
  hipMemAdviseSetReadMostly = 1,
  hipMemAdviseUnsetReadMostly,
  hipMemAdviseSetPreferredLocation,
  hipMemAdviseUnsetPreferredLocation,
  hipMemAdviseSetAccessedBy,
  hipMemAdviseUnsetAccessedBy,
  hipMemAdviseSetCoarseGrain = 100,
  hipMemAdviseUnsetCoarseGrain
};
inline constexpr int hipCpuDeviceId = -1, hipInvalidDeviceId = -2;
enum hipMemRangeAttribute {
  hipMemRangeAttributeReadMostly = 1,
  hipMemRangeAttributePreferredLocation = 2,
  hipMemRangeAttributeAccessedBy = 3,
  hipMemRangeAttributeLastPrefetchLocation = 4,
  hipMemRangeAttributeCoherencyMode = 100
};
HIPPORT_RUNTIME hipError_t hipMemAdvise(const void* memory, size_t size, hipMemoryAdvise advice, int device) {
  const auto keep = [&](hipMemRangeAttribute attribute, int of, int value) {
    hipport::cpu::Allocations::instance().advise(memory, size, attribute, of, value);
  };
  switch (advice) {
    case hipMemAdviseSetReadMostly: keep(hipMemRangeAttributeReadMostly, 0, 1); break;
    case hipMemAdviseUnsetReadMostly: keep(hipMemRangeAttributeReadMostly, 0, 0); break;
    case hipMemAdviseSetPreferredLocation: keep(hipMemRangeAttributePreferredLocation, 0, device); break;
    case hipMemAdviseUnsetPreferredLocation: keep(hipMemRangeAttributePreferredLocation, 0, hipInvalidDeviceId); break;
    case hipMemAdviseSetAccessedBy: keep(hipMemRangeAttributeAccessedBy, device, 1); break;
    case hipMemAdviseUnsetAccessedBy: keep(hipMemRangeAttributeAccessedBy, device, 0); break;
    default: break;  // the coherency that HIP alone has
  }
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemAdvise_v2(const void* memory, size_t size, hipMemoryAdvise advice,
                                           hipMemLocation location) {
  return hipMemAdvise(memory, size, advice, location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId);
}
HIPPORT_RUNTIME hipError_t hipMemPrefetchAsync(const void* memory, size_t size, int device,
                                               hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(memory);
  if (size == 0) return hipport::cpu::status(hipErrorInvalidValue);
  HIPPORT_NEEDS(stream);
  if (hipport::cpu::overruns(memory, size)) return hipport::cpu::status(hipErrorInvalidValue);
  if (device != hipCpuDeviceId && !hipport::cpu::is_device(device)) return hipport::cpu::status(hipErrorInvalidDevice);
  hipport::cpu::Allocations::instance().advise(memory, size, hipMemRangeAttributeLastPrefetchLocation, 0, device);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemPrefetchAsync_v2(const void* memory, size_t size, hipMemLocation location, unsigned,
                                                  hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  const int device = location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId;
  hipport::cpu::Allocations::instance().advise(memory, size, hipMemRangeAttributeLastPrefetchLocation, 0, device);
  return hipSuccess;
}
// `flags`: one of hipMemAttachGlobal, hipMemAttachHost and, with a stream, hipMemAttachSingle.
HIPPORT_RUNTIME hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* memory, size_t = 0,
                                                   unsigned flags = hipMemAttachSingle) {
  HIPPORT_NEEDS(memory, stream);
  const bool is_right =
      flags == hipMemAttachGlobal || flags == hipMemAttachHost || (flags == hipMemAttachSingle && stream != nullptr);
  return hipport::cpu::status(is_right ? hipSuccess : hipErrorInvalidValue);
}

HIPPORT_RUNTIME hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  HIPPORT_NEEDS(pitch);
  *pitch = (width + 255) / 256 * 256;
  return hipMalloc(pointer, *pitch * height);
}
template <typename T>
hipError_t hipMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  HIPPORT_NEEDS(pitch);
  return hipMallocPitch(hipport::cpu::untyped(pointer), pitch, width, height);
}
template <typename T>
hipError_t hipMemAllocPitch(T** pointer, size_t* pitch, size_t width, size_t height, unsigned element) {
  const bool is_element = element == 4 || element == 8 || element == 16;
  if (width == 0 || height == 0 || !is_element) return hipport::cpu::status(hipErrorInvalidValue);
  return hipMallocPitch(hipport::cpu::untyped(pointer), pitch, width, height);
}

HIPPORT_RUNTIME hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (free_bytes != nullptr) *free_bytes = static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  if (total != nullptr) *total = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * page;
  return hipSuccess;
}
// Memory of the host that is not registered has the type hipMemoryTypeUnregistered, as since HIP 6.0.
HIPPORT_RUNTIME hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  HIPPORT_NEEDS(attributes, pointer);
  char* base = nullptr;
  hipport::cpu::Allocation found{};
  if (!hipport::cpu::Allocations::instance().find(pointer, &base, &found)) {
    const auto variable = hipport::cpu::Variables::instance().find(pointer);
    found = {variable.size, variable.type, 0};
  }
  if (found.type == hipMemoryTypeUnregistered) {
    *attributes = {};
    return hipSuccess;
  }
  void* address = const_cast<void*>(pointer);
  *attributes = {found.type,
                 found.device,
                 address,
                 found.type == hipMemoryTypeDevice ? nullptr : address,
                 found.type == hipMemoryTypeManaged,
                 found.flags};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* size, hipDeviceptr_t pointer) {
  char* first = nullptr;
  hipport::cpu::Allocation found{};
  if (!hipport::cpu::Allocations::instance().find(pointer, &first, &found))
    return hipport::cpu::status(hipErrorNotFound);
  if (base != nullptr) *base = first;
  if (size != nullptr) *size = found.size;
  return hipSuccess;
}
