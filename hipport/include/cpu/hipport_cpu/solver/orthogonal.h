// SPDX-License-Identifier: MIT
// hipSOLVER: orthogonal transformations: QR, bidiagonal and tridiagonal forms.
#pragma once

#include "lapack.h"

namespace hipport::cpu::solver {

// Return LAPACK's name: orthogonal for real matrices, unitary for complex ones.
template <typename T>
constexpr const char* named(const char* real, const char* complex) {
  return is_complex<T> ? complex : real;
}

// Run a routine that takes its own workspace: `routine(work, size, info)`.
template <typename T, typename Routine>
hipsolverStatus_t transform(void* handle, bool valid, int* info, Routine routine) {
  if (const auto bad = check(handle, valid)) return bad;
  return submit(handle, info, [=] {
    int result = 0;
    with_workspace<T>([&](T* work, int size) { routine(work, &size, &result); });
    return result;
  });
}

template <typename T>
hipsolverStatus_t geqrf(void* handle, int m, int n, T* a, int lead, T* tau, int* info) {
  return transform<T>(handle, is_matrix(m, n, lead), info, [=](T* work, const int* size, int* result) {
    lapack<T>("geqrf", &m, &n, a, &lead, tau, work, size, result);
  });
}
template <typename T>
hipsolverStatus_t orgqr(void* handle, int m, int n, int k, T* a, int lead, const T* tau, int* info) {
  return transform<T>(handle, is_matrix(m, n, lead) && k >= 0 && k <= n && n <= m, info,
                      [=](T* work, const int* size, int* result) {
                        lapack<T>(named<T>("orgqr", "ungqr"), &m, &n, &k, a, &lead, tau, work, size, result);
                      });
}
template <typename T>
hipsolverStatus_t ormqr(void* handle, hipblasSideMode_t side, hipblasOperation_t operation, int m, int n, int k,
                        const T* a, int a_lead, const T* tau, T* c, int c_lead, int* info) {
  const int rows = side == HIPBLAS_SIDE_LEFT ? m : n;
  return transform<T>(handle, is_matrix(rows, k, a_lead) && k <= rows && is_matrix(m, n, c_lead), info,
                      [=](T* work, const int* size, int* result) {
                        const char left = letter_of(side), transposed = letter_of(operation);
                        lapack<T>(named<T>("ormqr", "unmqr"), &left, &transposed, &m, &n, &k, a, &a_lead, tau, c,
                                  &c_lead, work, size, result);
                      });
}
// Side left generates Q, side right P, transposed.
template <typename T>
hipsolverStatus_t orgbr(void* handle, hipblasSideMode_t side, int m, int n, int k, T* a, int lead, const T* tau,
                        int* info) {
  return transform<T>(handle, is_matrix(m, n, lead) && k >= 0, info, [=](T* work, const int* size, int* result) {
    const char kind = side == HIPBLAS_SIDE_LEFT ? 'Q' : 'P';
    lapack<T>(named<T>("orgbr", "ungbr"), &kind, &m, &n, &k, a, &lead, tau, work, size, result);
  });
}
template <typename T>
hipsolverStatus_t orgtr(void* handle, hipblasFillMode_t fill, int n, T* a, int lead, const T* tau, int* info) {
  return transform<T>(handle, is_matrix(n, n, lead), info, [=](T* work, const int* size, int* result) {
    const char uplo = letter_of(fill);
    lapack<T>(named<T>("orgtr", "ungtr"), &uplo, &n, a, &lead, tau, work, size, result);
  });
}
template <typename T>
hipsolverStatus_t ormtr(void* handle, hipblasSideMode_t side, hipblasFillMode_t fill, hipblasOperation_t operation,
                        int m, int n, const T* a, int a_lead, const T* tau, T* c, int c_lead, int* info) {
  const int order = side == HIPBLAS_SIDE_LEFT ? m : n;
  return transform<T>(handle, is_matrix(order, order, a_lead) && is_matrix(m, n, c_lead), info,
                      [=](T* work, const int* size, int* result) {
                        const char left = letter_of(side), uplo = letter_of(fill), transposed = letter_of(operation);
                        lapack<T>(named<T>("ormtr", "unmtr"), &left, &uplo, &transposed, &m, &n, a, &a_lead, tau, c,
                                  &c_lead, work, size, result);
                      });
}
template <typename T>
hipsolverStatus_t gebrd(void* handle, int m, int n, T* a, int lead, Real<T>* d, Real<T>* e, T* tau_q, T* tau_p,
                        int* info) {
  return transform<T>(handle, is_matrix(m, n, lead), info, [=](T* work, const int* size, int* result) {
    lapack<T>("gebrd", &m, &n, a, &lead, d, e, tau_q, tau_p, work, size, result);
  });
}
template <typename T>
hipsolverStatus_t sytrd(void* handle, hipblasFillMode_t fill, int n, T* a, int lead, Real<T>* d, Real<T>* e, T* tau,
                        int* info) {
  return transform<T>(handle, is_matrix(n, n, lead), info, [=](T* work, const int* size, int* result) {
    const char uplo = letter_of(fill);
    lapack<T>(named<T>("sytrd", "hetrd"), &uplo, &n, a, &lead, d, e, tau, work, size, result);
  });
}

}  // namespace hipport::cpu::solver

#define HIPPORT_SOLVER_REDUCE(F, T, R)                                                                              \
  inline hipsolverStatus_t F##geqrf_bufferSize(hipsolverHandle_t h, int, int, const T*, int, int* size) {           \
    return hipport::cpu::solver::workspace(h, size);                                                                \
  }                                                                                                                 \
  inline hipsolverStatus_t F##geqrf(hipsolverHandle_t h, int m, int n, T* a, int lda, T* tau, T*, int, int* info) { \
    return hipport::cpu::solver::geqrf<T>(h, m, n, a, lda, tau, info);                                              \
  }                                                                                                                 \
  inline hipsolverStatus_t F##gebrd_bufferSize(hipsolverHandle_t h, int, int, int* size) {                          \
    return hipport::cpu::solver::workspace(h, size);                                                                \
  }                                                                                                                 \
  inline hipsolverStatus_t F##gebrd(hipsolverHandle_t h, int m, int n, T* a, int lda, R* d, R* e, T* tauq, T* taup, \
                                    T*, int, int* info) {                                                           \
    return hipport::cpu::solver::gebrd<T>(h, m, n, a, lda, d, e, tauq, taup, info);                                 \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_REDUCE, , )
#undef HIPPORT_SOLVER_REDUCE

#define HIPPORT_SOLVER_GENERATE(F, T, R)                                                                              \
  inline hipsolverStatus_t F##qr_bufferSize(hipsolverHandle_t h, int, int, int, const T*, int, const T*, int* size) { \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##qr(hipsolverHandle_t h, int m, int n, int k, T* a, int lda, const T* tau, T*, int,      \
                                 int* info) {                                                                         \
    return hipport::cpu::solver::orgqr<T>(h, m, n, k, a, lda, tau, info);                                             \
  }                                                                                                                   \
  inline hipsolverStatus_t F##br_bufferSize(hipsolverHandle_t h, hipsolverSideMode_t, int, int, int, const T*, int,   \
                                            const T*, int* size) {                                                    \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##br(hipsolverHandle_t h, hipsolverSideMode_t side, int m, int n, int k, T* a, int lda,   \
                                 const T* tau, T*, int, int* info) {                                                  \
    return hipport::cpu::solver::orgbr<T>(h, side, m, n, k, a, lda, tau, info);                                       \
  }                                                                                                                   \
  inline hipsolverStatus_t F##tr_bufferSize(hipsolverHandle_t h, hipsolverFillMode_t, int, const T*, int, const T*,   \
                                            int* size) {                                                              \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F##tr(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, T* a, int lda, const T* tau,   \
                                 T*, int, int* info) {                                                                \
    return hipport::cpu::solver::orgtr<T>(h, fill, n, a, lda, tau, info);                                             \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_GENERATE, org, ung)
#undef HIPPORT_SOLVER_GENERATE

#define HIPPORT_SOLVER_MULTIPLY(F, T, R)                                                                               \
  inline hipsolverStatus_t F##qr_bufferSize(hipsolverHandle_t h, hipsolverSideMode_t, hipsolverOperation_t, int, int,  \
                                            int, const T*, int, const T*, const T*, int, int* size) {                  \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##qr(hipsolverHandle_t h, hipsolverSideMode_t side, hipsolverOperation_t op, int m, int n, \
                                 int k, const T* a, int lda, const T* tau, T* c, int ldc, T*, int, int* info) {        \
    return hipport::cpu::solver::ormqr<T>(h, side, op, m, n, k, a, lda, tau, c, ldc, info);                            \
  }                                                                                                                    \
  inline hipsolverStatus_t F##tr_bufferSize(hipsolverHandle_t h, hipsolverSideMode_t, hipsolverFillMode_t,             \
                                            hipsolverOperation_t, int, int, const T*, int, const T*, const T*, int,    \
                                            int* size) {                                                               \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##tr(hipsolverHandle_t h, hipsolverSideMode_t side, hipsolverFillMode_t fill,              \
                                 hipsolverOperation_t op, int m, int n, const T* a, int lda, const T* tau, T* c,       \
                                 int ldc, T*, int, int* info) {                                                        \
    return hipport::cpu::solver::ormtr<T>(h, side, fill, op, m, n, a, lda, tau, c, ldc, info);                         \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_MULTIPLY, orm, unm)
#undef HIPPORT_SOLVER_MULTIPLY

#define HIPPORT_SOLVER_TRIDIAGONAL(F, T, R)                                                                           \
  inline hipsolverStatus_t F##_bufferSize(hipsolverHandle_t h, hipsolverFillMode_t, int, const T*, int, const R*,     \
                                          const R*, const T*, int* size) {                                            \
    return hipport::cpu::solver::workspace(h, size);                                                                  \
  }                                                                                                                   \
  inline hipsolverStatus_t F(hipsolverHandle_t h, hipsolverFillMode_t fill, int n, T* a, int lda, R* d, R* e, T* tau, \
                             T*, int, int* info) {                                                                    \
    return hipport::cpu::solver::sytrd<T>(h, fill, n, a, lda, d, e, tau, info);                                       \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_TRIDIAGONAL, sytrd, hetrd)
#undef HIPPORT_SOLVER_TRIDIAGONAL
