// SPDX-License-Identifier: MIT
// Several copies by one call.
#pragma once

#include "arrays.h"

enum hipMemcpyFlags { hipMemcpyFlagDefault = 0, hipMemcpyFlagPreferOverlapWithCompute = 1 };
enum hipMemcpySrcAccessOrder {
  hipMemcpySrcAccessOrderInvalid = 0,
  hipMemcpySrcAccessOrderStream = 1,
  hipMemcpySrcAccessOrderDuringApiCall = 2,
  hipMemcpySrcAccessOrderAny = 3,
  hipMemcpySrcAccessOrderMax = 0x7fffffff
};
struct hipMemcpyAttributes {
  hipMemcpySrcAccessOrder srcAccessOrder;
  hipMemLocation srcLocHint, dstLocHint;
  unsigned flags;
};
enum hipMemcpy3DOperandType {
  hipMemcpyOperandTypePointer = 1,
  hipMemcpyOperandTypeArray = 2,
  hipMemcpyOperandTypeMax = 0x7fffffff
};
struct hipOffset3D {
  size_t x, y, z;
};
struct hipMemcpy3DOperand {
  hipMemcpy3DOperandType type;
  union {
    struct {
      void* ptr;
      size_t rowLength, layerHeight;  // in elements; 0: those of the extent
      hipMemLocation locHint;
    } ptr;
    struct {
      hipArray_t array;
      hipOffset3D offset;
    } array;
  } op;
};
struct hipMemcpy3DBatchOp {
  hipMemcpy3DOperand src, dst;
  hipExtent extent;
  hipMemcpySrcAccessOrder srcAccessOrder;
  unsigned flags;
};

namespace hipport::cpu {

inline constexpr size_t no_copy = static_cast<size_t>(-1);  // in place of the number of the copy that failed

HIPPORT_RUNTIME hipError_t failed_at(size_t* failed, size_t which, hipError_t error) {
  if (failed != nullptr) *failed = which;
  return status(error);
}

// Return whether attributes are those of copies from the first one on, in order.
inline bool cover_copies(const size_t* first, size_t attributes, size_t copies) {
  if (attributes == 0) return true;
  if (first == nullptr || first[0] != 0 || attributes > copies) return false;
  for (size_t i = 1; i < attributes; ++i)
    if (first[i] <= first[i - 1] || first[i] >= copies) return false;
  return true;
}

inline size_t element_bytes(const hipMemcpy3DOperand& operand) {
  return operand.type == hipMemcpyOperandTypeArray ? element_bytes(operand.op.array.array->desc) : 0;
}
inline bool is_operand(const hipMemcpy3DOperand& operand) {
  return operand.type == hipMemcpyOperandTypePointer
             ? operand.op.ptr.ptr != nullptr
             : operand.type == hipMemcpyOperandTypeArray && operand.op.array.array != nullptr;
}
// Return the side of a copy of elements with `bytes` each.
inline Box box_of(const hipMemcpy3DOperand& operand, const hipExtent& extent, size_t bytes) {
  if (operand.type == hipMemcpyOperandTypeArray) {
    const auto& [array, at] = operand.op.array;
    return box_of(array, {}, {at.x, at.y, at.z});
  }
  const auto& memory = operand.op.ptr;
  const size_t row = bytes * (memory.rowLength != 0 ? memory.rowLength : extent.width);
  return {static_cast<char*>(memory.ptr), row,
          row * (memory.layerHeight != 0 ? memory.layerHeight : or_one(extent.height)), row};
}

}  // namespace hipport::cpu

// The attributes say when sources are read and where memory is, which makes no difference here.
HIPPORT_RUNTIME hipError_t hipMemcpyBatchAsync(void** to, void** from, size_t* sizes, size_t count,
                                               hipMemcpyAttributes* attributes, size_t* firsts, size_t attribute_count,
                                               size_t* failed, hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  using namespace hipport::cpu;
  if (to == nullptr || from == nullptr || sizes == nullptr || count == 0 ||
      (attributes == nullptr && attribute_count != 0) || !cover_copies(firsts, attribute_count, count))
    return failed_at(failed, no_copy, hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i)
    if (to[i] == nullptr || from[i] == nullptr || sizes[i] == 0) return failed_at(failed, i, hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) copy(stream, to[i], from[i], sizes[i]);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipMemcpy3DBatchAsync(size_t count, hipMemcpy3DBatchOp* copies, size_t* failed,
                                                 unsigned long long flags, hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(stream);
  using namespace hipport::cpu;
  if (count == 0 || copies == nullptr || flags != 0) return failed_at(failed, no_copy, hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    const hipMemcpy3DBatchOp& one = copies[i];
    if (!is_operand(one.dst) || !is_operand(one.src)) return failed_at(failed, i, hipErrorInvalidValue);
  }
  for (size_t i = 0; i < count; ++i) {
    const hipMemcpy3DBatchOp& one = copies[i];
    const size_t bytes = std::max<size_t>({element_bytes(one.src), element_bytes(one.dst), 1});
    copy_box(stream, box_of(one.dst, one.extent, bytes), box_of(one.src, one.extent, bytes), one.extent.width * bytes,
             or_one(one.extent.height), or_one(one.extent.depth));
  }
  return hipSuccess;
}
