// SPDX-License-Identifier: MIT
// Limits and contexts of the device, and queries about pointers and symbols.
#pragma once

#include "copy.h"
#include "device.h"
#include "function.h"

enum hipLimit_t { hipLimitStackSize, hipLimitPrintfFifoSize, hipLimitMallocHeapSize, hipLimitRange };
enum hipDeviceP2PAttr {
  hipDevP2PAttrPerformanceRank,
  hipDevP2PAttrAccessSupported,
  hipDevP2PAttrNativeAtomicSupported,
  hipDevP2PAttrHipArrayAccessSupported
};
enum hipPointer_attribute {
  HIP_POINTER_ATTRIBUTE_CONTEXT = 1,
  HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
  HIP_POINTER_ATTRIBUTE_DEVICE_POINTER,
  HIP_POINTER_ATTRIBUTE_HOST_POINTER,
  HIP_POINTER_ATTRIBUTE_P2P_TOKENS,
  HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,
  HIP_POINTER_ATTRIBUTE_BUFFER_ID,
  HIP_POINTER_ATTRIBUTE_IS_MANAGED,
  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
  HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE,
  HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
  HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
  HIP_POINTER_ATTRIBUTE_MAPPED
};

namespace hipport::cpu {

// Limits can be set and read back, without effect: memory comes from this machine's stacks and heap.
inline size_t limits[hipLimitRange] = {1024, 1 << 20, 8 << 20};

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
  if (value == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (limit >= hipLimitRange) return hipport::cpu::status(hipErrorInvalidValue);
  *value = hipport::cpu::limits[limit];
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  if (limit >= hipLimitRange) return hipport::cpu::status(hipErrorInvalidValue);
  hipport::cpu::limits[limit] = value;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDeviceGetByPCIBusId(int* device, const char* text) {
  HIPPORT_NEEDS(device, text);
  unsigned number = 0;
  const bool found =
      std::sscanf(text, "0000:%x:00.0", &number) == 1 && hipport::cpu::is_device(static_cast<int>(number));
  *device = found ? static_cast<int>(number) : 0;
  return hipport::cpu::status(found ? hipSuccess : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  HIPPORT_NEEDS(uuid);
  *uuid = hipport::cpu::describe_device().uuid;
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int from, int to) {
  HIPPORT_NEEDS(value);
  if (from == to) return hipport::cpu::status(hipErrorInvalidDevice);
  const hipError_t error = hipDeviceCanAccessPeer(value, from, to);
  if (attribute == hipDevP2PAttrPerformanceRank) *value = 0;
  return error;
}
HIPPORT_RUNTIME hipError_t hipSetValidDevices(int* devices, int count) {
  HIPPORT_NEEDS(devices);
  for (int i = 0; i < count; ++i)
    if (!hipport::cpu::is_device(devices[i])) return hipport::cpu::status(hipErrorInvalidDevice);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipCtxGetApiVersion(hipCtx_t, unsigned*) { return hipCtxSynchronize(); }
HIPPORT_RUNTIME hipError_t hipCtxGetFlags(unsigned*) { return hipCtxSynchronize(); }
HIPPORT_RUNTIME hipError_t hipCtxSetCacheConfig(hipFuncCache_t) { return hipCtxSynchronize(); }
HIPPORT_RUNTIME hipError_t hipCtxGetCacheConfig(hipFuncCache_t*) { return hipCtxSynchronize(); }
HIPPORT_RUNTIME hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig) { return hipCtxSynchronize(); }
HIPPORT_RUNTIME hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* config) {
  HIPPORT_NEEDS(config);
  return hipDeviceGetSharedMemConfig(config);
}
HIPPORT_RUNTIME hipError_t hipCtxEnablePeerAccess(hipCtx_t, unsigned) {
  return hipport::cpu::status(hipErrorInvalidContext);
}
HIPPORT_RUNTIME hipError_t hipCtxDisablePeerAccess(hipCtx_t) {
  return hipport::cpu::status(hipErrorPeerAccessNotEnabled);
}
HIPPORT_RUNTIME hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned* flags, int* active) {
  HIPPORT_NEEDS(flags, active);
  *flags = 0;
  *active = 1;
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned) {
  return hipport::cpu::check_device(device);
}
HIPPORT_RUNTIME hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  HIPPORT_NEEDS(stream, device);
  *device = hipport::cpu::device_of(stream);
  return hipSuccess;
}
inline int hipGetStreamDeviceId(hipStream_t stream) {
  const bool exists = hipport::cpu::problem_of(stream) == hipSuccess;
  return exists ? hipport::cpu::device_of(stream) : -1;
}

template <typename S>
hipError_t hipGetSymbolSize(size_t* size, const S& symbol) {
  if constexpr (std::is_same_v<S, hipport::cpu::Symbol>)
    *size = symbol.size;
  else
    *size = sizeof(symbol);
  return hipSuccess;
}

template <typename F, typename BytesOfBlock>
hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F kernel, BytesOfBlock bytes,
                                                         int limit = 0) {
  const hipError_t status = hipOccupancyMaxPotentialBlockSize(grid, block, kernel, 0, limit);
  while (*block > HIPPORT_WAVE_SIZE && static_cast<size_t>(bytes(*block)) > hipport::cpu::shared_limit) *block /= 2;
  return status;
}
template <typename F, typename BytesOfBlock>
hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, F kernel, BytesOfBlock bytes,
                                                                  int limit = 0, unsigned = 0) {
  return hipOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, bytes, limit);
}
template <typename F>
hipError_t hipOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, F kernel, size_t bytes = 0, int limit = 0,
                                                      unsigned = 0) {
  return hipOccupancyMaxPotentialBlockSize(grid, block, kernel, bytes, limit);
}
template <typename F>
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, F kernel, int blocks, int) {
  hipFuncAttributes attributes;
  const hipError_t status = hipFuncGetAttributes(&attributes, kernel);
  if (status != hipSuccess || blocks < 1) return hipport::cpu::status(hipErrorInvalidValue);
  const size_t share = hipport::cpu::shared_limit / static_cast<size_t>(blocks);
  *bytes = share > attributes.sharedSizeBytes ? share - attributes.sharedSizeBytes : 0;
  return hipSuccess;
}

HIPPORT_RUNTIME hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
  char* base = nullptr;
  hipport::cpu::Allocation found{};
  if (data == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (!hipport::cpu::Allocations::instance().find(pointer, &base, &found))
    return hipport::cpu::status(hipErrorInvalidValue);
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: *static_cast<hipMemoryType*>(data) = found.type; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER: *static_cast<void**>(data) = pointer; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<bool*>(data) = found.type == hipMemoryTypeManaged;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(data) = found.device; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: *static_cast<void**>(data) = base; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<size_t*>(data) = found.size; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_MAPPED: *static_cast<bool*>(data) = true; return hipSuccess;
    default: return hipport::cpu::missing("hipPointerGetAttribute of this attribute");
  }
}
HIPPORT_RUNTIME hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute* attributes, void** data,
                                                      hipDeviceptr_t pointer) {
  HIPPORT_NEEDS(attributes, data, pointer);
  if (count == 0) return hipport::cpu::status(hipErrorInvalidValue);
  for (unsigned i = 0; i < count; ++i) hipPointerGetAttribute(data[i], attributes[i], pointer);
  return hipSuccess;
}
