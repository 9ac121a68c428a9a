// SPDX-License-Identifier: MIT
// MIOpen: operations on whole tensors.
#pragma once

#include "tensor.h"

namespace hipport::cpu::dnn {

inline double combine(miopenTensorOp_t op, double a, double b) {
  switch (op) {
    case miopenTensorOpAdd: return a + b;
    case miopenTensorOpMul: return a * b;
    case miopenTensorOpMin: return a < b ? a : b;
    default: return a > b ? a : b;
  }
}

// Replace each element by `change(element)`; with `reads` false it gets 0 instead.
template <typename Change>
void update(const Tensor& tensor, void* data, bool reads, Change change) {
  each_offset(tensor.dims, tensor.strides, [&](size_t offset) {
    store(tensor.type, data, offset, change(reads ? load(tensor.type, data, offset) : 0.0));
  });
}

}  // namespace hipport::cpu::dnn

// Compute C = op(alpha1 * A, alpha2 * B) + beta * C. The factors are floats, whatever the element type is.
inline miopenStatus_t miopenOpTensor(miopenHandle_t handle, miopenTensorOp_t op, const void* alpha1,
                                     const miopenTensorDescriptor_t a_desc, const void* a, const void* alpha2,
                                     const miopenTensorDescriptor_t b_desc, const void* b, const void* beta,
                                     const miopenTensorDescriptor_t c_desc, void* c) {
  using namespace hipport::cpu::dnn;
  if (a == nullptr || b == nullptr || c == nullptr || a_desc->dims != c_desc->dims ||
      b_desc->dims.size() != c_desc->dims.size() || b_desc->type != c_desc->type || c_desc->dims.size() > 5)
    return miopenStatusBadParm;
  for (size_t d = 0; d < c_desc->dims.size(); ++d)
    if (b_desc->dims[d] != 1 && b_desc->dims[d] != c_desc->dims[d]) return miopenStatusBadParm;
  const double first = *static_cast<const float*>(alpha1), second = *static_cast<const float*>(alpha2);
  const double keep = *static_cast<const float*>(beta);
  return submit(handle, [=, at = *a_desc, bt = *b_desc, ct = *c_desc] {
    const Values left = values(at, a), right = broadcast(bt, b, ct.dims);
    size_t i = 0;
    update(ct, c, keep != 0, [&](double old) {
      const double result = combine(op, first * left[i], second * right[i]);
      ++i;
      return keep == 0 ? result : result + keep * old;
    });
  });
}

// These read their factors with the type of the elements.
inline miopenStatus_t miopenSetTensor(miopenHandle_t handle, const miopenTensorDescriptor_t desc, void* y,
                                      const void* alpha) {
  using namespace hipport::cpu::dnn;
  if (y == nullptr || alpha == nullptr) return miopenStatusBadParm;
  const double value = load(desc->type, alpha, 0);
  return submit(handle, [=, tensor = *desc] { update(tensor, y, false, [&](double) { return value; }); });
}
inline miopenStatus_t miopenScaleTensor(miopenHandle_t handle, const miopenTensorDescriptor_t desc, void* y,
                                        const void* alpha) {
  using namespace hipport::cpu::dnn;
  if (y == nullptr || alpha == nullptr) return miopenStatusBadParm;
  const double factor = load(desc->type, alpha, 0);
  return submit(handle, [=, tensor = *desc] { update(tensor, y, true, [&](double old) { return factor * old; }); });
}
inline miopenStatus_t miopenTransformTensor(miopenHandle_t handle, const void* alpha,
                                            const miopenTensorDescriptor_t x_desc, const void* x, const void* beta,
                                            const miopenTensorDescriptor_t y_desc, void* y) {
  using namespace hipport::cpu::dnn;
  if (x == nullptr || y == nullptr || x_desc->dims != y_desc->dims || x_desc->type != y_desc->type)
    return miopenStatusBadParm;
  const double scale = load(x_desc->type, alpha, 0), keep = load(x_desc->type, beta, 0);
  return submit(handle, [=, from = *x_desc, to = *y_desc] {
    const Values in = values(from, x);
    size_t i = 0;
    update(to, y, keep != 0, [&](double old) { return keep == 0 ? scale * in[i++] : scale * in[i++] + keep * old; });
  });
}
