// SPDX-License-Identifier: MIT
// cuDNN's convolutions and their derivatives on MIOpen's.
#ifndef HIPPORT_COMPAT_CUDNN_CONVOLUTION_RUN_H
#define HIPPORT_COMPAT_CUDNN_CONVOLUTION_RUN_H

#include "activation.h"
#include "convolution_solutions.h"

// Run a solution; with memory of the handle if the given workspace is too small for it.
HIPPORT_DNN cudnnStatus_t hipport_dnn_convolve(const hipport_dnn_problem* p, int algorithm, void* x, void* w, void* y,
                                               void* workspace, size_t size) {
  const miopenHandle_t handle = p->handle->miopen;
  const miopenConvolutionDescriptor_t desc = p->desc->miopen;
  const int algorithms = hipport_dnn_algorithms(p->direction, algorithm);
  miopenConvSolution_t solution;
  if (algorithms == 0) return CUDNN_STATUS_BAD_PARAM;
  HIPPORT_DNN_TRY(hipport_dnn_choose(p, algorithms, workspace == NULL ? 0 : size, &solution));
  if (solution.workspace_size > 0 && (workspace == NULL || size < solution.workspace_size)) {
    size = solution.workspace_size;
    HIPPORT_DNN_TRY(hipport_dnn_memory(p->handle, HIPPORT_DNN_WORKSPACE, size, &workspace));
  }
  switch (p->direction) {
    case HIPPORT_DNN_FORWARD:
      return hipport_dnn_status(miopenConvolutionForwardImmediate(handle, p->w, w, p->x, x, desc, p->y, y, workspace,
                                                                  size, solution.solution_id));
    case HIPPORT_DNN_DATA:
      return hipport_dnn_status(miopenConvolutionBackwardDataImmediate(handle, p->y, y, p->w, w, desc, p->x, x,
                                                                       workspace, size, solution.solution_id));
    default:
      return hipport_dnn_status(miopenConvolutionBackwardWeightsImmediate(handle, p->y, y, p->x, x, desc, p->w, w,
                                                                          workspace, size, solution.solution_id));
  }
}

// Return whether a filter must be mirrored: MIOpen computes cross-correlations only.
HIPPORT_DNN int hipport_dnn_mirrors(const hipport_dnn_problem* p) {
  int i, points = 1;
  for (i = 2; i < p->w_desc->count; ++i) points *= p->w_desc->dims[i];
  return p->desc->mode == CUDNN_CONVOLUTION && points > 1;
}

// Copy a filter with its spatial dimensions mirrored: one strided copy for each point.
HIPPORT_DNN cudnnStatus_t hipport_dnn_mirror(const hipport_dnn_problem* p, const void* from, void* to) {
  const struct cudnnTensorStruct* w = p->w_desc;
  const size_t element = hipport_dnn_size(w->type);
  const size_t width = p->any_layout ? element * (size_t)w->dims[1] : element;
  const size_t rows = p->any_layout ? (size_t)w->dims[0] : (size_t)w->dims[0] * (size_t)w->dims[1];
  size_t points = 1, i;
  int dim;
  for (dim = 2; dim < w->count; ++dim) points *= (size_t)w->dims[dim];
  for (i = 0; i < points; ++i) {
    if (hipMemcpy2DAsync((char*)to + (points - 1 - i) * width, points * width, (const char*)from + i * width,
                         points * width, width, rows, hipMemcpyDeviceToDevice, p->handle->stream) != hipSuccess)
      return CUDNN_STATUS_EXECUTION_FAILED;
  }
  return CUDNN_STATUS_SUCCESS;
}

// Return the filter as MIOpen takes it.
HIPPORT_DNN cudnnStatus_t hipport_dnn_filter(const hipport_dnn_problem* p, const void* w, hipport_dnn_slot slot,
                                             hipport_dnn_slot mirrored, hipport_dnn_operand* operand) {
  void* copy;
  HIPPORT_DNN_TRY(hipport_dnn_input(p->handle, p->w_desc, w, slot, p->any_layout, operand));
  if (!hipport_dnn_mirrors(p)) return CUDNN_STATUS_SUCCESS;
  HIPPORT_DNN_TRY(hipport_dnn_memory(p->handle, mirrored, hipport_dnn_packed_bytes(p->w_desc), &copy));
  HIPPORT_DNN_TRY(hipport_dnn_mirror(p, operand->data, copy));
  operand->data = copy;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                                  const cudnnTensorDescriptor_t x_desc, const void* x,
                                                  const cudnnFilterDescriptor_t w_desc, const void* w,
                                                  const cudnnConvolutionDescriptor_t desc,
                                                  cudnnConvolutionFwdAlgo_t algorithm, void* workspace, size_t size,
                                                  const void* beta, const cudnnTensorDescriptor_t y_desc, void* y) {
  const hipport_dnn_problem p =
      hipport_dnn_describe(handle, desc, HIPPORT_DNN_FORWARD, x_desc, &w_desc->tensor, y_desc);
  hipport_dnn_operand in_x, in_w, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, p.any_layout, &in_x));
  HIPPORT_DNN_TRY(hipport_dnn_filter(&p, w, HIPPORT_DNN_SECOND, HIPPORT_DNN_THIRD, &in_w));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, y_desc, beta, y, HIPPORT_DNN_FOURTH, p.any_layout, &out));
  HIPPORT_DNN_TRY(hipport_dnn_convolve(&p, (int)algorithm, in_x.data, in_w.data, out.data, workspace, size));
  return hipport_dnn_finish(handle, y_desc, alpha, beta, y, &out);
}

HIPPORT_DNN cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                                       const cudnnFilterDescriptor_t w_desc, const void* w,
                                                       const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                                       const cudnnConvolutionDescriptor_t desc,
                                                       cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                                       size_t size, const void* beta,
                                                       const cudnnTensorDescriptor_t dx_desc, void* dx) {
  const hipport_dnn_problem p = hipport_dnn_describe(handle, desc, HIPPORT_DNN_DATA, dx_desc, &w_desc->tensor, dy_desc);
  hipport_dnn_operand in_dy, in_w, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_FIRST, p.any_layout, &in_dy));
  HIPPORT_DNN_TRY(hipport_dnn_filter(&p, w, HIPPORT_DNN_SECOND, HIPPORT_DNN_THIRD, &in_w));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, dx_desc, beta, dx, HIPPORT_DNN_FOURTH, p.any_layout, &out));
  HIPPORT_DNN_TRY(hipport_dnn_convolve(&p, (int)algorithm, out.data, in_w.data, in_dy.data, workspace, size));
  return hipport_dnn_finish(handle, dx_desc, alpha, beta, dx, &out);
}

HIPPORT_DNN cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                                         const cudnnTensorDescriptor_t x_desc, const void* x,
                                                         const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                                         const cudnnConvolutionDescriptor_t desc,
                                                         cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace,
                                                         size_t size, const void* beta,
                                                         const cudnnFilterDescriptor_t dw_desc, void* dw) {
  const hipport_dnn_problem p =
      hipport_dnn_describe(handle, desc, HIPPORT_DNN_FILTER, x_desc, &dw_desc->tensor, dy_desc);
  hipport_dnn_operand in_x, in_dy, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, p.any_layout, &in_x));
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_SECOND, p.any_layout, &in_dy));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, &dw_desc->tensor, beta, dw, HIPPORT_DNN_THIRD, p.any_layout, &out));
  HIPPORT_DNN_TRY(hipport_dnn_convolve(&p, (int)algorithm, in_x.data, out.data, in_dy.data, workspace, size));
  if (hipport_dnn_mirrors(&p)) {
    void* mirrored;
    HIPPORT_DNN_TRY(
        hipport_dnn_memory(handle, HIPPORT_DNN_FOURTH, hipport_dnn_packed_bytes(&dw_desc->tensor), &mirrored));
    HIPPORT_DNN_TRY(hipport_dnn_mirror(&p, out.data, mirrored));
    out.data = mirrored;
  }
  return hipport_dnn_finish(handle, &dw_desc->tensor, alpha, beta, dw, &out);
}

HIPPORT_DNN cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void* alpha,
                                                       const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                                       const void* beta, const cudnnTensorDescriptor_t db_desc,
                                                       void* db) {
  const float one = 1.0f, zero = 0.0f;
  hipport_dnn_operand in, out;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, dy_desc, dy, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_output(handle, db_desc, beta, db, HIPPORT_DNN_SECOND, 0, &out));
  HIPPORT_DNN_TRY(hipport_dnn_status(
      miopenConvolutionBackwardBias(handle->miopen, &one, in.miopen, in.data, &zero, out.miopen, out.data)));
  return hipport_dnn_finish(handle, db_desc, alpha, beta, db, &out);
}

// Compute y = activation(alpha1 * conv(x, w) + alpha2 * z + bias), step by step in y and in memory of the handle.
HIPPORT_DNN cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void* alpha1, const cudnnTensorDescriptor_t x_desc, const void* x,
    const cudnnFilterDescriptor_t w_desc, const void* w, const cudnnConvolutionDescriptor_t desc,
    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, size_t size, const void* alpha2,
    const cudnnTensorDescriptor_t z_desc, const void* z, const cudnnTensorDescriptor_t bias_desc, const void* bias,
    const cudnnActivationDescriptor_t activation, const cudnnTensorDescriptor_t y_desc, void* y) {
  const double one_double = 1.0, zero_double = 0.0;
  const float one_single = 1.0f, zero_single = 0.0f;
  const int is_double = y_desc->type == CUDNN_DATA_DOUBLE;
  const void* const one = is_double ? (const void*)&one_double : (const void*)&one_single;
  const void* const zero = is_double ? (const void*)&zero_double : (const void*)&zero_single;
  if (hipport_dnn_scalar(y_desc->type, alpha2) != 0.0) {
    if (z_desc->type != y_desc->type) return CUDNN_STATUS_NOT_SUPPORTED;
    if (z != y) HIPPORT_DNN_TRY(cudnnTransformTensor(handle, one, z_desc, z, zero, y_desc, y));
    HIPPORT_DNN_TRY(cudnnConvolutionForward(handle, alpha1, x_desc, x, w_desc, w, desc, algorithm, workspace, size,
                                            alpha2, y_desc, y));
  } else {
    HIPPORT_DNN_TRY(cudnnConvolutionForward(handle, alpha1, x_desc, x, w_desc, w, desc, algorithm, workspace, size,
                                            zero, y_desc, y));
  }
  HIPPORT_DNN_TRY(cudnnAddTensor(handle, one, bias_desc, bias, one, y_desc, y));
  if (activation->mode == CUDNN_ACTIVATION_IDENTITY) return CUDNN_STATUS_SUCCESS;
  return cudnnActivationForward(handle, activation, one, y_desc, y, zero, y_desc, y);
}

#endif
