// SPDX-License-Identifier: MIT
// Stream-ordered memory and memory pools. Streams run work at once, so allocation is immediate; pools only count bytes.
#pragma once

#include "memory.h"
#include "shared_pools.h"

#include <atomic>
#include <memory>

struct hipMemPoolProps {
  hipMemAllocationType allocType;
  hipMemAllocationHandleType handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned char reserved[56];
};
struct ihipMemPoolHandle_t {
  std::mutex mutex;
  uint64_t used = 0, highest = 0, threshold = 0;
  int reuse[3] = {1, 1, 1};
  hipMemAccessFlags access = hipMemAccessFlagsProtReadWrite;
  std::shared_ptr<hipport::cpu::SharedPool> shared;  // of pools that can be exported, or were imported
};
using hipMemPool_t = ihipMemPoolHandle_t*;

enum hipMemPoolAttr {
  hipMemPoolReuseFollowEventDependencies = 1,
  hipMemPoolReuseAllowOpportunistic,
  hipMemPoolReuseAllowInternalDependencies,
  hipMemPoolAttrReleaseThreshold,
  hipMemPoolAttrReservedMemCurrent,
  hipMemPoolAttrReservedMemHigh,
  hipMemPoolAttrUsedMemCurrent,
  hipMemPoolAttrUsedMemHigh
};

namespace hipport::cpu {

// Pools are reference-counted: memory of a destroyed pool can still be freed.
using PoolPointer = std::shared_ptr<ihipMemPoolHandle_t>;

class Pools {
 public:
  static Pools& instance() {
    static Pools& all = *new Pools;
    return all;
  }
  hipMemPool_t create(std::shared_ptr<SharedPool> shared = nullptr) {
    std::lock_guard<std::mutex> lock(mutex_);
    pools_.push_back(std::make_shared<ihipMemPoolHandle_t>());
    pools_.back()->shared = std::move(shared);
    return pools_.back().get();
  }
  // Describe memory of a pool for another process; return false if it is of no pool that can be exported.
  bool describe(void* pointer, PoolPlace& place) {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::any_of(pools_.begin(), pools_.end(), [&](const PoolPointer& pool) {
      return pool->shared != nullptr && pool->shared->describe(pointer, place);
    });
  }
  // Return the pool of a handle, or null if it is invalid.
  PoolPointer find(const ihipMemPoolHandle_t* pool) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(pools_.begin(), pools_.end(), [=](const auto& item) { return item.get() == pool; });
    return found == pools_.end() ? nullptr : *found;
  }
  bool destroy(hipMemPool_t pool) {
    const PoolPointer kept = find(pool);
    if (kept == nullptr || pool == standard) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    pools_.erase(std::find(pools_.begin(), pools_.end(), kept));
    if (current == pool) current = standard;
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<PoolPointer> pools_;

 public:
  const hipMemPool_t standard = create();
  hipMemPool_t current = standard;
};

template <>
struct PointerArgument<ihipMemPoolHandle_t> {
  static hipError_t problem(const ihipMemPoolHandle_t* pool) {
    return Pools::instance().find(pool) == nullptr ? hipErrorInvalidValue : hipSuccess;
  }
};

HIPPORT_RUNTIME hipError_t allocate_from(hipMemPool_t handle, void** pointer, size_t size) {
  const PoolPointer pool = Pools::instance().find(handle);
  if (pool == nullptr) return status(hipErrorInvalidValue);
  if (pool->shared != nullptr && size != 0) {
    if (!pool->shared->is_own()) return status(hipErrorInvalidValue);  // imported pools only have what was exported
    if ((*pointer = pool->shared->allocate(size)) == nullptr) return status(hipErrorOutOfMemory);
  } else {
    const hipError_t allocated = allocate(pointer, size, hipMemoryTypeDevice);
    if (allocated != hipSuccess || *pointer == nullptr) return allocated;
  }
  std::lock_guard<std::mutex> lock(pool->mutex);
  pool->used += size;
  pool->highest = std::max(pool->highest, pool->used);
  const auto give_back = [pool, size](void* memory) {
    pool->shared != nullptr ? pool->shared->release(memory) : give_back_memory(memory);
    std::lock_guard<std::mutex> lock(pool->mutex);
    pool->used -= size;
  };
  Allocations::instance().add(*pointer, {size, hipMemoryTypeDevice, 0, give_back});
  return hipSuccess;
}

// Memory of a graph; its address is the same in every run of the graph.
class GraphMemory {
 public:
  static inline std::atomic<uint64_t> reserved{0}, reserved_highest{0}, used{0}, used_highest{0};

  explicit GraphMemory(size_t size) : size_(size) { data_ = obtain(std::max<size_t>(size, 1), hipMemoryTypeDevice); }
  ~GraphMemory() {
    Allocation allocation{};
    // Memory that the graph allocated and nobody has freed belongs to the program from now on.
    if (Allocations::instance().remove(data_, &allocation))
      Allocations::instance().add(data_, {size_, hipMemoryTypeDevice, 0, &give_back_memory});
    else
      give_back_memory(data_);
  }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  void* data() const { return data_; }
  void allocate() const {
    const size_t size = size_;
    raise(used, used_highest, size);
    if (reserved < used) raise(reserved, reserved_highest, used - reserved);
    Allocations::instance().add(data_, {size, hipMemoryTypeDevice, 0, [size](void*) { used -= size; }});
  }

 private:
  static void raise(std::atomic<uint64_t>& value, std::atomic<uint64_t>& highest, uint64_t by) {
    const uint64_t now = value += by;
    if (now > highest) highest = now;
  }
  size_t size_;
  void* data_ = nullptr;
};

// Create memory that a node of the graph will allocate; null if there is not enough memory.
inline std::shared_ptr<GraphMemory> graph_memory(ihipGraph& graph, size_t size) {
  auto memory = std::make_shared<GraphMemory>(size);
  if (memory->data() == nullptr) return nullptr;
  graph.kept.push_back(memory);
  return memory;
}

HIPPORT_RUNTIME hipError_t allocate_in_capture(hipStream_t stream, void** pointer, size_t size) {
  const auto memory = graph_memory(*capture_of(stream)->graph, size);
  if (memory == nullptr) return status(hipErrorOutOfMemory);
  *pointer = memory->data();
  // The graph and its copies own the memory.
  record(stream, hipGraphNodeTypeMemAlloc, [memory = memory.get()] { memory->allocate(); });
  return hipSuccess;
}

}  // namespace hipport::cpu

template <typename T>
hipError_t hipMallocFromPoolAsync(T** pointer, size_t size, hipMemPool_t pool, hipStream_t stream) {
  HIPPORT_NEEDS(pool, pointer);
  if (!hipport::cpu::is_stream(stream)) return hipport::cpu::status(hipErrorInvalidHandle);
  if (hipport::cpu::capture_of(stream) != nullptr)
    return hipport::cpu::allocate_in_capture(stream, hipport::cpu::untyped(pointer), size);
  return hipport::cpu::allocate_from(pool, hipport::cpu::untyped(pointer), size);
}
HIPPORT_RUNTIME hipError_t hipMallocAsync(void** pointer, size_t size, hipStream_t stream) {
  if (!hipport::cpu::is_stream(stream)) return hipport::cpu::status(hipErrorInvalidHandle);
  return hipMallocFromPoolAsync(pointer, size, hipport::cpu::Pools::instance().current, stream);
}
template <typename T>
hipError_t hipMallocAsync(T** pointer, size_t size, hipStream_t stream) {
  return hipMallocAsync(hipport::cpu::untyped(pointer), size, stream);
}
template <typename T>
hipError_t hipMallocAsync(T** pointer, size_t size, hipMemPool_t pool, hipStream_t stream) {
  HIPPORT_NEEDS(pool, stream);
  return hipMallocFromPoolAsync(pointer, size, pool, stream);
}
HIPPORT_RUNTIME hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  HIPPORT_NEEDS(pointer);
  if (!hipport::cpu::is_stream(stream)) return hipport::cpu::status(hipErrorInvalidHandle);
  if (hipport::cpu::capture_of(stream) == nullptr) return hipport::cpu::release(pointer);
  hipport::cpu::record(stream, hipGraphNodeTypeMemFree, [pointer] { hipport::cpu::release(pointer); });
  return hipSuccess;
}

HIPPORT_RUNTIME hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  HIPPORT_NEEDS(pool);
  *pool = hipport::cpu::Pools::instance().standard;
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  HIPPORT_NEEDS(pool);
  *pool = hipport::cpu::Pools::instance().current;
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  HIPPORT_NEEDS(pool);
  if (!hipport::cpu::is_device(device)) return hipport::cpu::status(hipErrorInvalidDevice);
  const auto found = hipport::cpu::Pools::instance().find(pool);
  if (found == nullptr || (found->shared != nullptr && !found->shared->is_own()))
    return hipport::cpu::status(hipErrorInvalidValue);
  hipport::cpu::Pools::instance().current = pool;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr || properties->allocType != hipMemAllocationTypePinned ||
      properties->location.type != hipMemLocationTypeDevice || !hipport::cpu::is_device(properties->location.id))
    return hipport::cpu::status(hipErrorInvalidValue);
  if (properties->handleTypes == hipMemHandleTypeNone) {
    *pool = hipport::cpu::Pools::instance().create();
    return hipSuccess;
  }
  if (properties->handleTypes != hipMemHandleTypePosixFileDescriptor)
    return hipport::cpu::missing("a memory pool that can be exported, but to files");
  auto shared = hipport::cpu::SharedPool::create();
  if (shared == nullptr) return hipport::cpu::status(hipErrorOutOfMemory);
  *pool = hipport::cpu::Pools::instance().create(std::move(shared));
  return hipSuccess;
}
// `shared` is where the file descriptor goes. The program closes it.
HIPPORT_RUNTIME hipError_t hipMemPoolExportToShareableHandle(void* shared, hipMemPool_t pool,
                                                             hipMemAllocationHandleType type, unsigned flags) {
  HIPPORT_NEEDS(pool);
  const auto found = hipport::cpu::Pools::instance().find(pool);
  if (shared == nullptr || found == nullptr || found->shared == nullptr || !found->shared->is_own() || flags != 0 ||
      type != hipMemHandleTypePosixFileDescriptor)
    return hipport::cpu::status(hipErrorInvalidValue);
  const int file = found->shared->file_for_others();
  if (file < 0) return hipport::cpu::status(hipErrorOutOfMemory);
  *static_cast<int*>(shared) = file;
  return hipSuccess;
}
// `shared` is the file descriptor itself.
HIPPORT_RUNTIME hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* pool, void* shared,
                                                               hipMemAllocationHandleType type, unsigned flags) {
  if (pool == nullptr || flags != 0 || type != hipMemHandleTypePosixFileDescriptor)
    return hipport::cpu::status(hipErrorInvalidValue);
  auto found = hipport::cpu::SharedPool::import(static_cast<int>(reinterpret_cast<intptr_t>(shared)));
  if (found == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *pool = hipport::cpu::Pools::instance().create(std::move(found));
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* data, void* pointer) {
  hipport::cpu::PoolPlace place{};
  if (data == nullptr || pointer == nullptr || !hipport::cpu::Pools::instance().describe(pointer, place))
    return hipport::cpu::status(hipErrorInvalidValue);
  *data = {};
  std::memcpy(data->reserved, &place, sizeof place);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemPoolImportPointer(void** pointer, hipMemPool_t pool, hipMemPoolPtrExportData* data) {
  HIPPORT_NEEDS(pool);
  const auto found = hipport::cpu::Pools::instance().find(pool);
  if (pointer == nullptr || data == nullptr || found == nullptr || found->shared == nullptr || found->shared->is_own())
    return hipport::cpu::status(hipErrorInvalidValue);
  hipport::cpu::PoolPlace place;
  std::memcpy(&place, data->reserved, sizeof place);
  if ((*pointer = found->shared->map(place)) == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const auto give_back = [found](void* memory) { found->shared->release(memory); };
  hipport::cpu::Allocations::instance().add(*pointer, {place.size, hipMemoryTypeDevice, 0, give_back});
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  HIPPORT_NEEDS(pool);
  return hipport::cpu::status(hipport::cpu::Pools::instance().destroy(pool) ? hipSuccess : hipErrorInvalidValue);
}
// A pool does not cache memory: reserved memory is memory in use.
HIPPORT_RUNTIME hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
  HIPPORT_NEEDS(pool);
  return hipSuccess;
}
namespace hipport::cpu {
inline bool is_attribute(hipMemPoolAttr attribute) {
  return attribute >= hipMemPoolReuseFollowEventDependencies && attribute <= hipMemPoolAttrUsedMemHigh;
}
}  // namespace hipport::cpu
HIPPORT_RUNTIME hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  HIPPORT_NEEDS(pool);
  if (value == nullptr || !hipport::cpu::is_attribute(attribute)) return hipport::cpu::status(hipErrorInvalidValue);
  std::lock_guard<std::mutex> lock(pool->mutex);
  const uint64_t numbers[] = {pool->threshold, pool->used, pool->highest, pool->used, pool->highest};
  if (attribute < hipMemPoolAttrReleaseThreshold)
    *static_cast<int*>(value) = pool->reuse[attribute - 1];
  else
    *static_cast<uint64_t*>(value) = numbers[attribute - hipMemPoolAttrReleaseThreshold];
  return hipSuccess;
}
// The high-water marks can only be set to 0, which resets them to the current values.
HIPPORT_RUNTIME hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  HIPPORT_NEEDS(pool);
  if (value == nullptr || !hipport::cpu::is_attribute(attribute)) return hipport::cpu::status(hipErrorInvalidValue);
  std::lock_guard<std::mutex> lock(pool->mutex);
  if (attribute < hipMemPoolAttrReleaseThreshold)
    pool->reuse[attribute - 1] = *static_cast<int*>(value);
  else if (attribute == hipMemPoolAttrReleaseThreshold)
    pool->threshold = *static_cast<uint64_t*>(value);
  else if ((attribute == hipMemPoolAttrUsedMemHigh || attribute == hipMemPoolAttrReservedMemHigh) &&
           *static_cast<uint64_t*>(value) == 0)
    pool->highest = pool->used;
  else
    return hipport::cpu::status(hipErrorInvalidValue);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* access, size_t count) {
  HIPPORT_NEEDS(pool, access);
  for (size_t i = 0; i < count; ++i) pool->access = access[i].flags;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool, hipMemLocation* place) {
  HIPPORT_NEEDS(flags, pool, place);
  if (place->type != hipMemLocationTypeDevice || !hipport::cpu::is_device(place->id))
    return hipport::cpu::status(hipErrorInvalidValue);
  *flags = pool->access;
  return hipSuccess;
}

enum hipGraphMemAttributeType {
  hipGraphMemAttrUsedMemCurrent = 0,
  hipGraphMemAttrUsedMemHigh,
  hipGraphMemAttrReservedMemCurrent,
  hipGraphMemAttrReservedMemHigh
};
HIPPORT_RUNTIME hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void* value) {
  if (!hipport::cpu::is_device(device)) return hipport::cpu::status(hipErrorInvalidDevice);
  HIPPORT_NEEDS(value);
  if (attribute < hipGraphMemAttrUsedMemCurrent || attribute > hipGraphMemAttrReservedMemHigh)
    return hipport::cpu::status(hipErrorInvalidValue);
  using hipport::cpu::GraphMemory;
  const uint64_t numbers[] = {GraphMemory::used, GraphMemory::used_highest, GraphMemory::reserved,
                              GraphMemory::reserved_highest};
  *static_cast<uint64_t*>(value) = numbers[attribute];
  return hipSuccess;
}
// Only the high-water marks can be set, and only to 0, as those of pools.
HIPPORT_RUNTIME hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void* value) {
  using hipport::cpu::GraphMemory;
  if (!hipport::cpu::is_device(device)) return hipport::cpu::status(hipErrorInvalidDevice);
  HIPPORT_NEEDS(value);
  const bool is_mark = attribute == hipGraphMemAttrUsedMemHigh || attribute == hipGraphMemAttrReservedMemHigh;
  if (!is_mark || *static_cast<uint64_t*>(value) != 0) return hipport::cpu::status(hipErrorInvalidValue);
  if (attribute == hipGraphMemAttrUsedMemHigh) GraphMemory::used_highest = GraphMemory::used.load();
  if (attribute == hipGraphMemAttrReservedMemHigh) GraphMemory::reserved_highest = GraphMemory::reserved.load();
  return hipSuccess;
}
// Graph memory is freed with the last graph that owns it.
HIPPORT_RUNTIME hipError_t hipDeviceGraphMemTrim(int device) {
  if (hipport::cpu::is_device(device)) hipport::cpu::GraphMemory::reserved = hipport::cpu::GraphMemory::used.load();
  return hipport::cpu::check_device(device);
}
