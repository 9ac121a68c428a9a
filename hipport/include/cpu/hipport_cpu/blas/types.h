// SPDX-License-Identifier: MIT
// hipBLAS: types, handles, and copies of vectors and matrices between host and device.
#pragma once

#include "../../hip/hip_runtime_api.h"

#include "../../hip/hip_complex.h"
#include "../half_functions.h"
#include "enums.h"

enum hipblasStatus_t {
  HIPBLAS_STATUS_SUCCESS = 0,
  HIPBLAS_STATUS_NOT_INITIALIZED = 1,
  HIPBLAS_STATUS_ALLOC_FAILED = 2,
  HIPBLAS_STATUS_INVALID_VALUE = 3,
  HIPBLAS_STATUS_MAPPING_ERROR = 4,
  HIPBLAS_STATUS_EXECUTION_FAILED = 5,
  HIPBLAS_STATUS_INTERNAL_ERROR = 6,
  HIPBLAS_STATUS_NOT_SUPPORTED = 7,
  HIPBLAS_STATUS_ARCH_MISMATCH = 8,
  HIPBLAS_STATUS_HANDLE_IS_NULLPTR = 9,
  HIPBLAS_STATUS_INVALID_ENUM = 10,
  HIPBLAS_STATUS_UNKNOWN = 11
};
enum hipblasPointerMode_t { HIPBLAS_POINTER_MODE_HOST, HIPBLAS_POINTER_MODE_DEVICE };
enum hipblasAtomicsMode_t { HIPBLAS_ATOMICS_NOT_ALLOWED = 0, HIPBLAS_ATOMICS_ALLOWED = 1 };
enum hipblasMath_t {
  HIPBLAS_DEFAULT_MATH,
  HIPBLAS_XF32_XDL_MATH,
  HIPBLAS_PEDANTIC_MATH,
  HIPBLAS_TF32_TENSOR_OP_MATH,
  HIPBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION,
  HIPBLAS_TENSOR_OP_MATH
};
enum hipblasGemmAlgo_t { HIPBLAS_GEMM_DEFAULT = 160 };
enum hipblasComputeType_t {
  HIPBLAS_COMPUTE_16F = 0,
  HIPBLAS_COMPUTE_16F_PEDANTIC = 1,
  HIPBLAS_COMPUTE_32F = 2,
  HIPBLAS_COMPUTE_32F_PEDANTIC = 3,
  HIPBLAS_COMPUTE_32F_FAST_16F = 4,
  HIPBLAS_COMPUTE_32F_FAST_16BF = 5,
  HIPBLAS_COMPUTE_32F_FAST_TF32 = 6,
  HIPBLAS_COMPUTE_64F = 7,
  HIPBLAS_COMPUTE_64F_PEDANTIC = 8,
  HIPBLAS_COMPUTE_32I = 9,
  HIPBLAS_COMPUTE_32I_PEDANTIC = 10
};

struct ihipblasHandle {
  hipStream_t stream = nullptr;
  hipblasPointerMode_t pointer_mode = HIPBLAS_POINTER_MODE_HOST;
  hipblasAtomicsMode_t atomics = HIPBLAS_ATOMICS_ALLOWED;
  hipblasMath_t math = HIPBLAS_DEFAULT_MATH;
};
using hipblasHandle_t = ihipblasHandle*;
using hipblasHalf = uint16_t;
using hipblasBfloat16 = __hip_bfloat16;
using hipblasComplex = hipFloatComplex;
using hipblasDoubleComplex = hipDoubleComplex;
using hipblasStride = int64_t;
using hipblasInt8 = int8_t;

namespace hipport::cpu::blas {

// Convert HIP's status to hipBLAS's.
inline hipblasStatus_t as_status(hipError_t error) {
  return error == hipSuccess ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_MAPPING_ERROR;
}

// Copy `count` elements with strides `from_step` and `to_step`, in elements.
inline hipblasStatus_t copy_vector(int count, int size, const void* from, int from_step, void* to, int to_step,
                                   hipStream_t stream) {
  if (count < 0 || size <= 0 || from_step <= 0 || to_step <= 0) return HIPBLAS_STATUS_INVALID_VALUE;
  const size_t bytes = static_cast<size_t>(size);
  return as_status(copy_rows(stream, to, bytes * static_cast<size_t>(to_step), from,
                             bytes * static_cast<size_t>(from_step), bytes, static_cast<size_t>(count)));
}

// Copy a matrix column by column.
inline hipblasStatus_t copy_matrix(int rows, int columns, int size, const void* from, int from_lead, void* to,
                                   int to_lead, hipStream_t stream) {
  if (rows < 0 || columns < 0 || size <= 0 || from_lead < rows || to_lead < rows) return HIPBLAS_STATUS_INVALID_VALUE;
  const size_t bytes = static_cast<size_t>(size);
  return as_status(copy_rows(stream, to, bytes * static_cast<size_t>(to_lead), from,
                             bytes * static_cast<size_t>(from_lead), bytes * static_cast<size_t>(rows),
                             static_cast<size_t>(columns)));
}

}  // namespace hipport::cpu::blas

inline const char* hipblasStatusToString(hipblasStatus_t status) {
  static const char* const names[] = {"SUCCESS",       "NOT_INITIALIZED",   "ALLOC_FAILED",   "INVALID_VALUE",
                                      "MAPPING_ERROR", "EXECUTION_FAILED",  "INTERNAL_ERROR", "NOT_SUPPORTED",
                                      "ARCH_MISMATCH", "HANDLE_IS_NULLPTR", "INVALID_ENUM",   "UNKNOWN"};
  static thread_local char text[64];
  std::snprintf(text, sizeof(text), "HIPBLAS_STATUS_%s", names[status <= HIPBLAS_STATUS_UNKNOWN ? status : 11]);
  return text;
}
inline hipblasStatus_t hipblasCreate(hipblasHandle_t* handle) {
  if (handle == nullptr) return HIPBLAS_STATUS_HANDLE_IS_NULLPTR;
  *handle = new ihipblasHandle;
  return HIPBLAS_STATUS_SUCCESS;
}
inline hipblasStatus_t hipblasDestroy(hipblasHandle_t handle) {
  if (handle == nullptr) return HIPBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return HIPBLAS_STATUS_SUCCESS;
}

// Define hipblasSet<Name> and hipblasGet<Name> for a member of the handle.
#define HIPPORT_BLAS_MEMBER(Name, Type, member)                                  \
  inline hipblasStatus_t hipblasSet##Name(hipblasHandle_t handle, Type value) {  \
    if (handle == nullptr) return HIPBLAS_STATUS_NOT_INITIALIZED;                \
    handle->member = value;                                                      \
    return HIPBLAS_STATUS_SUCCESS;                                               \
  }                                                                              \
  inline hipblasStatus_t hipblasGet##Name(hipblasHandle_t handle, Type* value) { \
    if (handle == nullptr) return HIPBLAS_STATUS_NOT_INITIALIZED;                \
    if (value == nullptr) return HIPBLAS_STATUS_INVALID_VALUE;                   \
    *value = handle->member;                                                     \
    return HIPBLAS_STATUS_SUCCESS;                                               \
  }
HIPPORT_BLAS_MEMBER(Stream, hipStream_t, stream)
HIPPORT_BLAS_MEMBER(PointerMode, hipblasPointerMode_t, pointer_mode)
HIPPORT_BLAS_MEMBER(AtomicsMode, hipblasAtomicsMode_t, atomics)
HIPPORT_BLAS_MEMBER(MathMode, hipblasMath_t, math)
#undef HIPPORT_BLAS_MEMBER

// Memory for products, of which none is needed here.
inline hipblasStatus_t hipblasSetWorkspace(hipblasHandle_t handle, void*, size_t) {
  return handle == nullptr ? HIPBLAS_STATUS_NOT_INITIALIZED : HIPBLAS_STATUS_SUCCESS;
}

// Host and device share memory: "set" and "get" are the same copies.
#define HIPPORT_BLAS_COPIES(Verb)                                                                                     \
  inline hipblasStatus_t hipblas##Verb##VectorAsync(int count, int size, const void* from, int from_step, void* to,   \
                                                    int to_step, hipStream_t stream) {                                \
    return hipport::cpu::blas::copy_vector(count, size, from, from_step, to, to_step, stream);                        \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##Verb##Vector(int count, int size, const void* from, int from_step, void* to,        \
                                               int to_step) {                                                         \
    return hipport::cpu::blas::copy_vector(count, size, from, from_step, to, to_step, nullptr);                       \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##Verb##MatrixAsync(int rows, int columns, int size, const void* from, int from_lead, \
                                                    void* to, int to_lead, hipStream_t stream) {                      \
    return hipport::cpu::blas::copy_matrix(rows, columns, size, from, from_lead, to, to_lead, stream);                \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##Verb##Matrix(int rows, int columns, int size, const void* from, int from_lead,      \
                                               void* to, int to_lead) {                                               \
    return hipport::cpu::blas::copy_matrix(rows, columns, size, from, from_lead, to, to_lead, nullptr);               \
  }
HIPPORT_BLAS_COPIES(Set)
HIPPORT_BLAS_COPIES(Get)
#undef HIPPORT_BLAS_COPIES
