// SPDX-License-Identifier: MIT
// cuDNN's softmax on MIOpen's.
#ifndef HIPPORT_COMPAT_CUDNN_SOFTMAX_H
#define HIPPORT_COMPAT_CUDNN_SOFTMAX_H

#include "operands.h"

HIPPORT_DNN miopenSoftmaxAlgorithm_t hipport_dnn_softmax_algorithm(cudnnSoftmaxAlgorithm_t algorithm) {
  return algorithm == CUDNN_SOFTMAX_LOG    ? MIOPEN_SOFTMAX_LOG
         : algorithm == CUDNN_SOFTMAX_FAST ? MIOPEN_SOFTMAX_FAST
                                           : MIOPEN_SOFTMAX_ACCURATE;
}

HIPPORT_DNN miopenSoftmaxMode_t hipport_dnn_softmax_mode(cudnnSoftmaxMode_t mode) {
  return mode == CUDNN_SOFTMAX_MODE_CHANNEL ? MIOPEN_SOFTMAX_MODE_CHANNEL : MIOPEN_SOFTMAX_MODE_INSTANCE;
}

HIPPORT_DNN cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm,
                                              cudnnSoftmaxMode_t mode, const void* alpha,
                                              const cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                              const cudnnTensorDescriptor_t y_desc, void* y) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, y_desc, beta, y, HIPPORT_DNN_SECOND, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_status(
      miopenSoftmaxForward_V2(handle->miopen, &one, in.miopen, in.data, &zero, out.miopen, out.data,
                              hipport_dnn_softmax_algorithm(algorithm), hipport_dnn_softmax_mode(mode))));
  return hipport_dnn_finish(handle, y_desc, alpha, beta, y, &out);
}

HIPPORT_DNN cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm,
                                               cudnnSoftmaxMode_t mode, const void* alpha,
                                               const cudnnTensorDescriptor_t y_desc, const void* y,
                                               const cudnnTensorDescriptor_t dy_desc, const void* dy, const void* beta,
                                               const cudnnTensorDescriptor_t dx_desc, void* dx) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in_y, in_dy, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, y_desc, y, HIPPORT_DNN_FIRST, 0, &in_y));
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_SECOND, 0, &in_dy));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, dx_desc, beta, dx, HIPPORT_DNN_THIRD, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenSoftmaxBackward_V2(
      handle->miopen, &one, in_y.miopen, in_y.data, in_dy.miopen, in_dy.data, &zero, out.miopen, out.data,
      hipport_dnn_softmax_algorithm(algorithm), hipport_dnn_softmax_mode(mode))));
  return hipport_dnn_finish(handle, dx_desc, alpha, beta, dx, &out);
}

#endif
