// SPDX-License-Identifier: MIT
// What programs ask about ranges of memory, and copies that name several devices.
#pragma once

#include "device_queries.h"
#include "virtual_memory.h"

enum hipMemRangeCoherencyMode {
  hipMemRangeCoherencyModeFineGrain = 0,
  hipMemRangeCoherencyModeCoarseGrain = 1,
  hipMemRangeCoherencyModeIndeterminate = 2
};
struct hipMemcpy3DPeerParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  int srcDevice;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  int dstDevice;
  hipExtent extent;
};

HIPPORT_RUNTIME hipError_t hipMemPtrGetInfo(void* pointer, size_t* size) {
  if (pointer == nullptr || size == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipMemGetAddressRange(nullptr, size, pointer);
}
// Advice and prefetching have no effect here but what is read of them.
HIPPORT_RUNTIME hipError_t hipMemRangeGetAttribute(void* data, size_t size, hipMemRangeAttribute attribute,
                                                   const void* pointer, size_t count) {
  hipPointerAttribute_t found;
  if (data == nullptr || size == 0 || size % sizeof(int) != 0 || count == 0)
    return hipport::cpu::status(hipErrorInvalidValue);
  if (hipPointerGetAttributes(&found, pointer) != hipSuccess || found.isManaged == 0)
    return hipport::cpu::status(hipErrorInvalidValue);
  int *values = static_cast<int*>(data), *const end = values + size / sizeof(int);
  const auto advised = [&](int device, int otherwise) {
    return hipport::cpu::Allocations::instance().advised(pointer, count, attribute, device, otherwise);
  };
  switch (attribute) {
    case hipMemRangeAttributeReadMostly: *values = advised(0, 0); return hipSuccess;
    case hipMemRangeAttributeCoherencyMode: *values = hipMemRangeCoherencyModeFineGrain; return hipSuccess;
    case hipMemRangeAttributePreferredLocation:
    case hipMemRangeAttributeLastPrefetchLocation: *values = advised(0, hipInvalidDeviceId); return hipSuccess;
    case hipMemRangeAttributeAccessedBy:
      for (int device = hipCpuDeviceId; device < hipport::cpu::device_count() && values != end; ++device)
        if (advised(device, 0) != 0) *values++ = device;
      std::fill(values, end, static_cast<int>(hipInvalidDeviceId));
      return hipSuccess;
  }
  return hipport::cpu::status(hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipMemRangeGetAttributes(void** data, size_t* sizes, hipMemRangeAttribute* attributes,
                                                    size_t wanted, const void* pointer, size_t count) {
  if (data == nullptr || sizes == nullptr || attributes == nullptr || wanted == 0)
    return hipport::cpu::status(hipErrorInvalidValue);
  for (size_t i = 0; i < wanted; ++i) {
    const hipError_t error = hipMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, count);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}
// Operations are ordered with all others here.
HIPPORT_RUNTIME hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute attribute,
                                                  hipDeviceptr_t pointer) {
  if (value == nullptr || pointer == nullptr || attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return hipport::cpu::status(hipErrorInvalidValue);
  hipPointerAttribute_t found;
  return hipPointerGetAttributes(&found, pointer);
}

HIPPORT_RUNTIME hipError_t hipMemcpy3DPeerAsync(const hipMemcpy3DPeerParms* p, hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  if (p == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (!hipport::cpu::is_device(p->srcDevice) || !hipport::cpu::is_device(p->dstDevice))
    return hipport::cpu::status(hipErrorInvalidDevice);
  hipMemcpy3DParms all{};
  all.srcArray = p->srcArray;
  all.srcPos = p->srcPos;
  all.srcPtr = p->srcPtr;
  all.dstArray = p->dstArray;
  all.dstPos = p->dstPos;
  all.dstPtr = p->dstPtr;
  all.extent = p->extent;
  all.kind = hipMemcpyDefault;
  return hipMemcpy3DAsync(&all, stream);
}
HIPPORT_RUNTIME hipError_t hipMemcpy3DPeer(const hipMemcpy3DPeerParms* p) { return hipMemcpy3DPeerAsync(p); }
HIPPORT_RUNTIME hipError_t hipMemcpy2DFromArrayAsync(void* to, size_t pitch, hipArray_const_t from, size_t x, size_t y,
                                                     size_t width, size_t height, hipMemcpyKind kind,
                                                     hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(from, stream);
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  if (!hipport::cpu::has_rows(from, x, y, width, height)) return hipport::cpu::status(hipErrorInvalidValue);
  const hipArray_t array = const_cast<hipArray_t>(from);
  return hipport::cpu::copy_rows(stream, to, pitch, hipport::cpu::array_address(array, x, y),
                                 from->width * hipport::cpu::element_bytes(from->desc), width, height);
}
