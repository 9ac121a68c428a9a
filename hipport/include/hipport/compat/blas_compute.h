// SPDX-License-Identifier: MIT
// cuBLAS's matrix products whose compute type is given as an element type (`CUDA_R_32F`), as before CUDA 11: cuBLAS still
// has these overloads, hipBLAS has them no longer since ROCm 6.0.
#ifndef HIPPORT_COMPAT_BLAS_COMPUTE_H
#define HIPPORT_COMPAT_BLAS_COMPUTE_H

#include "blas.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && !HIPPORT_COMPAT_HIP_BEFORE(6, 0)

#if HIPPORT_COMPAT_HIP_BEFORE(7, 0)
#define HIPPORT_COMPAT_BLAS(name) name##_v2
#else
#define HIPPORT_COMPAT_BLAS(name) name
#endif

namespace hipport {
namespace compat {

inline hipblasComputeType_t blas_compute_type(hipDataType type) {
  switch (type) {
    case HIP_R_16F:
    case HIP_C_16F: return HIPBLAS_COMPUTE_16F;
    case HIP_R_64F:
    case HIP_C_64F: return HIPBLAS_COMPUTE_64F;
    case HIP_R_32I:
    case HIP_C_32I: return HIPBLAS_COMPUTE_32I;
    default: return HIPBLAS_COMPUTE_32F;
  }
}

}  // namespace compat
}  // namespace hipport

inline hipblasStatus_t HIPPORT_COMPAT_BLAS(hipblasGemmEx)(hipblasHandle_t handle, hipblasOperation_t transa,
                                                          hipblasOperation_t transb, int m, int n, int k,
                                                          const void* alpha, const void* a, hipDataType a_type, int lda,
                                                          const void* b, hipDataType b_type, int ldb, const void* beta,
                                                          void* c, hipDataType c_type, int ldc, hipDataType compute,
                                                          hipblasGemmAlgo_t algorithm) {
  return HIPPORT_COMPAT_BLAS(hipblasGemmEx)(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,
                                            beta, c, c_type, ldc, hipport::compat::blas_compute_type(compute),
                                            algorithm);
}

inline hipblasStatus_t HIPPORT_COMPAT_BLAS(hipblasGemmBatchedEx)(hipblasHandle_t handle, hipblasOperation_t transa,
                                                                 hipblasOperation_t transb, int m, int n, int k,
                                                                 const void* alpha, const void* const* a,
                                                                 hipDataType a_type, int lda, const void* const* b,
                                                                 hipDataType b_type, int ldb, const void* beta,
                                                                 void* const* c, hipDataType c_type, int ldc, int count,
                                                                 hipDataType compute, hipblasGemmAlgo_t algorithm) {
  return HIPPORT_COMPAT_BLAS(hipblasGemmBatchedEx)(handle, transa, transb, m, n, k, alpha, const_cast<const void**>(a),
                                                   a_type, lda, const_cast<const void**>(b), b_type, ldb, beta,
                                                   const_cast<void**>(c), c_type, ldc, count,
                                                   hipport::compat::blas_compute_type(compute), algorithm);
}

inline hipblasStatus_t HIPPORT_COMPAT_BLAS(hipblasGemmStridedBatchedEx)(
    hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb, int m, int n, int k,
    const void* alpha, const void* a, hipDataType a_type, int lda, long long stride_a, const void* b,
    hipDataType b_type, int ldb, long long stride_b, const void* beta, void* c, hipDataType c_type, int ldc,
    long long stride_c, int count, hipDataType compute, hipblasGemmAlgo_t algorithm) {
  return HIPPORT_COMPAT_BLAS(hipblasGemmStridedBatchedEx)(
      handle, transa, transb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type, ldc,
      stride_c, count, hipport::compat::blas_compute_type(compute), algorithm);
}

#undef HIPPORT_COMPAT_BLAS

#endif

#endif
