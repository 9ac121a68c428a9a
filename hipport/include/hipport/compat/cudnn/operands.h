// SPDX-License-Identifier: MIT
// How cuDNN's operands reach MIOpen. Most functions of MIOpen write y = f(x) for packed tensors only; cuDNN computes
// y = alpha * f(x) + beta * y for any strides. Operands that MIOpen does not take go through intermediate memory.
#ifndef HIPPORT_COMPAT_CUDNN_OPERANDS_H
#define HIPPORT_COMPAT_CUDNN_OPERANDS_H

#include "handle.h"
#include "tensor.h"

#define HIPPORT_DNN_TRY(call)                         \
  do {                                                \
    const cudnnStatus_t hipport_dnn_result = (call);  \
    if (hipport_dnn_result != CUDNN_STATUS_SUCCESS) { \
      return hipport_dnn_result;                      \
    }                                                 \
  } while (0)

// An operand that MIOpen reads or writes.
typedef struct {
  miopenTensorDescriptor_t miopen;
  void* data;
} hipport_dnn_operand;

// Compute y = alpha * x + beta * y, where x and y may have different strides. beta = 0: y is not read.
HIPPORT_DNN cudnnStatus_t hipport_dnn_transform(cudnnHandle_t handle, cudnnDataType_t type, double alpha,
                                                miopenTensorDescriptor_t x_layout, const void* x, double beta,
                                                miopenTensorDescriptor_t y_layout, void* y) {
  const hipport_dnn_element scale = hipport_dnn_as_element(type, alpha), keep = hipport_dnn_as_element(type, beta);
  return hipport_dnn_status(miopenTransformTensor(handle->miopen, &scale, x_layout, x, &keep, y_layout, y));
}

// Return an input in the packed order, or as it is if `any_layout`.
HIPPORT_DNN cudnnStatus_t hipport_dnn_input(cudnnHandle_t handle, const struct cudnnTensorStruct* tensor,
                                            const void* data, hipport_dnn_slot slot, int any_layout,
                                            hipport_dnn_operand* operand) {
  operand->miopen = tensor->miopen;
  operand->data = (void*)data;
  if (tensor->is_packed || any_layout) return CUDNN_STATUS_SUCCESS;
  operand->miopen = tensor->packed;
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, slot, hipport_dnn_packed_bytes(tensor), &operand->data));
  return hipport_dnn_transform(handle, tensor->type, 1.0, tensor->miopen, data, 0.0, tensor->packed, operand->data);
}

// Return where MIOpen shall write an output: in the tensor itself if it is overwritten and MIOpen takes its layout.
HIPPORT_DNN cudnnStatus_t hipport_dnn_output(cudnnHandle_t handle, const struct cudnnTensorStruct* tensor,
                                             const void* beta, void* data, hipport_dnn_slot slot, int any_layout,
                                             hipport_dnn_operand* operand) {
  operand->miopen = tensor->miopen;
  operand->data = data;
  if (hipport_dnn_scalar(tensor->type, beta) == 0.0 && (tensor->is_packed || any_layout)) return CUDNN_STATUS_SUCCESS;
  // Channels innermost is a layout that MIOpen's own operands can share; other strides become packed.
  operand->miopen = tensor->is_channels_last && any_layout ? tensor->miopen : tensor->packed;
  return hipport_dnn_memory(handle, slot, hipport_dnn_packed_bytes(tensor), &operand->data);
}

// Scale what MIOpen wrote, and add it to the tensor.
HIPPORT_DNN cudnnStatus_t hipport_dnn_finish(cudnnHandle_t handle, const struct cudnnTensorStruct* tensor,
                                             const void* alpha, const void* beta, void* data,
                                             const hipport_dnn_operand* operand) {
  const double scale = hipport_dnn_scalar(tensor->type, alpha), keep = hipport_dnn_scalar(tensor->type, beta);
  const hipport_dnn_element factor = hipport_dnn_as_element(tensor->type, scale);
  if (operand->data != data)
    return hipport_dnn_transform(handle, tensor->type, scale, operand->miopen, operand->data, keep, tensor->miopen,
                                 data);
  if (scale == 1.0) return CUDNN_STATUS_SUCCESS;
  return hipport_dnn_status(miopenScaleTensor(handle->miopen, tensor->miopen, data, &factor));
}

#endif
