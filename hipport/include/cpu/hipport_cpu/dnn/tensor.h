// SPDX-License-Identifier: MIT
// MIOpen: tensor descriptors, and access to the elements of tensors with any strides.
#pragma once

#include "types.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace hipport::cpu::dnn {

using Tensor = miopenTensorDescriptor;
using Values = std::vector<double>;

inline size_t size_of(miopenDataType_t type) {
  switch (type) {
    case miopenInt8: return 1;
    case miopenHalf:
    case miopenBFloat16: return 2;
    case miopenDouble:
    case miopenInt64: return 8;
    default: return 4;
  }
}

inline double load(miopenDataType_t type, const void* data, size_t i) {
  switch (type) {
    case miopenHalf: return half_value(static_cast<const uint16_t*>(data)[i]);
    case miopenBFloat16: return bfloat16_value(static_cast<const uint16_t*>(data)[i]);
    case miopenInt32: return static_cast<const int32_t*>(data)[i];
    case miopenInt8: return static_cast<const int8_t*>(data)[i];
    case miopenInt64: return static_cast<double>(static_cast<const int64_t*>(data)[i]);
    case miopenDouble: return static_cast<const double*>(data)[i];
    default: return static_cast<const float*>(data)[i];
  }
}
inline void store(miopenDataType_t type, void* data, size_t i, double value) {
  switch (type) {
    case miopenHalf: static_cast<uint16_t*>(data)[i] = half_bits(static_cast<float>(value)); break;
    case miopenBFloat16: static_cast<uint16_t*>(data)[i] = bfloat16_bits(static_cast<float>(value)); break;
    case miopenInt32: static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value); break;
    case miopenInt8: static_cast<int8_t*>(data)[i] = static_cast<int8_t>(value); break;
    case miopenInt64: static_cast<int64_t*>(data)[i] = static_cast<int64_t>(value); break;
    case miopenDouble: static_cast<double*>(data)[i] = value; break;
    default: static_cast<float*>(data)[i] = static_cast<float>(value);
  }
}

inline size_t count_of(const std::vector<int>& dims) {
  return std::accumulate(dims.begin(), dims.end(), size_t{1},
                         [](size_t a, int b) { return a * static_cast<size_t>(b); });
}

// Call `visit(offset)` for all indices below `dims`, the last fastest. A stride of 0 repeats an element.
template <typename Visit>
void each_offset(const std::vector<int>& dims, const std::vector<int>& strides, Visit visit) {
  std::vector<int> at(dims.size());
  size_t offset = 0;
  for (size_t left = count_of(dims); left > 0; --left) {
    visit(offset);
    for (size_t d = dims.size(); d-- > 0;) {
      offset += static_cast<size_t>(strides[d]);
      if (++at[d] < dims[d]) break;
      offset -= static_cast<size_t>(strides[d]) * static_cast<size_t>(at[d]);
      at[d] = 0;
    }
  }
}

// Return the elements in the order of the indices.
template <typename T = double>
std::vector<T> values(const Tensor& tensor, const void* data) {
  std::vector<T> result;
  result.reserve(count_of(tensor.dims));
  each_offset(tensor.dims, tensor.strides,
              [&](size_t offset) { result.push_back(static_cast<T>(load(tensor.type, data, offset))); });
  return result;
}

// Return the elements repeated along the dimensions of one element.
inline Values broadcast(const Tensor& tensor, const void* data, const std::vector<int>& dims) {
  std::vector<int> strides = tensor.strides;
  for (size_t d = 0; d < dims.size(); ++d)
    if (tensor.dims[d] == 1) strides[d] = 0;
  Values result;
  result.reserve(count_of(dims));
  each_offset(dims, strides, [&](size_t offset) { result.push_back(load(tensor.type, data, offset)); });
  return result;
}

template <typename T>
void assign(const Tensor& tensor, void* data, const std::vector<T>& from) {
  size_t i = 0;
  each_offset(tensor.dims, tensor.strides,
              [&](size_t offset) { store(tensor.type, data, offset, static_cast<double>(from[i++])); });
}

inline std::vector<int> packed_strides(const std::vector<int>& dims) {
  std::vector<int> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

inline bool is_packed(const Tensor& tensor) {
  const std::vector<int> strides = packed_strides(tensor.dims);
  for (size_t d = 0; d < strides.size(); ++d)
    if (tensor.dims[d] > 1 && tensor.strides[d] != strides[d]) return false;
  return true;
}

// MIOpen's functions that do not scale their results refuse other factors than these.
inline bool overwrites(const void* alpha, const void* beta) {
  return *static_cast<const float*>(alpha) == 1.0f && *static_cast<const float*>(beta) == 0.0f;
}

inline miopenStatus_t set(miopenTensorDescriptor_t tensor, miopenDataType_t type, std::vector<int> dims,
                          std::vector<int> strides) {
  if (tensor == nullptr || dims.empty()) return miopenStatusBadParm;
  tensor->type = type;
  tensor->dims = std::move(dims);
  tensor->strides = std::move(strides);
  return miopenStatusSuccess;
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreateTensorDescriptor(miopenTensorDescriptor_t* tensor) {
  return hipport::cpu::dnn::create(tensor);
}
inline miopenStatus_t miopenDestroyTensorDescriptor(miopenTensorDescriptor_t tensor) {
  return hipport::cpu::dnn::destroy(tensor);
}
inline miopenStatus_t miopenSetTensorDescriptor(miopenTensorDescriptor_t tensor, miopenDataType_t type, int count,
                                                const int* dims, const int* strides) {
  if (count < 1 || dims == nullptr) return miopenStatusBadParm;
  std::vector<int> lengths(dims, dims + count);
  std::vector<int> steps =
      strides == nullptr ? hipport::cpu::dnn::packed_strides(lengths) : std::vector<int>(strides, strides + count);
  return hipport::cpu::dnn::set(tensor, type, std::move(lengths), std::move(steps));
}
inline miopenStatus_t miopenSet4dTensorDescriptor(miopenTensorDescriptor_t tensor, miopenDataType_t type, int n, int c,
                                                  int h, int w) {
  const int dims[] = {n, c, h, w};
  return miopenSetTensorDescriptor(tensor, type, 4, dims, nullptr);
}
inline miopenStatus_t miopenSet4dTensorDescriptorEx(miopenTensorDescriptor_t tensor, miopenDataType_t type, int n,
                                                    int c, int h, int w, int n_stride, int c_stride, int h_stride,
                                                    int w_stride) {
  const int dims[] = {n, c, h, w}, strides[] = {n_stride, c_stride, h_stride, w_stride};
  return miopenSetTensorDescriptor(tensor, type, 4, dims, strides);
}
inline miopenStatus_t miopenSetNdTensorDescriptorWithLayout(miopenTensorDescriptor_t tensor, miopenDataType_t type,
                                                            miopenTensorLayout_t layout, const int* dims, int count) {
  std::vector<int> lengths(dims, dims + count), strides = hipport::cpu::dnn::packed_strides(lengths);
  if (layout == miopenTensorNHWC || layout == miopenTensorNDHWC) {
    int stride = dims[1];
    strides[1] = 1;
    for (int d = count - 1; d >= 2; stride *= dims[d--]) strides[static_cast<size_t>(d)] = stride;
    strides[0] = stride;
  } else if (layout != miopenTensorNCHW && layout != miopenTensorNCDHW) {
    return miopenStatusNotImplemented;
  }
  return hipport::cpu::dnn::set(tensor, type, std::move(lengths), std::move(strides));
}
inline miopenStatus_t miopenGetTensorDescriptorSize(miopenTensorDescriptor_t tensor, int* count) {
  *count = static_cast<int>(tensor->dims.size());
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetTensorDescriptor(miopenTensorDescriptor_t tensor, miopenDataType_t* type, int* dims,
                                                int* strides) {
  if (type != nullptr) *type = tensor->type;
  if (dims != nullptr) std::copy(tensor->dims.begin(), tensor->dims.end(), dims);
  if (strides != nullptr) std::copy(tensor->strides.begin(), tensor->strides.end(), strides);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGet4dTensorDescriptor(miopenTensorDescriptor_t tensor, miopenDataType_t* type, int* n,
                                                  int* c, int* h, int* w, int* n_stride, int* c_stride, int* h_stride,
                                                  int* w_stride) {
  if (tensor->dims.size() != 4) return miopenStatusBadParm;
  *type = tensor->type;
  int* const dims[] = {n, c, h, w};
  int* const strides[] = {n_stride, c_stride, h_stride, w_stride};
  for (size_t d = 0; d < 4; ++d) {
    *dims[d] = tensor->dims[d];
    *strides[d] = tensor->strides[d];
  }
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetTensorNumBytes(miopenTensorDescriptor_t tensor, size_t* bytes) {
  size_t last = 0;
  for (size_t d = 0; d < tensor->dims.size(); ++d)
    last += static_cast<size_t>(tensor->dims[d] - 1) * static_cast<size_t>(tensor->strides[d]);
  *bytes = (last + 1) * hipport::cpu::dnn::size_of(tensor->type);
  return miopenStatusSuccess;
}
