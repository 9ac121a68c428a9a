// SPDX-License-Identifier: MIT
// MIOpen: CTC loss.
#pragma once

#include "tensor.h"

enum miopenCTCLossAlgo_t { MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC = 0 };

struct miopenCTCLossDescriptor {
  miopenDataType_t type = miopenFloat;
  int blank = 0;
  bool softmax = true;
};
using miopenCTCLossDescriptor_t = miopenCTCLossDescriptor*;

namespace hipport::cpu::dnn {

inline double add_logarithms(double a, double b) {
  const double larger = std::max(a, b);
  return larger == -HUGE_VAL ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// One item: `activation(t, k)` reads, `gradient(t, k)` refers to an element. Returns the cost.
template <typename Activation, typename Gradient>
double ctc(int steps, int classes, int blank, const std::vector<int>& labels, Activation activation,
           Gradient gradient) {
  const size_t n = 2 * labels.size() + 1, length = static_cast<size_t>(steps);
  const auto symbol = [&](size_t s) { return s % 2 == 0 ? blank : labels[s / 2]; };
  const auto skips = [&](size_t s) { return s >= 2 && symbol(s) != blank && symbol(s) != symbol(s - 2); };
  std::vector<Values> logarithm(length, Values(static_cast<size_t>(classes)));
  for (size_t t = 0; t < length; ++t) {
    double sum = -HUGE_VAL;
    for (int k = 0; k < classes; ++k) sum = add_logarithms(sum, activation(t, k));
    for (int k = 0; k < classes; ++k) logarithm[t][static_cast<size_t>(k)] = activation(t, k) - sum;
  }
  const auto chance = [&](size_t t, size_t s) { return logarithm[t][static_cast<size_t>(symbol(s))]; };
  std::vector<Values> before(length, Values(n, -HUGE_VAL)), after = before;
  for (size_t s = 0; s < std::min<size_t>(n, 2); ++s) before[0][s] = chance(0, s);
  for (size_t t = 1; t < length; ++t)
    for (size_t s = 0; s < n; ++s) {
      double sum = before[t - 1][s];
      if (s >= 1) sum = add_logarithms(sum, before[t - 1][s - 1]);
      if (skips(s)) sum = add_logarithms(sum, before[t - 1][s - 2]);
      before[t][s] = sum + chance(t, s);
    }
  for (size_t s = n - std::min<size_t>(n, 2); s < n; ++s) after[length - 1][s] = 0;
  for (size_t t = length - 1; t-- > 0;)
    for (size_t s = 0; s < n; ++s) {
      double sum = after[t + 1][s] + chance(t + 1, s);
      if (s + 1 < n) sum = add_logarithms(sum, after[t + 1][s + 1] + chance(t + 1, s + 1));
      if (s + 2 < n && skips(s + 2)) sum = add_logarithms(sum, after[t + 1][s + 2] + chance(t + 1, s + 2));
      after[t][s] = sum;
    }
  double total = before[length - 1][n - 1];
  if (n > 1) total = add_logarithms(total, before[length - 1][n - 2]);
  for (size_t t = 0; t < length; ++t) {
    Values used(static_cast<size_t>(classes), -HUGE_VAL);
    for (size_t s = 0; s < n; ++s) {
      double& sum = used[static_cast<size_t>(symbol(s))];
      sum = add_logarithms(sum, before[t][s] + after[t][s]);
    }
    for (int k = 0; k < classes; ++k)
      gradient(t, k, std::exp(logarithm[t][static_cast<size_t>(k)]) - std::exp(used[static_cast<size_t>(k)] - total));
  }
  return -total;
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreateCTCLossDescriptor(miopenCTCLossDescriptor_t* desc) {
  return hipport::cpu::dnn::create(desc);
}
inline miopenStatus_t miopenDestroyCTCLossDescriptor(miopenCTCLossDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenSetCTCLossDescriptor(miopenCTCLossDescriptor_t desc, miopenDataType_t type, const int blank,
                                                 bool softmax) {
  if (!softmax) return miopenStatusNotImplemented;
  *desc = {type, blank, softmax};
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetCTCLossWorkspaceSize(miopenHandle_t, const miopenTensorDescriptor_t,
                                                    const miopenTensorDescriptor_t, const int*, const int*, const int*,
                                                    miopenCTCLossAlgo_t, const miopenCTCLossDescriptor_t,
                                                    size_t* size) {
  *size = sizeof(double);
  return miopenStatusSuccess;
}
// Tensors have the dimensions time, items, labels. Labels and lengths are in host memory, read now.
inline miopenStatus_t miopenCTCLoss(miopenHandle_t handle, const miopenTensorDescriptor_t x_desc, const void* x,
                                    const int* labels, const int* label_lengths, const int* input_lengths, void* losses,
                                    const miopenTensorDescriptor_t dx_desc, void* dx, miopenCTCLossAlgo_t,
                                    const miopenCTCLossDescriptor_t desc, void*, size_t) {
  using namespace hipport::cpu::dnn;
  if (x_desc->dims.size() != 3 || x_desc->dims != dx_desc->dims) return miopenStatusBadParm;
  std::vector<std::vector<int>> words;
  std::vector<int> steps;
  for (int i = 0, at = 0; i < x_desc->dims[1]; at += label_lengths[i++]) {
    if (input_lengths[i] > x_desc->dims[0] || label_lengths[i] > input_lengths[i]) return miopenStatusBadParm;
    words.emplace_back(labels + at, labels + at + label_lengths[i]);
    steps.push_back(input_lengths[i]);
  }
  return submit(handle, [=, xt = *x_desc, to = *dx_desc, blank = desc->blank] {
    const Values in = values(xt, x);
    Values out(in.size());
    const size_t items = static_cast<size_t>(xt.dims[1]), classes = static_cast<size_t>(xt.dims[2]);
    for (size_t i = 0; i < items; ++i) {
      const auto place = [&](size_t t, int k) { return (t * items + i) * classes + static_cast<size_t>(k); };
      const double cost = ctc(
          steps[i], xt.dims[2], blank, words[i], [&](size_t t, int k) { return in[place(t, k)]; },
          [&](size_t t, int k, double value) { out[place(t, k)] = value; });
      store(xt.type, losses, i, cost);
    }
    assign(to, dx, out);
  });
}
