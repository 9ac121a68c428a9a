// SPDX-License-Identifier: MIT
// cuDNN's recurrent networks (the interface of version 8) on MIOpen's, which have it from ROCm 6.0 on.
#ifndef HIPPORT_COMPAT_CUDNN_RNN_H
#define HIPPORT_COMPAT_CUDNN_RNN_H

#include "dropout.h"

#if MIOPEN_VERSION_MAJOR >= 3

struct cudnnRNNStruct {
  miopenRNNDescriptor_t miopen;
  struct cudnnTensorStruct input;  // one item: MIOpen derives the shapes of the weights from it
  cudnnRNNAlgo_t algorithm;
  cudnnRNNMode_t mode;
  cudnnRNNBiasMode_t bias;
  cudnnDirectionMode_t direction;
  cudnnRNNInputMode_t input_mode;
  cudnnDataType_t type, precision;
  cudnnMathType_t math;
  int32_t input_size, hidden_size, projection_size, layers;
  cudnnDropoutDescriptor_t dropout;
  uint32_t flags;
};

struct cudnnRNNDataStruct {
  miopenSeqTensorDescriptor_t miopen;
  cudnnDataType_t type;
  cudnnRNNDataLayout_t layout;
  int steps, batch, vector;
  int* lengths;
  hipport_dnn_element padding;
};

HIPPORT_DNN cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* desc) {
  *desc = (cudnnRNNDescriptor_t)calloc(1, sizeof(**desc));
  if (*desc == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  HIPPORT_DNN_TRY(hipport_dnn_tensor_create(&(*desc)->input));
  return hipport_dnn_status(miopenCreateRNNDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t desc) {
  if (desc != NULL) {
    hipport_dnn_tensor_destroy(&desc->input);
    (void)miopenDestroyRNNDescriptor(desc->miopen);
  }
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

// Kinds of cells, directions and inputs have the same numbers in both libraries.
HIPPORT_DNN cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t desc, cudnnRNNAlgo_t algorithm,
                                                   cudnnRNNMode_t mode, cudnnRNNBiasMode_t bias,
                                                   cudnnDirectionMode_t direction, cudnnRNNInputMode_t input_mode,
                                                   cudnnDataType_t type, cudnnDataType_t precision,
                                                   cudnnMathType_t math, int32_t input_size, int32_t hidden_size,
                                                   int32_t projection_size, int32_t layers,
                                                   cudnnDropoutDescriptor_t dropout, uint32_t flags) {
  const int item[2] = {1, input_size}, strides[2] = {input_size, 1}, miopen_type = hipport_dnn_type(type);
  const miopenRNNBiasMode_t with_bias = bias == CUDNN_RNN_NO_BIAS ? miopenRNNNoBias : miopenRNNwithBias;
  if (desc == NULL || input_size < 1 || hidden_size < 1 || layers < 1) return CUDNN_STATUS_BAD_PARAM;
  if (projection_size != 0 && projection_size != hidden_size) return CUDNN_STATUS_NOT_SUPPORTED;
  // With a bias MIOpen has two of them, as cuDNN has by default.
  if (bias == CUDNN_RNN_SINGLE_INP_BIAS || bias == CUDNN_RNN_SINGLE_REC_BIAS) return CUDNN_STATUS_NOT_SUPPORTED;
  if (miopen_type < 0) return CUDNN_STATUS_NOT_SUPPORTED;
  desc->algorithm = algorithm;
  desc->mode = mode;
  desc->bias = bias;
  desc->direction = direction;
  desc->input_mode = input_mode;
  desc->type = type;
  desc->precision = precision;
  desc->math = math;
  desc->input_size = input_size;
  desc->hidden_size = hidden_size;
  desc->projection_size = projection_size;
  desc->layers = layers;
  desc->dropout = dropout;
  desc->flags = flags;
  HIPPORT_DNN_TRY(hipport_dnn_tensor_set(&desc->input, type, 2, item, strides));
  if (dropout != NULL && dropout->rate > 0.0f && layers > 1)
    return hipport_dnn_status(miopenSetRNNDescriptor_V2(desc->miopen, hidden_size, layers, dropout->miopen,
                                                        (miopenRNNInputMode_t)input_mode,
                                                        (miopenRNNDirectionMode_t)direction, (miopenRNNMode_t)mode,
                                                        with_bias, miopenRNNdefault, (miopenDataType_t)miopen_type));
  return hipport_dnn_status(miopenSetRNNDescriptor(desc->miopen, hidden_size, layers, (miopenRNNInputMode_t)input_mode,
                                                   (miopenRNNDirectionMode_t)direction, (miopenRNNMode_t)mode,
                                                   with_bias, miopenRNNdefault, (miopenDataType_t)miopen_type));
}

HIPPORT_DNN cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t desc, cudnnRNNAlgo_t* algorithm,
                                                   cudnnRNNMode_t* mode, cudnnRNNBiasMode_t* bias,
                                                   cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* input_mode,
                                                   cudnnDataType_t* type, cudnnDataType_t* precision,
                                                   cudnnMathType_t* math, int32_t* input_size, int32_t* hidden_size,
                                                   int32_t* projection_size, int32_t* layers,
                                                   cudnnDropoutDescriptor_t* dropout, uint32_t* flags) {
  if (desc == NULL || desc->layers < 1) return CUDNN_STATUS_BAD_PARAM;
  *algorithm = desc->algorithm;
  *mode = desc->mode;
  *bias = desc->bias;
  *direction = desc->direction;
  *input_mode = desc->input_mode;
  *type = desc->type;
  *precision = desc->precision;
  *math = desc->math;
  *input_size = desc->input_size;
  *hidden_size = desc->hidden_size;
  *projection_size = desc->projection_size;
  *layers = desc->layers;
  *dropout = desc->dropout;
  *flags = desc->flags;
  return CUDNN_STATUS_SUCCESS;
}

// MIOpen's own choice of an algorithm serves for each of cuDNN's: there is nothing to build.
HIPPORT_DNN cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t desc, int batch) {
  return handle == NULL || desc == NULL || batch < 1 ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t desc, size_t* size) {
  return hipport_dnn_status(miopenGetRNNParamsSize(handle->miopen, desc->miopen, desc->input.miopen, size,
                                                   (miopenDataType_t)hipport_dnn_type(desc->type)));
}

// Return MIOpen's number of a weight matrix or bias: it has the gates of LSTM and GRU in another order.
HIPPORT_DNN int hipport_dnn_gate(cudnnRNNMode_t mode, int32_t id) {
  static const int lstm[] = {0, 1, 3, 2, 4, 5, 7, 6}, gru[] = {1, 0, 2, 4, 3, 5};
  if (mode == CUDNN_LSTM) return id >= 0 && id < 8 ? lstm[id] : -1;
  if (mode == CUDNN_GRU) return id >= 0 && id < 6 ? gru[id] : -1;
  return id >= 0 && id < 2 ? id : -1;
}

// Find a weight matrix and a bias in the weights, as MIOpen lays them out.
HIPPORT_DNN cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t desc, int32_t layer,
                                                  size_t size, const void* weights, int32_t id,
                                                  cudnnTensorDescriptor_t matrix, void** matrix_address,
                                                  cudnnTensorDescriptor_t bias, void** bias_address) {
  const size_t element = hipport_dnn_size(desc->type);
  const int gate = hipport_dnn_gate(desc->mode, id);
  const int gates = desc->mode == CUDNN_LSTM ? 4 : desc->mode == CUDNN_GRU ? 3 : 1;
  const int directions = desc->direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
  const int is_first = layer < directions, is_input = id < gates;
  const int columns = !is_input ? desc->hidden_size : is_first ? desc->input_size : desc->hidden_size * directions;
  const int dims[3] = {1, desc->hidden_size, columns}, bias_dims[3] = {1, desc->hidden_size, 1};
  struct cudnnTensorStruct found;
  size_t offset = 0;
  cudnnStatus_t status;
  (void)handle;
  (void)size;
  if (gate < 0) return CUDNN_STATUS_BAD_PARAM;
  memset(&found, 0, sizeof(found));
  HIPPORT_DNN_TRY(hipport_dnn_tensor_create(&found));
  *matrix_address = *bias_address = NULL;
  status = CUDNN_STATUS_SUCCESS;
  if (!(is_input && is_first && desc->input_mode == CUDNN_SKIP_INPUT)) {
    status = hipport_dnn_status(
        miopenGetRNNLayerParamOffset(desc->miopen, layer, desc->input.miopen, gate, found.miopen, &offset));
    *matrix_address = (char*)weights + offset * element;
    if (status == CUDNN_STATUS_SUCCESS)
      status = cudnnSetTensorNdDescriptorEx(matrix, CUDNN_TENSOR_NCHW, desc->type, 3, dims);
  }
  if (status == CUDNN_STATUS_SUCCESS && desc->bias != CUDNN_RNN_NO_BIAS) {
    status = hipport_dnn_status(
        miopenGetRNNLayerBiasOffset(desc->miopen, layer, desc->input.miopen, gate, found.packed, &offset));
    *bias_address = (char*)weights + offset * element;
    if (status == CUDNN_STATUS_SUCCESS)
      status = cudnnSetTensorNdDescriptorEx(bias, CUDNN_TENSOR_NCHW, desc->type, 3, bias_dims);
  }
  hipport_dnn_tensor_destroy(&found);
  return status;
}

HIPPORT_DNN cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* desc) {
  *desc = (cudnnRNNDataDescriptor_t)calloc(1, sizeof(**desc));
  if (*desc == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  return hipport_dnn_status(miopenCreateSeqTensorDescriptor(&(*desc)->miopen));
}

HIPPORT_DNN cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t desc) {
  if (desc != NULL) {
    (void)miopenDestroySeqTensorDescriptor(desc->miopen);
    free(desc->lengths);
  }
  free(desc);
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t desc, cudnnDataType_t type,
                                                    cudnnRNNDataLayout_t layout, int steps, int batch, int vector,
                                                    const int* lengths, void* padding) {
  const miopenRNNBaseLayout_t kind = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED ? miopenRNNDataSeqMajorPadded
                                     : layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED ? miopenRNNDataSeqMajorNotPadded
                                                                                        : miopenRNNDataBatchMajorPadded;
  const int miopen_type = hipport_dnn_type(type);
  int* const copy = (int*)malloc(sizeof(int) * (size_t)(batch > 0 ? batch : 1));
  if (copy == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  if (desc == NULL || lengths == NULL || batch < 1 || steps < 1 || miopen_type < 0) {
    free(copy);
    return CUDNN_STATUS_BAD_PARAM;
  }
  memcpy(copy, lengths, sizeof(int) * (size_t)batch);
  free(desc->lengths);
  desc->lengths = copy;
  desc->type = type;
  desc->layout = layout;
  desc->steps = steps;
  desc->batch = batch;
  desc->vector = vector;
  memset(&desc->padding, 0, sizeof(desc->padding));
  if (padding != NULL) memcpy(&desc->padding, padding, hipport_dnn_size(type));
  return hipport_dnn_status(miopenSetRNNDataSeqTensorDescriptor(desc->miopen, (miopenDataType_t)miopen_type, kind,
                                                                steps, batch, vector, copy, padding));
}

HIPPORT_DNN cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t desc, cudnnDataType_t* type,
                                                    cudnnRNNDataLayout_t* layout, int* steps, int* batch, int* vector,
                                                    int requested, int lengths[], void* padding) {
  const int count = desc == NULL || requested < desc->batch ? requested : desc->batch;
  if (desc == NULL || desc->lengths == NULL || requested < 0) return CUDNN_STATUS_BAD_PARAM;
  *type = desc->type;
  *layout = desc->layout;
  *steps = desc->steps;
  *batch = desc->batch;
  *vector = desc->vector;
  if (lengths != NULL) memcpy(lengths, desc->lengths, sizeof(int) * (size_t)count);
  if (padding != NULL) memcpy(padding, &desc->padding, hipport_dnn_size(desc->type));
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN miopenRNNFWDMode_t hipport_dnn_forward_mode(cudnnForwardMode_t mode) {
  return mode == CUDNN_FWD_MODE_TRAINING ? miopenRNNTraining : miopenRNNInference;
}

HIPPORT_DNN cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t desc,
                                                    cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                                    size_t* workspace_size, size_t* reserve_size) {
  size_t workspace = 0, reserve = 0;
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenGetRNNTempSpaceSizes(handle->miopen, desc->miopen, x->miopen,
                                                                hipport_dnn_forward_mode(mode), &workspace, &reserve)));
  if (workspace_size != NULL) *workspace_size = workspace;
  if (reserve_size != NULL) *reserve_size = reserve;
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN miopenTensorDescriptor_t hipport_dnn_state(cudnnTensorDescriptor_t desc) {
  return desc == NULL ? NULL : desc->miopen;
}

// The lengths on the device are not read: those of the data descriptors are the same.
HIPPORT_DNN cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t desc, cudnnForwardMode_t mode,
                                          const int32_t* device_lengths, cudnnRNNDataDescriptor_t x_desc, const void* x,
                                          cudnnRNNDataDescriptor_t y_desc, void* y, cudnnTensorDescriptor_t h_desc,
                                          const void* hx, void* hy, cudnnTensorDescriptor_t c_desc, const void* cx,
                                          void* cy, size_t weight_size, const void* weights, size_t workspace_size,
                                          void* workspace, size_t reserve_size, void* reserve) {
  const miopenTensorDescriptor_t h = hipport_dnn_state(h_desc), c = hipport_dnn_state(c_desc);
  (void)device_lengths;
  return hipport_dnn_status(miopenRNNForward(handle->miopen, desc->miopen, hipport_dnn_forward_mode(mode),
                                             x_desc->miopen, x, h, hx, hy, c == NULL ? h : c, cx, cy, y_desc->miopen, y,
                                             weights, weight_size, workspace, workspace_size, reserve, reserve_size));
}

HIPPORT_DNN cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t desc,
                                                  const int32_t* device_lengths, cudnnRNNDataDescriptor_t y_desc,
                                                  const void* y, const void* dy, cudnnRNNDataDescriptor_t x_desc,
                                                  void* dx, cudnnTensorDescriptor_t h_desc, const void* hx,
                                                  const void* dhy, void* dhx, cudnnTensorDescriptor_t c_desc,
                                                  const void* cx, const void* dcy, void* dcx, size_t weight_size,
                                                  const void* weights, size_t workspace_size, void* workspace,
                                                  size_t reserve_size, void* reserve) {
  const miopenTensorDescriptor_t h = hipport_dnn_state(h_desc), c = hipport_dnn_state(c_desc);
  (void)device_lengths;
  return hipport_dnn_status(miopenRNNBackwardSeqData(handle->miopen, desc->miopen, y_desc->miopen, y, dy, h, hx, dhy,
                                                     dhx, c == NULL ? h : c, cx, dcy, dcx, x_desc->miopen, dx, weights,
                                                     weight_size, workspace, workspace_size, reserve, reserve_size));
}

// MIOpen overwrites the gradients, cuDNN adds to them.
HIPPORT_DNN cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t desc,
                                                     cudnnWgradMode_t mode, const int32_t* device_lengths,
                                                     cudnnRNNDataDescriptor_t x_desc, const void* x,
                                                     cudnnTensorDescriptor_t h_desc, const void* hx,
                                                     cudnnRNNDataDescriptor_t y_desc, const void* y, size_t weight_size,
                                                     void* gradient, size_t workspace_size, void* workspace,
                                                     size_t reserve_size, void* reserve) {
  const int count = (int)(weight_size / hipport_dnn_size(desc->type)), stride = 1;
  struct cudnnTensorStruct all;
  cudnnStatus_t status;
  void* latest;
  (void)device_lengths;
  memset(&all, 0, sizeof(all));
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_FIRST, weight_size, &latest));
  HIPPORT_DNN_TRY(hipport_dnn_status(miopenRNNBackwardWeightsSeqTensor(
      handle->miopen, desc->miopen, x_desc->miopen, x, hipport_dnn_state(h_desc), hx, y_desc->miopen, y, latest,
      weight_size, workspace, workspace_size, reserve, reserve_size)));
  HIPPORT_DNN_TRY(hipport_dnn_tensor_create(&all));
  status = hipport_dnn_tensor_set(&all, desc->type, 1, &count, &stride);
  if (status == CUDNN_STATUS_SUCCESS)
    status = hipport_dnn_transform(handle, desc->type, 1.0, all.miopen, latest,
                                   mode == CUDNN_WGRAD_MODE_ADD ? 1.0 : 0.0, all.miopen, gradient);
  hipport_dnn_tensor_destroy(&all);
  return status;
}

#endif

#endif
