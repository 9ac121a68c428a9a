// SPDX-License-Identifier: MIT
// cuDNN's operations on whole tensors: addition with broadcasting, products, extrema, scaling, filling, transposition.
#ifndef HIPPORT_COMPAT_CUDNN_TENSOR_OPS_H
#define HIPPORT_COMPAT_CUDNN_TENSOR_OPS_H

#include "conversion.h"

struct cudnnOpTensorStruct {
  cudnnOpTensorOp_t op;
  cudnnDataType_t type;
  cudnnNanPropagation_t nan;
};

// Compute C = op(alpha1 * A, alpha2 * B) + beta * C. MIOpen reads these factors as floats for all element types.
HIPPORT_DNN cudnnStatus_t hipport_dnn_combine(cudnnHandle_t handle, miopenTensorOp_t op, double alpha1,
                                              const struct cudnnTensorStruct* a_desc, const void* a, double alpha2,
                                              const struct cudnnTensorStruct* b_desc, const void* b, double beta,
                                              const struct cudnnTensorStruct* c_desc, void* c) {
  const float first = (float)alpha1, second = (float)alpha2, keep = (float)beta;
  return hipport_dnn_status(miopenOpTensor(handle->miopen, op, &first, a_desc->miopen, a, &second, b_desc->miopen, b,
                                           &keep, c_desc->miopen, c));
}

HIPPORT_DNN cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t desc, void* y,
                                         const void* value) {
  return hipport_dnn_status(miopenSetTensor(handle->miopen, desc->miopen, y, value));
}

HIPPORT_DNN cudnnStatus_t cudnnScaleTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t desc, void* y,
                                           const void* alpha) {
  const hipport_dnn_element factor = hipport_dnn_as_element(desc->type, hipport_dnn_scalar(desc->type, alpha));
  return hipport_dnn_status(miopenScaleTensor(handle->miopen, desc->miopen, y, &factor));
}

HIPPORT_DNN cudnnStatus_t cudnnTransformTensor(cudnnHandle_t handle, const void* alpha,
                                               const cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                               const cudnnTensorDescriptor_t y_desc, void* y) {
  if (x_desc->type != y_desc->type)
    return hipport_dnn_transform_types(handle, hipport_dnn_scalar(y_desc->type, alpha), x_desc, x,
                                       hipport_dnn_scalar(y_desc->type, beta), y_desc, y);
  return hipport_dnn_transform(handle, x_desc->type, hipport_dnn_scalar(x_desc->type, alpha), x_desc->miopen, x,
                               hipport_dnn_scalar(x_desc->type, beta), y_desc->miopen, y);
}

// Compute C = alpha * A + beta * C, where dimensions of one element of A apply to all of C.
HIPPORT_DNN cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t a_desc,
                                         const void* a, const void* beta, const cudnnTensorDescriptor_t c_desc,
                                         void* c) {
  const hipport_dnn_element zero = hipport_dnn_as_element(c_desc->type, 0.0);
  double keep = hipport_dnn_scalar(c_desc->type, beta);
  if (keep == 0.0) {
    HIPPORT_DNN_TRY(hipport_dnn_status(miopenSetTensor(handle->miopen, c_desc->miopen, c, &zero)));
    keep = 1.0;
  }
  return hipport_dnn_combine(handle, miopenTensorOpAdd, keep, c_desc, c, hipport_dnn_scalar(c_desc->type, alpha),
                             a_desc, a, 0.0, c_desc, c);
}

HIPPORT_DNN cudnnStatus_t cudnnCreateOpTensorDescriptor(cudnnOpTensorDescriptor_t* desc) {
  *desc = (cudnnOpTensorDescriptor_t)calloc(1, sizeof(**desc));
  return *desc == NULL ? CUDNN_STATUS_ALLOC_FAILED : CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyOpTensorDescriptor(cudnnOpTensorDescriptor_t desc) {
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t desc, cudnnOpTensorOp_t op,
                                                     cudnnDataType_t type, cudnnNanPropagation_t nan) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  desc->op = op;
  desc->type = type;
  desc->nan = nan;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetOpTensorDescriptor(const cudnnOpTensorDescriptor_t desc, cudnnOpTensorOp_t* op,
                                                     cudnnDataType_t* type, cudnnNanPropagation_t* nan) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (op != NULL) *op = desc->op;
  if (type != NULL) *type = desc->type;
  if (nan != NULL) *nan = desc->nan;
  return CUDNN_STATUS_SUCCESS;
}

// Compute C = 1 - alpha1 * A + beta * C.
HIPPORT_DNN cudnnStatus_t hipport_dnn_complement(cudnnHandle_t handle, double alpha1,
                                                 const struct cudnnTensorStruct* a_desc, const void* a, double beta,
                                                 const struct cudnnTensorStruct* c_desc, void* c) {
  const hipport_dnn_element one = hipport_dnn_as_element(c_desc->type, 1.0);
  struct cudnnTensorStruct ones = *c_desc;
  void* memory;
  ones.miopen = c_desc->packed;
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_FIRST, hipport_dnn_packed_bytes(c_desc), &memory));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenSetTensor(handle->miopen, ones.miopen, memory, &one)));
  return hipport_dnn_combine(handle, miopenTensorOpAdd, 1.0, &ones, memory, -alpha1, a_desc, a, beta, c_desc, c);
}

HIPPORT_DNN cudnnStatus_t cudnnOpTensor(cudnnHandle_t handle, const cudnnOpTensorDescriptor_t desc, const void* alpha1,
                                        const cudnnTensorDescriptor_t a_desc, const void* a, const void* alpha2,
                                        const cudnnTensorDescriptor_t b_desc, const void* b, const void* beta,
                                        const cudnnTensorDescriptor_t c_desc, void* c) {
  const double first = hipport_dnn_scalar(desc->type, alpha1), keep = hipport_dnn_scalar(desc->type, beta);
  miopenTensorOp_t op = miopenTensorOpAdd;
  switch (desc->op) {
    case CUDNN_OP_TENSOR_ADD: break;
    case CUDNN_OP_TENSOR_MUL: op = miopenTensorOpMul; break;
    case CUDNN_OP_TENSOR_MIN: op = miopenTensorOpMin; break;
    case CUDNN_OP_TENSOR_MAX: op = miopenTensorOpMax; break;
    case CUDNN_OP_TENSOR_NOT: return hipport_dnn_complement(handle, first, a_desc, a, keep, c_desc, c);
    default: return CUDNN_STATUS_NOT_SUPPORTED;
  }
  if (a_desc->type != c_desc->type || b_desc->type != c_desc->type) return CUDNN_STATUS_NOT_SUPPORTED;
  return hipport_dnn_combine(handle, op, first, a_desc, a, hipport_dnn_scalar(desc->type, alpha2), b_desc, b, keep,
                             c_desc, c);
}

#endif
