// SPDX-License-Identifier: MIT
// hipSOLVER: linear systems and least squares in one call.
#pragma once

#include "factor.h"

namespace hipport::cpu::solver {

template <typename T>
void copy_columns(size_t rows, int columns, const T* from, int from_lead, T* to, int to_lead) {
  for (size_t i = 0; i < static_cast<size_t>(columns); ++i)
    std::copy_n(from + i * static_cast<size_t>(from_lead), rows, to + i * static_cast<size_t>(to_lead));
}

// Factor A in place and solve A X = B. There is no refinement: `iterations` receives 0.
template <typename T>
hipsolverStatus_t gesv(void* handle, int n, int sides, T* a, int a_lead, int* pivots, const T* b, int b_lead, T* x,
                       int x_lead, int* iterations, int* info) {
  const bool valid = is_matrix(n, n, a_lead) && is_matrix(n, sides, b_lead) && is_matrix(n, sides, x_lead);
  if (const auto bad = check(handle, valid)) return bad;
  return submit(handle, info, [=] {
    if (iterations != nullptr) *iterations = 0;
    const int result = getrf_now(n, n, a, a_lead, pivots);
    if (result != 0) return result;
    if (x != b) copy_columns(static_cast<size_t>(n), sides, b, b_lead, x, x_lead);
    return getrs_now(HIPBLAS_OP_N, n, sides, a, a_lead, pivots, x, x_lead);
  });
}
// Minimize |A X - B|, or |X| if there are many solutions. A is replaced by its factorization.
template <typename T>
int gels_now(hipblasOperation_t operation, int m, int n, int sides, T* a, int a_lead, T* b, int b_lead) {
  const char transposed = letter_of(operation);
  int result = 0;
  with_workspace<T>([&](T* work, int size) {
    lapack<T>("gels", &transposed, &m, &n, &sides, a, &a_lead, b, &b_lead, work, &size, &result);
  });
  return result;
}
template <typename T>
hipsolverStatus_t gels(void* handle, int m, int n, int sides, T* a, int a_lead, const T* b, int b_lead, T* x,
                       int x_lead, int* iterations, int* info) {
  const bool valid = is_matrix(m, n, a_lead) && is_matrix(m, sides, b_lead) && is_matrix(n, sides, x_lead);
  if (const auto bad = check(handle, valid)) return bad;
  return submit(handle, info, [=] {
    if (iterations != nullptr) *iterations = 0;
    const int lead = std::max({1, m, n});
    std::vector<T> both(static_cast<size_t>(lead) * static_cast<size_t>(sides));
    copy_columns(static_cast<size_t>(m), sides, b, b_lead, both.data(), lead);
    const int result = gels_now(HIPBLAS_OP_N, m, n, sides, a, a_lead, both.data(), lead);
    copy_columns(static_cast<size_t>(n), sides, both.data(), lead, x, x_lead);
    return result;
  });
}

}  // namespace hipport::cpu::solver

#define HIPPORT_SOLVER_SOLVE(F, T, R)                                                                               \
  inline hipsolverStatus_t F##gesv(hipsolverHandle_t h, int n, int nrhs, T* a, int lda, int* pivots, T* b, int ldb, \
                                   T* x, int ldx, void*, size_t, int* iterations, int* info) {                      \
    return hipport::cpu::solver::gesv<T>(h, n, nrhs, a, lda, pivots, b, ldb, x, ldx, iterations, info);             \
  }                                                                                                                 \
  inline hipsolverStatus_t F##gels(hipsolverHandle_t h, int m, int n, int nrhs, T* a, int lda, T* b, int ldb, T* x, \
                                   int ldx, void*, size_t, int* iterations, int* info) {                            \
    return hipport::cpu::solver::gels<T>(h, m, n, nrhs, a, lda, b, ldb, x, ldx, iterations, info);                  \
  }
#define HIPPORT_SOLVER_SOLVE_PLAIN(F, T, R)                                                                   \
  HIPPORT_SOLVER_SOLVE(F, T, R)                                                                               \
  inline hipsolverStatus_t F##gesv_bufferSize(hipsolverHandle_t h, int, int, T*, int, int*, T*, int, T*, int, \
                                              size_t* size) {                                                 \
    return hipport::cpu::solver::workspace(h, size);                                                          \
  }                                                                                                           \
  inline hipsolverStatus_t F##gels_bufferSize(hipsolverHandle_t h, int, int, int, T*, int, T*, int, T*, int,  \
                                              size_t* size) {                                                 \
    return hipport::cpu::solver::workspace(h, size);                                                          \
  }
#define HIPPORT_SOLVER_SOLVE_DN(F, T, R)                                                                             \
  HIPPORT_SOLVER_SOLVE(F, T, R)                                                                                      \
  inline hipsolverStatus_t F##gesv_bufferSize(hipsolverHandle_t h, int, int, T*, int, int*, T*, int, T*, int, void*, \
                                              size_t* size) {                                                        \
    return hipport::cpu::solver::workspace(h, size);                                                                 \
  }                                                                                                                  \
  inline hipsolverStatus_t F##gels_bufferSize(hipsolverHandle_t h, int, int, int, T*, int, T*, int, T*, int, void*,  \
                                              size_t* size) {                                                        \
    return hipport::cpu::solver::workspace(h, size);                                                                 \
  }
HIPPORT_SOLVER_SOLVE_PLAIN(hipsolverSS, float, float)
HIPPORT_SOLVER_SOLVE_PLAIN(hipsolverDD, double, double)
HIPPORT_SOLVER_SOLVE_PLAIN(hipsolverCC, hipFloatComplex, float)
HIPPORT_SOLVER_SOLVE_PLAIN(hipsolverZZ, hipDoubleComplex, double)
HIPPORT_SOLVER_SOLVE_DN(hipsolverDnSS, float, float)
HIPPORT_SOLVER_SOLVE_DN(hipsolverDnDD, double, double)
HIPPORT_SOLVER_SOLVE_DN(hipsolverDnCC, hipFloatComplex, float)
HIPPORT_SOLVER_SOLVE_DN(hipsolverDnZZ, hipDoubleComplex, double)
#undef HIPPORT_SOLVER_SOLVE
#undef HIPPORT_SOLVER_SOLVE_PLAIN
#undef HIPPORT_SOLVER_SOLVE_DN
