// SPDX-License-Identifier: MIT
// `cublas_v2.h` for hipBLAS before ROCm 6.0, which has its own types for complex numbers, half numbers and element
// types. Here these are HIP's types, as cuBLAS uses CUDA's. Also cuBLAS's math modes, which hipBLAS has since 6.1.
#ifndef HIPPORT_COMPAT_BLAS_H
#define HIPPORT_COMPAT_BLAS_H

#include <hip/hip_complex.h>

// From ROCm 6.0 on there are functions for both kinds of complex numbers.
#if defined(HIP_VERSION_MAJOR) && HIP_VERSION_MAJOR < 6 && !defined(ROCM_MATHLIBS_API_USE_HIP_COMPLEX)
#define ROCM_MATHLIBS_API_USE_HIP_COMPLEX
#endif

#include <hipblas/hipblas.h>

#if !defined(__cplusplus) && defined(HIP_VERSION_MAJOR) && HIP_VERSION_MAJOR < 6
// C would silently convert HIP's element types to hipBLAS's, whose numbers mean other types: forbid these functions.
#pragma GCC poison hipblasAxpyEx hipblasDotEx hipblasDotcEx hipblasGemmBatchedEx hipblasGemmEx
#pragma GCC poison hipblasGemmStridedBatchedEx hipblasNrm2Ex hipblasRotEx hipblasScalEx
#endif

#ifdef __cplusplus

#include <hip/hip_fp16.h>
#include <hip/library_types.h>

#include "blas_half.h"
#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && HIPPORT_COMPAT_HIP_BEFORE(6, 0)

enum hipblasComputeType_t {
  HIPBLAS_COMPUTE_16F,
  HIPBLAS_COMPUTE_16F_PEDANTIC,
  HIPBLAS_COMPUTE_32F,
  HIPBLAS_COMPUTE_32F_PEDANTIC,
  HIPBLAS_COMPUTE_32F_FAST_16F,
  HIPBLAS_COMPUTE_32F_FAST_16BF,
  HIPBLAS_COMPUTE_32F_FAST_TF32,
  HIPBLAS_COMPUTE_64F,
  HIPBLAS_COMPUTE_64F_PEDANTIC,
  HIPBLAS_COMPUTE_32I,
  HIPBLAS_COMPUTE_32I_PEDANTIC
};

namespace hipport {
namespace compat {

// Return hipBLAS's name of an element type.
inline hipblasDatatype_t blas_type(hipDataType type) {
  switch (type) {
    case HIP_R_16F: return HIPBLAS_R_16F;
    case HIP_R_64F: return HIPBLAS_R_64F;
    case HIP_C_16F: return HIPBLAS_C_16F;
    case HIP_C_32F: return HIPBLAS_C_32F;
    case HIP_C_64F: return HIPBLAS_C_64F;
#if !HIPPORT_COMPAT_HIP_BEFORE(5, 7)
    case HIP_R_8I: return HIPBLAS_R_8I;
    case HIP_R_32I: return HIPBLAS_R_32I;
    case HIP_R_16BF: return HIPBLAS_R_16B;
#endif
    default: return HIPBLAS_R_32F;
  }
}
inline hipblasDatatype_t blas_type(hipblasDatatype_t type) { return type; }

inline bool is_complex(hipblasDatatype_t type) {
  return type == HIPBLAS_C_16F || type == HIPBLAS_C_32F || type == HIPBLAS_C_64F;
}

// Return the compute type for a result type: hipBLAS wants a complex one for complex numbers.
template <typename Type>
hipblasDatatype_t blas_compute(Type type, hipblasDatatype_t) {
  return blas_type(type);
}
inline hipblasDatatype_t blas_compute(hipblasComputeType_t type, hipblasDatatype_t result) {
  const bool complex = is_complex(result);
  switch (type) {
    case HIPBLAS_COMPUTE_16F:
    case HIPBLAS_COMPUTE_16F_PEDANTIC: return complex ? HIPBLAS_C_16F : HIPBLAS_R_16F;
    case HIPBLAS_COMPUTE_64F:
    case HIPBLAS_COMPUTE_64F_PEDANTIC: return complex ? HIPBLAS_C_64F : HIPBLAS_R_64F;
    case HIPBLAS_COMPUTE_32I:
    case HIPBLAS_COMPUTE_32I_PEDANTIC: return HIPBLAS_R_32I;
    default: return complex ? HIPBLAS_C_32F : HIPBLAS_R_32F;
  }
}

}  // namespace compat
}  // namespace hipport

template <typename A, typename B, typename C, typename Compute>
inline hipblasStatus_t hipblasGemmEx(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                     int m, int n, int k, const void* alpha, const void* a, A a_type, int lda,
                                     const void* b, B b_type, int ldb, const void* beta, void* c, C c_type, int ldc,
                                     Compute compute, hipblasGemmAlgo_t algorithm) {
  using namespace hipport::compat;
  const hipblasDatatype_t type = blas_type(c_type);
  return hipblasGemmEx(handle, transa, transb, m, n, k, alpha, a, blas_type(a_type), lda, b, blas_type(b_type), ldb,
                       beta, c, type, ldc, blas_compute(compute, type), algorithm);
}

template <typename A, typename B, typename C, typename Compute>
inline hipblasStatus_t hipblasGemmBatchedEx(hipblasHandle_t handle, hipblasOperation_t transa,
                                            hipblasOperation_t transb, int m, int n, int k, const void* alpha,
                                            const void* const* a, A a_type, int lda, const void* const* b, B b_type,
                                            int ldb, const void* beta, void* const* c, C c_type, int ldc, int count,
                                            Compute compute, hipblasGemmAlgo_t algorithm) {
  using namespace hipport::compat;
  const hipblasDatatype_t type = blas_type(c_type);
  return hipblasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, const_cast<const void**>(a), blas_type(a_type),
                              lda, const_cast<const void**>(b), blas_type(b_type), ldb, beta, const_cast<void**>(c),
                              type, ldc, count, blas_compute(compute, type), algorithm);
}

// The strides must have hipBLAS's own type: with another type, the call inside would select this template again.
template <typename A, typename B, typename C, typename Compute>
inline hipblasStatus_t hipblasGemmStridedBatchedEx(hipblasHandle_t handle, hipblasOperation_t transa,
                                                   hipblasOperation_t transb, int m, int n, int k, const void* alpha,
                                                   const void* a, A a_type, int lda, hipblasStride stride_a,
                                                   const void* b, B b_type, int ldb, hipblasStride stride_b,
                                                   const void* beta, void* c, C c_type, int ldc, hipblasStride stride_c,
                                                   int count, Compute compute, hipblasGemmAlgo_t algorithm) {
  using namespace hipport::compat;
  const hipblasDatatype_t type = blas_type(c_type);
  return hipblasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, blas_type(a_type), lda, stride_a, b,
                                     blas_type(b_type), ldb, stride_b, beta, c, type, ldc, stride_c, count,
                                     blas_compute(compute, type), algorithm);
}

inline hipblasStatus_t hipblasAxpyEx(hipblasHandle_t handle, int n, const void* alpha, hipDataType alpha_type,
                                     const void* x, hipDataType x_type, int incx, void* y, hipDataType y_type, int incy,
                                     hipDataType execution) {
  using hipport::compat::blas_type;
  return hipblasAxpyEx(handle, n, alpha, blas_type(alpha_type), x, blas_type(x_type), incx, y, blas_type(y_type), incy,
                       blas_type(execution));
}

inline hipblasStatus_t hipblasDotEx(hipblasHandle_t handle, int n, const void* x, hipDataType x_type, int incx,
                                    const void* y, hipDataType y_type, int incy, void* result, hipDataType result_type,
                                    hipDataType execution) {
  using hipport::compat::blas_type;
  return hipblasDotEx(handle, n, x, blas_type(x_type), incx, y, blas_type(y_type), incy, result, blas_type(result_type),
                      blas_type(execution));
}

inline hipblasStatus_t hipblasNrm2Ex(hipblasHandle_t handle, int n, const void* x, hipDataType x_type, int incx,
                                     void* result, hipDataType result_type, hipDataType execution) {
  using hipport::compat::blas_type;
  return hipblasNrm2Ex(handle, n, x, blas_type(x_type), incx, result, blas_type(result_type), blas_type(execution));
}

inline hipblasStatus_t hipblasScalEx(hipblasHandle_t handle, int n, const void* alpha, hipDataType alpha_type, void* x,
                                     hipDataType x_type, int incx, hipDataType execution) {
  using hipport::compat::blas_type;
  return hipblasScalEx(handle, n, alpha, blas_type(alpha_type), x, blas_type(x_type), incx, blas_type(execution));
}

inline hipblasStatus_t hipblasDotcEx(hipblasHandle_t handle, int n, const void* x, hipDataType x_type, int incx,
                                     const void* y, hipDataType y_type, int incy, void* result, hipDataType result_type,
                                     hipDataType execution) {
  using hipport::compat::blas_type;
  return hipblasDotcEx(handle, n, x, blas_type(x_type), incx, y, blas_type(y_type), incy, result,
                       blas_type(result_type), blas_type(execution));
}

inline hipblasStatus_t hipblasRotEx(hipblasHandle_t handle, int n, void* x, hipDataType x_type, int incx, void* y,
                                    hipDataType y_type, int incy, const void* c, const void* s, hipDataType cs_type,
                                    hipDataType execution) {
  using hipport::compat::blas_type;
  return hipblasRotEx(handle, n, x, blas_type(x_type), incx, y, blas_type(y_type), incy, c, s, blas_type(cs_type),
                      blas_type(execution));
}

// Before ROCm 6.0 the product with a triangular matrix replaces B; cuBLAS writes it to C, which may be B.
#define HIPPORT_COMPAT_TRMM(name, T)                                                                          \
  inline hipblasStatus_t name(hipblasHandle_t handle, hipblasSideMode_t side, hipblasFillMode_t uplo,         \
                              hipblasOperation_t trans, hipblasDiagType_t diag, int m, int n, const T* alpha, \
                              const T* a, int lda, const T* b, int ldb, T* c, int ldc) {                      \
    hipStream_t stream = nullptr;                                                                             \
    if (b != c) {                                                                                             \
      const hipblasStatus_t status = hipblasGetStream(handle, &stream);                                       \
      if (status != HIPBLAS_STATUS_SUCCESS) return status;                                                    \
      if (m > 0 && n > 0 &&                                                                                   \
          hipMemcpy2DAsync(c, ldc * sizeof(T), b, ldb * sizeof(T), m * sizeof(T), n, hipMemcpyDeviceToDevice, \
                           stream) != hipSuccess) {                                                           \
        return HIPBLAS_STATUS_EXECUTION_FAILED;                                                               \
      }                                                                                                       \
    }                                                                                                         \
    return name(handle, side, uplo, trans, diag, m, n, alpha, const_cast<T*>(a), lda, c, ldc);                \
  }
HIPPORT_COMPAT_TRMM(hipblasStrmm, float)
HIPPORT_COMPAT_TRMM(hipblasDtrmm, double)
HIPPORT_COMPAT_TRMM(hipblasCtrmm, hipComplex)
HIPPORT_COMPAT_TRMM(hipblasZtrmm, hipDoubleComplex)
#undef HIPPORT_COMPAT_TRMM

#elif defined(__HIPPORT_CPU__)

// The CPU target has hipBLAS of ROCm 6. In older releases the compute type was given as an element type.
inline hipblasStatus_t hipblasGemmEx(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                     int m, int n, int k, const void* alpha, const void* a, hipDataType a_type, int lda,
                                     const void* b, hipDataType b_type, int ldb, const void* beta, void* c,
                                     hipDataType c_type, int ldc, hipDataType compute, hipblasGemmAlgo_t algorithm) {
  const hipblasComputeType_t type = compute == HIP_R_16F                           ? HIPBLAS_COMPUTE_16F
                                    : compute == HIP_R_64F || compute == HIP_C_64F ? HIPBLAS_COMPUTE_64F
                                                                                   : HIPBLAS_COMPUTE_32F;
  return hipblasGemmEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
                       type, algorithm);
}

#endif

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && HIPPORT_COMPAT_HIP_BEFORE(6, 1)

enum hipblasMath_t { HIPBLAS_DEFAULT_MATH, HIPBLAS_TENSOR_OP_MATH, HIPBLAS_PEDANTIC_MATH, HIPBLAS_TF32_TENSOR_OP_MATH };

// rocBLAS uses matrix units whenever they compute what was requested: there is nothing to set.
inline hipblasStatus_t hipblasSetMathMode(hipblasHandle_t, hipblasMath_t) { return HIPBLAS_STATUS_SUCCESS; }

#endif

#endif

#endif
