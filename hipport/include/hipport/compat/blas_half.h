// SPDX-License-Identifier: MIT
// cuBLAS's matrix products of half numbers. hipBLAS declares them with integers for the bits unless a program defines
// HIPBLAS_USE_HIP_HALF before the first include of hipBLAS. Here they take HIP's half type.
#ifndef HIPPORT_COMPAT_BLAS_HALF_H
#define HIPPORT_COMPAT_BLAS_HALF_H

#include <hipblas/hipblas.h>

#ifdef __cplusplus

#include <hip/hip_fp16.h>

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && !defined(HIPBLAS_USE_HIP_HALF)

namespace hipport {
namespace compat {

// hipBLAS stores the bits of a half number in an integer.
inline const hipblasHalf* blas_half(const __half* p) { return reinterpret_cast<const hipblasHalf*>(p); }
inline hipblasHalf* blas_half(__half* p) { return reinterpret_cast<hipblasHalf*>(p); }
inline const hipblasHalf* const* blas_half(const __half* const* p) {
  return reinterpret_cast<const hipblasHalf* const*>(p);
}
inline hipblasHalf* const* blas_half(__half* const* p) { return reinterpret_cast<hipblasHalf* const*>(p); }

}  // namespace compat
}  // namespace hipport

// A project with a port of its own may have replaced these functions by macros, which stay for its own code.
#pragma push_macro("hipblasHgemm")
#pragma push_macro("hipblasHgemmBatched")
#pragma push_macro("hipblasHgemmStridedBatched")
#undef hipblasHgemm
#undef hipblasHgemmBatched
#undef hipblasHgemmStridedBatched

inline hipblasStatus_t hipblasHgemm(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb, int m,
                                    int n, int k, const __half* alpha, const __half* a, int lda, const __half* b,
                                    int ldb, const __half* beta, __half* c, int ldc) {
  using hipport::compat::blas_half;
  return hipblasHgemm(handle, transa, transb, m, n, k, blas_half(alpha), blas_half(a), lda, blas_half(b), ldb,
                      blas_half(beta), blas_half(c), ldc);
}

inline hipblasStatus_t hipblasHgemmBatched(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                           int m, int n, int k, const __half* alpha, const __half* const* a, int lda,
                                           const __half* const* b, int ldb, const __half* beta, __half* const* c,
                                           int ldc, int count) {
  using hipport::compat::blas_half;
  return hipblasHgemmBatched(handle, transa, transb, m, n, k, blas_half(alpha), blas_half(a), lda, blas_half(b), ldb,
                             blas_half(beta), blas_half(c), ldc, count);
}

inline hipblasStatus_t hipblasHgemmStridedBatched(hipblasHandle_t handle, hipblasOperation_t transa,
                                                  hipblasOperation_t transb, int m, int n, int k, const __half* alpha,
                                                  const __half* a, int lda, long long stride_a, const __half* b,
                                                  int ldb, long long stride_b, const __half* beta, __half* c, int ldc,
                                                  long long stride_c, int count) {
  using hipport::compat::blas_half;
  return hipblasHgemmStridedBatched(handle, transa, transb, m, n, k, blas_half(alpha), blas_half(a), lda, stride_a,
                                    blas_half(b), ldb, stride_b, blas_half(beta), blas_half(c), ldc, stride_c, count);
}

#pragma pop_macro("hipblasHgemmStridedBatched")
#pragma pop_macro("hipblasHgemmBatched")
#pragma pop_macro("hipblasHgemm")

#if !HIPPORT_COMPAT_HIP_BEFORE(6, 3)

inline hipblasStatus_t hipblasHgemm_64(hipblasHandle_t handle, hipblasOperation_t transa, hipblasOperation_t transb,
                                       int64_t m, int64_t n, int64_t k, const __half* alpha, const __half* a,
                                       int64_t lda, const __half* b, int64_t ldb, const __half* beta, __half* c,
                                       int64_t ldc) {
  using hipport::compat::blas_half;
  return hipblasHgemm_64(handle, transa, transb, m, n, k, blas_half(alpha), blas_half(a), lda, blas_half(b), ldb,
                         blas_half(beta), blas_half(c), ldc);
}

inline hipblasStatus_t hipblasHgemmBatched_64(hipblasHandle_t handle, hipblasOperation_t transa,
                                              hipblasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                              const __half* alpha, const __half* const* a, int64_t lda,
                                              const __half* const* b, int64_t ldb, const __half* beta, __half* const* c,
                                              int64_t ldc, int64_t count) {
  using hipport::compat::blas_half;
  return hipblasHgemmBatched_64(handle, transa, transb, m, n, k, blas_half(alpha), blas_half(a), lda, blas_half(b), ldb,
                                blas_half(beta), blas_half(c), ldc, count);
}

inline hipblasStatus_t hipblasHgemmStridedBatched_64(hipblasHandle_t handle, hipblasOperation_t transa,
                                                     hipblasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                                     const __half* alpha, const __half* a, int64_t lda,
                                                     hipblasStride stride_a, const __half* b, int64_t ldb,
                                                     hipblasStride stride_b, const __half* beta, __half* c, int64_t ldc,
                                                     hipblasStride stride_c, int64_t count) {
  using hipport::compat::blas_half;
  return hipblasHgemmStridedBatched_64(handle, transa, transb, m, n, k, blas_half(alpha), blas_half(a), lda, stride_a,
                                       blas_half(b), ldb, stride_b, blas_half(beta), blas_half(c), ldc, stride_c,
                                       count);
}

#endif

#endif

#endif

#endif
