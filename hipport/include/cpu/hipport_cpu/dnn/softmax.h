// SPDX-License-Identifier: MIT
// MIOpen: softmax.
#pragma once

#include "tensor.h"

namespace hipport::cpu::dnn {

// Call `visit(first, step, count)` for each group of elements that a softmax normalizes, in packed order.
template <typename Visit>
void each_group(const std::vector<int>& dims, miopenSoftmaxMode_t mode, Visit visit) {
  const size_t n = static_cast<size_t>(dims[0]), all = count_of(dims) / n;
  const size_t channels = dims.size() > 1 ? static_cast<size_t>(dims[1]) : 1, spatial = all / channels;
  for (size_t i = 0; i < n; ++i) {
    if (mode == MIOPEN_SOFTMAX_MODE_INSTANCE)
      visit(i * all, size_t{1}, all);
    else
      for (size_t s = 0; s < spatial; ++s) visit(i * all + s, spatial, channels);
  }
}

inline void softmax(Values& v, miopenSoftmaxAlgorithm_t algorithm, size_t first, size_t step, size_t count) {
  double largest = -HUGE_VAL, sum = 0;
  for (size_t i = 0; i < count; ++i) largest = std::max(largest, v[first + i * step]);
  if (algorithm == MIOPEN_SOFTMAX_FAST) largest = 0;
  for (size_t i = 0; i < count; ++i) sum += std::exp(v[first + i * step] - largest);
  for (size_t i = 0; i < count; ++i) {
    double& value = v[first + i * step];
    value = algorithm == MIOPEN_SOFTMAX_LOG ? value - largest - std::log(sum) : std::exp(value - largest) / sum;
  }
}

inline void softmax_backward(const Values& y, Values& dy, miopenSoftmaxAlgorithm_t algorithm, size_t first, size_t step,
                             size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += algorithm == MIOPEN_SOFTMAX_LOG ? dy[first + i * step] : dy[first + i * step] * y[first + i * step];
  for (size_t i = 0; i < count; ++i) {
    const double out = y[first + i * step];
    double& value = dy[first + i * step];
    value = algorithm == MIOPEN_SOFTMAX_LOG ? value - std::exp(out) * sum : out * (value - sum);
  }
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenSoftmaxForward_V2(miopenHandle_t handle, const void* alpha,
                                              const miopenTensorDescriptor_t x_desc, const void* x, const void* beta,
                                              const miopenTensorDescriptor_t y_desc, void* y,
                                              miopenSoftmaxAlgorithm_t algorithm, miopenSoftmaxMode_t mode) {
  using namespace hipport::cpu::dnn;
  if (x == nullptr || y == nullptr || x_desc->dims != y_desc->dims) return miopenStatusBadParm;
  const double scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
  return submit(handle, [=, from = *x_desc, to = *y_desc] {
    Values result = values(from, x);
    each_group(from.dims, mode,
               [&](size_t first, size_t step, size_t count) { softmax(result, algorithm, first, step, count); });
    const Values old = keep == 0 ? Values(result.size()) : values(to, y);
    for (size_t i = 0; i < result.size(); ++i) result[i] = scale * result[i] + keep * old[i];
    assign(to, y, result);
  });
}
inline miopenStatus_t miopenSoftmaxForward(miopenHandle_t handle, const void* alpha,
                                           const miopenTensorDescriptor_t x_desc, const void* x, const void* beta,
                                           const miopenTensorDescriptor_t y_desc, void* y) {
  return miopenSoftmaxForward_V2(handle, alpha, x_desc, x, beta, y_desc, y, MIOPEN_SOFTMAX_ACCURATE,
                                 MIOPEN_SOFTMAX_MODE_CHANNEL);
}
inline miopenStatus_t miopenSoftmaxBackward_V2(miopenHandle_t handle, const void* alpha,
                                               const miopenTensorDescriptor_t y_desc, const void* y,
                                               const miopenTensorDescriptor_t dy_desc, const void* dy, const void* beta,
                                               const miopenTensorDescriptor_t dx_desc, void* dx,
                                               miopenSoftmaxAlgorithm_t algorithm, miopenSoftmaxMode_t mode) {
  using namespace hipport::cpu::dnn;
  if (y == nullptr || dx == nullptr || y_desc->dims != dy_desc->dims || y_desc->dims != dx_desc->dims)
    return miopenStatusBadParm;
  const double scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
  return submit(handle, [=, yt = *y_desc, dyt = *dy_desc, to = *dx_desc] {
    const Values out = values(yt, y);
    Values result = values(dyt, dy);
    each_group(yt.dims, mode, [&](size_t first, size_t step, size_t count) {
      softmax_backward(out, result, algorithm, first, step, count);
    });
    const Values old = keep == 0 ? Values(result.size()) : values(to, dx);
    for (size_t i = 0; i < result.size(); ++i) result[i] = scale * result[i] + keep * old[i];
    assign(to, dx, result);
  });
}
inline miopenStatus_t miopenSoftmaxBackward(miopenHandle_t handle, const void* alpha,
                                            const miopenTensorDescriptor_t y_desc, const void* y,
                                            const miopenTensorDescriptor_t dy_desc, const void* dy, const void* beta,
                                            const miopenTensorDescriptor_t dx_desc, void* dx) {
  return miopenSoftmaxBackward_V2(handle, alpha, y_desc, y, dy_desc, dy, beta, dx_desc, dx, MIOPEN_SOFTMAX_ACCURATE,
                                  MIOPEN_SOFTMAX_MODE_CHANNEL);
}
