// SPDX-License-Identifier: MIT
// cuDNN's descriptors of tensors and filters.
#ifndef HIPPORT_COMPAT_CUDNN_TENSOR_H
#define HIPPORT_COMPAT_CUDNN_TENSOR_H

#include "base.h"

// A tensor. Dimensions are in the order N, C, spatial, whatever the layout is.
struct cudnnTensorStruct {
  miopenTensorDescriptor_t miopen;  // with the strides below
  miopenTensorDescriptor_t packed;  // the same dimensions, packed in this order
  cudnnDataType_t type;
  int count;
  int dims[CUDNN_DIM_MAX];
  int strides[CUDNN_DIM_MAX];
  int is_packed;         // elements are in this order, without gaps
  int is_channels_last;  // packed, with the channels innermost
};

// A filter is a tensor of dimensions K, C / groups, spatial.
struct cudnnFilterStruct {
  struct cudnnTensorStruct tensor;
  cudnnTensorFormat_t format;
};

HIPPORT_DNN size_t hipport_dnn_elements(const struct cudnnTensorStruct* tensor) {
  size_t count = 1;
  int i;
  for (i = 0; i < tensor->count; ++i) count *= (size_t)tensor->dims[i];
  return count;
}

HIPPORT_DNN size_t hipport_dnn_packed_bytes(const struct cudnnTensorStruct* tensor) {
  return hipport_dnn_elements(tensor) * hipport_dnn_size(tensor->type);
}

// Compute strides without gaps; channels innermost if the format says so.
HIPPORT_DNN void hipport_dnn_strides(cudnnTensorFormat_t format, int count, const int* dims, int* strides) {
  int stride = 1, i;
  if (format == CUDNN_TENSOR_NHWC && count > 2) {
    strides[1] = 1;
    stride = dims[1];
    for (i = count - 1; i >= 2; --i) {
      strides[i] = stride;
      stride *= dims[i];
    }
    strides[0] = stride;
  } else {
    for (i = count - 1; i >= 0; --i) {
      strides[i] = stride;
      stride *= dims[i];
    }
  }
}

// Return whether the strides are those of a packed tensor; strides of dimensions of one element do not count.
HIPPORT_DNN int hipport_dnn_has_layout(const struct cudnnTensorStruct* tensor, cudnnTensorFormat_t format) {
  int strides[CUDNN_DIM_MAX], i;
  hipport_dnn_strides(format, tensor->count, tensor->dims, strides);
  for (i = 0; i < tensor->count; ++i)
    if (tensor->dims[i] > 1 && tensor->strides[i] != strides[i]) return 0;
  return 1;
}

HIPPORT_DNN cudnnStatus_t hipport_dnn_tensor_create(struct cudnnTensorStruct* tensor) {
  const cudnnStatus_t status = hipport_dnn_status(miopenCreateTensorDescriptor(&tensor->miopen));
  return status != CUDNN_STATUS_SUCCESS ? status : hipport_dnn_status(miopenCreateTensorDescriptor(&tensor->packed));
}

HIPPORT_DNN void hipport_dnn_tensor_destroy(struct cudnnTensorStruct* tensor) {
  if (tensor->miopen != NULL) (void)miopenDestroyTensorDescriptor(tensor->miopen);
  if (tensor->packed != NULL) (void)miopenDestroyTensorDescriptor(tensor->packed);
}

HIPPORT_DNN cudnnStatus_t hipport_dnn_tensor_set(struct cudnnTensorStruct* tensor, cudnnDataType_t type, int count,
                                                 const int* dims, const int* strides) {
  const int miopen_type = hipport_dnn_type(type);
  int packed[CUDNN_DIM_MAX], i;
  cudnnStatus_t status;
  if (tensor == NULL || dims == NULL || strides == NULL || count < 1) return CUDNN_STATUS_BAD_PARAM;
  if (miopen_type < 0 || count > CUDNN_DIM_MAX) return CUDNN_STATUS_NOT_SUPPORTED;
  for (i = 0; i < count; ++i)
    if (dims[i] < 1) return CUDNN_STATUS_BAD_PARAM;
  tensor->type = type;
  tensor->count = count;
  memcpy(tensor->dims, dims, sizeof(int) * (size_t)count);
  memcpy(tensor->strides, strides, sizeof(int) * (size_t)count);
  tensor->is_packed = hipport_dnn_has_layout(tensor, CUDNN_TENSOR_NCHW);
  tensor->is_channels_last = hipport_dnn_has_layout(tensor, CUDNN_TENSOR_NHWC);
  hipport_dnn_strides(CUDNN_TENSOR_NCHW, count, dims, packed);
  // Where the layouts agree, MIOpen gets the usual strides: it derives the layout from them.
  status = hipport_dnn_status(miopenSetTensorDescriptor(tensor->miopen, (miopenDataType_t)miopen_type, count,
                                                        tensor->dims, tensor->is_packed ? packed : tensor->strides));
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return hipport_dnn_status(
      miopenSetTensorDescriptor(tensor->packed, (miopenDataType_t)miopen_type, count, tensor->dims, packed));
}

HIPPORT_DNN cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) {
  if (tensor == NULL) return CUDNN_STATUS_BAD_PARAM;
  *tensor = (cudnnTensorDescriptor_t)calloc(1, sizeof(**tensor));
  return *tensor == NULL ? CUDNN_STATUS_ALLOC_FAILED : hipport_dnn_tensor_create(*tensor);
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  if (tensor != NULL) hipport_dnn_tensor_destroy(tensor);
  free(tensor);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int count,
                                                     const int* dims, const int* strides) {
  return hipport_dnn_tensor_set(tensor, type, count, dims, strides);
}

HIPPORT_DNN cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                                       cudnnDataType_t type, int count, const int* dims) {
  int strides[CUDNN_DIM_MAX];
  if (format == CUDNN_TENSOR_NCHW_VECT_C || count > CUDNN_DIM_MAX) return CUDNN_STATUS_NOT_SUPPORTED;
  if (tensor == NULL || dims == NULL || count < 1) return CUDNN_STATUS_BAD_PARAM;
  hipport_dnn_strides(format, count, dims, strides);
  return hipport_dnn_tensor_set(tensor, type, count, dims, strides);
}

HIPPORT_DNN cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                                     cudnnDataType_t type, int n, int c, int h, int w) {
  const int dims[4] = {n, c, h, w};
  return cudnnSetTensorNdDescriptorEx(tensor, format, type, 4, dims);
}

HIPPORT_DNN cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int n,
                                                       int c, int h, int w, int n_stride, int c_stride, int h_stride,
                                                       int w_stride) {
  const int dims[4] = {n, c, h, w}, strides[4] = {n_stride, c_stride, h_stride, w_stride};
  return hipport_dnn_tensor_set(tensor, type, 4, dims, strides);
}

HIPPORT_DNN void hipport_dnn_copy(int requested, int count, const int* from, int* to) {
  if (to != NULL) memcpy(to, from, sizeof(int) * (size_t)(requested < count ? requested : count));
}

HIPPORT_DNN cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensor, int requested,
                                                     cudnnDataType_t* type, int* count, int* dims, int* strides) {
  if (tensor == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (type != NULL) *type = tensor->type;
  if (count != NULL) *count = tensor->count;
  hipport_dnn_copy(requested, tensor->count, tensor->dims, dims);
  hipport_dnn_copy(requested, tensor->count, tensor->strides, strides);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t tensor, cudnnDataType_t* type,
                                                     int* n, int* c, int* h, int* w, int* n_stride, int* c_stride,
                                                     int* h_stride, int* w_stride) {
  int* const dims[4] = {n, c, h, w};
  int* const strides[4] = {n_stride, c_stride, h_stride, w_stride};
  int i;
  if (tensor == NULL || tensor->count != 4) return CUDNN_STATUS_BAD_PARAM;
  if (type != NULL) *type = tensor->type;
  for (i = 0; i < 4; ++i) {
    if (dims[i] != NULL) *dims[i] = tensor->dims[i];
    if (strides[i] != NULL) *strides[i] = tensor->strides[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t tensor, size_t* size) {
  size_t last = 0;
  int i;
  if (tensor == NULL || size == NULL) return CUDNN_STATUS_BAD_PARAM;
  for (i = 0; i < tensor->count; ++i) last += (size_t)(tensor->dims[i] - 1) * (size_t)tensor->strides[i];
  *size = tensor->count == 0 ? 0 : (last + 1) * hipport_dnn_size(tensor->type);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter) {
  if (filter == NULL) return CUDNN_STATUS_BAD_PARAM;
  *filter = (cudnnFilterDescriptor_t)calloc(1, sizeof(**filter));
  return *filter == NULL ? CUDNN_STATUS_ALLOC_FAILED : hipport_dnn_tensor_create(&(*filter)->tensor);
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
  if (filter != NULL) hipport_dnn_tensor_destroy(&filter->tensor);
  free(filter);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                                     cudnnTensorFormat_t format, int count, const int* dims) {
  if (filter == NULL) return CUDNN_STATUS_BAD_PARAM;
  filter->format = format;
  return cudnnSetTensorNdDescriptorEx(&filter->tensor, format, type, count, dims);
}

HIPPORT_DNN cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                                     cudnnTensorFormat_t format, int k, int c, int h, int w) {
  const int dims[4] = {k, c, h, w};
  return cudnnSetFilterNdDescriptor(filter, type, format, 4, dims);
}

HIPPORT_DNN cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filter, int requested,
                                                     cudnnDataType_t* type, cudnnTensorFormat_t* format, int* count,
                                                     int* dims) {
  if (filter == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (format != NULL) *format = filter->format;
  return cudnnGetTensorNdDescriptor(&filter->tensor, requested, type, count, dims, NULL);
}

HIPPORT_DNN cudnnStatus_t cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t filter, cudnnDataType_t* type,
                                                     cudnnTensorFormat_t* format, int* k, int* c, int* h, int* w) {
  if (filter == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (format != NULL) *format = filter->format;
  return cudnnGetTensor4dDescriptor(&filter->tensor, type, k, c, h, w, NULL, NULL, NULL, NULL);
}

HIPPORT_DNN cudnnStatus_t cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t filter, size_t* size) {
  return filter == NULL ? CUDNN_STATUS_BAD_PARAM : cudnnGetTensorSizeInBytes(&filter->tensor, size);
}

#endif
