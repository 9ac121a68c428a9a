// SPDX-License-Identifier: MIT
// Attributes and occupancy of kernels, and the checks of launches.
#pragma once

#include <dlfcn.h>

#include "attributes.h"
#include "kernel_symbols.h"

struct hipFuncAttributes {
  int binaryVersion, cacheModeCA;
  size_t constSizeBytes, localSizeBytes;
  int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
  size_t sharedSizeBytes;
};
enum hipFuncCache_t { hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual };
enum hipSharedMemConfig { hipSharedMemBankSizeDefault, hipSharedMemBankSizeFourByte, hipSharedMemBankSizeEightByte };
enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8,
  hipFuncAttributePreferredSharedMemoryCarveout = 9,
  hipFuncAttributeMax = 10
};

namespace hipport::cpu {

template <typename F>
const void* kernel_address(F kernel) {
  return reinterpret_cast<const void*>(kernel);
}

HIPPORT_RUNTIME hipError_t function_attributes(hipFuncAttributes* attributes, const void* kernel) {
  if (attributes == nullptr) return status(hipErrorInvalidValue);
  Dl_info object;
  if (kernel == nullptr) return status(hipErrorInvalidDeviceFunction);
  if (dladdr(kernel, &object) == 0) return status(hipErrorInvalidSymbol);
  *attributes = {};
  attributes->maxThreadsPerBlock = static_cast<int>(launch_bound(kernel));
  attributes->numRegs = 32;
  attributes->binaryVersion = attributes->ptxVersion = 90;
  if (!static_shared_bytes(kernel, &attributes->sharedSizeBytes))
    return missing("hipFuncGetAttributes in a stripped program");
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(shared_limit - attributes->sharedSizeBytes);
  return hipSuccess;
}

}  // namespace hipport::cpu

template <typename F>
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, F kernel) {
  return hipport::cpu::function_attributes(attributes, hipport::cpu::kernel_address(kernel));
}
template <typename F>
hipError_t hipFuncSetCacheConfig(F, hipFuncCache_t) {
  return hipSuccess;
}
template <typename F>
hipError_t hipFuncSetSharedMemConfig(F, hipSharedMemConfig) {
  return hipSuccess;
}
template <typename F>
hipError_t hipFuncSetAttribute(F, hipFuncAttribute attribute, int value) {
  const bool fits = attribute != hipFuncAttributeMaxDynamicSharedMemorySize ||
                    (value >= 0 && static_cast<size_t>(value) <= hipport::cpu::shared_limit);
  return hipport::cpu::status(fits ? hipSuccess : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
HIPPORT_RUNTIME hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
  HIPPORT_NEEDS(config);
  *config = hipFuncCachePreferNone;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig size) {
  const bool is_size = size >= hipSharedMemBankSizeDefault && size <= hipSharedMemBankSizeEightByte;
  return hipport::cpu::status(is_size ? hipSuccess : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  HIPPORT_NEEDS(config);
  *config = hipSharedMemBankSizeFourByte;
  return hipSuccess;
}

// As many blocks as the threads and the shared memory of a multiprocessor allow.
template <typename F>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F kernel, int block_size, size_t shared_bytes) {
  HIPPORT_NEEDS(blocks);
  hipFuncAttributes attributes;
  if (block_size <= 0 || block_size > static_cast<int>(hipport::cpu::max_threads))
    return hipport::cpu::status(hipErrorInvalidValue);
  const hipError_t status = hipFuncGetAttributes(&attributes, kernel);
  const size_t bytes = attributes.sharedSizeBytes + shared_bytes;
  const size_t by_memory = bytes == 0 ? SIZE_MAX : hipport::cpu::shared_limit / bytes;
  *blocks = static_cast<int>(std::min<size_t>(by_memory, hipport::cpu::cooperative_blocks_per_unit));
  return status;
}
template <typename F>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F kernel, int size, size_t bytes,
                                                                 unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, size, bytes);
}
template <typename F>
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, F, size_t = 0, int limit = 0) {
  *block = limit > 0 ? std::min(limit, static_cast<int>(hipport::cpu::max_threads)) : 256;
  *grid = hipport::cpu::processors() * hipport::cpu::cooperative_blocks_per_unit;
  return hipSuccess;
}
