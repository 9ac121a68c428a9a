// SPDX-License-Identifier: MIT
// `cublas.h`, cuBLAS's first interface: functions without a handle, with characters for operations, scalars by value, and
// results as return values. Here they are overloads of hipBLAS's functions. The handle is one for each host thread,
// made by its first call; errors are kept for cublasGetError.
#ifndef HIPPORT_COMPAT_BLAS_LEGACY_H
#define HIPPORT_COMPAT_BLAS_LEGACY_H

#include "blas.h"

#ifdef __cplusplus

// hipBLAS 2 has names of their own for functions with HIP's complex numbers.
#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && !HIPPORT_COMPAT_HIP_BEFORE(6, 0) && \
    HIPPORT_COMPAT_HIP_BEFORE(7, 0)
#define HIPPORT_COMPAT_LEGACY_COMPLEX(name) name##_v2
#else
#define HIPPORT_COMPAT_LEGACY_COMPLEX(name) name
#endif

namespace hipport {
namespace compat {

struct LegacyBlas {
  hipblasHandle_t handle;
  hipblasStatus_t error;  // the first since it was asked for
  bool refused;           // an argument of the call that is being made means nothing

  void keep(hipblasStatus_t status) {
    if (error == HIPBLAS_STATUS_SUCCESS) error = status;
  }
};

inline LegacyBlas& legacy_blas() {
  static thread_local LegacyBlas state = {nullptr, HIPBLAS_STATUS_SUCCESS, false};
  return state;
}

inline hipblasHandle_t legacy_handle() {
  LegacyBlas& state = legacy_blas();
  if (!state.handle) state.keep(hipblasCreate(&state.handle));
  return state.handle;
}

// Calls one of hipBLAS's functions with the handle, unless an argument was refused.
template <typename Function, typename... Arguments>
void legacy_call(Function function, Arguments... arguments) {
  LegacyBlas& state = legacy_blas();
  const hipblasHandle_t handle = legacy_handle();
  if (!state.refused) return state.keep(function(handle, arguments...));
  state.refused = false;
  state.keep(HIPBLAS_STATUS_INVALID_VALUE);
}

// Returns what hipBLAS has for a character, which is refused if it means nothing.
template <typename Enumeration>
Enumeration refused() {
  legacy_blas().refused = true;
  return static_cast<Enumeration>(0);
}

inline bool says(char character, char small) { return (character | 0x20) == small; }
inline hipblasOperation_t legacy_operation(char character) {
  return says(character, 'n')   ? HIPBLAS_OP_N
         : says(character, 't') ? HIPBLAS_OP_T
         : says(character, 'c') ? HIPBLAS_OP_C
                                : refused<hipblasOperation_t>();
}
inline hipblasFillMode_t legacy_fill(char character) {
  return says(character, 'u')   ? HIPBLAS_FILL_MODE_UPPER
         : says(character, 'l') ? HIPBLAS_FILL_MODE_LOWER
                                : refused<hipblasFillMode_t>();
}
inline hipblasDiagType_t legacy_diagonal(char character) {
  return says(character, 'u')   ? HIPBLAS_DIAG_UNIT
         : says(character, 'n') ? HIPBLAS_DIAG_NON_UNIT
                                : refused<hipblasDiagType_t>();
}
inline hipblasSideMode_t legacy_side(char character) {
  return says(character, 'l')   ? HIPBLAS_SIDE_LEFT
         : says(character, 'r') ? HIPBLAS_SIDE_RIGHT
                                : refused<hipblasSideMode_t>();
}

}  // namespace compat
}  // namespace hipport

inline hipblasStatus_t cublasInit() {
  hipport::compat::LegacyBlas& state = hipport::compat::legacy_blas();
  return state.handle ? HIPBLAS_STATUS_SUCCESS : hipblasCreate(&state.handle);
}

inline hipblasStatus_t cublasShutdown() {
  hipport::compat::LegacyBlas& state = hipport::compat::legacy_blas();
  if (!state.handle) return HIPBLAS_STATUS_NOT_INITIALIZED;
  const hipblasStatus_t status = hipblasDestroy(state.handle);
  state.handle = nullptr;
  return status;
}

inline hipblasStatus_t cublasGetError() {
  hipport::compat::LegacyBlas& state = hipport::compat::legacy_blas();
  const hipblasStatus_t error = state.error;
  state.error = HIPBLAS_STATUS_SUCCESS;
  return error;
}

inline hipblasStatus_t cublasAlloc(int n, int size, void** pointer) {
  if (n <= 0 || size <= 0 || !pointer) return HIPBLAS_STATUS_INVALID_VALUE;
  const size_t bytes = static_cast<size_t>(n) * static_cast<size_t>(size);
  return hipMalloc(pointer, bytes) == hipSuccess ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_ALLOC_FAILED;
}

inline hipblasStatus_t cublasFree(void* pointer) {
  return hipFree(pointer) == hipSuccess ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_INTERNAL_ERROR;
}

inline hipblasStatus_t cublasSetKernelStream(hipStream_t stream) {
  return hipblasSetStream(hipport::compat::legacy_handle(), stream);
}

// Each macro defines one function for elements of type T; `Real` is the type of their parts, `Scale` that of a factor.
#define HIPPORT_COMPAT_CALL(name, ...) \
  hipport::compat::legacy_call([](auto... arguments) { return name(arguments...); }, __VA_ARGS__)
#define HIPPORT_COMPAT_OP(character) hipport::compat::legacy_operation(character)
#define HIPPORT_COMPAT_FILL(character) hipport::compat::legacy_fill(character)
#define HIPPORT_COMPAT_SHAPE(uplo, trans, diag) \
  HIPPORT_COMPAT_FILL(uplo), HIPPORT_COMPAT_OP(trans), hipport::compat::legacy_diagonal(diag)
#define HIPPORT_COMPAT_SIDES(side, uplo) hipport::compat::legacy_side(side), HIPPORT_COMPAT_FILL(uplo)

// Vectors
#define HIPPORT_COMPAT_RESULT(name, T, Result)      \
  inline Result name(int n, const T* x, int incx) { \
    Result result = Result();                       \
    HIPPORT_COMPAT_CALL(name, n, x, incx, &result); \
    return result;                                  \
  }
#define HIPPORT_COMPAT_DOT(name, T)                                  \
  inline T name(int n, const T* x, int incx, const T* y, int incy) { \
    T result = T();                                                  \
    HIPPORT_COMPAT_CALL(name, n, x, incx, y, incy, &result);         \
    return result;                                                   \
  }
#define HIPPORT_COMPAT_SCAL(name, T, Scale) \
  inline void name(int n, Scale alpha, T* x, int incx) { HIPPORT_COMPAT_CALL(name, n, &alpha, x, incx); }
#define HIPPORT_COMPAT_AXPY(name, T)                                       \
  inline void name(int n, T alpha, const T* x, int incx, T* y, int incy) { \
    HIPPORT_COMPAT_CALL(name, n, &alpha, x, incx, y, incy);                \
  }
#define HIPPORT_COMPAT_COPY(name, T) \
  inline void name(int n, const T* x, int incx, T* y, int incy) { HIPPORT_COMPAT_CALL(name, n, x, incx, y, incy); }
#define HIPPORT_COMPAT_SWAP(name, T) \
  inline void name(int n, T* x, int incx, T* y, int incy) { HIPPORT_COMPAT_CALL(name, n, x, incx, y, incy); }
#define HIPPORT_COMPAT_ROT(name, T, Real, Sine)                                     \
  inline void name(int n, T* x, int incx, T* y, int incy, Real cosine, Sine sine) { \
    HIPPORT_COMPAT_CALL(name, n, x, incx, y, incy, &cosine, &sine);                 \
  }
#define HIPPORT_COMPAT_ROTG(name, T) \
  inline void name(T* a, T* b, T* cosine, T* sine) { HIPPORT_COMPAT_CALL(name, a, b, cosine, sine); }
#define HIPPORT_COMPAT_COMPLEX_ROTG(name, T, Real) \
  inline void name(T* a, T b, Real* cosine, T* sine) { HIPPORT_COMPAT_CALL(name, a, &b, cosine, sine); }
#define HIPPORT_COMPAT_ROTM(name, T)                                             \
  inline void name(int n, T* x, int incx, T* y, int incy, const T* parameters) { \
    HIPPORT_COMPAT_CALL(name, n, x, incx, y, incy, parameters);                  \
  }
#define HIPPORT_COMPAT_ROTMG(name, T)                                 \
  inline void name(T* d1, T* d2, T* x1, const T* y1, T* parameters) { \
    HIPPORT_COMPAT_CALL(name, d1, d2, x1, y1, parameters);            \
  }

// A matrix and vectors
#define HIPPORT_COMPAT_GEMV(name, T)                                                                           \
  inline void name(char trans, int m, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, \
                   int incy) {                                                                                 \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_OP(trans), m, n, &alpha, a, lda, x, incx, &beta, y, incy);        \
  }
#define HIPPORT_COMPAT_GBMV(name, T)                                                                             \
  inline void name(char trans, int m, int n, int kl, int ku, T alpha, const T* a, int lda, const T* x, int incx, \
                   T beta, T* y, int incy) {                                                                     \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_OP(trans), m, n, kl, ku, &alpha, a, lda, x, incx, &beta, y, incy);  \
  }
#define HIPPORT_COMPAT_TRIANGLE(name, T)                                                           \
  inline void name(char uplo, char trans, char diag, int n, const T* a, int lda, T* x, int incx) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_SHAPE(uplo, trans, diag), n, a, lda, x, incx);        \
  }
#define HIPPORT_COMPAT_BAND(name, T)                                                                      \
  inline void name(char uplo, char trans, char diag, int n, int k, const T* a, int lda, T* x, int incx) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_SHAPE(uplo, trans, diag), n, k, a, lda, x, incx);            \
  }
#define HIPPORT_COMPAT_PACKED(name, T)                                                     \
  inline void name(char uplo, char trans, char diag, int n, const T* ap, T* x, int incx) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_SHAPE(uplo, trans, diag), n, ap, x, incx);    \
  }
#define HIPPORT_COMPAT_SYMV(name, T)                                                                               \
  inline void name(char uplo, int n, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, int incy) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), n, &alpha, a, lda, x, incx, &beta, y, incy);              \
  }
#define HIPPORT_COMPAT_SBMV(name, T)                                                                          \
  inline void name(char uplo, int n, int k, T alpha, const T* a, int lda, const T* x, int incx, T beta, T* y, \
                   int incy) {                                                                                \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), n, k, &alpha, a, lda, x, incx, &beta, y, incy);      \
  }
#define HIPPORT_COMPAT_SPMV(name, T)                                                                       \
  inline void name(char uplo, int n, T alpha, const T* ap, const T* x, int incx, T beta, T* y, int incy) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), n, &alpha, ap, x, incx, &beta, y, incy);          \
  }
#define HIPPORT_COMPAT_GER(name, T)                                                                    \
  inline void name(int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) { \
    HIPPORT_COMPAT_CALL(name, m, n, &alpha, x, incx, y, incy, a, lda);                                 \
  }
#define HIPPORT_COMPAT_SYR(name, T, Scale)                                               \
  inline void name(char uplo, int n, Scale alpha, const T* x, int incx, T* a, int lda) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), n, &alpha, x, incx, a, lda);    \
  }
#define HIPPORT_COMPAT_SPR(name, T, Scale)                                        \
  inline void name(char uplo, int n, Scale alpha, const T* x, int incx, T* ap) {  \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), n, &alpha, x, incx, ap); \
  }
#define HIPPORT_COMPAT_SYR2(name, T)                                                                       \
  inline void name(char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, int lda) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), n, &alpha, x, incx, y, incy, a, lda);             \
  }
#define HIPPORT_COMPAT_SPR2(name, T)                                                               \
  inline void name(char uplo, int n, T alpha, const T* x, int incx, const T* y, int incy, T* ap) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), n, &alpha, x, incx, y, incy, ap);         \
  }

// Matrices
#define HIPPORT_COMPAT_GEMM(name, T)                                                                                 \
  inline void name(char transa, char transb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, \
                   T beta, T* c, int ldc) {                                                                          \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_OP(transa), HIPPORT_COMPAT_OP(transb), m, n, k, &alpha, a, lda, b, ldb, \
                        &beta, c, ldc);                                                                              \
  }
#define HIPPORT_COMPAT_RANK_K(name, T, Scale)                                                                          \
  inline void name(char uplo, char trans, int n, int k, Scale alpha, const T* a, int lda, Scale beta, T* c, int ldc) { \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), HIPPORT_COMPAT_OP(trans), n, k, &alpha, a, lda, &beta, c,     \
                        ldc);                                                                                          \
  }
#define HIPPORT_COMPAT_RANK_2K(name, T, Scale)                                                                         \
  inline void name(char uplo, char trans, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, Scale beta, \
                   T* c, int ldc) {                                                                                    \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_FILL(uplo), HIPPORT_COMPAT_OP(trans), n, k, &alpha, a, lda, b, ldb,       \
                        &beta, c, ldc);                                                                                \
  }
#define HIPPORT_COMPAT_SYMM(name, T)                                                                              \
  inline void name(char side, char uplo, int m, int n, T alpha, const T* a, int lda, const T* b, int ldb, T beta, \
                   T* c, int ldc) {                                                                               \
    HIPPORT_COMPAT_CALL(name, HIPPORT_COMPAT_SIDES(side, uplo), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);     \
  }
// hipBLAS before ROCm 6.0 takes the triangle as if it could change it.
#define HIPPORT_COMPAT_TRSM(name, T)                                                                              \
  inline void name(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T* a, int lda, T* b, \
                   int ldb) {                                                                                     \
    HIPPORT_COMPAT_CALL(name, hipport::compat::legacy_side(side), HIPPORT_COMPAT_SHAPE(uplo, trans, diag), m, n,  \
                        &alpha, const_cast<T*>(a), lda, b, ldb);                                                  \
  }
#define HIPPORT_COMPAT_LEGACY_TRMM(name, T)                                                                       \
  inline void name(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T* a, int lda, T* b, \
                   int ldb) {                                                                                     \
    HIPPORT_COMPAT_CALL(name, hipport::compat::legacy_side(side), HIPPORT_COMPAT_SHAPE(uplo, trans, diag), m, n,  \
                        &alpha, a, lda, b, ldb, b, ldb);                                                          \
  }

// The functions for single and double precision, for their complex numbers, and for all of these.
#define HIPPORT_COMPAT_REALS(define, name) define(hipblasS##name, float) define(hipblasD##name, double)
#define HIPPORT_COMPAT_COMPLEXES(define, name)                      \
  define(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasC##name), hipComplex) \
      define(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasZ##name), hipDoubleComplex)
#define HIPPORT_COMPAT_ALL(define, name) HIPPORT_COMPAT_REALS(define, name) HIPPORT_COMPAT_COMPLEXES(define, name)
// The same with the type of a factor: that of the elements, or for Hermitian matrices that of their parts.
#define HIPPORT_COMPAT_SCALED_REALS(define, name) \
  define(hipblasS##name, float, float) define(hipblasD##name, double, double)
#define HIPPORT_COMPAT_SCALED_ALL(define, name)                                 \
  HIPPORT_COMPAT_SCALED_REALS(define, name)                                     \
  define(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasC##name), hipComplex, hipComplex) \
      define(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasZ##name), hipDoubleComplex, hipDoubleComplex)
#define HIPPORT_COMPAT_HERMITIAN(define, name)                             \
  define(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasC##name), hipComplex, float) \
      define(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasZ##name), hipDoubleComplex, double)
// Results of vectors, whose complex forms have two letters.
#define HIPPORT_COMPAT_NORMS(name)                                                         \
  HIPPORT_COMPAT_RESULT(hipblasS##name, float, float)                                      \
  HIPPORT_COMPAT_RESULT(hipblasD##name, double, double)                                    \
  HIPPORT_COMPAT_RESULT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasSc##name), hipComplex, float) \
  HIPPORT_COMPAT_RESULT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasDz##name), hipDoubleComplex, double)
#define HIPPORT_COMPAT_PLACES(name)                                                      \
  HIPPORT_COMPAT_RESULT(hipblasIs##name, float, int)                                     \
  HIPPORT_COMPAT_RESULT(hipblasId##name, double, int)                                    \
  HIPPORT_COMPAT_RESULT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasIc##name), hipComplex, int) \
  HIPPORT_COMPAT_RESULT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasIz##name), hipDoubleComplex, int)

HIPPORT_COMPAT_NORMS(nrm2)
HIPPORT_COMPAT_NORMS(asum)
HIPPORT_COMPAT_PLACES(amax)
HIPPORT_COMPAT_PLACES(amin)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_DOT, dot)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_DOT, dotu)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_DOT, dotc)
HIPPORT_COMPAT_SCALED_ALL(HIPPORT_COMPAT_SCAL, scal)
HIPPORT_COMPAT_SCAL(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasCsscal), hipComplex, float)
HIPPORT_COMPAT_SCAL(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasZdscal), hipDoubleComplex, double)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_AXPY, axpy)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_COPY, copy)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_SWAP, swap)
HIPPORT_COMPAT_ROT(hipblasSrot, float, float, float)
HIPPORT_COMPAT_ROT(hipblasDrot, double, double, double)
HIPPORT_COMPAT_ROT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasCrot), hipComplex, float, hipComplex)
HIPPORT_COMPAT_ROT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasZrot), hipDoubleComplex, double, hipDoubleComplex)
HIPPORT_COMPAT_ROT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasCsrot), hipComplex, float, float)
HIPPORT_COMPAT_ROT(HIPPORT_COMPAT_LEGACY_COMPLEX(hipblasZdrot), hipDoubleComplex, double, double)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_ROTG, rotg)
HIPPORT_COMPAT_HERMITIAN(HIPPORT_COMPAT_COMPLEX_ROTG, rotg)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_ROTM, rotm)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_ROTMG, rotmg)

HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_GEMV, gemv)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_GBMV, gbmv)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_TRIANGLE, trmv)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_TRIANGLE, trsv)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_BAND, tbmv)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_BAND, tbsv)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_PACKED, tpmv)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_PACKED, tpsv)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_SYMV, symv)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_SYMV, hemv)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_SBMV, sbmv)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_SBMV, hbmv)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_SPMV, spmv)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_SPMV, hpmv)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_GER, ger)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_GER, geru)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_GER, gerc)
HIPPORT_COMPAT_SCALED_REALS(HIPPORT_COMPAT_SYR, syr)
HIPPORT_COMPAT_HERMITIAN(HIPPORT_COMPAT_SYR, her)
HIPPORT_COMPAT_SCALED_REALS(HIPPORT_COMPAT_SPR, spr)
HIPPORT_COMPAT_HERMITIAN(HIPPORT_COMPAT_SPR, hpr)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_SYR2, syr2)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_SYR2, her2)
HIPPORT_COMPAT_REALS(HIPPORT_COMPAT_SPR2, spr2)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_SPR2, hpr2)

HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_GEMM, gemm)
HIPPORT_COMPAT_SCALED_ALL(HIPPORT_COMPAT_RANK_K, syrk)
HIPPORT_COMPAT_HERMITIAN(HIPPORT_COMPAT_RANK_K, herk)
HIPPORT_COMPAT_SCALED_ALL(HIPPORT_COMPAT_RANK_2K, syr2k)
HIPPORT_COMPAT_HERMITIAN(HIPPORT_COMPAT_RANK_2K, her2k)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_SYMM, symm)
HIPPORT_COMPAT_COMPLEXES(HIPPORT_COMPAT_SYMM, hemm)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_TRSM, trsm)
HIPPORT_COMPAT_ALL(HIPPORT_COMPAT_LEGACY_TRMM, trmm)

#undef HIPPORT_COMPAT_ALL
#undef HIPPORT_COMPAT_AXPY
#undef HIPPORT_COMPAT_BAND
#undef HIPPORT_COMPAT_CALL
#undef HIPPORT_COMPAT_LEGACY_COMPLEX
#undef HIPPORT_COMPAT_COMPLEXES
#undef HIPPORT_COMPAT_COMPLEX_ROTG
#undef HIPPORT_COMPAT_COPY
#undef HIPPORT_COMPAT_DOT
#undef HIPPORT_COMPAT_FILL
#undef HIPPORT_COMPAT_GBMV
#undef HIPPORT_COMPAT_GEMM
#undef HIPPORT_COMPAT_GEMV
#undef HIPPORT_COMPAT_GER
#undef HIPPORT_COMPAT_HERMITIAN
#undef HIPPORT_COMPAT_LEGACY_TRMM
#undef HIPPORT_COMPAT_NORMS
#undef HIPPORT_COMPAT_OP
#undef HIPPORT_COMPAT_PACKED
#undef HIPPORT_COMPAT_PLACES
#undef HIPPORT_COMPAT_RANK_2K
#undef HIPPORT_COMPAT_RANK_K
#undef HIPPORT_COMPAT_REALS
#undef HIPPORT_COMPAT_RESULT
#undef HIPPORT_COMPAT_ROT
#undef HIPPORT_COMPAT_ROTG
#undef HIPPORT_COMPAT_ROTM
#undef HIPPORT_COMPAT_ROTMG
#undef HIPPORT_COMPAT_SBMV
#undef HIPPORT_COMPAT_SCAL
#undef HIPPORT_COMPAT_SCALED_ALL
#undef HIPPORT_COMPAT_SCALED_REALS
#undef HIPPORT_COMPAT_SHAPE
#undef HIPPORT_COMPAT_SIDES
#undef HIPPORT_COMPAT_SPMV
#undef HIPPORT_COMPAT_SPR
#undef HIPPORT_COMPAT_SPR2
#undef HIPPORT_COMPAT_SWAP
#undef HIPPORT_COMPAT_SYMM
#undef HIPPORT_COMPAT_SYMV
#undef HIPPORT_COMPAT_SYR
#undef HIPPORT_COMPAT_SYR2
#undef HIPPORT_COMPAT_TRIANGLE
#undef HIPPORT_COMPAT_TRSM

#endif

#endif
