// SPDX-License-Identifier: MIT
// Memory in the order of a stream. Work is done at once, so memory is given and taken at once, too.
#pragma once

#include "memory.h"

using hipMemPool_t = struct ihipMemPool_t*;

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

template <typename T>
hipError_t hipMallocAsync(T** pointer, size_t size, hipStream_t stream) {
  // In a capture the address would have to be known before the graph runs.
  if (hipport::cpu::capture_of(stream) != nullptr) return hipport::cpu::missing("hipMallocAsync in a stream capture");
  return hipMalloc(reinterpret_cast<void**>(pointer), size);
}
template <typename T>
hipError_t hipMallocFromPoolAsync(T** pointer, size_t size, hipMemPool_t, hipStream_t stream) {
  return hipMallocAsync(pointer, size, stream);
}
inline hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  if (hipport::cpu::capture_of(stream) != nullptr) return hipport::cpu::missing("hipFreeAsync in a stream capture");
  return hipFree(pointer);
}
inline hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int) {
  static char only;
  *pool = reinterpret_cast<hipMemPool_t>(&only);
  return hipSuccess;
}
inline hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  return hipDeviceGetDefaultMemPool(pool, device);
}
inline hipError_t hipDeviceSetMemPool(int, hipMemPool_t) { return hipSuccess; }
// A pool keeps nothing back: thresholds may be set, and change nothing.
inline hipError_t hipMemPoolSetAttribute(hipMemPool_t, hipMemPoolAttr, void*) { return hipSuccess; }
inline hipError_t hipMemPoolTrimTo(hipMemPool_t, size_t) { return hipSuccess; }
