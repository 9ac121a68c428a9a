// SPDX-License-Identifier: MIT
// MIOpen: batch normalization.
#pragma once

#include "tensor.h"

namespace hipport::cpu::dnn {

// Which statistic each element belongs to: one per channel, or one per activation.
inline std::vector<size_t> statistic_of(const std::vector<int>& dims, miopenBatchNormMode_t mode) {
  const size_t per_item = count_of(dims) / static_cast<size_t>(dims[0]);
  const size_t spatial = per_item / static_cast<size_t>(dims[1]);
  std::vector<size_t> result(count_of(dims));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = mode == miopenBNSpatial ? i / spatial % static_cast<size_t>(dims[1]) : i % per_item;
  return result;
}

struct Statistics {
  Values mean, variance;
  double count;
};

inline Statistics statistics(const Values& x, const std::vector<size_t>& group, size_t groups) {
  Statistics s{Values(groups), Values(groups), static_cast<double>(x.size()) / static_cast<double>(groups)};
  for (size_t i = 0; i < x.size(); ++i) s.mean[group[i]] += x[i] / s.count;
  for (size_t i = 0; i < x.size(); ++i)
    s.variance[group[i]] += (x[i] - s.mean[group[i]]) * (x[i] - s.mean[group[i]]) / s.count;
  return s;
}

// Move running values toward new ones.
inline void track(const Tensor& tensor, void* running, const Values& latest, double factor, double correction) {
  if (running == nullptr) return;
  Values result = factor == 1 ? Values(latest.size()) : values(tensor, running);
  for (size_t i = 0; i < result.size(); ++i) result[i] = (1 - factor) * result[i] + factor * correction * latest[i];
  assign(tensor, running, result);
}

inline void normalize(const Tensor& from, const Values& x, const std::vector<size_t>& group, const Values& mean,
                      const Values& inverse, const Values& scale, const Values& bias, const Tensor& to, void* y) {
  Values result(count_of(from.dims));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = (x[i] - mean[group[i]]) * inverse[group[i]] * scale[group[i]] + bias[group[i]];
  assign(to, y, result);
}

inline Values inverse_deviation(const Values& variance, double epsilon) {
  Values result(variance);
  for (double& value : result) value = 1 / std::sqrt(value + epsilon);
  return result;
}

inline bool normalizes(const Tensor& x, const Tensor& y, const void* alpha, const void* beta) {
  return overwrites(alpha, beta) && x.dims == y.dims && x.dims.size() >= 3 && is_packed(x);
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenDeriveBNTensorDescriptor(miopenTensorDescriptor_t derived, const miopenTensorDescriptor_t x,
                                                     miopenBatchNormMode_t mode) {
  std::vector<int> dims = x->dims;
  for (size_t d = 0; d < dims.size(); ++d)
    if (d == 0 || (d > 1 && mode == miopenBNSpatial)) dims[d] = 1;
  const bool half = x->type == miopenHalf || x->type == miopenBFloat16;
  return hipport::cpu::dnn::set(derived, half ? miopenFloat : x->type, dims, hipport::cpu::dnn::packed_strides(dims));
}
inline miopenStatus_t miopenBatchNormalizationForwardTraining(
    miopenHandle_t handle, miopenBatchNormMode_t mode, void* alpha, void* beta, const miopenTensorDescriptor_t x_desc,
    const void* x, const miopenTensorDescriptor_t y_desc, void* y, const miopenTensorDescriptor_t scale_desc,
    void* scale, void* bias, double factor, void* running_mean, void* running_variance, double epsilon,
    void* saved_mean, void* saved_inverse) {
  using namespace hipport::cpu::dnn;
  if (!normalizes(*x_desc, *y_desc, alpha, beta)) return miopenStatusBadParm;
  return submit(handle, [=, from = *x_desc, to = *y_desc, st = *scale_desc] {
    const Values in = values(from, x);
    const std::vector<size_t> group = statistic_of(from.dims, mode);
    const Statistics s = statistics(in, group, count_of(st.dims));
    const Values inverse = inverse_deviation(s.variance, epsilon);
    normalize(from, in, group, s.mean, inverse, values(st, scale), values(st, bias), to, y);
    track(st, running_mean, s.mean, factor, 1);
    track(st, running_variance, s.variance, factor, s.count > 1 ? s.count / (s.count - 1) : 1);
    if (saved_mean != nullptr) assign(st, saved_mean, s.mean);
    if (saved_inverse != nullptr) assign(st, saved_inverse, inverse);
  });
}
inline miopenStatus_t miopenBatchNormalizationForwardInference(miopenHandle_t handle, miopenBatchNormMode_t mode,
                                                               void* alpha, void* beta,
                                                               const miopenTensorDescriptor_t x_desc, const void* x,
                                                               const miopenTensorDescriptor_t y_desc, void* y,
                                                               const miopenTensorDescriptor_t scale_desc, void* scale,
                                                               void* bias, void* mean, void* variance, double epsilon) {
  using namespace hipport::cpu::dnn;
  if (!normalizes(*x_desc, *y_desc, alpha, beta)) return miopenStatusBadParm;
  return submit(handle, [=, from = *x_desc, to = *y_desc, st = *scale_desc] {
    const Values in = values(from, x);
    const std::vector<size_t> group = statistic_of(from.dims, mode);
    Statistics s;
    if (mean == nullptr || variance == nullptr) s = statistics(in, group, count_of(st.dims));
    normalize(from, in, group, mean == nullptr ? s.mean : values(st, mean),
              inverse_deviation(variance == nullptr ? s.variance : values(st, variance), epsilon), values(st, scale),
              values(st, bias), to, y);
  });
}
inline miopenStatus_t miopenBatchNormalizationBackward(
    miopenHandle_t handle, miopenBatchNormMode_t mode, const void* alpha_data, const void* beta_data,
    const void* alpha_param, const void* beta_param, const miopenTensorDescriptor_t x_desc, const void* x,
    const miopenTensorDescriptor_t dy_desc, const void* dy, const miopenTensorDescriptor_t dx_desc, void* dx,
    const miopenTensorDescriptor_t scale_desc, const void* scale, void* dscale, void* dbias, double epsilon,
    const void* saved_mean, const void* saved_inverse) {
  using namespace hipport::cpu::dnn;
  if (!normalizes(*x_desc, *dx_desc, alpha_data, beta_data) || !overwrites(alpha_param, beta_param) ||
      dy_desc->dims != x_desc->dims)
    return miopenStatusBadParm;
  return submit(handle, [=, xt = *x_desc, dyt = *dy_desc, to = *dx_desc, st = *scale_desc] {
    const Values in = values(xt, x), gradient = values(dyt, dy), weight = values(st, scale);
    const std::vector<size_t> group = statistic_of(xt.dims, mode);
    Statistics s = statistics(in, group, count_of(st.dims));
    const Values mean = saved_mean == nullptr ? s.mean : values(st, saved_mean);
    const Values inverse =
        saved_inverse == nullptr ? inverse_deviation(s.variance, epsilon) : values(st, saved_inverse);
    Values by_scale(weight.size()), by_bias(weight.size()), result(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      by_bias[group[i]] += gradient[i];
      by_scale[group[i]] += gradient[i] * (in[i] - mean[group[i]]) * inverse[group[i]];
    }
    for (size_t i = 0; i < in.size(); ++i) {
      const size_t g = group[i];
      const double deviation = (in[i] - mean[g]) * inverse[g];
      result[i] = weight[g] * inverse[g] * (gradient[i] - (by_bias[g] + deviation * by_scale[g]) / s.count);
    }
    assign(to, dx, result);
    assign(st, dscale, by_scale);
    assign(st, dbias, by_bias);
  });
}
