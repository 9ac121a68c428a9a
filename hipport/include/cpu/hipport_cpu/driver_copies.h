// SPDX-License-Identifier: MIT
// Arrays and copies of the driver API.
#pragma once

#include "arrays.h"

enum hipArray_Format {
  HIP_AD_FORMAT_UNSIGNED_INT8 = 0x01,
  HIP_AD_FORMAT_UNSIGNED_INT16 = 0x02,
  HIP_AD_FORMAT_UNSIGNED_INT32 = 0x03,
  HIP_AD_FORMAT_SIGNED_INT8 = 0x08,
  HIP_AD_FORMAT_SIGNED_INT16 = 0x09,
  HIP_AD_FORMAT_SIGNED_INT32 = 0x0a,
  HIP_AD_FORMAT_HALF = 0x10,
  HIP_AD_FORMAT_FLOAT = 0x20
};
struct HIP_ARRAY_DESCRIPTOR {
  size_t Width, Height;
  hipArray_Format Format;
  unsigned NumChannels;
};
struct HIP_ARRAY3D_DESCRIPTOR {
  size_t Width, Height, Depth;
  hipArray_Format Format;
  unsigned NumChannels, Flags;
};
struct hip_Memcpy2D {
  size_t srcXInBytes, srcY;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  size_t srcPitch, dstXInBytes, dstY;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  size_t dstPitch, WidthInBytes, Height;
};
struct HIP_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
};

namespace hipport::cpu {

inline hipArray_Format format_of(const hipChannelFormatDesc& channels) {
  if (channels.f == hipChannelFormatKindFloat) return channels.x == 32 ? HIP_AD_FORMAT_FLOAT : HIP_AD_FORMAT_HALF;
  const int size = channels.x == 8 ? 0 : channels.x == 16 ? 1 : 2;
  const int first = channels.f == hipChannelFormatKindSigned ? HIP_AD_FORMAT_SIGNED_INT8 : HIP_AD_FORMAT_UNSIGNED_INT8;
  return static_cast<hipArray_Format>(first + size);
}
inline hipChannelFormatDesc channels_of(hipArray_Format format, unsigned channels) {
  // Values of hipArray_Format: 1, 2, 3 are unsigned integers of 8, 16, 32 bits; 8, 9, 10 are signed ones.
  auto kind = hipChannelFormatKindFloat;
  int width = format == HIP_AD_FORMAT_FLOAT ? 32 : 16;
  if (format < HIP_AD_FORMAT_HALF) {
    const bool is_signed = format >= HIP_AD_FORMAT_SIGNED_INT8;
    kind = is_signed ? hipChannelFormatKindSigned : hipChannelFormatKindUnsigned;
    width = is_signed ? 8 << (format - HIP_AD_FORMAT_SIGNED_INT8) : 4 << format;
  }
  return {width, channels > 1 ? width : 0, channels > 2 ? width : 0, channels > 3 ? width : 0, kind};
}

// One side of a copy: the address of its first byte, and the distances between rows and slices.
inline Box side(hipMemoryType type, const void* host, hipDeviceptr_t device, hipArray_t array, size_t x, size_t y,
                size_t z, size_t pitch, size_t height) {
  char* first = static_cast<char*>(type == hipMemoryTypeHost ? const_cast<void*>(host) : device);
  if (type == hipMemoryTypeArray) {
    if (!exists(array)) return {};
    first = static_cast<char*>(array->data);
    pitch = element_bytes(array->desc) * array->width;
    height = or_one(array->height);
  }
  const size_t slice = pitch * or_one(height);
  return {first == nullptr ? nullptr : first + x + y * pitch + z * slice, pitch, slice, less_or_none(pitch, x)};
}

// A pitch of 0 means rows without gaps, a height of 0 slices without gaps.
inline size_t or_else(size_t given, size_t copied) { return given != 0 ? given : copied; }
inline Box target_of(const HIP_MEMCPY3D& p) {
  return side(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray, p.dstXInBytes, p.dstY, p.dstZ,
              or_else(p.dstPitch, p.WidthInBytes), or_else(p.dstHeight, p.Height));
}
inline Box source_of(const HIP_MEMCPY3D& p) {
  return side(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray, p.srcXInBytes, p.srcY, p.srcZ,
              or_else(p.srcPitch, p.WidthInBytes), or_else(p.srcHeight, p.Height));
}
inline hipError_t problem_of_copy(const HIP_MEMCPY3D& p) {
  if (p.WidthInBytes == 0 || p.Height == 0 || p.Depth == 0) return hipSuccess;
  return problem_of_boxes(target_of(p), source_of(p), p.WidthInBytes, p.Height, p.Depth);
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* p, hipStream_t stream) {
  HIPPORT_NEEDS(p, stream);
  return hipport::cpu::copy_box(stream, hipport::cpu::target_of(*p), hipport::cpu::source_of(*p), p->WidthInBytes,
                                p->Height, p->Depth);
}
HIPPORT_RUNTIME hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* p) { return hipDrvMemcpy3DAsync(p, nullptr); }
HIPPORT_RUNTIME hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* p, hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  if (p == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const auto to = hipport::cpu::side(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes, p->dstY,
                                     0, p->dstPitch, 1);
  const auto from = hipport::cpu::side(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY,
                                       0, p->srcPitch, 1);
  return hipport::cpu::copy_box(stream, to, from, p->WidthInBytes, p->Height, 1);
}
HIPPORT_RUNTIME hipError_t hipMemcpyParam2D(const hip_Memcpy2D* p) { return hipMemcpyParam2DAsync(p); }
HIPPORT_RUNTIME hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* p) { return hipMemcpyParam2DAsync(p); }

HIPPORT_RUNTIME hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* wanted) {
  if (array == nullptr || wanted == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (wanted->NumChannels == 0) return hipport::cpu::status(hipErrorInvalidValue);
  const hipChannelFormatDesc channels = hipport::cpu::channels_of(wanted->Format, wanted->NumChannels);
  return hipMalloc3DArray(array, &channels, {wanted->Width, wanted->Height, wanted->Depth}, wanted->Flags);
}
HIPPORT_RUNTIME hipError_t hipArrayCreate(hipArray_t* array, const HIP_ARRAY_DESCRIPTOR* wanted) {
  if (wanted == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const HIP_ARRAY3D_DESCRIPTOR whole{wanted->Width, wanted->Height, 0, wanted->Format, wanted->NumChannels, 0};
  return hipArray3DCreate(array, &whole);
}
HIPPORT_RUNTIME hipError_t hipArrayDestroy(hipArray_t array) { return hipFreeArray(array); }
HIPPORT_RUNTIME hipError_t hipMemcpyAtoH(void* to, hipArray_t from, size_t offset, size_t size) {
  HIPPORT_NEEDS(from);
  if (!hipport::cpu::has_bytes(from, offset, 0, size)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::copy(nullptr, to, hipport::cpu::array_address(from, offset, 0), size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyHtoA(hipArray_t to, size_t offset, const void* from, size_t size) {
  HIPPORT_NEEDS(to);
  if (!hipport::cpu::has_bytes(to, offset, 0, size)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::copy(nullptr, hipport::cpu::array_address(to, offset, 0), from, size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyAtoD(hipDeviceptr_t to, hipArray_t from, size_t offset, size_t size) {
  HIPPORT_NEEDS(from);
  return hipMemcpyAtoH(to, from, offset, size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyDtoA(hipArray_t to, size_t offset, hipDeviceptr_t from, size_t size) {
  HIPPORT_NEEDS(to);
  return hipMemcpyHtoA(to, offset, from, size);
}
HIPPORT_RUNTIME hipError_t hipMemcpy2DArrayToArray(hipArray_t to, size_t to_x, size_t to_y, hipArray_const_t from,
                                                   size_t from_x, size_t from_y, size_t width, size_t height,
                                                   hipMemcpyKind kind) {
  HIPPORT_NEEDS(to, from);
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  if (!hipport::cpu::has_rows(to, to_x, to_y, width, height) ||
      !hipport::cpu::has_rows(from, from_x, from_y, width, height))
    return hipport::cpu::status(hipErrorInvalidValue);
  const hipArray_t source = const_cast<hipArray_t>(from);
  return hipport::cpu::copy_rows(nullptr, hipport::cpu::array_address(to, to_x, to_y),
                                 to->width * hipport::cpu::element_bytes(to->desc),
                                 hipport::cpu::array_address(source, from_x, from_y),
                                 from->width * hipport::cpu::element_bytes(from->desc), width, height);
}

HIPPORT_RUNTIME hipError_t hipMemcpyAtoHAsync(void* to, hipArray_t from, size_t offset, size_t size,
                                              hipStream_t stream) {
  HIPPORT_NEEDS(from, stream);
  if (!hipport::cpu::has_bytes(from, offset, 0, size)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::copy(stream, to, hipport::cpu::array_address(from, offset, 0), size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyHtoAAsync(hipArray_t to, size_t offset, const void* from, size_t size,
                                              hipStream_t stream) {
  HIPPORT_NEEDS(to, stream);
  if (!hipport::cpu::has_bytes(to, offset, 0, size)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::copy(stream, hipport::cpu::array_address(to, offset, 0), from, size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyAtoA(hipArray_t to, size_t offset, hipArray_t from, size_t from_offset,
                                         size_t size) {
  HIPPORT_NEEDS(to, from);
  if (!hipport::cpu::has_bytes(from, from_offset, 0, size)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipMemcpyHtoA(to, offset, hipport::cpu::array_address(from, from_offset, 0), size);
}

// What an array was made with.
HIPPORT_RUNTIME hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* found, hipArray_t array) {
  HIPPORT_NEEDS(found);
  if (!hipport::cpu::exists(array)) return hipport::cpu::status(hipErrorInvalidHandle);
  const hipChannelFormatDesc& channels = array->desc;
  const unsigned count = 1u + (channels.y != 0) + (channels.z != 0) + (channels.w != 0);
  *found = {array->width, array->height, array->depth, hipport::cpu::format_of(channels), count, array->flags};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* found, hipArray_t array) {
  HIPPORT_NEEDS(found);
  HIP_ARRAY3D_DESCRIPTOR whole;
  const hipError_t error = hipArray3DGetDescriptor(&whole, array);
  if (error == hipSuccess) *found = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return error;
}
HIPPORT_RUNTIME hipError_t hipArrayGetInfo(hipChannelFormatDesc* channels, hipExtent* extent, unsigned* flags,
                                           hipArray_t array) {
  if (!hipport::cpu::exists(array)) return hipport::cpu::status(hipErrorInvalidHandle);
  if (channels != nullptr) *channels = array->desc;
  if (extent != nullptr) *extent = {array->width, array->height, array->depth};
  if (flags != nullptr) *flags = array->flags;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGetChannelDesc(hipChannelFormatDesc* channels, hipArray_const_t array) {
  if (channels == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (!hipport::cpu::exists(array)) return hipport::cpu::status(hipErrorInvalidHandle);
  *channels = array->desc;
  return hipSuccess;
}

// Rows of `width` elements, `pitch` bytes apart.
#define HIPPORT_FILL_ROWS(name, T)                                                                             \
  inline hipError_t name##Async(hipDeviceptr_t to, size_t pitch, T value, size_t width, size_t height,         \
                                hipStream_t stream = nullptr) {                                                \
    HIPPORT_NEEDS(stream);                                                                                     \
    if (width == 0 || height == 0) return hipSuccess;                                                          \
    if (to == nullptr || width > pitch / sizeof(T) ||                                                          \
        hipport::cpu::rows_overrun(to, pitch, width * sizeof(T), height))                                      \
      return hipport::cpu::status(hipErrorInvalidValue);                                                       \
    for (size_t row = 0; row < height; ++row) {                                                                \
      const hipError_t error = hipport::cpu::fill(stream, static_cast<char*>(to) + row * pitch, value, width); \
      if (error != hipSuccess) return error;                                                                   \
    }                                                                                                          \
    return hipSuccess;                                                                                         \
  }                                                                                                            \
  inline hipError_t name(hipDeviceptr_t to, size_t pitch, T value, size_t width, size_t height) {              \
    return name##Async(to, pitch, value, width, height);                                                       \
  }
HIPPORT_FILL_ROWS(hipMemsetD2D8, unsigned char)
HIPPORT_FILL_ROWS(hipMemsetD2D16, unsigned short)
HIPPORT_FILL_ROWS(hipMemsetD2D32, unsigned)
#undef HIPPORT_FILL_ROWS
