// SPDX-License-Identifier: MIT
// hipBLAS's functions that are LAPACK's: LU, inverses, QR and least squares, for one matrix and for batches.
#pragma once

#include "../solver/linear.h"
#include "../solver/orthogonal.h"
#include "routines.h"

namespace hipport::cpu::blas {

// Run `work(i)` for each problem of a batch; it returns LAPACK's info.
template <typename Work>
hipblasStatus_t each(hipblasHandle_t handle, bool valid, int batch, int* info, Work work) {
  if (const auto bad = check(handle, valid && batch >= 0)) return bad;
  return submit(handle, [=] {
    for (int i = 0; i < batch; ++i) {
      const int result = work(i);
      if (info != nullptr) info[i] = result;
    }
  });
}
template <typename T, typename A>
hipblasStatus_t getrf(hipblasHandle_t h, int n, A a, int lead, int* pivots, hipblasStride step, int* info, int batch) {
  return each(h, solver::is_matrix(n, n, lead), batch, info, [=](int i) {
    return solver::getrf_now<T>(n, n, a.at(i), lead, pivots == nullptr ? nullptr : pivots + step * i);
  });
}
// `info` is a number of the host: it says whether the arguments make sense.
template <typename T, typename A>
hipblasStatus_t getrs(hipblasHandle_t h, hipblasOperation_t op, int n, int sides, A a, int a_lead, const int* pivots,
                      hipblasStride step, A b, int b_lead, int* info, int batch) {
  if (info != nullptr) *info = 0;
  const bool valid = solver::is_matrix(n, n, a_lead) && solver::is_matrix(n, sides, b_lead);
  return each(h, valid, batch, nullptr, [=](int i) {
    const int* mine = pivots == nullptr ? nullptr : pivots + step * i;
    return solver::getrs_now<T>(op, n, sides, a.at(i), a_lead, mine, b.at(i), b_lead);
  });
}
// C = A^-1, where A has been factored.
template <typename T>
hipblasStatus_t getri(hipblasHandle_t h, int n, T* const* a, int a_lead, const int* pivots, T* const* c, int c_lead,
                      int* info, int batch) {
  const bool valid = solver::is_matrix(n, n, a_lead) && solver::is_matrix(n, n, c_lead);
  return each(h, valid, batch, info, [=](int i) {
    std::vector<int> in_place;
    for (int row = 1; row <= n; ++row) in_place.push_back(row);
    const int* mine = pivots == nullptr ? in_place.data() : pivots + std::ptrdiff_t(n) * i;
    solver::copy_columns(static_cast<size_t>(n), n, a[i], a_lead, c[i], c_lead);
    int result = 0;
    solver::with_workspace<T>(
        [&](T* work, int size) { solver::lapack<T>("getri", &n, c[i], &c_lead, mine, work, &size, &result); });
    return result;
  });
}
template <typename T, typename A>
hipblasStatus_t geqrf(hipblasHandle_t h, int m, int n, A a, int lead, A tau, int* info, int batch) {
  if (info != nullptr) *info = 0;
  return each(h, solver::is_matrix(m, n, lead), batch, nullptr, [=](int i) {
    int result = 0;
    solver::with_workspace<T>([&](T* work, int size) {
      solver::lapack<T>("geqrf", &m, &n, a.at(i), &lead, tau.at(i), work, &size, &result);
    });
    return result;
  });
}
template <typename T, typename A>
hipblasStatus_t gels(hipblasHandle_t h, hipblasOperation_t op, int m, int n, int sides, A a, int a_lead, A b,
                     int b_lead, int* info, int* device_info, int batch) {
  if (info != nullptr) *info = 0;
  const bool valid = solver::is_matrix(m, n, a_lead) && solver::is_matrix(std::max(m, n), sides, b_lead);
  return each(h, valid, batch, device_info,
              [=](int i) { return solver::gels_now<T>(op, m, n, sides, a.at(i), a_lead, b.at(i), b_lead); });
}

}  // namespace hipport::cpu::blas

#define HIPPORT_BLAS_LAPACK(P, T)                                                                                    \
  inline hipblasStatus_t hipblas##P##getrf(hipblasHandle_t h, int n, T* a, int lda, int* pivots, int* info) {        \
    using namespace hipport::cpu::blas;                                                                              \
    return getrf<T>(h, n, One<T>{a}, lda, pivots, 0, info, 1);                                                       \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##getrfBatched(hipblasHandle_t h, int n, T* const a[], int lda, int* pivots,      \
                                                  int* info, int batch) {                                            \
    using namespace hipport::cpu::blas;                                                                              \
    return getrf<T>(h, n, Listed<T>{a}, lda, pivots, n, info, batch);                                                \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##getrfStridedBatched(hipblasHandle_t h, int n, T* a, int lda, hipblasStride sa,  \
                                                         int* pivots, hipblasStride sp, int* info, int batch) {      \
    using namespace hipport::cpu::blas;                                                                              \
    return getrf<T>(h, n, Strided<T>{a, sa}, lda, pivots, sp, info, batch);                                          \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##getrs(hipblasHandle_t h, hipblasOperation_t op, int n, int nrhs, T* a, int lda, \
                                           const int* pivots, T* b, int ldb, int* info) {                            \
    using namespace hipport::cpu::blas;                                                                              \
    return getrs<T>(h, op, n, nrhs, One<T>{a}, lda, pivots, 0, One<T>{b}, ldb, info, 1);                             \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##getrsBatched(hipblasHandle_t h, hipblasOperation_t op, int n, int nrhs,         \
                                                  T* const a[], int lda, const int* pivots, T* const b[], int ldb,   \
                                                  int* info, int batch) {                                            \
    using namespace hipport::cpu::blas;                                                                              \
    return getrs<T>(h, op, n, nrhs, Listed<T>{a}, lda, pivots, n, Listed<T>{b}, ldb, info, batch);                   \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##getriBatched(hipblasHandle_t h, int n, T* const a[], int lda, int* pivots,      \
                                                  T* const c[], int ldc, int* info, int batch) {                     \
    return hipport::cpu::blas::getri<T>(h, n, a, lda, pivots, c, ldc, info, batch);                                  \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##geqrf(hipblasHandle_t h, int m, int n, T* a, int lda, T* tau, int* info) {      \
    using namespace hipport::cpu::blas;                                                                              \
    return geqrf<T>(h, m, n, One<T>{a}, lda, One<T>{tau}, info, 1);                                                  \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##geqrfBatched(hipblasHandle_t h, int m, int n, T* const a[], int lda,            \
                                                  T* const tau[], int* info, int batch) {                            \
    using namespace hipport::cpu::blas;                                                                              \
    return geqrf<T>(h, m, n, Listed<T>{a}, lda, Listed<T>{tau}, info, batch);                                        \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##gels(hipblasHandle_t h, hipblasOperation_t op, int m, int n, int nrhs, T* a,    \
                                          int lda, T* b, int ldb, int* info, int* device_info) {                     \
    using namespace hipport::cpu::blas;                                                                              \
    return gels<T>(h, op, m, n, nrhs, One<T>{a}, lda, One<T>{b}, ldb, info, device_info, 1);                         \
  }                                                                                                                  \
  inline hipblasStatus_t hipblas##P##gelsBatched(hipblasHandle_t h, hipblasOperation_t op, int m, int n, int nrhs,   \
                                                 T* const a[], int lda, T* const b[], int ldb, int* info,            \
                                                 int* device_info, int batch) {                                      \
    using namespace hipport::cpu::blas;                                                                              \
    return gels<T>(h, op, m, n, nrhs, Listed<T>{a}, lda, Listed<T>{b}, ldb, info, device_info, batch);               \
  }
HIPPORT_BLAS_LAPACK(S, float)
HIPPORT_BLAS_LAPACK(D, double)
HIPPORT_BLAS_LAPACK(C, hipFloatComplex)
HIPPORT_BLAS_LAPACK(Z, hipDoubleComplex)
#undef HIPPORT_BLAS_LAPACK
