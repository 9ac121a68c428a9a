// SPDX-License-Identifier: MIT
// MIOpen: enumerations, descriptors and handles.
#pragma once

#include "../../hip/hip_runtime_api.h"

#include "../half_functions.h"

#include <vector>

enum miopenStatus_t {
  miopenStatusSuccess = 0,
  miopenStatusNotInitialized = 1,
  miopenStatusInvalidValue = 2,
  miopenStatusBadParm = 3,
  miopenStatusAllocFailed = 4,
  miopenStatusInternalError = 5,
  miopenStatusNotImplemented = 6,
  miopenStatusUnknownError = 7,
  miopenStatusUnsupportedOp = 8,
  miopenStatusGpuOperationsSkipped = 9,
  miopenStatusVersionMismatch = 10
};
enum miopenDataType_t {
  miopenHalf = 0,
  miopenFloat = 1,
  miopenInt32 = 2,
  miopenInt8 = 3,
  miopenBFloat16 = 5,
  miopenDouble = 6,
  miopenInt64 = 9
};
enum miopenTensorLayout_t {
  miopenTensorNCHW = 0,
  miopenTensorNHWC = 1,
  miopenTensorCHWN = 2,
  miopenTensorNCDHW = 7,
  miopenTensorNDHWC = 8
};
enum miopenIndexType_t { miopenIndexUint8, miopenIndexUint16, miopenIndexUint32, miopenIndexUint64 };
enum miopenTensorOp_t { miopenTensorOpAdd, miopenTensorOpMul, miopenTensorOpMin, miopenTensorOpMax };
enum miopenConvolutionMode_t { miopenConvolution, miopenTranspose, miopenGroupConv, miopenDepthwise };
enum miopenPoolingMode_t { miopenPoolingMax, miopenPoolingAverage, miopenPoolingAverageInclusive };
enum miopenPoolingWorkspaceIndexMode_t { miopenPoolingWorkspaceIndexMask, miopenPoolingWorkspaceIndexImage };
enum miopenLRNMode_t { miopenLRNWithinChannel, miopenLRNCrossChannel };
enum miopenBatchNormMode_t { miopenBNPerActivation, miopenBNSpatial };
enum miopenActivationMode_t {
  miopenActivationPASTHRU,
  miopenActivationLOGISTIC,
  miopenActivationTANH,
  miopenActivationRELU,
  miopenActivationSOFTRELU,
  miopenActivationABS,
  miopenActivationPOWER,
  miopenActivationCLIPPEDRELU,
  miopenActivationLEAKYRELU,
  miopenActivationELU
};
enum miopenSoftmaxAlgorithm_t { MIOPEN_SOFTMAX_FAST, MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_LOG };
enum miopenSoftmaxMode_t { MIOPEN_SOFTMAX_MODE_INSTANCE, MIOPEN_SOFTMAX_MODE_CHANNEL };
enum miopenReduceTensorOp_t {
  MIOPEN_REDUCE_TENSOR_ADD,
  MIOPEN_REDUCE_TENSOR_MUL,
  MIOPEN_REDUCE_TENSOR_MIN,
  MIOPEN_REDUCE_TENSOR_MAX,
  MIOPEN_REDUCE_TENSOR_AMAX,
  MIOPEN_REDUCE_TENSOR_AVG,
  MIOPEN_REDUCE_TENSOR_NORM1,
  MIOPEN_REDUCE_TENSOR_NORM2
};
enum miopenNanPropagation_t { MIOPEN_NOT_PROPAGATE_NAN, MIOPEN_PROPAGATE_NAN };
enum miopenReduceTensorIndices_t { MIOPEN_REDUCE_TENSOR_NO_INDICES, MIOPEN_REDUCE_TENSOR_FLATTENED_INDICES };
enum miopenIndicesType_t { MIOPEN_32BIT_INDICES, MIOPEN_64BIT_INDICES, MIOPEN_16BIT_INDICES, MIOPEN_8BIT_INDICES };
enum miopenConvFwdAlgorithm_t {
  miopenConvolutionFwdAlgoGEMM = 0,
  miopenConvolutionFwdAlgoDirect = 1,
  miopenConvolutionFwdAlgoFFT = 2,
  miopenConvolutionFwdAlgoWinograd = 3,
  miopenConvolutionFwdAlgoImplicitGEMM = 5
};
enum miopenConvBwdWeightsAlgorithm_t {
  miopenConvolutionBwdWeightsAlgoGEMM = 0,
  miopenConvolutionBwdWeightsAlgoDirect = 1,
  miopenConvolutionBwdWeightsAlgoWinograd = 3,
  miopenConvolutionBwdWeightsAlgoImplicitGEMM = 5
};
enum miopenConvBwdDataAlgorithm_t {
  miopenConvolutionBwdDataAlgoGEMM = 0,
  miopenConvolutionBwdDataAlgoDirect = 1,
  miopenConvolutionBwdDataAlgoFFT = 2,
  miopenConvolutionBwdDataAlgoWinograd = 3,
  miopenTransposeBwdDataAlgoGEMM = 4,
  miopenConvolutionBwdDataAlgoImplicitGEMM = 5
};
enum miopenConvAlgorithm_t {
  miopenConvolutionAlgoGEMM = 0,
  miopenConvolutionAlgoDirect = 1,
  miopenConvolutionAlgoFFT = 2,
  miopenConvolutionAlgoWinograd = 3,
  miopenConvolutionAlgoImplicitGEMM = 5
};

struct miopenConvAlgoPerf_t {
  union {
    miopenConvFwdAlgorithm_t fwd_algo;
    miopenConvBwdWeightsAlgorithm_t bwd_weights_algo;
    miopenConvBwdDataAlgorithm_t bwd_data_algo;
  };
  float time;
  size_t memory;
};
struct miopenConvSolution_t {
  float time;
  size_t workspace_size;
  uint64_t solution_id;
  miopenConvAlgorithm_t algorithm;
};

using miopenAcceleratorQueue_t = hipStream_t;

struct miopenHandle {
  hipStream_t stream = nullptr;
};
struct miopenTensorDescriptor {
  miopenDataType_t type = miopenFloat;
  std::vector<int> dims, strides;
};
struct miopenConvolutionDescriptor {
  std::vector<int> padding, stride, dilation;
  miopenConvolutionMode_t mode = miopenConvolution;
  int groups = 1;
};
struct miopenPoolingDescriptor {
  miopenPoolingMode_t mode = miopenPoolingMax;
  std::vector<int> window, padding, stride;
  miopenIndexType_t index = miopenIndexUint8;
  miopenPoolingWorkspaceIndexMode_t index_mode = miopenPoolingWorkspaceIndexMask;
};
struct miopenLRNDescriptor {
  miopenLRNMode_t mode = miopenLRNCrossChannel;
  unsigned count = 5;
  double alpha = 1, beta = 1, k = 1;
};
struct miopenActivationDescriptor {
  miopenActivationMode_t mode = miopenActivationPASTHRU;
  double alpha = 0, beta = 0, gamma = 0;
};
struct miopenReduceTensorDescriptor {
  miopenReduceTensorOp_t op = MIOPEN_REDUCE_TENSOR_ADD;
  miopenDataType_t type = miopenFloat;
  miopenNanPropagation_t nan = MIOPEN_NOT_PROPAGATE_NAN;
  miopenReduceTensorIndices_t indices = MIOPEN_REDUCE_TENSOR_NO_INDICES;
  miopenIndicesType_t indices_type = MIOPEN_32BIT_INDICES;
};

using miopenHandle_t = miopenHandle*;
using miopenTensorDescriptor_t = miopenTensorDescriptor*;
using miopenConvolutionDescriptor_t = miopenConvolutionDescriptor*;
using miopenPoolingDescriptor_t = miopenPoolingDescriptor*;
using miopenLRNDescriptor_t = miopenLRNDescriptor*;
using miopenActivationDescriptor_t = miopenActivationDescriptor*;
using miopenReduceTensorDescriptor_t = miopenReduceTensorDescriptor*;

namespace hipport::cpu::dnn {

template <typename Object>
miopenStatus_t create(Object** object) {
  if (object == nullptr) return miopenStatusBadParm;
  *object = new Object;
  return miopenStatusSuccess;
}
template <typename Object>
miopenStatus_t destroy(Object* object) {
  delete object;
  return miopenStatusSuccess;
}

// Run work in the order of the handle's stream.
template <typename Work>
miopenStatus_t submit(miopenHandle_t handle, Work work) {
  if (handle == nullptr) return miopenStatusNotInitialized;
  const hipError_t enqueued = enqueue(handle->stream, work, hipGraphNodeTypeKernel);
  return enqueued == hipSuccess ? miopenStatusSuccess : miopenStatusInternalError;
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreate(miopenHandle_t* handle) { return hipport::cpu::dnn::create(handle); }
inline miopenStatus_t miopenCreateWithStream(miopenHandle_t* handle, hipStream_t stream) {
  const miopenStatus_t status = miopenCreate(handle);
  if (status == miopenStatusSuccess) (*handle)->stream = stream;
  return status;
}
inline miopenStatus_t miopenDestroy(miopenHandle_t handle) { return hipport::cpu::dnn::destroy(handle); }
inline miopenStatus_t miopenSetStream(miopenHandle_t handle, hipStream_t stream) {
  if (handle == nullptr) return miopenStatusNotInitialized;
  handle->stream = stream;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetStream(miopenHandle_t handle, hipStream_t* stream) {
  if (handle == nullptr || stream == nullptr) return miopenStatusBadParm;
  *stream = handle->stream;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenEnableProfiling(miopenHandle_t, bool) { return miopenStatusSuccess; }
inline miopenStatus_t miopenGetKernelTime(miopenHandle_t, float* time) {
  *time = 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetVersion(size_t* major, size_t* minor, size_t* patch) {
  *major = 3;
  *minor = 4;
  *patch = 0;
  return miopenStatusSuccess;
}
inline const char* miopenGetErrorString(miopenStatus_t status) {
  switch (status) {
    case miopenStatusSuccess: return "miopenStatusSuccess";
    case miopenStatusNotInitialized: return "miopenStatusNotInitialized";
    case miopenStatusInvalidValue: return "miopenStatusInvalidValue";
    case miopenStatusBadParm: return "miopenStatusBadParm";
    case miopenStatusAllocFailed: return "miopenStatusAllocFailed";
    case miopenStatusInternalError: return "miopenStatusInternalError";
    case miopenStatusNotImplemented: return "miopenStatusNotImplemented";
    case miopenStatusUnsupportedOp: return "miopenStatusUnsupportedOp";
    default: return "miopenStatusUnknownError";
  }
}
