// SPDX-License-Identifier: MIT
// MIOpen: reductions of tensors.
#pragma once

#include "tensor.h"

namespace hipport::cpu::dnn {

// The state of one reduction.
struct Reduced {
  double value = 0;
  size_t count = 0;
  int index = 0;
};

inline void add(Reduced& state, miopenReduceTensorOp_t op, bool keep_nan, double x, int index) {
  const double size = op == MIOPEN_REDUCE_TENSOR_AMAX ? std::abs(x) : x;
  const bool first = state.count++ == 0;
  switch (op) {
    case MIOPEN_REDUCE_TENSOR_MUL: state.value = first ? x : state.value * x; break;
    case MIOPEN_REDUCE_TENSOR_NORM1: state.value += std::abs(x); break;
    case MIOPEN_REDUCE_TENSOR_NORM2: state.value += x * x; break;
    case MIOPEN_REDUCE_TENSOR_ADD:
    case MIOPEN_REDUCE_TENSOR_AVG: state.value += x; break;
    default: {
      const bool better = op == MIOPEN_REDUCE_TENSOR_MIN ? size < state.value : size > state.value;
      if (first || better || (keep_nan && std::isnan(size) && !std::isnan(state.value))) {
        state.value = size;
        state.index = index;
      }
    }
  }
}

inline double finish(const Reduced& state, miopenReduceTensorOp_t op) {
  if (op == MIOPEN_REDUCE_TENSOR_AVG) return state.value / static_cast<double>(state.count);
  return op == MIOPEN_REDUCE_TENSOR_NORM2 ? std::sqrt(state.value) : state.value;
}

// Return, for each element of `a`, the number of the result that it belongs to and its index among the reduced ones.
struct Place {
  size_t result;
  int index;
};
inline std::vector<Place> places(const std::vector<int>& a, const std::vector<int>& c) {
  std::vector<int> kept = packed_strides(c), reduced(a.size());
  int stride = 1;
  for (size_t d = a.size(); d-- > 0;) {
    if (c[d] == a[d]) continue;
    kept[d] = 0;
    reduced[d] = stride;
    stride *= a[d];
  }
  std::vector<Place> result;
  each_offset(a, kept, [&](size_t offset) { result.push_back({offset, 0}); });
  size_t i = 0;
  each_offset(a, reduced, [&](size_t offset) { result[i++].index = static_cast<int>(offset); });
  return result;
}

inline bool has_indices(const miopenReduceTensorDescriptor& desc) {
  return desc.indices == MIOPEN_REDUCE_TENSOR_FLATTENED_INDICES &&
         (desc.op == MIOPEN_REDUCE_TENSOR_MIN || desc.op == MIOPEN_REDUCE_TENSOR_MAX ||
          desc.op == MIOPEN_REDUCE_TENSOR_AMAX);
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreateReduceTensorDescriptor(miopenReduceTensorDescriptor_t* desc) {
  return hipport::cpu::dnn::create(desc);
}
inline miopenStatus_t miopenDestroyReduceTensorDescriptor(miopenReduceTensorDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenSetReduceTensorDescriptor(miopenReduceTensorDescriptor_t desc, miopenReduceTensorOp_t op,
                                                      miopenDataType_t type, miopenNanPropagation_t nan,
                                                      miopenReduceTensorIndices_t indices,
                                                      miopenIndicesType_t indices_type) {
  *desc = {op, type, nan, indices, indices_type};
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetReductionIndicesSize(miopenHandle_t, const miopenReduceTensorDescriptor_t desc,
                                                    const miopenTensorDescriptor_t, const miopenTensorDescriptor_t c,
                                                    size_t* size) {
  using namespace hipport::cpu::dnn;
  *size = has_indices(*desc) ? count_of(c->dims) * sizeof(int) : 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetReductionWorkspaceSize(miopenHandle_t, const miopenReduceTensorDescriptor_t,
                                                      const miopenTensorDescriptor_t, const miopenTensorDescriptor_t,
                                                      size_t* size) {
  *size = 0;
  return miopenStatusSuccess;
}
// Unlike other functions, this one reads factors of double tensors as doubles.
inline miopenStatus_t miopenReduceTensor(miopenHandle_t handle, const miopenReduceTensorDescriptor_t desc,
                                         void* indices, size_t indices_size, void*, size_t, const void* alpha,
                                         const miopenTensorDescriptor_t a_desc, const void* a, const void* beta,
                                         const miopenTensorDescriptor_t c_desc, void* c) {
  using namespace hipport::cpu::dnn;
  if (a_desc->dims.size() != c_desc->dims.size() || a_desc->dims == c_desc->dims) return miopenStatusBadParm;
  if (has_indices(*desc) &&
      (desc->indices_type != MIOPEN_32BIT_INDICES || indices_size < count_of(c_desc->dims) * sizeof(int)))
    return miopenStatusBadParm;
  const miopenDataType_t scalar = a_desc->type == miopenDouble ? miopenDouble : miopenFloat;
  const double scale = load(scalar, alpha, 0), keep = load(scalar, beta, 0);
  return submit(handle, [=, reduction = *desc, from = *a_desc, to = *c_desc] {
    const Values in = values(from, a);
    const std::vector<Place> place = places(from.dims, to.dims);
    std::vector<Reduced> states(count_of(to.dims));
    for (size_t i = 0; i < in.size(); ++i)
      add(states[place[i].result], reduction.op, reduction.nan == MIOPEN_PROPAGATE_NAN, in[i], place[i].index);
    Values result = keep == 0 ? Values(states.size()) : values(to, c);
    for (size_t i = 0; i < result.size(); ++i) result[i] = scale * finish(states[i], reduction.op) + keep * result[i];
    assign(to, c, result);
    if (has_indices(reduction))
      for (size_t i = 0; i < states.size(); ++i) static_cast<int*>(indices)[i] = states[i].index;
  });
}
