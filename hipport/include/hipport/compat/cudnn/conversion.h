// SPDX-License-Identifier: MIT
// Conversion of tensors to another element type, which MIOpen does not offer. It runs on the host: programs convert
// weights and inputs with it before they start.
#ifndef HIPPORT_COMPAT_CUDNN_CONVERSION_H
#define HIPPORT_COMPAT_CUDNN_CONVERSION_H

#include "operands.h"

// Return the value of a number in half precision.
HIPPORT_DNN double hipport_dnn_half_value(uint16_t bits) {
  const uint32_t exponent = bits >> 10 & 31u;
  uint32_t single = (uint32_t)(bits & 0x8000u) << 16 | (uint32_t)(bits & 0x3ffu) << 13;
  float value;
  if (exponent == 0) {  // zero or subnormal: a multiple of 2^-24
    value = (float)(bits & 0x3ffu) / 16777216.0f;
    return bits & 0x8000u ? -(double)value : (double)value;
  }
  single |= (exponent == 31 ? 255u : exponent + 112u) << 23;
  memcpy(&value, &single, sizeof(value));
  return (double)value;
}

HIPPORT_DNN double hipport_dnn_read(cudnnDataType_t type, const void* data, size_t i) {
  uint32_t bits;
  float single;
  switch (type) {
    case CUDNN_DATA_DOUBLE: return ((const double*)data)[i];
    case CUDNN_DATA_HALF: return hipport_dnn_half_value(((const uint16_t*)data)[i]);
    case CUDNN_DATA_BFLOAT16:
      bits = (uint32_t)((const uint16_t*)data)[i] << 16;
      memcpy(&single, &bits, sizeof(single));
      return (double)single;
    case CUDNN_DATA_INT32: return (double)((const int32_t*)data)[i];
    case CUDNN_DATA_INT8: return (double)((const int8_t*)data)[i];
    default: return (double)((const float*)data)[i];
  }
}

// Convert `count` elements in memory of the device.
HIPPORT_DNN cudnnStatus_t hipport_dnn_convert(cudnnHandle_t handle, size_t count, cudnnDataType_t from, const void* x,
                                              cudnnDataType_t to, void* y) {
  const size_t size = hipport_dnn_size(to);
  char *in = (char*)malloc(count * hipport_dnn_size(from)), *out = (char*)malloc(count * size);
  cudnnStatus_t status = in != NULL && out != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
  size_t i;
  if (status == CUDNN_STATUS_SUCCESS &&
      (hipStreamSynchronize(handle->stream) != hipSuccess ||
       hipMemcpy(in, x, count * hipport_dnn_size(from), hipMemcpyDeviceToHost) != hipSuccess))
    status = CUDNN_STATUS_EXECUTION_FAILED;
  for (i = 0; status == CUDNN_STATUS_SUCCESS && i < count; ++i) {
    const hipport_dnn_element element = hipport_dnn_as_element(to, hipport_dnn_read(from, in, i));
    memcpy(out + i * size, &element, size);
  }
  if (status == CUDNN_STATUS_SUCCESS && hipMemcpy(y, out, count * size, hipMemcpyHostToDevice) != hipSuccess)
    status = CUDNN_STATUS_EXECUTION_FAILED;
  free(in);
  free(out);
  return status;
}

// Compute y = alpha * x + beta * y for tensors of different types.
HIPPORT_DNN cudnnStatus_t hipport_dnn_transform_types(cudnnHandle_t handle, double alpha,
                                                      const struct cudnnTensorStruct* x_desc, const void* x,
                                                      double beta, const struct cudnnTensorStruct* y_desc, void* y) {
  hipport_dnn_operand in;
  void* converted;
  if (hipport_dnn_elements(x_desc) != hipport_dnn_elements(y_desc)) return CUDNN_STATUS_BAD_PARAM;
  HIPPORT_DNN_TRY(hipport_dnn_input(handle, x_desc, x, HIPPORT_DNN_FIRST, 0, &in));
  HIPPORT_DNN_TRY(hipport_dnn_memory(handle, HIPPORT_DNN_SECOND, hipport_dnn_packed_bytes(y_desc), &converted));
  HIPPORT_DNN_TRY(
      hipport_dnn_convert(handle, hipport_dnn_elements(x_desc), x_desc->type, in.data, y_desc->type, converted));
  return hipport_dnn_transform(handle, y_desc->type, alpha, y_desc->packed, converted, beta, y_desc->miopen, y);
}

#endif
