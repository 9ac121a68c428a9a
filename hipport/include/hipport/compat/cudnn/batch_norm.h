// SPDX-License-Identifier: MIT
// cuDNN's batch normalization on MIOpen's.
#ifndef HIPPORT_COMPAT_CUDNN_BATCH_NORM_H
#define HIPPORT_COMPAT_CUDNN_BATCH_NORM_H

#include "operands.h"

HIPPORT_DNN miopenBatchNormMode_t hipport_dnn_norm_mode(cudnnBatchNormMode_t mode) {
  return mode == CUDNN_BATCHNORM_PER_ACTIVATION ? miopenBNPerActivation : miopenBNSpatial;
}

// Describe scale, bias, mean and variance: one per channel or per activation, in float for half precision.
HIPPORT_DNN cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derived,
                                                        const cudnnTensorDescriptor_t x, cudnnBatchNormMode_t mode) {
  const int half = x->type == CUDNN_DATA_HALF || x->type == CUDNN_DATA_BFLOAT16;
  int dims[CUDNN_DIM_MAX], i;
  for (i = 0; i < x->count; ++i) dims[i] = i == 1 || (i > 1 && mode == CUDNN_BATCHNORM_PER_ACTIVATION) ? x->dims[i] : 1;
  return cudnnSetTensorNdDescriptorEx(derived, CUDNN_TENSOR_NCHW, half ? CUDNN_DATA_FLOAT : x->type, x->count, dims);
}

HIPPORT_DNN cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t handle, cudnnBatchNormMode_t mode,
                                                                  const void* alpha, const void* beta,
                                                                  const cudnnTensorDescriptor_t x_desc, const void* x,
                                                                  const cudnnTensorDescriptor_t y_desc, void* y,
                                                                  const cudnnTensorDescriptor_t scale_desc,
                                                                  const void* scale, const void* bias, const void* mean,
                                                                  const void* variance, double epsilon) {
  float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, y_desc, beta, y, HIPPORT_DNN_SECOND, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenBatchNormalizationForwardInference(
      handle->miopen, hipport_dnn_norm_mode(mode), &one, &zero, in.miopen, in.data, out.miopen, out.data,
      scale_desc->packed, (void*)scale, (void*)bias, (void*)mean, (void*)variance, epsilon)));
  return hipport_dnn_finish(handle, y_desc, alpha, beta, y, &out);
}

HIPPORT_DNN cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
    const cudnnTensorDescriptor_t x_desc, const void* x, const cudnnTensorDescriptor_t y_desc, void* y,
    const cudnnTensorDescriptor_t scale_desc, const void* scale, const void* bias, double factor, void* running_mean,
    void* running_variance, double epsilon, void* saved_mean, void* saved_inverse_deviation) {
  float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, y_desc, beta, y, HIPPORT_DNN_SECOND, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenBatchNormalizationForwardTraining(
      handle->miopen, hipport_dnn_norm_mode(mode), &one, &zero, in.miopen, in.data, out.miopen, out.data,
      scale_desc->packed, (void*)scale, (void*)bias, factor, running_mean, running_variance, epsilon, saved_mean,
      saved_inverse_deviation)));
  return hipport_dnn_finish(handle, y_desc, alpha, beta, y, &out);
}

HIPPORT_DNN cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha_data, const void* beta_data,
    const void* alpha_param, const void* beta_param, const cudnnTensorDescriptor_t x_desc, const void* x,
    const cudnnTensorDescriptor_t dy_desc, const void* dy, const cudnnTensorDescriptor_t dx_desc, void* dx,
    const cudnnTensorDescriptor_t scale_desc, const void* scale, void* dscale, void* dbias, double epsilon,
    const void* saved_mean, const void* saved_inverse_deviation) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in_x, in_dy, out, out_scale, out_bias;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in_x));
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_SECOND, 0, &in_dy));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, dx_desc, beta_data, dx, HIPPORT_DNN_THIRD, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, scale_desc, beta_param, dscale, HIPPORT_DNN_FOURTH, 0, &out_scale));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, scale_desc, beta_param, dbias, HIPPORT_DNN_FIFTH, 0, &out_bias));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenBatchNormalizationBackward(
      handle->miopen, hipport_dnn_norm_mode(mode), &one, &zero, &one, &zero, in_x.miopen, in_x.data, in_dy.miopen,
      in_dy.data, out.miopen, out.data, scale_desc->packed, scale, out_scale.data, out_bias.data, epsilon, saved_mean,
      saved_inverse_deviation)));
  HIPPORT_DNN_TRY(hipport_dnn_finish(handle, dx_desc, alpha_data, beta_data, dx, &out));
  HIPPORT_DNN_TRY(hipport_dnn_finish(handle, scale_desc, alpha_param, beta_param, dscale, &out_scale));
  return hipport_dnn_finish(handle, scale_desc, alpha_param, beta_param, dbias, &out_bias);
}

#endif
