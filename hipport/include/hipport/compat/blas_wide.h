// SPDX-License-Identifier: MIT
// The functions of blas_vectors.h and the products of blas_ex.h with indices of 64 bits.
#ifndef HIPPORT_COMPAT_BLAS_WIDE_H
#define HIPPORT_COMPAT_BLAS_WIDE_H

#include "blas_vectors.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !HIPPORT_COMPAT_HIP_BEFORE(6, 3)

inline hipblasStatus_t cublasSgemmEx_64(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                        int64_t m, int64_t n, int64_t k, const float* alpha, const void* a,
                                        hipDataType a_type, int64_t lda, const void* b, hipDataType b_type, int64_t ldb,
                                        const float* beta, void* c, hipDataType c_type, int64_t ldc) {
  return HIPPORT_COMPAT_COMPLEX(hipblasGemmEx, _64)(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type,
                                                    ldb, beta, c, c_type, ldc, HIPBLAS_COMPUTE_32F,
                                                    HIPBLAS_GEMM_DEFAULT);
}

inline hipblasStatus_t cublasCgemmEx_64(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                        int64_t m, int64_t n, int64_t k, const hipFloatComplex* alpha, const void* a,
                                        hipDataType a_type, int64_t lda, const void* b, hipDataType b_type, int64_t ldb,
                                        const hipFloatComplex* beta, void* c, hipDataType c_type, int64_t ldc) {
  return HIPPORT_COMPAT_COMPLEX(hipblasGemmEx, _64)(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type,
                                                    ldb, beta, c, c_type, ldc, HIPBLAS_COMPUTE_32F,
                                                    HIPBLAS_GEMM_DEFAULT);
}

inline hipblasStatus_t cublasCgemm3mEx_64(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                          int64_t m, int64_t n, int64_t k, const hipFloatComplex* alpha, const void* a,
                                          hipDataType a_type, int64_t lda, const void* b, hipDataType b_type,
                                          int64_t ldb, const hipFloatComplex* beta, void* c, hipDataType c_type,
                                          int64_t ldc) {
  return cublasCgemmEx_64(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc);
}

#endif

#endif
