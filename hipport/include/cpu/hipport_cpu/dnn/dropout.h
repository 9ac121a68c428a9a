// SPDX-License-Identifier: MIT
// MIOpen: dropout. The states hold a counter, so that each call draws new numbers; the reserve space holds the mask.
#pragma once

#include "tensor.h"

#include <random>

enum miopenRNGType_t { MIOPEN_RNG_PSEUDO_XORWOW = 0 };

struct miopenDropoutDescriptor {
  float rate = 0;
  uint64_t* states = nullptr;
  unsigned long long seed = 0;
  bool use_mask = false, evolves = false;
  miopenRNGType_t generator = MIOPEN_RNG_PSEUDO_XORWOW;
};
using miopenDropoutDescriptor_t = miopenDropoutDescriptor*;

inline miopenStatus_t miopenCreateDropoutDescriptor(miopenDropoutDescriptor_t* desc) {
  return hipport::cpu::dnn::create(desc);
}
inline miopenStatus_t miopenDestroyDropoutDescriptor(miopenDropoutDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenDropoutGetStatesSize(miopenHandle_t, size_t* size) {
  *size = sizeof(uint64_t);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenDropoutGetReserveSpaceSize(const miopenTensorDescriptor_t x, size_t* size) {
  *size = hipport::cpu::dnn::count_of(x->dims);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenRestoreDropoutDescriptor(miopenDropoutDescriptor_t desc, miopenHandle_t, float rate,
                                                     void* states, size_t size, unsigned long long seed, bool use_mask,
                                                     bool evolves, miopenRNGType_t generator) {
  if (size < sizeof(uint64_t)) return miopenStatusBadParm;
  *desc = {rate, static_cast<uint64_t*>(states), seed, use_mask, evolves, generator};
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenSetDropoutDescriptor(miopenDropoutDescriptor_t desc, miopenHandle_t handle, float rate,
                                                 void* states, size_t size, unsigned long long seed, bool use_mask,
                                                 bool evolves, miopenRNGType_t generator) {
  const miopenStatus_t status =
      miopenRestoreDropoutDescriptor(desc, handle, rate, states, size, seed, use_mask, evolves, generator);
  if (status != miopenStatusSuccess) return status;
  return hipport::cpu::dnn::submit(handle, [states = desc->states] { *states = 0; });
}
inline miopenStatus_t miopenDropoutForward(miopenHandle_t handle, const miopenDropoutDescriptor_t desc,
                                           const miopenTensorDescriptor_t, const miopenTensorDescriptor_t x_desc,
                                           const void* x, const miopenTensorDescriptor_t y_desc, void* y, void* reserve,
                                           size_t size) {
  using namespace hipport::cpu::dnn;
  if (x_desc->dims != y_desc->dims || size < count_of(x_desc->dims) || desc->states == nullptr)
    return miopenStatusBadParm;
  return submit(handle, [=, dropout = *desc, from = *x_desc, to = *y_desc] {
    std::mt19937_64 generator(dropout.seed * 0x9e3779b97f4a7c15ULL + (*dropout.states)++);
    std::uniform_real_distribution<float> uniform;
    Values result = values(from, x);
    auto* const mask = static_cast<uint8_t*>(reserve);
    for (size_t i = 0; i < result.size(); ++i) {
      mask[i] = uniform(generator) >= dropout.rate;
      result[i] = mask[i] ? result[i] / (1 - static_cast<double>(dropout.rate)) : 0;
    }
    assign(to, y, result);
  });
}
inline miopenStatus_t miopenDropoutBackward(miopenHandle_t handle, const miopenDropoutDescriptor_t desc,
                                            const miopenTensorDescriptor_t, const miopenTensorDescriptor_t dy_desc,
                                            const void* dy, const miopenTensorDescriptor_t dx_desc, void* dx,
                                            void* reserve, size_t size) {
  using namespace hipport::cpu::dnn;
  if (dx_desc->dims != dy_desc->dims || size < count_of(dy_desc->dims)) return miopenStatusBadParm;
  return submit(handle, [=, rate = static_cast<double>(desc->rate), from = *dy_desc, to = *dx_desc] {
    Values result = values(from, dy);
    const auto* const mask = static_cast<const uint8_t*>(reserve);
    for (size_t i = 0; i < result.size(); ++i) result[i] = mask[i] ? result[i] / (1 - rate) : 0;
    assign(to, dx, result);
  });
}
