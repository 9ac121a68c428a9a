// SPDX-License-Identifier: MIT
// Mipmapped arrays: not supported, as with ROCm on Linux, whose functions check their arguments and refuse.
#pragma once

#include "driver_copies.h"
#include "external.h"

struct hipMipmappedArray {
  void* data;
  hipChannelFormatDesc desc;
  unsigned type, width, height, depth, min_mipmap_level, max_mipmap_level, flags;
  hipArray_Format format;
  unsigned num_channels;
};
using hipMipmappedArray_t = hipMipmappedArray*;
using hipMipmappedArray_const_t = const hipMipmappedArray*;
using hipmipmappedArray = hipMipmappedArray_t;

HIPPORT_RUNTIME hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* array, const hipChannelFormatDesc* desc,
                                                   hipExtent, unsigned levels, unsigned = 0) {
  if (array == nullptr || desc == nullptr || levels == 0) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::missing("hipMallocMipmappedArray");
}
HIPPORT_RUNTIME hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t* array, HIP_ARRAY3D_DESCRIPTOR* wanted,
                                                   unsigned levels) {
  if (array == nullptr || wanted == nullptr || levels == 0) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::missing("hipMipmappedArrayCreate");
}
HIPPORT_RUNTIME hipError_t hipExternalMemoryGetMappedMipmappedArray(hipMipmappedArray_t* array,
                                                                    hipExternalMemory_t memory,
                                                                    const hipExternalMemoryMipmappedArrayDesc* wanted) {
  if (array == nullptr || memory == nullptr || wanted == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::missing("hipExternalMemoryGetMappedMipmappedArray");
}
// There is no array that these could get.
HIPPORT_RUNTIME hipError_t hipFreeMipmappedArray(hipMipmappedArray_t) {
  return hipport::cpu::status(hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t) {
  return hipport::cpu::status(hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipGetMipmappedArrayLevel(hipArray_t*, hipMipmappedArray_const_t, unsigned) {
  return hipport::cpu::status(hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipMipmappedArrayGetLevel(hipArray_t*, hipMipmappedArray_t, unsigned) {
  return hipport::cpu::status(hipErrorInvalidValue);
}
