// SPDX-License-Identifier: MIT
// Definitions shared by the headers in this folder: element types, status codes and scalars. C and C++.
#ifndef HIPPORT_COMPAT_CUDNN_BASE_H
#define HIPPORT_COMPAT_CUDNN_BASE_H

#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"

#define HIPPORT_DNN static inline

HIPPORT_DNN cudnnStatus_t hipport_dnn_status(miopenStatus_t status) {
  switch (status) {
    case miopenStatusSuccess: return CUDNN_STATUS_SUCCESS;
    case miopenStatusNotInitialized: return CUDNN_STATUS_NOT_INITIALIZED;
    case miopenStatusInvalidValue: return CUDNN_STATUS_INVALID_VALUE;
    case miopenStatusBadParm: return CUDNN_STATUS_BAD_PARAM;
    case miopenStatusAllocFailed: return CUDNN_STATUS_ALLOC_FAILED;
    case miopenStatusNotImplemented: return CUDNN_STATUS_NOT_SUPPORTED;
    case miopenStatusUnsupportedOp: return CUDNN_STATUS_NOT_SUPPORTED;
    case miopenStatusInternalError: return CUDNN_STATUS_INTERNAL_ERROR;
    default: return CUDNN_STATUS_EXECUTION_FAILED;
  }
}

HIPPORT_DNN const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_ALLOC_FAILED: return "CUDNN_STATUS_ALLOC_FAILED";
    case CUDNN_STATUS_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_INTERNAL_ERROR: return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_INVALID_VALUE: return "CUDNN_STATUS_INVALID_VALUE";
    case CUDNN_STATUS_ARCH_MISMATCH: return "CUDNN_STATUS_ARCH_MISMATCH";
    case CUDNN_STATUS_MAPPING_ERROR: return "CUDNN_STATUS_MAPPING_ERROR";
    case CUDNN_STATUS_EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
    case CUDNN_STATUS_NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_LICENSE_ERROR: return "CUDNN_STATUS_LICENSE_ERROR";
    default: return "CUDNN_STATUS_UNKNOWN";
  }
}

// Return MIOpen's name of an element type; -1 if it has none.
HIPPORT_DNN int hipport_dnn_type(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_FLOAT: return miopenFloat;
    case CUDNN_DATA_DOUBLE: return miopenDouble;
    case CUDNN_DATA_HALF: return miopenHalf;
    case CUDNN_DATA_INT8: return miopenInt8;
    case CUDNN_DATA_INT32: return miopenInt32;
    case CUDNN_DATA_BFLOAT16: return miopenBFloat16;
    default: return -1;
  }
}

HIPPORT_DNN size_t hipport_dnn_size(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE: return 8;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16: return 2;
    case CUDNN_DATA_INT8: return 1;
    default: return 4;
  }
}

// Return a scaling factor: cuDNN reads a double for double tensors, a float for all others.
HIPPORT_DNN double hipport_dnn_scalar(cudnnDataType_t type, const void* value) {
  return type == CUDNN_DATA_DOUBLE ? *(const double*)value : (double)*(const float*)value;
}

// Return the bits of a number in half precision, rounded to nearest even.
HIPPORT_DNN uint16_t hipport_dnn_half(float value) {
  uint32_t bits, sign, rest, shift, mantissa;
  memcpy(&bits, &value, sizeof(bits));
  sign = bits >> 16 & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
  if (bits >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (bits < 0x33000000u) return (uint16_t)sign;
  shift = bits < 0x38800000u ? 126u - (bits >> 23) : 13u;
  mantissa = bits < 0x38800000u ? (bits & 0x7fffffu) | 0x800000u : bits - 0x38000000u;
  rest = mantissa & ((1u << shift) - 1u);
  mantissa >>= shift;
  if (rest > 1u << (shift - 1u) || (rest == 1u << (shift - 1u) && (mantissa & 1u))) ++mantissa;
  return (uint16_t)(sign | mantissa);
}

// A number as an element of a tensor: MIOpen reads the factors of some functions with the tensor's type.
typedef union {
  double real64;
  float real32;
  uint16_t bits16;
  int32_t integer32;
  int8_t integer8;
} hipport_dnn_element;

HIPPORT_DNN hipport_dnn_element hipport_dnn_as_element(cudnnDataType_t type, double value) {
  hipport_dnn_element element;
  const float single = (float)value;
  uint32_t bits;
  memset(&element, 0, sizeof(element));
  memcpy(&bits, &single, sizeof(bits));
  switch (type) {
    case CUDNN_DATA_DOUBLE: element.real64 = value; break;
    case CUDNN_DATA_HALF: element.bits16 = hipport_dnn_half(single); break;
    case CUDNN_DATA_BFLOAT16: element.bits16 = (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16); break;
    case CUDNN_DATA_INT32: element.integer32 = (int32_t)value; break;
    case CUDNN_DATA_INT8: element.integer8 = (int8_t)value; break;
    default: element.real32 = single;
  }
  return element;
}

#endif
