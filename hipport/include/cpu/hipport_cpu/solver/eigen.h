// SPDX-License-Identifier: MIT
// hipSOLVER: eigenvalues and eigenvectors of symmetric and Hermitian matrices, of one and of pairs.
#pragma once

#include "orthogonal.h"

namespace hipport::cpu::solver {

// Run a divide-and-conquer routine, whose last arguments are its workspaces:
// `routine(work, &size, [real, &real_size,] integers, &integer_size, &info)`.
template <typename T, typename Routine>
int divide_and_conquer(Routine routine) {
  T size{};
  Real<T> real_size{};
  int integer_size = 0, ask = -1, result = 0;
  const auto call = [&](T* work, const int* n, Real<T>* real, const int* real_n, int* integers, const int* integer_n) {
    if constexpr (is_complex<T>)
      routine(work, n, real, real_n, integers, integer_n, &result);
    else
      routine(work, n, integers, integer_n, &result);
  };
  call(&size, &ask, &real_size, &ask, &integer_size, &ask);
  std::vector<T> work(static_cast<size_t>(std::max(1.0, real_part(size))));
  std::vector<Real<T>> reals(static_cast<size_t>(std::max(Real<T>(1), real_size)));
  std::vector<int> integers(static_cast<size_t>(std::max(1, integer_size)));
  const int n = static_cast<int>(work.size()), real_n = static_cast<int>(reals.size()), integer_n = integer_size;
  call(work.data(), &n, reals.data(), &real_n, integers.data(), &integer_n);
  return result;
}

template <typename T>
int syevd_now(hipsolverEigMode_t mode, hipblasFillMode_t fill, int n, T* a, int lead, Real<T>* w) {
  const char job = letter_of(mode), uplo = letter_of(fill);
  return divide_and_conquer<T>(
      [&](auto... work) { lapack<T>(named<T>("syevd", "heevd"), &job, &uplo, &n, a, &lead, w, work...); });
}
template <typename T>
int sygvd_now(hipsolverEigType_t type, hipsolverEigMode_t mode, hipblasFillMode_t fill, int n, T* a, int a_lead, T* b,
              int b_lead, Real<T>* w) {
  const int kind = type - HIPSOLVER_EIG_TYPE_1 + 1;
  const char job = letter_of(mode), uplo = letter_of(fill);
  return divide_and_conquer<T>([&](auto... work) {
    lapack<T>(named<T>("sygvd", "hegvd"), &kind, &job, &uplo, &n, a, &a_lead, b, &b_lead, w, work...);
  });
}

// A part of the eigenvalues: numbers `first` to `last`, from 1, or those in (above, to].
template <typename R>
struct Wanted {
  hipsolverEigRange_t range;
  R above, to;
  int first, last;
  bool valid(int n) const {
    if (range == HIPSOLVER_EIG_RANGE_V) return above < to;
    return range == HIPSOLVER_EIG_RANGE_ALL || n == 0 || (first >= 1 && first <= last && last <= n);
  }
  bool contains(int i, R value) const {
    if (range == HIPSOLVER_EIG_RANGE_V) return value > above && value <= to;
    return range == HIPSOLVER_EIG_RANGE_ALL || (i + 1 >= first && i + 1 <= last);
  }
};

// Move the wanted eigenvalues, and the columns that are their vectors, to the front; return how many there are.
template <typename T>
int keep(const Wanted<Real<T>>& wanted, hipsolverEigMode_t mode, int n, T* a, size_t lead, Real<T>* w) {
  int found = 0;
  for (int i = 0; i < n; ++i) {
    if (!wanted.contains(i, w[i])) continue;
    w[found] = w[i];
    if (mode == HIPSOLVER_EIG_MODE_VECTOR && found != i)
      std::copy_n(a + static_cast<size_t>(i) * lead, n, a + static_cast<size_t>(found) * lead);
    ++found;
  }
  return found;
}

template <typename T>
hipsolverStatus_t syevd(void* handle, hipsolverEigMode_t mode, hipblasFillMode_t fill, int n, T* a, int lead,
                        Real<T>* w, int* info) {
  if (const auto bad = check(handle, is_matrix(n, n, lead))) return bad;
  return submit(handle, info, [=] { return syevd_now(mode, fill, n, a, lead, w); });
}
template <typename T>
hipsolverStatus_t syevdx(void* handle, hipsolverEigMode_t mode, const Wanted<Real<T>>& wanted, hipblasFillMode_t fill,
                         int n, T* a, int lead, int* count, Real<T>* w, int* info) {
  if (const auto bad = check(handle, is_matrix(n, n, lead) && wanted.valid(n) && count != nullptr)) return bad;
  return submit(handle, info, [=] {
    const int result = syevd_now(mode, fill, n, a, lead, w);
    *count = result == 0 ? keep(wanted, mode, n, a, static_cast<size_t>(lead), w) : 0;
    return result;
  });
}
// Matrices and eigenvalues follow each other; one info for each matrix.
template <typename T>
hipsolverStatus_t syev_batched(void* handle, hipsolverEigMode_t mode, hipblasFillMode_t fill, int n, T* a, int lead,
                               Real<T>* w, int* info, int batch) {
  if (const auto bad = check(handle, is_matrix(n, n, lead) && batch >= 0)) return bad;
  return submit(handle, nullptr, [=] {
    const size_t step = static_cast<size_t>(n);
    for (size_t i = 0; i < static_cast<size_t>(batch); ++i)
      info[i] = syevd_now(mode, fill, n, a + i * step * static_cast<size_t>(lead), lead, w + i * step);
    return 0;
  });
}
template <typename T>
hipsolverStatus_t sygvd(void* handle, hipsolverEigType_t type, hipsolverEigMode_t mode, hipblasFillMode_t fill, int n,
                        T* a, int a_lead, T* b, int b_lead, Real<T>* w, int* info) {
  if (const auto bad = check(handle, is_matrix(n, n, a_lead) && is_matrix(n, n, b_lead))) return bad;
  return submit(handle, info, [=] { return sygvd_now(type, mode, fill, n, a, a_lead, b, b_lead, w); });
}
template <typename T>
hipsolverStatus_t sygvdx(void* handle, hipsolverEigType_t type, hipsolverEigMode_t mode, const Wanted<Real<T>>& wanted,
                         hipblasFillMode_t fill, int n, T* a, int a_lead, T* b, int b_lead, int* count, Real<T>* w,
                         int* info) {
  const bool valid = is_matrix(n, n, a_lead) && is_matrix(n, n, b_lead) && wanted.valid(n) && count != nullptr;
  if (const auto bad = check(handle, valid)) return bad;
  return submit(handle, info, [=] {
    const int result = sygvd_now(type, mode, fill, n, a, a_lead, b, b_lead, w);
    *count = result == 0 ? keep(wanted, mode, n, a, static_cast<size_t>(a_lead), w) : 0;
    return result;
  });
}

}  // namespace hipport::cpu::solver

#define HIPPORT_SOLVER_STANDARD(F, T, R)                                                                               \
  inline hipsolverStatus_t F##d_bufferSize(hipsolverHandle_t h, hipsolverEigMode_t, hipsolverFillMode_t, int,          \
                                           const T*, int, const R*, int* size) {                                       \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##d(hipsolverHandle_t h, hipsolverEigMode_t mode, hipsolverFillMode_t fill, int n, T* a,   \
                                int lda, R* w, T*, int, int* info) {                                                   \
    return hipport::cpu::solver::syevd<T>(h, mode, fill, n, a, lda, w, info);                                          \
  }                                                                                                                    \
  inline hipsolverStatus_t F##dx_bufferSize(hipsolverHandle_t h, hipsolverEigMode_t, hipsolverEigRange_t,              \
                                            hipblasFillMode_t, int, const T*, int, R, R, int, int, int*, const R*,     \
                                            int* size) {                                                               \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##dx(hipsolverHandle_t h, hipsolverEigMode_t mode, hipsolverEigRange_t range,              \
                                 hipblasFillMode_t fill, int n, T* a, int lda, R vl, R vu, int il, int iu, int* count, \
                                 R* w, T*, int, int* info) {                                                           \
    return hipport::cpu::solver::syevdx<T>(h, mode, {range, vl, vu, il, iu}, fill, n, a, lda, count, w, info);         \
  }                                                                                                                    \
  inline hipsolverStatus_t F##j_bufferSize(hipsolverHandle_t h, hipsolverEigMode_t, hipsolverFillMode_t, int,          \
                                           const T*, int, const R*, int* size, hipsolverSyevjInfo_t) {                 \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##j(hipsolverHandle_t h, hipsolverEigMode_t mode, hipsolverFillMode_t fill, int n, T* a,   \
                                int lda, R* w, T*, int, int* info, hipsolverSyevjInfo_t) {                             \
    return hipport::cpu::solver::syevd<T>(h, mode, fill, n, a, lda, w, info);                                          \
  }                                                                                                                    \
  inline hipsolverStatus_t F##jBatched_bufferSize(hipsolverHandle_t h, hipsolverEigMode_t, hipsolverFillMode_t, int,   \
                                                  const T*, int, const R*, int* size, hipsolverSyevjInfo_t, int) {     \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##jBatched(hipsolverHandle_t h, hipsolverEigMode_t mode, hipsolverFillMode_t fill, int n,  \
                                       T* a, int lda, R* w, T*, int, int* info, hipsolverSyevjInfo_t, int batch) {     \
    return hipport::cpu::solver::syev_batched<T>(h, mode, fill, n, a, lda, w, info, batch);                            \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_STANDARD, syev, heev)
#undef HIPPORT_SOLVER_STANDARD

#define HIPPORT_SOLVER_GENERALIZED(F, T, R)                                                                            \
  inline hipsolverStatus_t F##d_bufferSize(hipsolverHandle_t h, hipsolverEigType_t, hipsolverEigMode_t,                \
                                           hipsolverFillMode_t, int, const T*, int, const T*, int, const R*,           \
                                           int* size) {                                                                \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##d(hipsolverHandle_t h, hipsolverEigType_t type, hipsolverEigMode_t mode,                 \
                                hipsolverFillMode_t fill, int n, T* a, int lda, T* b, int ldb, R* w, T*, int,          \
                                int* info) {                                                                           \
    return hipport::cpu::solver::sygvd<T>(h, type, mode, fill, n, a, lda, b, ldb, w, info);                            \
  }                                                                                                                    \
  inline hipsolverStatus_t F##dx_bufferSize(hipsolverHandle_t h, hipsolverEigType_t, hipsolverEigMode_t,               \
                                            hipsolverEigRange_t, hipblasFillMode_t, int, const T*, int, const T*, int, \
                                            R, R, int, int, int*, const R*, int* size) {                               \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##dx(hipsolverHandle_t h, hipsolverEigType_t type, hipsolverEigMode_t mode,                \
                                 hipsolverEigRange_t range, hipblasFillMode_t fill, int n, T* a, int lda, T* b,        \
                                 int ldb, R vl, R vu, int il, int iu, int* count, R* w, T*, int, int* info) {          \
    return hipport::cpu::solver::sygvdx<T>(h, type, mode, {range, vl, vu, il, iu}, fill, n, a, lda, b, ldb, count, w,  \
                                           info);                                                                      \
  }                                                                                                                    \
  inline hipsolverStatus_t F##j_bufferSize(hipsolverHandle_t h, hipsolverEigType_t, hipsolverEigMode_t,                \
                                           hipsolverFillMode_t, int, const T*, int, const T*, int, const R*,           \
                                           int* size, hipsolverSyevjInfo_t) {                                          \
    return hipport::cpu::solver::workspace(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsolverStatus_t F##j(hipsolverHandle_t h, hipsolverEigType_t type, hipsolverEigMode_t mode,                 \
                                hipsolverFillMode_t fill, int n, T* a, int lda, T* b, int ldb, R* w, T*, int,          \
                                int* info, hipsolverSyevjInfo_t) {                                                     \
    return hipport::cpu::solver::sygvd<T>(h, type, mode, fill, n, a, lda, b, ldb, w, info);                            \
  }
HIPPORT_SOLVER_EACH(HIPPORT_SOLVER_GENERALIZED, sygv, hegv)
#undef HIPPORT_SOLVER_GENERALIZED
