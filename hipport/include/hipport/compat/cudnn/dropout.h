// SPDX-License-Identifier: MIT
// cuDNN's dropout on MIOpen's, whose random numbers are others.
#ifndef HIPPORT_COMPAT_CUDNN_DROPOUT_H
#define HIPPORT_COMPAT_CUDNN_DROPOUT_H

#include "operands.h"

struct cudnnDropoutStruct {
  miopenDropoutDescriptor_t miopen;
  float rate;
  void* states;
  unsigned long long seed;
};

HIPPORT_DNN cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* desc) {
  *desc = (cudnnDropoutDescriptor_t)calloc(1, sizeof(**desc));
  if (*desc == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  return hipport_dnn_status(miopenCreateDropoutDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t desc) {
  if (desc != NULL) (void)miopenDestroyDropoutDescriptor(desc->miopen);
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t* size) {
  return hipport_dnn_status(miopenDropoutGetStatesSize(handle->miopen, size));
}

HIPPORT_DNN cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t x, size_t* size) {
  return hipport_dnn_status(miopenDropoutGetReserveSpaceSize(x->packed, size));
}

HIPPORT_DNN cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t desc, cudnnHandle_t handle, float rate,
                                                    void* states, size_t size, unsigned long long seed) {
  if (desc == NULL || rate < 0.0f || rate > 1.0f) return CUDNN_STATUS_BAD_PARAM;
  desc->rate = rate;
  desc->states = states;
  desc->seed = seed;
  if (states == NULL) return CUDNN_STATUS_SUCCESS;  // only the rate is used, by inference
  return hipport_dnn_status(miopenSetDropoutDescriptor(desc->miopen, handle->miopen, rate, states, size, seed, false,
                                                       false, MIOPEN_RNG_PSEUDO_XORWOW));
}

HIPPORT_DNN cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t desc, cudnnHandle_t handle, float rate,
                                                        void* states, size_t size, unsigned long long seed) {
  if (desc == NULL || states == NULL) return CUDNN_STATUS_BAD_PARAM;
  desc->rate = rate;
  desc->states = states;
  desc->seed = seed;
  return hipport_dnn_status(miopenRestoreDropoutDescriptor(desc->miopen, handle->miopen, rate, states, size, seed,
                                                           false, false, MIOPEN_RNG_PSEUDO_XORWOW));
}

HIPPORT_DNN cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t desc, cudnnHandle_t handle, float* rate,
                                                    void** states, unsigned long long* seed) {
  (void)handle;
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (rate != NULL) *rate = desc->rate;
  if (states != NULL) *states = desc->states;
  if (seed != NULL) *seed = desc->seed;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t desc,
                                              const cudnnTensorDescriptor_t x_desc, const void* x,
                                              const cudnnTensorDescriptor_t y_desc, void* y, void* reserve,
                                              size_t size) {
  if (!x_desc->is_packed || !y_desc->is_packed) return CUDNN_STATUS_NOT_SUPPORTED;
  return hipport_dnn_status(miopenDropoutForward(handle->miopen, desc->miopen, x_desc->packed, x_desc->packed, x,
                                                 y_desc->packed, y, reserve, size));
}

HIPPORT_DNN cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t desc,
                                               const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                               const cudnnTensorDescriptor_t dx_desc, void* dx, void* reserve,
                                               size_t size) {
  if (!dy_desc->is_packed || !dx_desc->is_packed) return CUDNN_STATUS_NOT_SUPPORTED;
  return hipport_dnn_status(miopenDropoutBackward(handle->miopen, desc->miopen, dy_desc->packed, dy_desc->packed, dy,
                                                  dx_desc->packed, dx, reserve, size));
}

#endif
