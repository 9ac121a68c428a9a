// SPDX-License-Identifier: MIT
// cuDNN's reductions on MIOpen's.
#ifndef HIPPORT_COMPAT_CUDNN_REDUCTION_H
#define HIPPORT_COMPAT_CUDNN_REDUCTION_H

#include "operands.h"

struct cudnnReduceTensorStruct {
  miopenReduceTensorDescriptor_t miopen;
  cudnnReduceTensorOp_t op;
  cudnnDataType_t type;
  cudnnNanPropagation_t nan;
  cudnnReduceTensorIndices_t indices;
  cudnnIndicesType_t indices_type;
};

HIPPORT_DNN cudnnStatus_t cudnnCreateReduceTensorDescriptor(cudnnReduceTensorDescriptor_t* desc) {
  *desc = (cudnnReduceTensorDescriptor_t)calloc(1, sizeof(**desc));
  if (*desc == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  return hipport_dnn_status(miopenCreateReduceTensorDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyReduceTensorDescriptor(cudnnReduceTensorDescriptor_t desc) {
  if (desc != NULL) (void)miopenDestroyReduceTensorDescriptor(desc->miopen);
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

// The values of these enumerations are the same in both libraries, except that MIOpen has no product without zeros.
HIPPORT_DNN cudnnStatus_t cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t desc, cudnnReduceTensorOp_t op,
                                                         cudnnDataType_t type, cudnnNanPropagation_t nan,
                                                         cudnnReduceTensorIndices_t indices,
                                                         cudnnIndicesType_t indices_type) {
  const int compute = hipport_dnn_type(type);
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (op == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS || compute < 0) return CUDNN_STATUS_NOT_SUPPORTED;
  desc->op = op;
  desc->type = type;
  desc->nan = nan;
  desc->indices = indices;
  desc->indices_type = indices_type;
  return hipport_dnn_status(miopenSetReduceTensorDescriptor(
      desc->miopen, (miopenReduceTensorOp_t)op, (miopenDataType_t)compute, (miopenNanPropagation_t)nan,
      (miopenReduceTensorIndices_t)indices, (miopenIndicesType_t)indices_type));
}

HIPPORT_DNN cudnnStatus_t cudnnGetReduceTensorDescriptor(const cudnnReduceTensorDescriptor_t desc,
                                                         cudnnReduceTensorOp_t* op, cudnnDataType_t* type,
                                                         cudnnNanPropagation_t* nan,
                                                         cudnnReduceTensorIndices_t* indices,
                                                         cudnnIndicesType_t* indices_type) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (op != NULL) *op = desc->op;
  if (type != NULL) *type = desc->type;
  if (nan != NULL) *nan = desc->nan;
  if (indices != NULL) *indices = desc->indices;
  if (indices_type != NULL) *indices_type = desc->indices_type;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetReductionIndicesSize(cudnnHandle_t handle, const cudnnReduceTensorDescriptor_t desc,
                                                       const cudnnTensorDescriptor_t a, const cudnnTensorDescriptor_t c,
                                                       size_t* size) {
  return hipport_dnn_status(miopenGetReductionIndicesSize(handle->miopen, desc->miopen, a->miopen, c->miopen, size));
}

HIPPORT_DNN cudnnStatus_t cudnnGetReductionWorkspaceSize(cudnnHandle_t handle, const cudnnReduceTensorDescriptor_t desc,
                                                         const cudnnTensorDescriptor_t a,
                                                         const cudnnTensorDescriptor_t c, size_t* size) {
  return hipport_dnn_status(miopenGetReductionWorkspaceSize(handle->miopen, desc->miopen, a->miopen, c->miopen, size));
}

HIPPORT_DNN cudnnStatus_t cudnnReduceTensor(cudnnHandle_t handle, const cudnnReduceTensorDescriptor_t desc,
                                            void* indices, size_t indices_size, void* workspace, size_t workspace_size,
                                            const void* alpha, const cudnnTensorDescriptor_t a_desc, const void* a,
                                            const void* beta, const cudnnTensorDescriptor_t c_desc, void* c) {
  int reduced = 0, i;
  for (i = 0; i < a_desc->count; ++i) reduced |= a_desc->dims[i] != c_desc->dims[i];
  // MIOpen refuses to reduce nothing. Then a sum, product, extremum or average is the element itself.
  if (!reduced) {
    if (a_desc->type != c_desc->type || desc->op == CUDNN_REDUCE_TENSOR_AMAX || desc->op == CUDNN_REDUCE_TENSOR_NORM1 ||
        desc->op == CUDNN_REDUCE_TENSOR_NORM2 || desc->indices != CUDNN_REDUCE_TENSOR_NO_INDICES)
      return CUDNN_STATUS_NOT_SUPPORTED;
    return hipport_dnn_transform(handle, c_desc->type, hipport_dnn_scalar(c_desc->type, alpha), a_desc->miopen, a,
                                 hipport_dnn_scalar(c_desc->type, beta), c_desc->miopen, c);
  }
  return hipport_dnn_status(miopenReduceTensor(handle->miopen, desc->miopen, indices, indices_size, workspace,
                                               workspace_size, alpha, a_desc->miopen, a, beta, c_desc->miopen, c));
}

#endif
