// SPDX-License-Identifier: MIT
// hipSOLVER: Cholesky, LU and Bunch-Kaufman factorizations, and solving with them.
#pragma once

#include "../blas/vectors.h"
#include "lapack.h"

namespace hipport::cpu::solver {

template <typename T>
hipsolverStatus_t potrf(void* handle, hipblasFillMode_t fill, int n, T* a, int lead, int* info,
                        const char* name = "potrf") {
  if (const auto bad = check(handle, is_matrix(n, n, lead))) return bad;
  return submit(handle, info, [=] {
    const char uplo = letter_of(fill);
    int result = 0;
    lapack<T>(name, &uplo, &n, a, &lead, &result);
    return result;
  });
}
template <typename T>
int potrs_now(hipblasFillMode_t fill, int n, int sides, const T* a, int a_lead, T* b, int b_lead) {
  const char uplo = letter_of(fill);
  int result = 0;
  lapack<T>("potrs", &uplo, &n, &sides, a, &a_lead, b, &b_lead, &result);
  return result;
}
template <typename T>
hipsolverStatus_t potrs(void* handle, hipblasFillMode_t fill, int n, int sides, const T* a, int a_lead, T* b,
                        int b_lead, int* info) {
  if (const auto bad = check(handle, is_matrix(n, n, a_lead) && is_matrix(n, sides, b_lead))) return bad;
  return submit(handle, info, [=] { return potrs_now(fill, n, sides, a, a_lead, b, b_lead); });
}
// One info for each matrix.
template <typename T>
hipsolverStatus_t potrf_batched(void* handle, hipblasFillMode_t fill, int n, T* const* a, int lead, int* info,
                                int batch) {
  if (const auto bad = check(handle, is_matrix(n, n, lead) && batch >= 0)) return bad;
  return submit(handle, nullptr, [=] {
    const char uplo = letter_of(fill);
    for (int i = 0; i < batch; ++i) lapack<T>("potrf", &uplo, &n, a[i], &lead, &info[i]);
    return 0;
  });
}
// One info for all matrices.
template <typename T>
hipsolverStatus_t potrs_batched(void* handle, hipblasFillMode_t fill, int n, int sides, T* const* a, int a_lead,
                                T* const* b, int b_lead, int* info, int batch) {
  if (const auto bad = check(handle, is_matrix(n, n, a_lead) && is_matrix(n, sides, b_lead) && batch >= 0)) return bad;
  return submit(handle, info, [=] {
    for (int i = 0; i < batch; ++i) potrs_now<T>(fill, n, sides, a[i], a_lead, b[i], b_lead);
    return 0;
  });
}

inline bool is_zero(double value) { return value == 0; }
inline bool is_zero(hipFloatComplex value) { return value.x == 0 && value.y == 0; }
inline bool is_zero(hipDoubleComplex value) { return value.x == 0 && value.y == 0; }

inline float quotient(float a, float b) { return a / b; }
inline double quotient(double a, double b) { return a / b; }
inline hipFloatComplex quotient(hipFloatComplex a, hipFloatComplex b) { return hipCdivf(a, b); }
inline hipDoubleComplex quotient(hipDoubleComplex a, hipDoubleComplex b) { return hipCdiv(a, b); }

// LU without exchanging rows, which LAPACK does not have. Returns the number of the first pivot that is 0.
template <typename T>
int factor_in_place(int m, int n, T* a, size_t lead) {
  int zero = 0;
  for (size_t k = 0; k < static_cast<size_t>(std::min(m, n)); ++k) {
    const T pivot = a[k + k * lead];
    if (is_zero(pivot)) {
      if (zero == 0) zero = static_cast<int>(k) + 1;
      continue;
    }
    for (size_t row = k + 1; row < static_cast<size_t>(m); ++row)
      a[row + k * lead] = quotient(a[row + k * lead], pivot);
    for (size_t column = k + 1; column < static_cast<size_t>(n); ++column)
      for (size_t row = k + 1; row < static_cast<size_t>(m); ++row)
        a[row + column * lead] = a[row + column * lead] - blas::product(a[row + k * lead], a[k + column * lead]);
  }
  return zero;
}
template <typename T>
int getrf_now(int m, int n, T* a, int lead, int* pivots) {
  if (pivots == nullptr) return factor_in_place(m, n, a, static_cast<size_t>(lead));
  int result = 0;
  lapack<T>("getrf", &m, &n, a, &lead, pivots, &result);
  return result;
}
// Without `pivots`, rows are not exchanged.
template <typename T>
hipsolverStatus_t getrf(void* handle, int m, int n, T* a, int lead, int* pivots, int* info) {
  if (const auto bad = check(handle, is_matrix(m, n, lead))) return bad;
  return submit(handle, info, [=] { return getrf_now(m, n, a, lead, pivots); });
}
template <typename T>
int getrs_now(hipblasOperation_t operation, int n, int sides, const T* a, int a_lead, const int* pivots, T* b,
              int b_lead) {
  std::vector<int> in_place;
  for (int i = 1; pivots == nullptr && i <= n; ++i) in_place.push_back(i);
  const char transposed = letter_of(operation);
  int result = 0;
  lapack<T>("getrs", &transposed, &n, &sides, a, &a_lead, pivots == nullptr ? in_place.data() : pivots, b, &b_lead,
            &result);
  return result;
}
template <typename T>
hipsolverStatus_t getrs(void* handle, hipblasOperation_t operation, int n, int sides, const T* a, int a_lead,
                        const int* pivots, T* b, int b_lead, int* info) {
  if (const auto bad = check(handle, is_matrix(n, n, a_lead) && is_matrix(n, sides, b_lead))) return bad;
  return submit(handle, info, [=] { return getrs_now(operation, n, sides, a, a_lead, pivots, b, b_lead); });
}
template <typename T>
hipsolverStatus_t sytrf(void* handle, hipblasFillMode_t fill, int n, T* a, int lead, int* pivots, int* info) {
  if (const auto bad = check(handle, is_matrix(n, n, lead))) return bad;
  return submit(handle, info, [=] {
    const char uplo = letter_of(fill);
    int result = 0;
    with_workspace<T>(
        [&](T* work, int size) { lapack<T>("sytrf", &uplo, &n, a, &lead, pivots, work, &size, &result); });
    return result;
  });
}

}  // namespace hipport::cpu::solver

#define HIPPORT_SOLVER_CHOLESKY(F, T, R)                                                                              \
  inline hipsolverStatus_t F##f_bufferSize(hipsolverHandle_t h, hipsolverFillMode_t, int, const T*, int, int* size) { \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##f(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, T* a, int lda, T*, int,         \
                                int* info) {                                                                          \
    return hipport::cpu::solver::potrf<T>(h, fill, n, a, lda, info);                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##i_bufferSize(hipsolverHandle_t h, hipsolverFillMode_t, int, const T*, int, int* size) { \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##i(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, T* a, int lda, T*, int,         \
                                int* info) {                                                                          \
    return hipport::cpu::solver::potrf<T>(h, fill, n, a, lda, info, "potri");                                         \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_CHOLESKY, potr, potr)
#undef HIPPORT_SOLVER_CHOLESKY

#define HIPPORT_SOLVER_CHOLESKY_PLAIN(F, T, R)                                                                         \
  inline hipsolverStatus_t F##s_bufferSize(hipsolverHandle_t h, hipsolverFillMode_t, int, int, const T*, int,          \
                                           const T*, int, int* size) {                                                 \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##s(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, int nrhs, const T* a, int lda,   \
                                T* b, int ldb, T*, int, int* info) {                                                   \
    return hipport::cpu::solver::potrs<T>(h, fill, n, nrhs, a, lda, b, ldb, info);                                     \
  }                                                                                                                    \
  inline hipsolverStatus_t F##fBatched_bufferSize(hipsolverHandle_t h, hipsolverFillMode_t, int, T* const*, int,       \
                                                  int* size, int) {                                                    \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##fBatched(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, T* a[], int lda, T*, int, \
                                       int* info, int batch) {                                                         \
    return hipport::cpu::solver::potrf_batched<T>(h, fill, n, a, lda, info, batch);                                    \
  }                                                                                                                    \
  inline hipsolverStatus_t F##sBatched_bufferSize(hipsolverHandle_t h, hipsolverFillMode_t, int, int, T* const*, int,  \
                                                  T* const*, int, int* size, int) {                                    \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##sBatched(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, int nrhs, T* a[],         \
                                       int lda, T* b[], int ldb, T*, int, int* info, int batch) {                      \
    return hipport::cpu::solver::potrs_batched<T>(h, fill, n, nrhs, a, lda, b, ldb, info, batch);                      \
  }
HIPPORT_SOLVER_OF(HIPPORT_SOLVER_CHOLESKY_PLAIN, hipsolver, potr, potr)
#undef HIPPORT_SOLVER_CHOLESKY_PLAIN

#define HIPPORT_SOLVER_CHOLESKY_DN(F, T, R)                                                                          \
  inline hipsolverStatus_t F##s(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, int nrhs, const T* a, int lda, \
                                T* b, int ldb, int* info) {                                                          \
    return hipport::cpu::solver::potrs<T>(h, fill, n, nrhs, a, lda, b, ldb, info);                                   \
  }                                                                                                                  \
  inline hipsolverStatus_t F##fBatched(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, T* a[], int lda,        \
                                       int* info, int batch) {                                                       \
    return hipport::cpu::solver::potrf_batched<T>(h, fill, n, a, lda, info, batch);                                  \
  }                                                                                                                  \
  inline hipsolverStatus_t F##sBatched(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, int nrhs, T* a[],       \
                                       int lda, T* b[], int ldb, int* info, int batch) {                             \
    return hipport::cpu::solver::potrs_batched<T>(h, fill, n, nrhs, a, lda, b, ldb, info, batch);                    \
  }
HIPPORT_SOLVER_OF(HIPPORT_SOLVER_CHOLESKY_DN, hipsolverDn, potr, potr)
#undef HIPPORT_SOLVER_CHOLESKY_DN

#define HIPPORT_SOLVER_LU(F, T, R)                                                                                    \
  inline hipsolverStatus_t F##getrf_bufferSize(hipsolverHandle_t h, int, int, const T*, int, int* size) {             \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##sytrf_bufferSize(hipsolverHandle_t h, int, const T*, int, int* size) {                  \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##sytrf(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, T* a, int lda, int* pivots, \
                                    T*, int, int* info) {                                                             \
    return hipport::cpu::solver::sytrf<T>(h, fill, n, a, lda, pivots, info);                                          \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_LU, , )
#undef HIPPORT_SOLVER_LU

#define HIPPORT_SOLVER_LU_PLAIN(F, T, R)                                                                             \
  inline hipsolverStatus_t F##f(hipsolverHandle_t h, int m, int n, T* a, int lda, T*, int, int* pivots, int* info) { \
    return hipport::cpu::solver::getrf<T>(h, m, n, a, lda, pivots, info);                                            \
  }                                                                                                                  \
  inline hipsolverStatus_t F##s_bufferSize(hipsolverHandle_t h, hipsolverOperation_t, int, int, const T*, int,       \
                                           const int*, const T*, int, int* size) {                                   \
    return hipport::cpu::solver::workspace(h, size);                                                                 \
  }                                                                                                                  \
  inline hipsolverStatus_t F##s(hipsolverHandle_t h, hipsolverOperation_t op, int n, int nrhs, const T* a, int lda,  \
                                const int* pivots, T* b, int ldb, T*, int, int* info) {                              \
    return hipport::cpu::solver::getrs<T>(h, op, n, nrhs, a, lda, pivots, b, ldb, info);                             \
  }
HIPPORT_SOLVER_OF(HIPPORT_SOLVER_LU_PLAIN, hipsolver, getr, getr)
#undef HIPPORT_SOLVER_LU_PLAIN

#define HIPPORT_SOLVER_LU_DN(F, T, R)                                                                               \
  inline hipsolverStatus_t F##f(hipsolverHandle_t h, int m, int n, T* a, int lda, T*, int* pivots, int* info) {     \
    return hipport::cpu::solver::getrf<T>(h, m, n, a, lda, pivots, info);                                           \
  }                                                                                                                 \
  inline hipsolverStatus_t F##s(hipsolverHandle_t h, hipsolverOperation_t op, int n, int nrhs, const T* a, int lda, \
                                const int* pivots, T* b, int ldb, int* info) {                                      \
    return hipport::cpu::solver::getrs<T>(h, op, n, nrhs, a, lda, pivots, b, ldb, info);                            \
  }
HIPPORT_SOLVER_OF(HIPPORT_SOLVER_LU_DN, hipsolverDn, getr, getr)
#undef HIPPORT_SOLVER_LU_DN
