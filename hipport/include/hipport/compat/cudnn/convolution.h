// SPDX-License-Identifier: MIT
// cuDNN's descriptors of convolutions.
#ifndef HIPPORT_COMPAT_CUDNN_CONVOLUTION_H
#define HIPPORT_COMPAT_CUDNN_CONVOLUTION_H

#include "operands.h"

// A choice of MIOpen's, with what it was made for.
typedef struct {
  int direction, algorithms, used;
  size_t limit;
  int shapes[3][2 + 2 * CUDNN_DIM_MAX];
  miopenConvSolution_t solution;
} hipport_dnn_choice;

#define HIPPORT_DNN_CHOICES 8

struct cudnnConvolutionStruct {
  miopenConvolutionDescriptor_t miopen;
  int count;
  int padding[CUDNN_DIM_MAX], stride[CUDNN_DIM_MAX], dilation[CUDNN_DIM_MAX];
  cudnnConvolutionMode_t mode;
  cudnnDataType_t type;
  cudnnMathType_t math;
  cudnnReorderType_t reorder;
  int groups;
  hipport_dnn_choice choices[HIPPORT_DNN_CHOICES];
  unsigned chosen;
};

HIPPORT_DNN void hipport_dnn_forget(cudnnConvolutionDescriptor_t desc) {
  memset(desc->choices, 0, sizeof(desc->choices));
}

HIPPORT_DNN cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* desc) {
  *desc = (cudnnConvolutionDescriptor_t)calloc(1, sizeof(**desc));
  if (*desc == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  (*desc)->groups = 1;
  return hipport_dnn_status(miopenCreateConvolutionDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t desc) {
  if (desc != NULL) (void)miopenDestroyConvolutionDescriptor(desc->miopen);
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t desc, int count,
                                                          const int* padding, const int* stride, const int* dilation,
                                                          cudnnConvolutionMode_t mode, cudnnDataType_t type) {
  if (desc == NULL || count < 1) return CUDNN_STATUS_BAD_PARAM;
  if (count < 2 || count > 3) return CUDNN_STATUS_NOT_SUPPORTED;
  desc->count = count;
  memcpy(desc->padding, padding, sizeof(int) * (size_t)count);
  memcpy(desc->stride, stride, sizeof(int) * (size_t)count);
  memcpy(desc->dilation, dilation, sizeof(int) * (size_t)count);
  desc->mode = mode;
  desc->type = type;
  hipport_dnn_forget(desc);
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenInitConvolutionNdDescriptor(desc->miopen, count, desc->padding, desc->stride,
                                                                       desc->dilation, miopenConvolution)));
  return hipport_dnn_status(miopenSetConvolutionGroupCount(desc->miopen, desc->groups));
}

HIPPORT_DNN cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t desc, int padding_h,
                                                          int padding_w, int stride_h, int stride_w, int dilation_h,
                                                          int dilation_w, cudnnConvolutionMode_t mode,
                                                          cudnnDataType_t type) {
  const int padding[2] = {padding_h, padding_w}, stride[2] = {stride_h, stride_w};
  const int dilation[2] = {dilation_h, dilation_w};
  return cudnnSetConvolutionNdDescriptor(desc, 2, padding, stride, dilation, mode, type);
}

HIPPORT_DNN cudnnStatus_t cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t desc, int requested,
                                                          int* count, int* padding, int* stride, int* dilation,
                                                          cudnnConvolutionMode_t* mode, cudnnDataType_t* type) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (count != NULL) *count = desc->count;
  if (mode != NULL) *mode = desc->mode;
  if (type != NULL) *type = desc->type;
  hipport_dnn_copy(requested, desc->count, desc->padding, padding);
  hipport_dnn_copy(requested, desc->count, desc->stride, stride);
  hipport_dnn_copy(requested, desc->count, desc->dilation, dilation);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetConvolution2dDescriptor(const cudnnConvolutionDescriptor_t desc, int* padding_h,
                                                          int* padding_w, int* stride_h, int* stride_w, int* dilation_h,
                                                          int* dilation_w, cudnnConvolutionMode_t* mode,
                                                          cudnnDataType_t* type) {
  if (desc == NULL || desc->count != 2) return CUDNN_STATUS_BAD_PARAM;
  if (padding_h != NULL) *padding_h = desc->padding[0];
  if (padding_w != NULL) *padding_w = desc->padding[1];
  if (stride_h != NULL) *stride_h = desc->stride[0];
  if (stride_w != NULL) *stride_w = desc->stride[1];
  if (dilation_h != NULL) *dilation_h = desc->dilation[0];
  if (dilation_w != NULL) *dilation_w = desc->dilation[1];
  return cudnnGetConvolutionNdDescriptor(desc, 0, NULL, NULL, NULL, NULL, mode, type);
}

HIPPORT_DNN cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t desc, int groups) {
  if (desc == NULL || groups < 1) return CUDNN_STATUS_BAD_PARAM;
  desc->groups = groups;
  hipport_dnn_forget(desc);
  return hipport_dnn_status(miopenSetConvolutionGroupCount(desc->miopen, groups));
}

HIPPORT_DNN cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t desc, int* groups) {
  if (desc == NULL || groups == NULL) return CUDNN_STATUS_BAD_PARAM;
  *groups = desc->groups;
  return CUDNN_STATUS_SUCCESS;
}

// MIOpen uses matrix units whenever they compute what the element types demand: the math type is only remembered.
HIPPORT_DNN cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t desc, cudnnMathType_t math) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  desc->math = math;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t desc, cudnnMathType_t* math) {
  if (desc == NULL || math == NULL) return CUDNN_STATUS_BAD_PARAM;
  *math = desc->math;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t desc,
                                                         cudnnReorderType_t reorder) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  desc->reorder = reorder;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t desc,
                                                         cudnnReorderType_t* reorder) {
  if (desc == NULL || reorder == NULL) return CUDNN_STATUS_BAD_PARAM;
  *reorder = desc->reorder;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t desc,
                                                                const cudnnTensorDescriptor_t in,
                                                                const cudnnFilterDescriptor_t filter, int count,
                                                                int* dims) {
  int i;
  if (desc == NULL || in == NULL || filter == NULL || count != in->count || count != desc->count + 2 ||
      count != filter->tensor.count || in->dims[1] != filter->tensor.dims[1] * desc->groups)
    return CUDNN_STATUS_BAD_PARAM;
  dims[0] = in->dims[0];
  dims[1] = filter->tensor.dims[0];
  for (i = 0; i < desc->count; ++i) {
    const int extent = (filter->tensor.dims[i + 2] - 1) * desc->dilation[i] + 1;
    dims[i + 2] = 1 + (in->dims[i + 2] + 2 * desc->padding[i] - extent) / desc->stride[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t desc,
                                                                const cudnnTensorDescriptor_t in,
                                                                const cudnnFilterDescriptor_t filter, int* n, int* c,
                                                                int* h, int* w) {
  int dims[4];
  HIPPORT_DNN_TRY(cudnnGetConvolutionNdForwardOutputDim(desc, in, filter, 4, dims));
  *n = dims[0];
  *c = dims[1];
  *h = dims[2];
  *w = dims[3];
  return CUDNN_STATUS_SUCCESS;
}

#endif
