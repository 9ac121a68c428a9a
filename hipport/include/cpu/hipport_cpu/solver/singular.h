// SPDX-License-Identifier: MIT
// hipSOLVER: singular values.
#pragma once

#include "lapack.h"

namespace hipport::cpu::solver {

template <typename T>
int gesvd_now(char left, char right, int m, int n, T* a, int lead, Real<T>* s, T* u, int u_lead, T* v, int v_lead) {
  const char job_u = left, job_v = right;
  int result = 0;
  std::vector<Real<T>> reals(static_cast<size_t>(std::max(1, 5 * std::min(m, n))));
  with_workspace<T>([&](T* work, int size) {
    if constexpr (is_complex<T>)
      lapack<T>("gesvd", &job_u, &job_v, &m, &n, a, &lead, s, u, &u_lead, v, &v_lead, work, &size, reals.data(),
                &result);
    else
      lapack<T>("gesvd", &job_u, &job_v, &m, &n, a, &lead, s, u, &u_lead, v, &v_lead, work, &size, &result);
  });
  return result;
}
template <typename T>
hipsolverStatus_t gesvd(void* handle, signed char left, signed char right, int m, int n, T* a, int lead, Real<T>* s,
                        T* u, int u_lead, T* v, int v_lead, int* info) {
  if (const auto bad = check(handle, is_matrix(m, n, lead))) return bad;
  return submit(handle, info, [=] {
    return gesvd_now(static_cast<char>(left), static_cast<char>(right), m, n, a, lead, s, u, std::max(1, u_lead), v,
                     std::max(1, v_lead));
  });
}

inline float conjugate_of(float value) { return value; }
inline double conjugate_of(double value) { return value; }
inline hipFloatComplex conjugate_of(hipFloatComplex value) { return hipConjf(value); }
inline hipDoubleComplex conjugate_of(hipDoubleComplex value) { return hipConj(value); }

// A matrix of a batch and its decomposition; `rank` columns of U and V are kept.
template <typename T>
struct Decomposition {
  T* a;
  Real<T>* s;
  T *u, *v;
  int m, n, a_lead, u_lead, v_lead, rank;
};

// Compute V itself, where LAPACK returns it transposed.
template <typename T>
int decompose(hipsolverEigMode_t mode, bool economical, const Decomposition<T>& of, Real<T>* s) {
  const bool vectors = mode == HIPSOLVER_EIG_MODE_VECTOR;
  const char job = !vectors ? 'N' : economical ? 'S' : 'A';
  const size_t rows = static_cast<size_t>(economical ? std::min(of.m, of.n) : of.n), n = static_cast<size_t>(of.n);
  const size_t columns = economical ? rows : static_cast<size_t>(of.m), m = static_cast<size_t>(of.m);
  std::vector<T> right(vectors ? std::max<size_t>(1, rows * n) : 1),
      left(vectors ? std::max<size_t>(1, m * columns) : 1);
  const int result = gesvd_now(job, job, of.m, of.n, of.a, of.a_lead, s, left.data(), std::max(1, of.m), right.data(),
                               std::max(1, static_cast<int>(rows)));
  const size_t keep = static_cast<size_t>(of.rank);
  for (size_t k = 0; vectors && k < std::min(keep, columns); ++k)
    std::copy_n(&left[k * m], m, of.u + k * static_cast<size_t>(of.u_lead));
  for (size_t k = 0; vectors && k < std::min(keep, rows); ++k)
    for (size_t i = 0; i < n; ++i) of.v[i + k * static_cast<size_t>(of.v_lead)] = conjugate_of(right[k + i * rows]);
  return result;
}

template <typename T>
hipsolverStatus_t gesvdj(void* handle, hipsolverEigMode_t mode, int economical, int m, int n, T* a, int a_lead,
                         Real<T>* s, T* u, int u_lead, T* v, int v_lead, int* info, int batch) {
  if (const auto bad = check(handle, is_matrix(m, n, a_lead) && batch >= 0)) return bad;
  return submit(handle, nullptr, [=] {
    for (size_t i = 0; i < static_cast<size_t>(batch); ++i) {
      const Decomposition<T> of{a + i * static_cast<size_t>(a_lead) * static_cast<size_t>(n),
                                s + i * static_cast<size_t>(std::min(m, n)),
                                u + i * static_cast<size_t>(u_lead) * static_cast<size_t>(m),
                                v + i * static_cast<size_t>(v_lead) * static_cast<size_t>(n),
                                m,
                                n,
                                a_lead,
                                u_lead,
                                v_lead,
                                std::max(m, n)};
      info[i] = decompose(mode, economical != 0, of, of.s);
    }
    return 0;
  });
}
// Keep `rank` singular values. `residual` (on the host) receives the norm of what is left out: A - U S V^H.
template <typename T>
hipsolverStatus_t gesvda(void* handle, hipsolverEigMode_t mode, int rank, int m, int n, const T* a, int a_lead,
                         long long a_step, Real<T>* s, long long s_step, T* u, int u_lead, long long u_step, T* v,
                         int v_lead, long long v_step, int* info, double* residual, int batch) {
  const bool valid = is_matrix(m, n, a_lead) && rank >= 0 && rank <= std::min(m, n) && batch >= 0;
  if (const auto bad = check(handle, valid)) return bad;
  return submit(handle, nullptr, [=] {
    for (int i = 0; i < batch; ++i) {
      std::vector<T> copy(a + a_step * i, a + a_step * i + static_cast<std::ptrdiff_t>(a_lead) * n);
      std::vector<Real<T>> values(static_cast<size_t>(std::max(1, std::min(m, n))));
      const Decomposition<T> of{copy.data(), s + s_step * i, u + u_step * i, v + v_step * i, m,
                                n,           a_lead,         u_lead,         v_lead,         rank};
      info[i] = decompose(mode, true, of, values.data());
      std::copy_n(values.begin(), rank, of.s);
      double rest = 0;
      for (size_t k = static_cast<size_t>(rank); k < static_cast<size_t>(std::min(m, n)); ++k)
        rest += double(values[k]) * values[k];
      if (residual != nullptr) residual[i] = std::sqrt(rest);
    }
    return 0;
  });
}

}  // namespace hipport::cpu::solver

#define HIPPORT_SOLVER_SVD(F, T, R)                                                                                    \
  inline hipsolverStatus_t F(hipsolverHandle_t h, signed char left, signed char right, int m, int n, T* a, int lda,    \
                             R* s, T* u, int ldu, T* v, int ldv, T*, int, R*, int* info) {                             \
    return hipport::cpu::solver::gesvd<T>(h, left, right, m, n, a, lda, s, u, ldu, v, ldv, info);                      \
  }                                                                                                                    \
  inline hipsolverStatus_t F##j_bufferSize(hipsolverHandle_t h, hipsolverEigMode_t, int, int, int, const T*, int,      \
                                           const R*, const T*, int, const T*, int, int* size, hipsolverGesvdjInfo_t) { \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##j(hipsolverHandle_t h, hipsolverEigMode_t mode, int economical, int m, int n, T* a,      \
                                int lda, R* s, T* u, int ldu, T* v, int ldv, T*, int, int* info,                       \
                                hipsolverGesvdjInfo_t) {                                                               \
    return hipport::cpu::solver::gesvdj<T>(h, mode, economical, m, n, a, lda, s, u, ldu, v, ldv, info, 1);             \
  }                                                                                                                    \
  inline hipsolverStatus_t F##jBatched_bufferSize(hipsolverHandle_t h, hipsolverEigMode_t, int, int, const T*, int,    \
                                                  const R*, const T*, int, const T*, int, int* size,                   \
                                                  hipsolverGesvdjInfo_t, int) {                                        \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##jBatched(hipsolverHandle_t h, hipsolverEigMode_t mode, int m, int n, T* a, int lda,      \
                                       R* s, T* u, int ldu, T* v, int ldv, T*, int, int* info, hipsolverGesvdjInfo_t,  \
                                       int batch) {                                                                    \
    return hipport::cpu::solver::gesvdj<T>(h, mode, 0, m, n, a, lda, s, u, ldu, v, ldv, info, batch);                  \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_SVD, gesvd, gesvd)
#undef HIPPORT_SOLVER_SVD

#define HIPPORT_SOLVER_SVD_SIZE(F, T, R)                                                           \
  inline hipsolverStatus_t F(hipsolverHandle_t h, signed char, signed char, int, int, int* size) { \
    return hipport::cpu::solver::workspace(h, size);                                               \
  }
HIPPORT_SOLVER_OF(HIPPORT_SOLVER_SVD_SIZE, hipsolver, gesvd_bufferSize, gesvd_bufferSize)
#undef HIPPORT_SOLVER_SVD_SIZE

#define HIPPORT_SOLVER_SVD_DN(F, T, R)                                                                                 \
  inline hipsolverStatus_t F##_bufferSize(hipsolverHandle_t h, int, int, int* size) {                                  \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##aStridedBatched_bufferSize(hipsolverHandle_t h, hipsolverEigMode_t, int, int, int,       \
                                                         const T*, int, long long, const R*, long long, const T*, int, \
                                                         long long, const T*, int, long long, int* size, int) {        \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##aStridedBatched(hipsolverHandle_t h, hipsolverEigMode_t mode, int rank, int m, int n,    \
                                              const T* a, int lda, long long stride_a, R* s, long long stride_s, T* u, \
                                              int ldu, long long stride_u, T* v, int ldv, long long stride_v, T*, int, \
                                              int* info, double* residual, int batch) {                                \
    return hipport::cpu::solver::gesvda<T>(h, mode, rank, m, n, a, lda, stride_a, s, stride_s, u, ldu, stride_u, v,    \
                                           ldv, stride_v, info, residual, batch);                                      \
  }
HIPPORT_SOLVER_OF(HIPPORT_SOLVER_SVD_DN, hipsolverDn, gesvd, gesvd)
#undef HIPPORT_SOLVER_SVD_DN
