// SPDX-License-Identifier: MIT
// Advice and prefetches of managed memory as CUDA 13 has them, with a location in place of a device. HIP has them from
// ROCm 7.1 on.
#ifndef HIPPORT_COMPAT_MEMORY_LOCATIONS_H
#define HIPPORT_COMPAT_MEMORY_LOCATIONS_H

#include "core.h"

#include <hip/hip_runtime.h>

#if defined(HIPPORT_COMPAT_HIP)
#define HIPPORT_LOCATION(name, value) static const hipMemLocationType name = static_cast<hipMemLocationType>(value)
HIPPORT_LOCATION(cudaMemLocationTypeHost, 2);
HIPPORT_LOCATION(cudaMemLocationTypeHostNuma, 3);
HIPPORT_LOCATION(cudaMemLocationTypeHostNumaCurrent, 4);
#undef HIPPORT_LOCATION
#endif

namespace hipport {
namespace compat {

// The number by which older functions know a location: the nodes of the host's memory are one to them.
inline int device_of(hipMemLocation location) {
  return location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId;
}

inline hipError_t mem_prefetch_async(const void* memory, size_t bytes, hipMemLocation to, unsigned int flags,
                                     hipStream_t stream = nullptr) {
  if (flags != 0 || static_cast<int>(to.type) == 0) return hipErrorInvalidValue;
  return hipMemPrefetchAsync(memory, bytes, device_of(to), stream);
}

inline hipError_t mem_advise(const void* memory, size_t bytes, hipMemoryAdvise advice, hipMemLocation location) {
  return hipMemAdvise(memory, bytes, advice, device_of(location));
}

// A number in the place of the location, as before CUDA 13, in calls whose `#if` chooses between the two.
inline hipError_t mem_prefetch_async(const void* memory, size_t bytes, int device, hipStream_t stream = nullptr) {
  return hipMemPrefetchAsync(memory, bytes, device, stream);
}
inline hipError_t mem_advise(const void* memory, size_t bytes, hipMemoryAdvise advice, int device) {
  return hipMemAdvise(memory, bytes, advice, device);
}

}  // namespace compat
}  // namespace hipport

#endif
