// SPDX-License-Identifier: MIT
// HIP arrays, 3D memory and 3D copies.
#pragma once

#include "copy.h"
#include "vector_types.h"

enum hipChannelFormatKind {
  hipChannelFormatKindSigned,
  hipChannelFormatKindUnsigned,
  hipChannelFormatKindFloat,
  hipChannelFormatKindNone
};
struct hipChannelFormatDesc {
  int x, y, z, w;  // bits of each component
  hipChannelFormatKind f;
};
struct hipExtent {
  size_t width, height, depth;
};
struct hipPos {
  size_t x, y, z;
};
struct hipPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
struct hipArray : hipport::cpu::Handled<hipArray> {
  void* data;
  hipChannelFormatDesc desc;
  size_t width, height, depth;  // in elements; 0 for missing dimensions. Layers and faces count as depth
  unsigned flags;
};
template <>
struct hipport::cpu::PointerArgument<hipArray>
    : hipport::cpu::HandleArgument<hipArray, hipErrorInvalidValue, hipErrorInvalidHandle> {};
using hipArray_t = hipArray*;
using hipArray_const_t = const hipArray*;
inline constexpr unsigned hipArrayDefault = 0, hipArrayLayered = 1, hipArraySurfaceLoadStore = 2, hipArrayCubemap = 4,
                          hipArrayTextureGather = 8;

struct hipMemcpy3DParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
};

inline hipExtent make_hipExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline hipPos make_hipPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline hipPitchedPtr make_hipPitchedPtr(void* data, size_t pitch, size_t x, size_t y) { return {data, pitch, x, y}; }
inline hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
inline hipChannelFormatDesc hipCreateChannelDescHalf() {
  return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}
inline hipChannelFormatDesc hipCreateChannelDescHalf1() { return hipCreateChannelDescHalf(); }
inline hipChannelFormatDesc hipCreateChannelDescHalf2() {
  return hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindFloat);
}
inline hipChannelFormatDesc hipCreateChannelDescHalf4() {
  return hipCreateChannelDesc(16, 16, 16, 16, hipChannelFormatKindFloat);
}

namespace hipport::cpu {

template <typename T>
constexpr hipChannelFormatKind channel_kind() {
  if (std::is_floating_point_v<T>) return hipChannelFormatKindFloat;
  return std::is_signed_v<T> ? hipChannelFormatKindSigned : hipChannelFormatKindUnsigned;
}

template <typename T>
struct Channels {
  static hipChannelFormatDesc describe() { return {8 * int(sizeof(T)), 0, 0, 0, channel_kind<T>()}; }
};
template <typename T, unsigned N>
struct Channels<HIP_vector_type<T, N>> {
  static hipChannelFormatDesc describe() {
    const int bits = 8 * int(sizeof(T));
    return {bits, N > 1 ? bits : 0, N > 2 ? bits : 0, N > 3 ? bits : 0, channel_kind<T>()};
  }
};

inline size_t element_bytes(const hipChannelFormatDesc& desc) {
  return static_cast<size_t>(desc.x + desc.y + desc.z + desc.w) / 8;
}
inline size_t or_one(size_t size) { return size == 0 ? 1 : size; }

// A box of memory: the address of its first element, the distances between rows and slices, and how much of its row
// follows the first element, in bytes.
struct Box {
  char* first;
  size_t row, slice, left;
};

inline size_t less_or_none(size_t whole, size_t part) { return whole > part ? whole - part : 0; }

inline Box box_of(hipArray_t array, const hipPitchedPtr& memory, const hipPos& at) {
  if (array == nullptr)
    return {static_cast<char*>(memory.ptr) + at.x + at.y * memory.pitch + at.z * memory.pitch * memory.ysize,
            memory.pitch, memory.pitch * memory.ysize, less_or_none(memory.pitch, at.x)};
  const size_t bytes = element_bytes(array->desc), row = bytes * array->width, slice = row * or_one(array->height);
  return {static_cast<char*>(array->data) + at.x * bytes + at.y * row + at.z * slice, row, slice,
          less_or_none(row, at.x * bytes)};
}

// Return the length of a row. The width counts elements if an array takes part, else bytes.
inline size_t row_bytes(const hipMemcpy3DParms& p) {
  const hipArray_t array = p.srcArray != nullptr ? p.srcArray : p.dstArray;
  return p.extent.width * (array != nullptr ? element_bytes(array->desc) : 1);
}

// Return what is wrong with a copy of `width` bytes of each row: a row that is too long, or a box that goes beyond the
// end of its allocation.
HIPPORT_RUNTIME hipError_t problem_of_boxes(const Box& to, const Box& from, size_t width, size_t height, size_t depth) {
  constexpr size_t most_pitch = 0x7fffffff;
  for (const Box& one : {to, from}) {
    const size_t last = (depth - 1) * one.slice + (height - 1) * one.row;
    if (one.first == nullptr || one.row >= most_pitch || (one.row != 0 && width > one.left))
      return hipErrorInvalidValue;
    if (overruns(one.first, last + width)) return hipErrorInvalidValue;
  }
  return hipSuccess;
}

// Return what is wrong with a copy between boxes: each end is an array or memory, and a row fits into the pitch.
HIPPORT_RUNTIME hipError_t problem_of_copy(const hipMemcpy3DParms& p) {
  if (!is_direction(p.kind)) return hipErrorInvalidMemcpyDirection;
  if ((p.srcArray != nullptr) == (p.srcPtr.ptr != nullptr) || (p.dstArray != nullptr) == (p.dstPtr.ptr != nullptr))
    return hipErrorInvalidValue;
  for (const hipArray_t array : {p.srcArray, p.dstArray})
    if (array != nullptr && !exists(array)) return hipErrorInvalidHandle;
  if (p.srcPtr.pitch < p.srcPtr.xsize || p.dstPtr.pitch < p.dstPtr.xsize) return hipErrorInvalidPitchValue;
  if (p.srcArray != nullptr && p.dstArray != nullptr &&
      element_bytes(p.srcArray->desc) != element_bytes(p.dstArray->desc))
    return hipErrorInvalidValue;
  if (p.extent.width == 0 || p.extent.height == 0 || p.extent.depth == 0) return hipSuccess;
  return problem_of_boxes(box_of(p.dstArray, p.dstPtr, p.dstPos), box_of(p.srcArray, p.srcPtr, p.srcPos), row_bytes(p),
                          p.extent.height, p.extent.depth);
}

// Copy `width` bytes of each row.
HIPPORT_RUNTIME hipError_t copy_box(hipStream_t stream, Box to, Box from, size_t width, size_t height, size_t depth) {
  if (width == 0 || height == 0 || depth == 0) return hipSuccess;
  if (const hipError_t problem = problem_of_boxes(to, from, width, height, depth); problem != hipSuccess)
    return status(problem);
  return enqueue(
      stream,
      [=] {
        for (size_t z = 0; z < depth; ++z)
          for (size_t y = 0; y < height; ++y)
            std::memmove(to.first + z * to.slice + y * to.row, from.first + z * from.slice + y * from.row, width);
      },
      hipGraphNodeTypeMemcpy);
}

// Return the address at byte `x_bytes` of row `y` of an array.
inline char* array_address(hipArray_t array, size_t x_bytes, size_t y) {
  return static_cast<char*>(array->data) + x_bytes + y * element_bytes(array->desc) * array->width;
}
// Return whether elements are 1, 2 or 4 numbers of a width that their kind has.
inline bool is_element(const hipChannelFormatDesc& desc) {
  const auto same = [&](int others) { return others == desc.x; };
  const bool one = desc.y == 0 && desc.z == 0 && desc.w == 0, two = same(desc.y) && desc.z == 0 && desc.w == 0;
  const bool is_width = desc.x == 32 || desc.x == 16 || (desc.x == 8 && desc.f != hipChannelFormatKindFloat);
  return is_width && (one || two || (same(desc.y) && same(desc.z) && same(desc.w)));
}
// Return whether an array has `height` rows of `width` bytes from byte `x_bytes` of row `y` on.
inline bool has_rows(hipArray_const_t array, size_t x_bytes, size_t y, size_t width, size_t height) {
  const size_t row = element_bytes(array->desc) * array->width, rows = or_one(array->height) * or_one(array->depth);
  return x_bytes <= row && width <= row - x_bytes && y <= rows && height <= rows - y;
}
// Return whether an array has `size` bytes in one piece from byte `x_bytes` of row `y` on.
inline bool has_bytes(hipArray_const_t array, size_t x_bytes, size_t y, size_t size) {
  const size_t row = element_bytes(array->desc) * array->width, rows = or_one(array->height) * or_one(array->depth);
  return x_bytes <= row && y <= rows && size <= (rows - y) * row - x_bytes && x_bytes <= (rows - y) * row;
}

}  // namespace hipport::cpu

template <typename T>
hipChannelFormatDesc hipCreateChannelDesc() {
  return hipport::cpu::Channels<T>::describe();
}

HIPPORT_RUNTIME hipError_t hipMalloc3DArray(hipArray_t* array, const hipChannelFormatDesc* desc, hipExtent extent,
                                            unsigned flags = 0) {
  HIPPORT_NEEDS(array, desc);
  const bool cube = (flags & hipArrayCubemap) != 0;
  if (extent.width == 0 || !hipport::cpu::is_element(*desc)) return hipport::cpu::status(hipErrorInvalidValue);
  if (cube && (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0))
    return hipport::cpu::status(hipErrorInvalidValue);
  void* data = nullptr;
  const size_t elements = extent.width * hipport::cpu::or_one(extent.height) * hipport::cpu::or_one(extent.depth);
  const hipError_t status =
      hipport::cpu::allocate(&data, elements * hipport::cpu::element_bytes(*desc), hipMemoryTypeArray);
  if (status == hipSuccess) *array = new hipArray{{}, data, *desc, extent.width, extent.height, extent.depth, flags};
  return status;
}
HIPPORT_RUNTIME hipError_t hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* desc, size_t width,
                                          size_t height = 0, unsigned flags = 0) {
  HIPPORT_NEEDS(array, desc);
  return hipMalloc3DArray(array, desc, {width, height, 0}, flags);
}
HIPPORT_RUNTIME hipError_t hipFreeArray(hipArray_t array) {
  if (array != nullptr && !hipport::cpu::exists(array)) return hipport::cpu::status(hipErrorContextIsDestroyed);
  HIPPORT_NEEDS(array);
  const hipError_t status = hipport::cpu::release(array->data);
  delete array;
  return status;
}
HIPPORT_RUNTIME hipError_t hipMalloc3D(hipPitchedPtr* memory, hipExtent extent) {
  HIPPORT_NEEDS(memory);
  *memory = {nullptr, 0, extent.width, extent.height};
  return hipMallocPitch(&memory->ptr, &memory->pitch, extent.width, extent.height * extent.depth);
}

HIPPORT_RUNTIME hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* p, hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(p, stream);
  const hipError_t problem = hipport::cpu::problem_of_copy(*p);
  if (problem != hipSuccess) return hipport::cpu::status(problem);
  return hipport::cpu::copy_box(stream, hipport::cpu::box_of(p->dstArray, p->dstPtr, p->dstPos),
                                hipport::cpu::box_of(p->srcArray, p->srcPtr, p->srcPos), hipport::cpu::row_bytes(*p),
                                p->extent.height, p->extent.depth);
}
HIPPORT_RUNTIME hipError_t hipMemcpy3D(const hipMemcpy3DParms* p) { return hipMemcpy3DAsync(p); }
HIPPORT_RUNTIME hipError_t hipMemset3DAsync(hipPitchedPtr memory, int value, hipExtent extent,
                                            hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  char* first = static_cast<char*>(memory.ptr);
  for (size_t z = 0; z < extent.depth; ++z) {
    const hipError_t status = hipport::cpu::fill_rows(stream, first + z * memory.pitch * memory.ysize, memory.pitch,
                                                      value, extent.width, extent.height);
    if (status != hipSuccess) return status;
  }
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemset3D(hipPitchedPtr memory, int value, hipExtent extent) {
  return hipMemset3DAsync(memory, value, extent);
}

HIPPORT_RUNTIME hipError_t hipMemcpy2DToArrayAsync(hipArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                                   size_t width, size_t height, hipMemcpyKind kind,
                                                   hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(to, stream);
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  if (!hipport::cpu::has_rows(to, x, y, width, height)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::copy_rows(stream, hipport::cpu::array_address(to, x, y),
                                 to->width * hipport::cpu::element_bytes(to->desc), from, pitch, width, height);
}
HIPPORT_RUNTIME hipError_t hipMemcpy2DToArray(hipArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                              size_t width, size_t height, hipMemcpyKind kind) {
  HIPPORT_NEEDS(to);
  return hipMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind);
}
HIPPORT_RUNTIME hipError_t hipMemcpy2DFromArray(void* to, size_t pitch, hipArray_const_t from, size_t x, size_t y,
                                                size_t width, size_t height, hipMemcpyKind kind) {
  HIPPORT_NEEDS(from);
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  if (!hipport::cpu::has_rows(from, x, y, width, height)) return hipport::cpu::status(hipErrorInvalidValue);
  const hipArray_t array = const_cast<hipArray_t>(from);
  return hipport::cpu::copy_rows(nullptr, to, pitch, hipport::cpu::array_address(array, x, y),
                                 from->width * hipport::cpu::element_bytes(from->desc), width, height);
}
HIPPORT_RUNTIME hipError_t hipMemcpyToArray(hipArray_t to, size_t x, size_t y, const void* from, size_t size,
                                            hipMemcpyKind kind) {
  HIPPORT_NEEDS(to);
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  if (!hipport::cpu::has_bytes(to, x, y, size)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::copy(nullptr, hipport::cpu::array_address(to, x, y), from, size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyFromArray(void* to, hipArray_const_t from, size_t x, size_t y, size_t size,
                                              hipMemcpyKind kind) {
  HIPPORT_NEEDS(from);
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  if (!hipport::cpu::has_bytes(from, x, y, size)) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::copy(nullptr, to, hipport::cpu::array_address(const_cast<hipArray_t>(from), x, y), size);
}
