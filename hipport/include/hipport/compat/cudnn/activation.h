// SPDX-License-Identifier: MIT
// cuDNN's activations on MIOpen's.
#ifndef HIPPORT_COMPAT_CUDNN_ACTIVATION_H
#define HIPPORT_COMPAT_CUDNN_ACTIVATION_H

#include "tensor_ops.h"

struct cudnnActivationStruct {
  miopenActivationDescriptor_t miopen;
  cudnnActivationMode_t mode;
  cudnnNanPropagation_t nan;
  double coefficient;
  double swish;
};

HIPPORT_DNN cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* desc) {
  *desc = (cudnnActivationDescriptor_t)calloc(1, sizeof(**desc));
  if (*desc == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  (*desc)->swish = 1.0;
  return hipport_dnn_status(miopenCreateActivationDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t desc) {
  if (desc != NULL) (void)miopenDestroyActivationDescriptor(desc->miopen);
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t desc, cudnnActivationMode_t mode,
                                                       cudnnNanPropagation_t nan, double coefficient) {
  miopenActivationMode_t kind;
  double alpha = coefficient, beta = 0.0;
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  switch (mode) {
    case CUDNN_ACTIVATION_SIGMOID:
    case CUDNN_ACTIVATION_SWISH: kind = miopenActivationLOGISTIC; break;
    case CUDNN_ACTIVATION_RELU: kind = miopenActivationRELU; break;
    case CUDNN_ACTIVATION_TANH:
      kind = miopenActivationTANH;
      alpha = beta = 1.0;  // MIOpen computes beta * tanh(alpha * x)
      break;
    case CUDNN_ACTIVATION_CLIPPED_RELU: kind = miopenActivationCLIPPEDRELU; break;
    case CUDNN_ACTIVATION_ELU: kind = miopenActivationELU; break;
    case CUDNN_ACTIVATION_IDENTITY: kind = miopenActivationPASTHRU; break;
    default: return CUDNN_STATUS_BAD_PARAM;
  }
  desc->mode = mode;
  desc->nan = nan;
  desc->coefficient = coefficient;
  return hipport_dnn_status(miopenSetActivationDescriptor(desc->miopen, kind, alpha, beta, 0.0));
}

HIPPORT_DNN cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t desc,
                                                       cudnnActivationMode_t* mode, cudnnNanPropagation_t* nan,
                                                       double* coefficient) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (mode != NULL) *mode = desc->mode;
  if (nan != NULL) *nan = desc->nan;
  if (coefficient != NULL) *coefficient = desc->coefficient;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t desc, double beta) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  desc->swish = beta;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t desc, double* beta) {
  if (desc == NULL || beta == NULL) return CUDNN_STATUS_BAD_PARAM;
  *beta = desc->swish;
  return CUDNN_STATUS_SUCCESS;
}

// Compute sigmoid(swish * x) of packed operands; MIOpen's sigmoid has no factor for x.
HIPPORT_DNN cudnnStatus_t hipport_dnn_sigmoid(cudnnHandle_t handle, cudnnActivationDescriptor_t desc,
                                              const struct cudnnTensorStruct* tensor, const void* x, void* y) {
  const float one = 1.0f, zero = 0.0f;
  if (desc->swish != 1.0) {
    HIPPORT_DNN_TRY(
        hipport_dnn_transform(handle, tensor->type, desc->swish, tensor->packed, x, 0.0, tensor->packed, y));
    x = y;
  }
  return hipport_dnn_status(
      miopenActivationForward(handle->miopen, desc->miopen, &one, tensor->packed, x, &zero, tensor->packed, y));
}

// Compute the activation of packed operands. Swish is x * sigmoid(swish * x).
HIPPORT_DNN cudnnStatus_t hipport_dnn_activate(cudnnHandle_t handle, cudnnActivationDescriptor_t desc,
                                               const struct cudnnTensorStruct* tensor, const void* x, void* y) {
  const float one = 1.0f, zero = 0.0f;
  void* sigmoid;
  if (desc->mode != CUDNN_ACTIVATION_SWISH)
    return hipport_dnn_status(
        miopenActivationForward(handle->miopen, desc->miopen, &one, tensor->packed, x, &zero, tensor->packed, y));
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_THIRD, hipport_dnn_packed_bytes(tensor), &sigmoid));
  HIPPORT_DNN_TRY(hipport_dnn_sigmoid(handle, desc, tensor, x, sigmoid));
  return hipport_dnn_status(miopenOpTensor(handle->miopen, miopenTensorOpMul, &one, tensor->packed, sigmoid, &one,
                                           tensor->packed, x, &zero, tensor->packed, y));
}

HIPPORT_DNN cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle, cudnnActivationDescriptor_t desc,
                                                 const void* alpha, const cudnnTensorDescriptor_t x_desc, const void* x,
                                                 const void* beta, const cudnnTensorDescriptor_t y_desc, void* y) {
  hipport_dnn_operand in, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, y_desc, beta, y, HIPPORT_DNN_SECOND, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_activate(handle, desc, y_desc, in.data, out.data));
  return hipport_dnn_finish(handle, y_desc, alpha, beta, y, &out);
}

// Compute C = alpha * A * B + beta * C of packed operands, or with a sum instead of the product.
HIPPORT_DNN cudnnStatus_t hipport_dnn_packed_op(cudnnHandle_t handle, miopenTensorOp_t op,
                                                const struct cudnnTensorStruct* tensor, double alpha1, const void* a,
                                                double alpha2, const void* b, double beta, void* c) {
  const float first = (float)alpha1, second = (float)alpha2, keep = (float)beta;
  return hipport_dnn_status(miopenOpTensor(handle->miopen, op, &first, tensor->packed, a, &second, tensor->packed, b,
                                           &keep, tensor->packed, c));
}

// Compute dx = dy * (s + s * (swish * x - swish * x * s)), where s = sigmoid(swish * x), of packed operands.
HIPPORT_DNN cudnnStatus_t hipport_dnn_swish_backward(cudnnHandle_t handle, cudnnActivationDescriptor_t desc,
                                                     const struct cudnnTensorStruct* tensor, const void* dy,
                                                     const void* x, void* dx) {
  const size_t bytes = hipport_dnn_packed_bytes(tensor);
  void *s, *t;
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_FIRST, bytes, &s));
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_FIFTH, bytes, &t));
  HIPPORT_DNN_TRY(hipport_dnn_sigmoid(handle, desc, tensor, x, s));
  HIPPORT_DNN_TRY(hipport_dnn_packed_op(handle, miopenTensorOpMul, tensor, desc->swish, x, 1.0, s, 0.0, t));
  HIPPORT_DNN_TRY(hipport_dnn_packed_op(handle, miopenTensorOpAdd, tensor, desc->swish, x, 0.0, x, -1.0, t));
  HIPPORT_DNN_TRY(hipport_dnn_packed_op(handle, miopenTensorOpMul, tensor, 1.0, s, 1.0, t, 0.0, t));
  HIPPORT_DNN_TRY(hipport_dnn_packed_op(handle, miopenTensorOpAdd, tensor, 1.0, s, 0.0, s, 1.0, t));
  return hipport_dnn_packed_op(handle, miopenTensorOpMul, tensor, 1.0, dy, 1.0, t, 0.0, dx);
}

HIPPORT_DNN cudnnStatus_t cudnnActivationBackward(cudnnHandle_t handle, cudnnActivationDescriptor_t desc,
                                                  const void* alpha, const cudnnTensorDescriptor_t y_desc,
                                                  const void* y, const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                                  const cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                                  const cudnnTensorDescriptor_t dx_desc, void* dx) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in_y, in_dy, in_x, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_SECOND, 0, &in_dy));
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_THIRD, 0, &in_x));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, dx_desc, beta, dx, HIPPORT_DNN_FOURTH, 0, &out));
  if (desc->mode == CUDNN_ACTIVATION_SWISH) {
    HIPPORT_DNN_TRY(hipport_dnn_swish_backward(handle, desc, dx_desc, in_dy.data, in_x.data, out.data));
    return hipport_dnn_finish(handle, dx_desc, alpha, beta, dx, &out);
  }
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, y_desc, y, HIPPORT_DNN_FIRST, 0, &in_y));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenActivationBackward(handle->miopen, desc->miopen, &one, in_y.miopen,
                                                              in_y.data, in_dy.miopen, in_dy.data, in_x.miopen,
                                                              in_x.data, &zero, out.miopen, out.data)));
  return hipport_dnn_finish(handle, dx_desc, alpha, beta, dx, &out);
}

#endif
