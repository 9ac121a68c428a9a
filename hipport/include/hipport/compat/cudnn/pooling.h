// SPDX-License-Identifier: MIT
// cuDNN's pooling on MIOpen's.
#ifndef HIPPORT_COMPAT_CUDNN_POOLING_H
#define HIPPORT_COMPAT_CUDNN_POOLING_H

#include "operands.h"

struct cudnnPoolingStruct {
  miopenPoolingDescriptor_t miopen;
  cudnnPoolingMode_t mode;
  cudnnNanPropagation_t nan;
  int count;
  int window[CUDNN_DIM_MAX], padding[CUDNN_DIM_MAX], stride[CUDNN_DIM_MAX];
};

HIPPORT_DNN cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t* desc) {
  *desc = (cudnnPoolingDescriptor_t)calloc(1, sizeof(**desc));
  if (*desc == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  return hipport_dnn_status(miopenCreatePoolingDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t desc) {
  if (desc != NULL) (void)miopenDestroyPoolingDescriptor(desc->miopen);
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t desc, cudnnPoolingMode_t mode,
                                                      cudnnNanPropagation_t nan, int count, const int* window,
                                                      const int* padding, const int* stride) {
  miopenPoolingMode_t kind = miopenPoolingMax;
  if (desc == NULL || count < 1) return CUDNN_STATUS_BAD_PARAM;
  if (count < 2 || count > 3) return CUDNN_STATUS_NOT_SUPPORTED;
  if (mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING) kind = miopenPoolingAverageInclusive;
  if (mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING) kind = miopenPoolingAverage;
  desc->mode = mode;
  desc->nan = nan;
  desc->count = count;
  memcpy(desc->window, window, sizeof(int) * (size_t)count);
  memcpy(desc->padding, padding, sizeof(int) * (size_t)count);
  memcpy(desc->stride, stride, sizeof(int) * (size_t)count);
  HIPPORT_DNN_TRY(hipport_dnn_status(
      miopenSetNdPoolingDescriptor(desc->miopen, kind, count, desc->window, desc->padding, desc->stride)));
  // The default, 8 bits, is too small for the positions in large windows.
  return hipport_dnn_status(miopenSetPoolingIndexType(desc->miopen, miopenIndexUint32));
}

HIPPORT_DNN cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t desc, cudnnPoolingMode_t mode,
                                                      cudnnNanPropagation_t nan, int window_h, int window_w,
                                                      int padding_h, int padding_w, int stride_h, int stride_w) {
  const int window[2] = {window_h, window_w}, padding[2] = {padding_h, padding_w}, stride[2] = {stride_h, stride_w};
  return cudnnSetPoolingNdDescriptor(desc, mode, nan, 2, window, padding, stride);
}

HIPPORT_DNN cudnnStatus_t cudnnGetPoolingNdDescriptor(const cudnnPoolingDescriptor_t desc, int requested,
                                                      cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan, int* count,
                                                      int* window, int* padding, int* stride) {
  const int given = desc != NULL && requested < desc->count ? requested : desc != NULL ? desc->count : 0;
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (mode != NULL) *mode = desc->mode;
  if (nan != NULL) *nan = desc->nan;
  if (count != NULL) *count = desc->count;
  if (window != NULL) memcpy(window, desc->window, sizeof(int) * (size_t)given);
  if (padding != NULL) memcpy(padding, desc->padding, sizeof(int) * (size_t)given);
  if (stride != NULL) memcpy(stride, desc->stride, sizeof(int) * (size_t)given);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetPooling2dDescriptor(const cudnnPoolingDescriptor_t desc, cudnnPoolingMode_t* mode,
                                                      cudnnNanPropagation_t* nan, int* window_h, int* window_w,
                                                      int* padding_h, int* padding_w, int* stride_h, int* stride_w) {
  if (desc == NULL || desc->count != 2) return CUDNN_STATUS_BAD_PARAM;
  if (window_h != NULL) *window_h = desc->window[0];
  if (window_w != NULL) *window_w = desc->window[1];
  if (padding_h != NULL) *padding_h = desc->padding[0];
  if (padding_w != NULL) *padding_w = desc->padding[1];
  if (stride_h != NULL) *stride_h = desc->stride[0];
  if (stride_w != NULL) *stride_w = desc->stride[1];
  return cudnnGetPoolingNdDescriptor(desc, 0, mode, nan, NULL, NULL, NULL, NULL);
}

HIPPORT_DNN cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(const cudnnPoolingDescriptor_t desc,
                                                            const cudnnTensorDescriptor_t in, int count, int* dims) {
  int i;
  if (desc == NULL || in == NULL || count != in->count || count != desc->count + 2) return CUDNN_STATUS_BAD_PARAM;
  dims[0] = in->dims[0];
  dims[1] = in->dims[1];
  for (i = 0; i < desc->count; ++i)
    dims[i + 2] = 1 + (in->dims[i + 2] + 2 * desc->padding[i] - desc->window[i]) / desc->stride[i];
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t desc,
                                                            const cudnnTensorDescriptor_t in, int* n, int* c, int* h,
                                                            int* w) {
  int dims[4];
  HIPPORT_DNN_TRY(cudnnGetPoolingNdForwardOutputDim(desc, in, 4, dims));
  *n = dims[0];
  *c = dims[1];
  *h = dims[2];
  *w = dims[3];
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t desc,
                                              const void* alpha, const cudnnTensorDescriptor_t x_desc, const void* x,
                                              const void* beta, const cudnnTensorDescriptor_t y_desc, void* y) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, y_desc, beta, y, HIPPORT_DNN_SECOND, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenPoolingForward(handle->miopen, desc->miopen, &one, in.miopen, in.data, &zero,
                                                          out.miopen, out.data, false, NULL, 0)));
  return hipport_dnn_finish(handle, y_desc, alpha, beta, y, &out);
}

// MIOpen's backward pass needs the positions of the maxima, which cuDNN finds again: so does this, by a forward pass.
HIPPORT_DNN cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t desc,
                                               const void* alpha, const cudnnTensorDescriptor_t y_desc, const void* y,
                                               const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                               const cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                               const cudnnTensorDescriptor_t dx_desc, void* dx) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in_dy, in_x, out;
  void *maxima, *workspace = NULL;
  size_t size = 0;
  (void)y;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_FIRST, 0, &in_dy));
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_SECOND, 0, &in_x));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, dx_desc, beta, dx, HIPPORT_DNN_THIRD, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_FOURTH, hipport_dnn_packed_bytes(y_desc), &maxima));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenPoolingGetWorkSpaceSizeV2(desc->miopen, y_desc->packed, &size)));
  if (size > 0) HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_WORKSPACE, size, &workspace));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenPoolingForward(handle->miopen, desc->miopen, &one, in_x.miopen, in_x.data,
                                                          &zero, y_desc->packed, maxima, true, workspace, size)));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenPoolingBackward(handle->miopen, desc->miopen, &one, y_desc->packed, maxima,
                                                           in_dy.miopen, in_dy.data, in_x.miopen, in_x.data, &zero,
                                                           out.miopen, out.data, workspace)));
  return hipport_dnn_finish(handle, dx_desc, alpha, beta, dx, &out);
}

#endif
