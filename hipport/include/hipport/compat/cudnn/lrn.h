// SPDX-License-Identifier: MIT
// cuDNN's local response normalization on MIOpen's.
#ifndef HIPPORT_COMPAT_CUDNN_LRN_H
#define HIPPORT_COMPAT_CUDNN_LRN_H

#include "operands.h"

struct cudnnLRNStruct {
  miopenLRNDescriptor_t miopen;
  unsigned count;
  double alpha, beta, k;
};

HIPPORT_DNN cudnnStatus_t cudnnCreateLRNDescriptor(cudnnLRNDescriptor_t* desc) {
  *desc = (cudnnLRNDescriptor_t)calloc(1, sizeof(**desc));
  return *desc == NULL ? CUDNN_STATUS_ALLOC_FAILED : hipport_dnn_status(miopenCreateLRNDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyLRNDescriptor(cudnnLRNDescriptor_t desc) {
  if (desc != NULL) (void)miopenDestroyLRNDescriptor(desc->miopen);
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t desc, unsigned count, double alpha, double beta,
                                                double k) {
  if (desc == NULL || count < CUDNN_LRN_MIN_N || count > CUDNN_LRN_MAX_N || k < CUDNN_LRN_MIN_K)
    return CUDNN_STATUS_BAD_PARAM;
  desc->count = count;
  desc->alpha = alpha;
  desc->beta = beta;
  desc->k = k;
  return hipport_dnn_status(miopenSetLRNDescriptor(desc->miopen, miopenLRNCrossChannel, count, alpha, beta, k));
}

HIPPORT_DNN cudnnStatus_t cudnnGetLRNDescriptor(cudnnLRNDescriptor_t desc, unsigned* count, double* alpha, double* beta,
                                                double* k) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (count != NULL) *count = desc->count;
  if (alpha != NULL) *alpha = desc->alpha;
  if (beta != NULL) *beta = desc->beta;
  if (k != NULL) *k = desc->k;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnLRNCrossChannelForward(cudnnHandle_t handle, cudnnLRNDescriptor_t desc,
                                                      cudnnLRNMode_t mode, const void* alpha,
                                                      const cudnnTensorDescriptor_t x_desc, const void* x,
                                                      const void* beta, const cudnnTensorDescriptor_t y_desc, void* y) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in, out;
  if (mode != CUDNN_LRN_CROSS_CHANNEL_DIM1) return CUDNN_STATUS_BAD_PARAM;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, y_desc, beta, y, HIPPORT_DNN_SECOND, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenLRNForward(handle->miopen, desc->miopen, &one, in.miopen, in.data, &zero,
                                                      out.miopen, out.data, false, NULL)));
  return hipport_dnn_finish(handle, y_desc, alpha, beta, y, &out);
}

// MIOpen's backward pass reads the denominators that its forward pass stores; cuDNN's computes them again, as here.
HIPPORT_DNN cudnnStatus_t cudnnLRNCrossChannelBackward(cudnnHandle_t handle, cudnnLRNDescriptor_t desc,
                                                       cudnnLRNMode_t mode, const void* alpha,
                                                       const cudnnTensorDescriptor_t y_desc, const void* y,
                                                       const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                                       const cudnnTensorDescriptor_t x_desc, const void* x,
                                                       const void* beta, const cudnnTensorDescriptor_t dx_desc,
                                                       void* dx) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in_dy, in_x, out;
  void *again, *workspace = NULL;
  size_t size = 0;
  (void)y;
  if (mode != CUDNN_LRN_CROSS_CHANNEL_DIM1) return CUDNN_STATUS_BAD_PARAM;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_FIRST, 0, &in_dy));
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_SECOND, 0, &in_x));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, dx_desc, beta, dx, HIPPORT_DNN_THIRD, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_FOURTH, hipport_dnn_packed_bytes(y_desc), &again));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenLRNGetWorkSpaceSize(y_desc->packed, &size)));
  if (size > 0) HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_WORKSPACE, size, &workspace));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenLRNForward(handle->miopen, desc->miopen, &one, in_x.miopen, in_x.data, &zero,
                                                      y_desc->packed, again, true, workspace)));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenLRNBackward(handle->miopen, desc->miopen, &one, y_desc->packed, again,
                                                       in_dy.miopen, in_dy.data, in_x.miopen, in_x.data, &zero,
                                                       out.miopen, out.data, workspace)));
  return hipport_dnn_finish(handle, dx_desc, alpha, beta, dx, &out);
}

#endif
