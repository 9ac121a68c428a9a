// SPDX-License-Identifier: MIT
// hipBLAS, levels 2 and 3.
#pragma once

#include "vectors.h"

namespace hipport::cpu::blas {

// The matrices of a batched call: `at(i)` returns the matrix of problem i.
template <typename T>
struct One {
  T* data;
  T* at(int) const { return data; }
};
template <typename T>
struct Strided {
  T* data;
  hipblasStride stride;
  T* at(int i) const { return data + stride * i; }
};
template <typename T>
struct Listed {
  T* const* data;  // read when the work runs
  T* at(int i) const { return data[i]; }
};

template <typename T>
void gemm_now(hipblasOperation_t op_a, hipblasOperation_t op_b, int m, int n, int k, T alpha, const T* a, int a_lead,
              const T* b, int b_lead, T beta, T* c, int c_lead) {
  const char first = letter_of(op_a), second = letter_of(op_b);
  fortran<T>("gemm", &first, &second, &m, &n, &k, &alpha, a, &a_lead, b, &b_lead, &beta, c, &c_lead);
}

template <typename T, typename A, typename C>
hipblasStatus_t gemm(hipblasHandle_t handle, hipblasOperation_t op_a, hipblasOperation_t op_b, int m, int n, int k,
                     const T* alpha, A a, int a_lead, A b, int b_lead, const T* beta, C c, int c_lead, int batch = 1) {
  const bool has_shapes = m >= 0 && n >= 0 && k >= 0 && batch >= 0 && has_rows(a_lead, op_a, m, k) &&
                          has_rows(b_lead, op_b, k, n) && has_rows(c_lead, m);
  if (const auto bad = check(handle, has_shapes && alpha != nullptr && beta != nullptr)) return bad;
  return submit(handle, [=, by = Scalar<T>(*handle, alpha), keep = Scalar<T>(*handle, beta)] {
    for (int i = 0; i < batch; ++i)
      gemm_now<T>(op_a, op_b, m, n, k, by.get(), a.at(i), a_lead, b.at(i), b_lead, keep.get(), c.at(i), c_lead);
  });
}

template <typename T, typename A, typename Y>
hipblasStatus_t gemv(hipblasHandle_t handle, hipblasOperation_t op, int m, int n, const T* alpha, A a, int lead, A x,
                     int x_step, const T* beta, Y y, int y_step, int batch = 1) {
  const bool has_shapes = m >= 0 && n >= 0 && batch >= 0 && has_rows(lead, m) && x_step != 0 && y_step != 0;
  if (const auto bad = check(handle, has_shapes && alpha != nullptr && beta != nullptr)) return bad;
  return submit(handle, [=, by = Scalar<T>(*handle, alpha), keep = Scalar<T>(*handle, beta)] {
    const char transposed = letter_of(op);
    const T factor = by.get(), old = keep.get();
    for (int i = 0; i < batch; ++i)
      fortran<T>("gemv", &transposed, &m, &n, &factor, a.at(i), &lead, x.at(i), &x_step, &old, y.at(i), &y_step);
  });
}

template <typename T>
hipblasStatus_t ger(const char* name, hipblasHandle_t handle, int m, int n, const T* alpha, const T* x, int x_step,
                    const T* y, int y_step, T* a, int lead) {
  const bool has_shapes = m >= 0 && n >= 0 && has_rows(lead, m) && x_step != 0 && y_step != 0;
  if (const auto bad = check(handle, has_shapes && alpha != nullptr)) return bad;
  return submit(handle, [=, by = Scalar<T>(*handle, alpha)] {
    const T factor = by.get();
    fortran<T>(name, &m, &n, &factor, x, &x_step, y, &y_step, a, &lead);
  });
}

// trsv and trmv.
template <typename T>
hipblasStatus_t triangular(const char* name, hipblasHandle_t handle, hipblasFillMode_t fill, hipblasOperation_t op,
                           hipblasDiagType_t diagonal, int n, const T* a, int lead, T* x, int step) {
  if (const auto bad = check(handle, n >= 0 && has_rows(lead, n) && step != 0)) return bad;
  return submit(handle, [=] {
    const char uplo = letter_of(fill), transposed = letter_of(op), unit = letter_of(diagonal);
    fortran<T>(name, &uplo, &transposed, &unit, &n, a, &lead, x, &step);
  });
}

template <typename T, typename A, typename B>
hipblasStatus_t trsm(hipblasHandle_t handle, hipblasSideMode_t side, hipblasFillMode_t fill, hipblasOperation_t op,
                     hipblasDiagType_t diagonal, int m, int n, const T* alpha, A a, int a_lead, B b, int b_lead,
                     int batch = 1) {
  const bool has_shapes =
      m >= 0 && n >= 0 && batch >= 0 && has_rows(b_lead, m) && has_rows(a_lead, side == HIPBLAS_SIDE_LEFT ? m : n);
  if (const auto bad = check(handle, has_shapes && alpha != nullptr)) return bad;
  return submit(handle, [=, by = Scalar<T>(*handle, alpha)] {
    const char left = letter_of(side), uplo = letter_of(fill), transposed = letter_of(op), unit = letter_of(diagonal);
    const T factor = by.get();
    for (int i = 0; i < batch; ++i)
      fortran<T>("trsm", &left, &uplo, &transposed, &unit, &m, &n, &factor, a.at(i), &a_lead, b.at(i), &b_lead);
  });
}

template <typename T>
hipblasStatus_t syrk(hipblasHandle_t handle, hipblasFillMode_t fill, hipblasOperation_t op, int n, int k,
                     const T* alpha, const T* a, int a_lead, const T* beta, T* c, int c_lead) {
  const bool has_shapes = n >= 0 && k >= 0 && has_rows(a_lead, op, n, k) && has_rows(c_lead, n);
  if (const auto bad = check(handle, has_shapes && alpha != nullptr && beta != nullptr)) return bad;
  return submit(handle, [=, by = Scalar<T>(*handle, alpha), keep = Scalar<T>(*handle, beta)] {
    const char uplo = letter_of(fill), transposed = letter_of(op);
    const T factor = by.get(), old = keep.get();
    fortran<T>("syrk", &uplo, &transposed, &n, &k, &factor, a, &a_lead, &old, c, &c_lead);
  });
}

template <typename T>
hipblasStatus_t symm(hipblasHandle_t handle, hipblasSideMode_t side, hipblasFillMode_t fill, int m, int n,
                     const T* alpha, const T* a, int a_lead, const T* b, int b_lead, const T* beta, T* c, int c_lead) {
  const bool has_shapes = m >= 0 && n >= 0 && has_rows(a_lead, side == HIPBLAS_SIDE_LEFT ? m : n) &&
                          has_rows(b_lead, m) && has_rows(c_lead, m);
  if (const auto bad = check(handle, has_shapes && alpha != nullptr && beta != nullptr)) return bad;
  return submit(handle, [=, by = Scalar<T>(*handle, alpha), keep = Scalar<T>(*handle, beta)] {
    const char left = letter_of(side), uplo = letter_of(fill);
    const T factor = by.get(), old = keep.get();
    fortran<T>("symm", &left, &uplo, &m, &n, &factor, a, &a_lead, b, &b_lead, &old, c, &c_lead);
  });
}

// Return an element of op(A).
template <typename T>
T element(hipblasOperation_t op, const T* a, std::ptrdiff_t lead, std::ptrdiff_t row, std::ptrdiff_t column) {
  if (op == HIPBLAS_OP_N) return a[row + column * lead];
  return op == HIPBLAS_OP_T ? a[column + row * lead] : conjugate(a[column + row * lead]);
}
// A matrix with the factor 0 is not read.
template <typename T>
hipblasStatus_t geam(hipblasHandle_t handle, hipblasOperation_t op_a, hipblasOperation_t op_b, int m, int n,
                     const T* alpha, const T* a, int a_lead, const T* beta, const T* b, int b_lead, T* c, int c_lead) {
  const bool has_shapes =
      m >= 0 && n >= 0 && has_rows(a_lead, op_a, m, n) && has_rows(b_lead, op_b, m, n) && has_rows(c_lead, m);
  if (const auto bad = check(handle, has_shapes && alpha != nullptr && beta != nullptr)) return bad;
  return submit(handle, [=, by_a = Scalar<T>(*handle, alpha), by_b = Scalar<T>(*handle, beta)] {
    const T first = by_a.get(), second = by_b.get();
    for (std::ptrdiff_t column = 0; column < n; ++column)
      for (std::ptrdiff_t row = 0; row < m; ++row) {
        T sum{};
        if (magnitude(first) != 0) sum += product(first, element(op_a, a, a_lead, row, column));
        if (magnitude(second) != 0) sum += product(second, element(op_b, b, b_lead, row, column));
        c[row + column * c_lead] = sum;
      }
  });
}

}  // namespace hipport::cpu::blas

#define HIPPORT_BLAS_MATRICES(P, T)                                                                                   \
  inline hipblasStatus_t hipblas##P##gemm(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m,     \
                                          int n, int k, const T* alpha, const T* a, int lda, const T* b, int ldb,     \
                                          const T* beta, T* c, int ldc) {                                             \
    using namespace hipport::cpu::blas;                                                                               \
    return gemm(h, ta, tb, m, n, k, alpha, One<const T>{a}, lda, One<const T>{b}, ldb, beta, One<T>{c}, ldc);         \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##gemmBatched(                                                                     \
      hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m, int n, int k, const T* alpha,           \
      const T* const a[], int lda, const T* const b[], int ldb, const T* beta, T* const c[], int ldc, int batch) {    \
    using namespace hipport::cpu::blas;                                                                               \
    return gemm(h, ta, tb, m, n, k, alpha, Listed<const T>{a}, lda, Listed<const T>{b}, ldb, beta, Listed<T>{c}, ldc, \
                batch);                                                                                               \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##gemmStridedBatched(                                                              \
      hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m, int n, int k, const T* alpha,           \
      const T* a, int lda, hipblasStride sa, const T* b, int ldb, hipblasStride sb, const T* beta, T* c, int ldc,     \
      hipblasStride sc, int batch) {                                                                                  \
    using namespace hipport::cpu::blas;                                                                               \
    return gemm(h, ta, tb, m, n, k, alpha, Strided<const T>{a, sa}, lda, Strided<const T>{b, sb}, ldb, beta,          \
                Strided<T>{c, sc}, ldc, batch);                                                                       \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##gemv(hipblasHandle_t h, hipblasOperation_t ta, int m, int n, const T* alpha,     \
                                          const T* a, int lda, const T* x, int ix, const T* beta, T* y, int iy) {     \
    using namespace hipport::cpu::blas;                                                                               \
    return gemv(h, ta, m, n, alpha, One<const T>{a}, lda, One<const T>{x}, ix, beta, One<T>{y}, iy);                  \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##gemvBatched(hipblasHandle_t h, hipblasOperation_t ta, int m, int n,              \
                                                 const T* alpha, const T* const a[], int lda, const T* const x[],     \
                                                 int ix, const T* beta, T* const y[], int iy, int batch) {            \
    using namespace hipport::cpu::blas;                                                                               \
    return gemv(h, ta, m, n, alpha, Listed<const T>{a}, lda, Listed<const T>{x}, ix, beta, Listed<T>{y}, iy, batch);  \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##gemvStridedBatched(                                                              \
      hipblasHandle_t h, hipblasOperation_t ta, int m, int n, const T* alpha, const T* a, int lda, hipblasStride sa,  \
      const T* x, int ix, hipblasStride sx, const T* beta, T* y, int iy, hipblasStride sy, int batch) {               \
    using namespace hipport::cpu::blas;                                                                               \
    return gemv(h, ta, m, n, alpha, Strided<const T>{a, sa}, lda, Strided<const T>{x, sx}, ix, beta,                  \
                Strided<T>{y, sy}, iy, batch);                                                                        \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##trsv(hipblasHandle_t h, hipblasFillMode_t fill, hipblasOperation_t ta,           \
                                          hipblasDiagType_t diagonal, int n, const T* a, int lda, T* x, int ix) {     \
    return hipport::cpu::blas::triangular("trsv", h, fill, ta, diagonal, n, a, lda, x, ix);                           \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##trmv(hipblasHandle_t h, hipblasFillMode_t fill, hipblasOperation_t ta,           \
                                          hipblasDiagType_t diagonal, int n, const T* a, int lda, T* x, int ix) {     \
    return hipport::cpu::blas::triangular("trmv", h, fill, ta, diagonal, n, a, lda, x, ix);                           \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##trsm(hipblasHandle_t h, hipblasSideMode_t side, hipblasFillMode_t fill,          \
                                          hipblasOperation_t ta, hipblasDiagType_t diagonal, int m, int n,            \
                                          const T* alpha, const T* a, int lda, T* b, int ldb) {                       \
    using namespace hipport::cpu::blas;                                                                               \
    return trsm(h, side, fill, ta, diagonal, m, n, alpha, One<const T>{a}, lda, One<T>{b}, ldb);                      \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##trsmBatched(hipblasHandle_t h, hipblasSideMode_t side, hipblasFillMode_t fill,   \
                                                 hipblasOperation_t ta, hipblasDiagType_t diagonal, int m, int n,     \
                                                 const T* alpha, const T* const a[], int lda, T* const b[], int ldb,  \
                                                 int batch) {                                                         \
    using namespace hipport::cpu::blas;                                                                               \
    return trsm(h, side, fill, ta, diagonal, m, n, alpha, Listed<const T>{a}, lda, Listed<T>{b}, ldb, batch);         \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##syrk(hipblasHandle_t h, hipblasFillMode_t fill, hipblasOperation_t ta, int n,    \
                                          int k, const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc) { \
    return hipport::cpu::blas::syrk(h, fill, ta, n, k, alpha, a, lda, beta, c, ldc);                                  \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##symm(hipblasHandle_t h, hipblasSideMode_t side, hipblasFillMode_t fill, int m,   \
                                          int n, const T* alpha, const T* a, int lda, const T* b, int ldb,            \
                                          const T* beta, T* c, int ldc) {                                             \
    return hipport::cpu::blas::symm(h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                        \
  }                                                                                                                   \
  inline hipblasStatus_t hipblas##P##geam(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m,     \
                                          int n, const T* alpha, const T* a, int lda, const T* beta, const T* b,      \
                                          int ldb, T* c, int ldc) {                                                   \
    return hipport::cpu::blas::geam(h, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                            \
  }
HIPPORT_BLAS_MATRICES(S, float)
HIPPORT_BLAS_MATRICES(D, double)
HIPPORT_BLAS_MATRICES(C, hipFloatComplex)
HIPPORT_BLAS_MATRICES(Z, hipDoubleComplex)
#undef HIPPORT_BLAS_MATRICES
#define HIPPORT_BLAS_GER(Name, name, T)                                                                     \
  inline hipblasStatus_t hipblas##Name(hipblasHandle_t h, int m, int n, const T* alpha, const T* x, int ix, \
                                       const T* y, int iy, T* a, int lda) {                                 \
    return hipport::cpu::blas::ger(name, h, m, n, alpha, x, ix, y, iy, a, lda);                             \
  }
HIPPORT_BLAS_GER(Sger, "ger", float)
HIPPORT_BLAS_GER(Dger, "ger", double)
HIPPORT_BLAS_GER(Cgeru, "geru", hipFloatComplex)
HIPPORT_BLAS_GER(Cgerc, "gerc", hipFloatComplex)
HIPPORT_BLAS_GER(Zgeru, "geru", hipDoubleComplex)
HIPPORT_BLAS_GER(Zgerc, "gerc", hipDoubleComplex)
#undef HIPPORT_BLAS_GER
