// SPDX-License-Identifier: MIT
// cuBLAS's matrix products of several element types that hipBLAS lacks: those that compute in `float`, updates of
// complex matrices, and groups of batches.
#ifndef HIPPORT_COMPAT_BLAS_EX_H
#define HIPPORT_COMPAT_BLAS_EX_H

#include "blas.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP)

#if !defined(__HIPPORT_CPU__) && !HIPPORT_COMPAT_HIP_BEFORE(6, 0) && HIPPORT_COMPAT_HIP_BEFORE(7, 0)
#define HIPPORT_COMPAT_BLAS(name) name##_v2
#else
#define HIPPORT_COMPAT_BLAS(name) name
#endif

inline hipblasStatus_t cublasSgemmEx(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                     int m, int n, int k, const float* alpha, const void* a, hipDataType a_type,
                                     int lda, const void* b, hipDataType b_type, int ldb, const float* beta, void* c,
                                     hipDataType c_type, int ldc) {
  return HIPPORT_COMPAT_BLAS(hipblasGemmEx)(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,
                                            beta, c, c_type, ldc, HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
}

// The compute type of complex numbers is that of their parts.
inline hipblasStatus_t cublasCgemmEx(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                     int m, int n, int k, const hipFloatComplex* alpha, const void* a,
                                     hipDataType a_type, int lda, const void* b, hipDataType b_type, int ldb,
                                     const hipFloatComplex* beta, void* c, hipDataType c_type, int ldc) {
  return HIPPORT_COMPAT_BLAS(hipblasGemmEx)(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,
                                            beta, c, c_type, ldc, HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
}

// Four real products instead of three: slower and more accurate.
inline hipblasStatus_t cublasCgemm3mEx(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                       int m, int n, int k, const hipFloatComplex* alpha, const void* a,
                                       hipDataType a_type, int lda, const void* b, hipDataType b_type, int ldb,
                                       const hipFloatComplex* beta, void* c, hipDataType c_type, int ldc) {
  return cublasCgemmEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc);
}

// Updates of single precision only: 8-bit matrices give HIPBLAS_STATUS_NOT_SUPPORTED.
#define HIPPORT_COMPAT_RANK_K(name, update, Scalar)                                                                   \
  inline hipblasStatus_t name(hipblasHandle_t handle, hipblasFillMode_t uplo, hipblasOperation_t trans, int n, int k, \
                              const Scalar* alpha, const void* a, hipDataType a_type, int lda, const Scalar* beta,    \
                              void* c, hipDataType c_type, int ldc) {                                                 \
    if (a_type != HIP_C_32F || c_type != HIP_C_32F) return HIPBLAS_STATUS_NOT_SUPPORTED;                              \
    return HIPPORT_COMPAT_BLAS(update)(handle, uplo, trans, n, k, alpha, static_cast<const hipFloatComplex*>(a), lda, \
                                       beta, static_cast<hipFloatComplex*>(c), ldc);                                  \
  }
HIPPORT_COMPAT_RANK_K(cublasCherkEx, hipblasCherk, float)
HIPPORT_COMPAT_RANK_K(cublasCherk3mEx, hipblasCherk, float)
HIPPORT_COMPAT_RANK_K(cublasCsyrkEx, hipblasCsyrk, hipFloatComplex)
HIPPORT_COMPAT_RANK_K(cublasCsyrk3mEx, hipblasCsyrk, hipFloatComplex)
#undef HIPPORT_COMPAT_RANK_K

// Each group is a batch of products of one shape; `alpha` and `beta` have one number per group, in host memory.
inline hipblasStatus_t cublasGemmGroupedBatchedEx(hipblasHandle_t handle, const hipblasOperation_t transa[],
                                                  const hipblasOperation_t transb[], const int m[], const int n[],
                                                  const int k[], const void* alpha, const void* const a[],
                                                  hipDataType a_type, const int lda[], const void* const b[],
                                                  hipDataType b_type, const int ldb[], const void* beta,
                                                  void* const c[], hipDataType c_type, const int ldc[], int groups,
                                                  const int sizes[], hipblasComputeType_t compute) {
  const bool wide = compute == HIPBLAS_COMPUTE_64F || compute == HIPBLAS_COMPUTE_64F_PEDANTIC;
  const size_t number = wide ? sizeof(double) : sizeof(float);
  for (int group = 0; group < groups; ++group) {
    const hipblasStatus_t status = HIPPORT_COMPAT_BLAS(hipblasGemmBatchedEx)(
        handle, transa[group], transb[group], m[group], n[group], k[group],
        static_cast<const char*>(alpha) + group * number, const_cast<const void**>(a), a_type, lda[group],
        const_cast<const void**>(b), b_type, ldb[group], static_cast<const char*>(beta) + group * number,
        const_cast<void**>(c), c_type, ldc[group], sizes[group], compute, HIPBLAS_GEMM_DEFAULT);
    if (status != HIPBLAS_STATUS_SUCCESS) return status;
    a += sizes[group], b += sizes[group], c += sizes[group];
  }
  return HIPBLAS_STATUS_SUCCESS;
}

#define HIPPORT_COMPAT_GROUPED(name, batched, T)                                                                       \
  inline hipblasStatus_t name(                                                                                         \
      hipblasHandle_t handle, const hipblasOperation_t transa[], const hipblasOperation_t transb[], const int m[],     \
      const int n[], const int k[], const T alpha[], const T* const a[], const int lda[], const T* const b[],          \
      const int ldb[], const T beta[], T* const c[], const int ldc[], int groups, const int sizes[]) {                 \
    for (int group = 0; group < groups; ++group) {                                                                     \
      const hipblasStatus_t status =                                                                                   \
          batched(handle, transa[group], transb[group], m[group], n[group], k[group], alpha + group, a, lda[group], b, \
                  ldb[group], beta + group, c, ldc[group], sizes[group]);                                              \
      if (status != HIPBLAS_STATUS_SUCCESS) return status;                                                             \
      a += sizes[group], b += sizes[group], c += sizes[group];                                                         \
    }                                                                                                                  \
    return HIPBLAS_STATUS_SUCCESS;                                                                                     \
  }
HIPPORT_COMPAT_GROUPED(cublasSgemmGroupedBatched, hipblasSgemmBatched, float)
HIPPORT_COMPAT_GROUPED(cublasDgemmGroupedBatched, hipblasDgemmBatched, double)
#undef HIPPORT_COMPAT_GROUPED

#undef HIPPORT_COMPAT_BLAS

#endif

#endif
