// SPDX-License-Identifier: MIT
// cuDNN's CTC loss on MIOpen's. Label 0 is the blank in both.
#ifndef HIPPORT_COMPAT_CUDNN_CTC_H
#define HIPPORT_COMPAT_CUDNN_CTC_H

#include "operands.h"

struct cudnnCTCLossStruct {
  miopenCTCLossDescriptor_t miopen;
  cudnnDataType_t type;
  cudnnLossNormalizationMode_t normalization;
  cudnnNanPropagation_t nan;
};

HIPPORT_DNN cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossDescriptor_t* desc) {
  *desc = (cudnnCTCLossDescriptor_t)calloc(1, sizeof(**desc));
  return *desc == NULL ? CUDNN_STATUS_ALLOC_FAILED
                       : hipport_dnn_status(miopenCreateCTCLossDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossDescriptor_t desc) {
  if (desc != NULL) (void)miopenDestroyCTCLossDescriptor(desc->miopen);
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

// Without a softmax the gradients of the two libraries are not those of the same function.
HIPPORT_DNN cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t desc, cudnnDataType_t type,
                                                      cudnnLossNormalizationMode_t normalization,
                                                      cudnnNanPropagation_t nan) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (normalization != CUDNN_LOSS_NORMALIZATION_SOFTMAX || type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED;
  desc->type = type;
  desc->normalization = normalization;
  desc->nan = nan;
  return hipport_dnn_status(miopenSetCTCLossDescriptor(desc->miopen, miopenFloat, 0, true));
}

HIPPORT_DNN cudnnStatus_t cudnnGetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t desc, cudnnDataType_t* type,
                                                      cudnnLossNormalizationMode_t* normalization,
                                                      cudnnNanPropagation_t* nan) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (type != NULL) *type = desc->type;
  if (normalization != NULL) *normalization = desc->normalization;
  if (nan != NULL) *nan = desc->nan;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle,
                                                       const cudnnTensorDescriptor_t probabilities,
                                                       const cudnnTensorDescriptor_t gradients, const int* labels,
                                                       const int* label_lengths, const int* input_lengths,
                                                       cudnnCTCLossAlgo_t algorithm, cudnnCTCLossDescriptor_t desc,
                                                       size_t* size) {
  (void)algorithm;
  return hipport_dnn_status(miopenGetCTCLossWorkspaceSize(
      handle->miopen, probabilities->miopen, gradients == NULL ? probabilities->miopen : gradients->miopen, labels,
      label_lengths, input_lengths, MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC, desc->miopen, size));
}

// Both tensors are packed: time, items, labels. MIOpen needs the gradients even if only the costs are wanted.
HIPPORT_DNN cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const cudnnTensorDescriptor_t probability_desc,
                                       const void* probabilities, const int* labels, const int* label_lengths,
                                       const int* input_lengths, void* costs,
                                       const cudnnTensorDescriptor_t gradient_desc, void* gradients,
                                       cudnnCTCLossAlgo_t algorithm, cudnnCTCLossDescriptor_t desc, void* workspace,
                                       size_t size) {
  const struct cudnnTensorStruct* const out = gradient_desc == NULL ? probability_desc : gradient_desc;
  (void)algorithm;
  if (!probability_desc->is_packed || !out->is_packed) return CUDNN_STATUS_NOT_SUPPORTED;
  if (gradients == NULL)
    HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_FIRST, hipport_dnn_packed_bytes(out), &gradients));
  return hipport_dnn_status(miopenCTCLoss(handle->miopen, probability_desc->miopen, probabilities, labels,
                                          label_lengths, input_lengths, costs, out->miopen, gradients,
                                          MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC, desc->miopen, workspace, size));
}

#endif
