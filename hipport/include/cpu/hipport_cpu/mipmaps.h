// SPDX-License-Identifier: MIT
// Mipmapped arrays. Each level is an array of its own, half as large as the one before in each dimension but layers.
#pragma once

#include <algorithm>

#include "driver_copies.h"
#include "external.h"

struct hipMipmappedArray : hipport::cpu::Handled<hipMipmappedArray> {
  void* data;
  hipChannelFormatDesc desc;
  unsigned type, width, height, depth, min_mipmap_level, max_mipmap_level, flags;
  hipArray_Format format;
  unsigned num_channels;
  hipArray* levels;  // from min_mipmap_level to max_mipmap_level; their memory is `data`
};
template <>
struct hipport::cpu::PointerArgument<hipMipmappedArray>
    : hipport::cpu::HandleArgument<hipMipmappedArray, hipErrorInvalidValue, hipErrorInvalidHandle> {};
using hipMipmappedArray_t = hipMipmappedArray*;
using hipMipmappedArray_const_t = const hipMipmappedArray*;
using hipmipmappedArray = hipMipmappedArray_t;

namespace hipport::cpu {

// Return the extent of a level. Layers and faces are as many in all levels.
inline hipExtent level_extent(hipExtent whole, unsigned level, unsigned flags) {
  const auto halved = [level](size_t size) { return size == 0 ? 0 : std::max<size_t>(size >> level, 1); };
  const bool has_layers = (flags & (hipArrayLayered | hipArrayCubemap)) != 0;
  return {halved(whole.width), halved(whole.height), has_layers ? whole.depth : halved(whole.depth)};
}

// Return how many levels there can be: down to one element.
inline unsigned most_levels(hipExtent whole, unsigned flags) {
  const bool has_layers = (flags & (hipArrayLayered | hipArrayCubemap)) != 0;
  size_t longest = std::max({whole.width, whole.height, has_layers ? size_t{0} : whole.depth});
  unsigned count = 0;
  for (; longest != 0; longest >>= 1) ++count;
  return count;
}

}  // namespace hipport::cpu

// More levels than there can be are as many as there can be, as CUDA documents.
HIPPORT_RUNTIME hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* array, const hipChannelFormatDesc* desc,
                                                   hipExtent extent, unsigned levels, unsigned flags = 0) {
  using namespace hipport::cpu;
  if (array == nullptr || desc == nullptr || levels == 0 || extent.width == 0 || element_bytes(*desc) == 0)
    return status(hipErrorInvalidValue);
  const bool cube = (flags & hipArrayCubemap) != 0;
  if (cube && (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0))
    return status(hipErrorInvalidValue);
  constexpr size_t alignment = 64;
  const unsigned count = std::min(levels, most_levels(extent, flags));
  auto* const all = new hipArray[count];
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    const hipExtent one = level_extent(extent, i, flags);
    all[i] = {{}, reinterpret_cast<void*>(bytes), *desc, one.width, one.height, one.depth, flags};
    bytes += one.width * or_one(one.height) * or_one(one.depth) * element_bytes(*desc);
    bytes = (bytes + alignment - 1) / alignment * alignment;
  }
  void* data = nullptr;
  const hipError_t error = allocate(&data, bytes, hipMemoryTypeArray);
  if (error != hipSuccess) {
    delete[] all;
    return error;
  }
  for (unsigned i = 0; i < count; ++i) all[i].data = static_cast<char*>(data) + reinterpret_cast<size_t>(all[i].data);
  const auto narrow = [](size_t size) { return static_cast<unsigned>(size); };
  const unsigned channels = 1u + (desc->y != 0) + (desc->z != 0) + (desc->w != 0);
  *array = new hipMipmappedArray{{},
                                 data,
                                 *desc,
                                 0,
                                 narrow(extent.width),
                                 narrow(extent.height),
                                 narrow(extent.depth),
                                 0,
                                 count - 1,
                                 flags,
                                 format_of(*desc),
                                 channels,
                                 all};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipFreeMipmappedArray(hipMipmappedArray_t array) {
  HIPPORT_NEEDS(array);
  const hipError_t error = hipport::cpu::release(array->data);
  delete[] array->levels;
  delete array;
  return error;
}
// The level belongs to the mipmapped array: it is freed with that.
HIPPORT_RUNTIME hipError_t hipGetMipmappedArrayLevel(hipArray_t* level, hipMipmappedArray_const_t array,
                                                     unsigned number) {
  HIPPORT_NEEDS(array);
  if (level == nullptr || number > array->max_mipmap_level) return hipport::cpu::status(hipErrorInvalidValue);
  *level = array->levels + number;
  return hipSuccess;
}

// The same by the driver API.
HIPPORT_RUNTIME hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t* array, HIP_ARRAY3D_DESCRIPTOR* wanted,
                                                   unsigned levels) {
  if (array == nullptr || wanted == nullptr || levels == 0) return hipport::cpu::status(hipErrorInvalidValue);
  const hipChannelFormatDesc channels = hipport::cpu::channels_of(wanted->Format, wanted->NumChannels);
  return hipMallocMipmappedArray(array, &channels, {wanted->Width, wanted->Height, wanted->Depth}, levels,
                                 wanted->Flags);
}
HIPPORT_RUNTIME hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t array) { return hipFreeMipmappedArray(array); }
HIPPORT_RUNTIME hipError_t hipMipmappedArrayGetLevel(hipArray_t* level, hipMipmappedArray_t array, unsigned number) {
  HIPPORT_NEEDS(array);
  return hipGetMipmappedArrayLevel(level, array, number);
}

HIPPORT_RUNTIME hipError_t hipExternalMemoryGetMappedMipmappedArray(hipMipmappedArray_t* array,
                                                                    hipExternalMemory_t memory,
                                                                    const hipExternalMemoryMipmappedArrayDesc* wanted) {
  if (array == nullptr || memory == nullptr || wanted == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::missing("hipExternalMemoryGetMappedMipmappedArray");
}
