// SPDX-License-Identifier: MIT
// MIOpen: local response normalization across channels.
#pragma once

#include "tensor.h"

namespace hipport::cpu::dnn {

// Sum `term(i)` over the channels around that of each element.
template <typename Term>
Values across_channels(const std::vector<int>& dims, unsigned count, Term term) {
  const int channels = dims[1], before = (static_cast<int>(count) - 1) / 2, after = static_cast<int>(count) / 2;
  const size_t spatial = count_of(dims) / static_cast<size_t>(dims[0]) / static_cast<size_t>(channels);
  Values sums(count_of(dims));
  for (size_t i = 0; i < sums.size(); ++i) {
    const int channel = static_cast<int>(i / spatial % static_cast<size_t>(channels));
    for (int c = std::max(0, channel - before); c <= std::min(channels - 1, channel + after); ++c)
      sums[i] += term(static_cast<size_t>(static_cast<ptrdiff_t>(i) + (c - channel) * static_cast<ptrdiff_t>(spatial)));
  }
  return sums;
}

inline Values lrn_bases(const miopenLRNDescriptor& lrn, const std::vector<int>& dims, const Values& x) {
  Values bases = across_channels(dims, lrn.count, [&](size_t i) { return x[i] * x[i]; });
  for (double& base : bases) base = lrn.k + lrn.alpha / lrn.count * base;
  return bases;
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreateLRNDescriptor(miopenLRNDescriptor_t* desc) { return hipport::cpu::dnn::create(desc); }
inline miopenStatus_t miopenDestroyLRNDescriptor(miopenLRNDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenSetLRNDescriptor(const miopenLRNDescriptor_t desc, miopenLRNMode_t mode, unsigned count,
                                             double alpha, double beta, double k) {
  *desc = {mode, count, alpha, beta, k};
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenLRNGetWorkSpaceSize(const miopenTensorDescriptor_t y, size_t* size) {
  *size = hipport::cpu::dnn::count_of(y->dims) * hipport::cpu::dnn::size_of(y->type);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenLRNForward(miopenHandle_t handle, const miopenLRNDescriptor_t desc, const void*,
                                       const miopenTensorDescriptor_t x_desc, const void* x, const void*,
                                       const miopenTensorDescriptor_t y_desc, void* y, bool, void*) {
  using namespace hipport::cpu::dnn;
  if (desc->mode != miopenLRNCrossChannel) return miopenStatusNotImplemented;
  if (x_desc->dims != y_desc->dims || x_desc->dims.size() < 2) return miopenStatusBadParm;
  return submit(handle, [=, lrn = *desc, from = *x_desc, to = *y_desc] {
    Values result = values(from, x);
    const Values bases = lrn_bases(lrn, from.dims, result);
    for (size_t i = 0; i < result.size(); ++i) result[i] *= std::pow(bases[i], -lrn.beta);
    assign(to, y, result);
  });
}
inline miopenStatus_t miopenLRNBackward(miopenHandle_t handle, const miopenLRNDescriptor_t desc, const void*,
                                        const miopenTensorDescriptor_t, const void*,
                                        const miopenTensorDescriptor_t dy_desc, const void* dy,
                                        const miopenTensorDescriptor_t x_desc, const void* x, const void*,
                                        const miopenTensorDescriptor_t dx_desc, void* dx, const void*) {
  using namespace hipport::cpu::dnn;
  if (desc->mode != miopenLRNCrossChannel) return miopenStatusNotImplemented;
  return submit(handle, [=, lrn = *desc, xt = *x_desc, dyt = *dy_desc, to = *dx_desc] {
    const Values in = values(xt, x), gradient = values(dyt, dy), bases = lrn_bases(lrn, xt.dims, in);
    Values result = across_channels(xt.dims, lrn.count,
                                    [&](size_t i) { return gradient[i] * in[i] * std::pow(bases[i], -lrn.beta - 1); });
    for (size_t i = 0; i < result.size(); ++i)
      result[i] =
          gradient[i] * std::pow(bases[i], -lrn.beta) - 2 * lrn.alpha * lrn.beta / lrn.count * in[i] * result[i];
    assign(to, dx, result);
  });
}
