// SPDX-License-Identifier: MIT
// cuDNN's batch normalization with an addition and an activation behind it, as several of MIOpen's operations.
#ifndef HIPPORT_COMPAT_CUDNN_BATCH_NORM_EX_H
#define HIPPORT_COMPAT_CUDNN_BATCH_NORM_EX_H

#include "activation.h"
#include "batch_norm.h"
#include "tensor_ops.h"

// The derivative of these activations can be computed from the result, which cuDNN passes.
HIPPORT_DNN cudnnStatus_t hipport_dnn_norm_ops(cudnnBatchNormOps_t ops, const cudnnTensorDescriptor_t desc,
                                               const void* alpha, const void* beta,
                                               const cudnnActivationDescriptor_t activation) {
  if (ops == CUDNN_BATCHNORM_OPS_BN) return CUDNN_STATUS_SUCCESS;
  if (activation == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (hipport_dnn_scalar(desc->type, alpha) != 1.0 || hipport_dnn_scalar(desc->type, beta) != 0.0)
    return CUDNN_STATUS_NOT_SUPPORTED;
  return activation->mode == CUDNN_ACTIVATION_RELU || activation->mode == CUDNN_ACTIVATION_IDENTITY
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_NOT_SUPPORTED;
}

HIPPORT_DNN int hipport_dnn_norm_activates(cudnnBatchNormOps_t ops, const cudnnActivationDescriptor_t activation) {
  return ops != CUDNN_BATCHNORM_OPS_BN && activation->mode != CUDNN_ACTIVATION_IDENTITY;
}

HIPPORT_DNN cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops, const cudnnTensorDescriptor_t x_desc,
    const cudnnTensorDescriptor_t z_desc, const cudnnTensorDescriptor_t y_desc,
    const cudnnTensorDescriptor_t scale_desc, const cudnnActivationDescriptor_t activation, size_t* size) {
  (void)handle, (void)mode, (void)ops, (void)x_desc, (void)z_desc, (void)y_desc, (void)scale_desc, (void)activation;
  *size = 0;
  return CUDNN_STATUS_SUCCESS;
}

// The derivative behind the activation.
HIPPORT_DNN cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops, const cudnnTensorDescriptor_t x_desc,
    const cudnnTensorDescriptor_t y_desc, const cudnnTensorDescriptor_t dy_desc, const cudnnTensorDescriptor_t dz_desc,
    const cudnnTensorDescriptor_t dx_desc, const cudnnTensorDescriptor_t scale_desc,
    const cudnnActivationDescriptor_t activation, size_t* size) {
  (void)handle, (void)mode, (void)x_desc, (void)y_desc, (void)dz_desc, (void)dx_desc, (void)scale_desc;
  *size = 0;
  return hipport_dnn_norm_activates(ops, activation) ? cudnnGetTensorSizeInBytes(dy_desc, size) : CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    const cudnnActivationDescriptor_t activation, const cudnnTensorDescriptor_t x_desc, size_t* size) {
  (void)handle, (void)mode, (void)ops, (void)activation, (void)x_desc;
  *size = 0;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops, const void* alpha, const void* beta,
    const cudnnTensorDescriptor_t x_desc, const void* x, const cudnnTensorDescriptor_t z_desc, const void* z,
    const cudnnTensorDescriptor_t y_desc, void* y, const cudnnTensorDescriptor_t scale_desc, const void* scale,
    const void* bias, double factor, void* running_mean, void* running_variance, double epsilon, void* saved_mean,
    void* saved_inverse_deviation, cudnnActivationDescriptor_t activation, void* workspace, size_t workspace_size,
    void* reserve, size_t reserve_size) {
  (void)workspace, (void)workspace_size, (void)reserve, (void)reserve_size;
  HIPPORT_DNN_TRY(hipport_dnn_norm_ops(ops, y_desc, alpha, beta, activation));
  HIPPORT_DNN_TRY(cudnnBatchNormalizationForwardTraining(handle, mode, alpha, beta, x_desc, x, y_desc, y, scale_desc,
                                                         scale, bias, factor, running_mean, running_variance, epsilon,
                                                         saved_mean, saved_inverse_deviation));
  // alpha is 1 and beta is 0 from here on.
  if (ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
    HIPPORT_DNN_TRY(cudnnAddTensor(handle, alpha, z_desc, z, alpha, y_desc, y));
  if (!hipport_dnn_norm_activates(ops, activation)) return CUDNN_STATUS_SUCCESS;
  return cudnnActivationForward(handle, activation, alpha, y_desc, y, beta, y_desc, y);
}

HIPPORT_DNN cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops, const void* alpha_data,
    const void* beta_data, const void* alpha_param, const void* beta_param, const cudnnTensorDescriptor_t x_desc,
    const void* x, const cudnnTensorDescriptor_t y_desc, const void* y, const cudnnTensorDescriptor_t dy_desc,
    const void* dy, const cudnnTensorDescriptor_t dz_desc, void* dz, const cudnnTensorDescriptor_t dx_desc, void* dx,
    const cudnnTensorDescriptor_t scale_desc, const void* scale, const void* bias, void* dscale, void* dbias,
    double epsilon, const void* saved_mean, const void* saved_inverse_deviation, cudnnActivationDescriptor_t activation,
    void* workspace, size_t workspace_size, void* reserve, size_t reserve_size) {
  size_t needed = 0;
  (void)bias, (void)reserve, (void)reserve_size;
  HIPPORT_DNN_TRY(hipport_dnn_norm_ops(ops, dx_desc, alpha_data, beta_data, activation));
  if (hipport_dnn_norm_activates(ops, activation)) {
    HIPPORT_DNN_TRY(cudnnGetTensorSizeInBytes(dy_desc, &needed));
    if (workspace == NULL || workspace_size < needed) return CUDNN_STATUS_BAD_PARAM;
    HIPPORT_DNN_TRY(cudnnActivationBackward(handle, activation, alpha_data, y_desc, y, dy_desc, dy, y_desc, y,
                                            beta_data, dy_desc, workspace));
    dy = workspace;
  }
  if (ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
    HIPPORT_DNN_TRY(cudnnTransformTensor(handle, alpha_data, dy_desc, dy, beta_data, dz_desc, dz));
  return cudnnBatchNormalizationBackward(handle, mode, alpha_data, beta_data, alpha_param, beta_param, x_desc, x,
                                         dy_desc, dy, dx_desc, dx, scale_desc, scale, dscale, dbias, epsilon,
                                         saved_mean, saved_inverse_deviation);
}

#endif
