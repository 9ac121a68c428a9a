// SPDX-License-Identifier: MIT
// MIOpen: activations.
#pragma once

#include "tensor.h"

namespace hipport::cpu::dnn {

inline double activate(const miopenActivationDescriptor& f, double x) {
  switch (f.mode) {
    case miopenActivationLOGISTIC: return 1 / (1 + std::exp(-x));
    case miopenActivationTANH: return f.beta * std::tanh(f.alpha * x);
    case miopenActivationRELU: return x > 0 ? x : 0;
    case miopenActivationSOFTRELU: return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case miopenActivationABS: return std::abs(x);
    case miopenActivationPOWER: return std::pow(f.alpha + f.beta * x, f.gamma);
    case miopenActivationCLIPPEDRELU: return std::min(f.alpha, x > 0 ? x : 0);
    case miopenActivationLEAKYRELU: return x > 0 ? x : f.alpha * x;
    case miopenActivationELU: return x > 0 ? x : f.alpha * std::expm1(x);
    default: return x;
  }
}

// Return the derivative at x, where the activation is y.
inline double slope(const miopenActivationDescriptor& f, double x, double y) {
  switch (f.mode) {
    case miopenActivationLOGISTIC: return y * (1 - y);
    case miopenActivationTANH: return f.alpha * (f.beta - y * y / f.beta);
    case miopenActivationRELU: return x > 0 ? 1 : 0;
    case miopenActivationSOFTRELU: return 1 / (1 + std::exp(-x));
    case miopenActivationABS: return x > 0 ? 1 : x < 0 ? -1 : 0;
    case miopenActivationPOWER: return f.gamma * f.beta * std::pow(f.alpha + f.beta * x, f.gamma - 1);
    case miopenActivationCLIPPEDRELU: return x > 0 && x <= f.alpha ? 1 : 0;
    case miopenActivationLEAKYRELU: return x > 0 ? 1 : f.alpha;
    case miopenActivationELU: return x > 0 ? 1 : y + f.alpha;
    default: return 1;
  }
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreateActivationDescriptor(miopenActivationDescriptor_t* desc) {
  return hipport::cpu::dnn::create(desc);
}
inline miopenStatus_t miopenDestroyActivationDescriptor(miopenActivationDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenSetActivationDescriptor(const miopenActivationDescriptor_t desc,
                                                    miopenActivationMode_t mode, double alpha, double beta,
                                                    double gamma) {
  *desc = {mode, alpha, beta, gamma};
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetActivationDescriptor(const miopenActivationDescriptor_t desc,
                                                    miopenActivationMode_t* mode, double* alpha, double* beta,
                                                    double* gamma) {
  *mode = desc->mode;
  *alpha = desc->alpha;
  *beta = desc->beta;
  *gamma = desc->gamma;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenActivationForward(miopenHandle_t handle, const miopenActivationDescriptor_t desc,
                                              const void* alpha, const miopenTensorDescriptor_t x_desc, const void* x,
                                              const void* beta, const miopenTensorDescriptor_t y_desc, void* y) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta)) return miopenStatusNotImplemented;
  if (x_desc->dims != y_desc->dims) return miopenStatusBadParm;
  return submit(handle, [=, f = *desc, from = *x_desc, to = *y_desc] {
    Values result = values(from, x);
    for (double& value : result) value = activate(f, value);
    assign(to, y, result);
  });
}
inline miopenStatus_t miopenActivationBackward(miopenHandle_t handle, const miopenActivationDescriptor_t desc,
                                               const void* alpha, const miopenTensorDescriptor_t y_desc, const void* y,
                                               const miopenTensorDescriptor_t dy_desc, const void* dy,
                                               const miopenTensorDescriptor_t x_desc, const void* x, const void* beta,
                                               const miopenTensorDescriptor_t dx_desc, void* dx) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta)) return miopenStatusNotImplemented;
  if (x_desc->dims != y_desc->dims || dy_desc->dims != y_desc->dims || dx_desc->dims != x_desc->dims)
    return miopenStatusBadParm;
  return submit(handle, [=, f = *desc, yt = *y_desc, dyt = *dy_desc, xt = *x_desc, to = *dx_desc] {
    const Values in = values(xt, x), out = values(yt, y);
    Values result = values(dyt, dy);
    for (size_t i = 0; i < result.size(); ++i) result[i] *= slope(f, in[i], out[i]);
    assign(to, dx, result);
  });
}
