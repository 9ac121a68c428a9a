// SPDX-License-Identifier: MIT
// cuDNN's handle: MIOpen's, with memory for intermediate results. As in cuDNN, one thread uses a handle at a time.
#ifndef HIPPORT_COMPAT_CUDNN_HANDLE_H
#define HIPPORT_COMPAT_CUDNN_HANDLE_H

#include "base.h"

// Purposes of intermediate memory; one operation uses each at most once.
typedef enum {
  HIPPORT_DNN_WORKSPACE,
  HIPPORT_DNN_FIRST,
  HIPPORT_DNN_SECOND,
  HIPPORT_DNN_THIRD,
  HIPPORT_DNN_FOURTH,
  HIPPORT_DNN_FIFTH,
  HIPPORT_DNN_SLOTS
} hipport_dnn_slot;

struct cudnnContext {
  miopenHandle_t miopen;
  hipStream_t stream;
  void* memory[HIPPORT_DNN_SLOTS];
  size_t size[HIPPORT_DNN_SLOTS];
};

HIPPORT_DNN cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  cudnnStatus_t status;
  if (handle == NULL) return CUDNN_STATUS_BAD_PARAM;
  *handle = (cudnnHandle_t)calloc(1, sizeof(**handle));
  if (*handle == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  status = hipport_dnn_status(miopenCreate(&(*handle)->miopen));
  if (status != CUDNN_STATUS_SUCCESS) {
    free(*handle);
    *handle = NULL;
  }
  return status;
}

// Free the intermediate memory. hipFree waits for the work that uses it.
HIPPORT_DNN void hipport_dnn_release(cudnnHandle_t handle) {
  int i;
  for (i = 0; i < HIPPORT_DNN_SLOTS; ++i) {
    if (handle->memory[i] != NULL) (void)hipFree(handle->memory[i]);
    handle->memory[i] = NULL;
    handle->size[i] = 0;
  }
}

HIPPORT_DNN cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  cudnnStatus_t status;
  if (handle == NULL) return CUDNN_STATUS_NOT_INITIALIZED;
  hipport_dnn_release(handle);
  status = hipport_dnn_status(miopenDestroy(handle->miopen));
  free(handle);
  return status;
}

// Work on the old stream may still use the intermediate memory, so a new stream gets its own.
HIPPORT_DNN cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, hipStream_t stream) {
  if (handle == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (stream != handle->stream) hipport_dnn_release(handle);
  handle->stream = stream;
  return hipport_dnn_status(miopenSetStream(handle->miopen, stream));
}

HIPPORT_DNN cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, hipStream_t* stream) {
  if (handle == NULL || stream == NULL) return CUDNN_STATUS_BAD_PARAM;
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

// Return at least `size` bytes of device memory that stay valid until the next request for the same purpose.
HIPPORT_DNN cudnnStatus_t hipport_dnn_memory(cudnnHandle_t handle, hipport_dnn_slot slot, size_t size, void** memory) {
  if (handle->size[slot] < size) {
    if (handle->memory[slot] != NULL) (void)hipFree(handle->memory[slot]);
    handle->memory[slot] = NULL;
    handle->size[slot] = 0;
    if (hipMalloc(&handle->memory[slot], size) != hipSuccess) return CUDNN_STATUS_ALLOC_FAILED;
    handle->size[slot] = size;
  }
  *memory = handle->memory[slot];
  return CUDNN_STATUS_SUCCESS;
}

HIPPORT_DNN size_t cudnnGetVersion(void) { return CUDNN_VERSION; }

// CUDA's version of the runtime that cuDNN was built for; code compares it with CUDART_VERSION.
HIPPORT_DNN size_t cudnnGetCudartVersion(void) { return 12000; }

HIPPORT_DNN size_t cudnnGetMaxDeviceVersion(void) { return 900; }

HIPPORT_DNN cudnnStatus_t cudnnOpsInferVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
HIPPORT_DNN cudnnStatus_t cudnnOpsTrainVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
HIPPORT_DNN cudnnStatus_t cudnnCnnInferVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
HIPPORT_DNN cudnnStatus_t cudnnCnnTrainVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
HIPPORT_DNN cudnnStatus_t cudnnAdvInferVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
HIPPORT_DNN cudnnStatus_t cudnnAdvTrainVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }

#endif
