// SPDX-License-Identifier: MIT
// hipBLAS, level 1.
#pragma once

#include "library.h"

namespace hipport::cpu::blas {

inline double magnitude(float value) { return std::fabs(value); }
inline double magnitude(double value) { return std::fabs(value); }
inline double magnitude(hipFloatComplex value) { return std::fabs(value.x) + std::fabs(value.y); }
inline double magnitude(hipDoubleComplex value) { return std::fabs(value.x) + std::fabs(value.y); }
inline double square(float value) { return static_cast<double>(value) * value; }
inline double square(double value) { return value * value; }
inline double square(hipFloatComplex value) { return square(value.x) + square(value.y); }
inline double square(hipDoubleComplex value) { return square(value.x) + square(value.y); }

template <typename T>
T product(T a, T b) {
  return a * b;
}
inline hipFloatComplex product(hipFloatComplex a, hipFloatComplex b) { return hipCmulf(a, b); }
inline hipDoubleComplex product(hipDoubleComplex a, hipDoubleComplex b) { return hipCmul(a, b); }
template <typename T>
T conjugate(T value) {
  return value;
}
inline hipFloatComplex conjugate(hipFloatComplex value) { return hipConjf(value); }
inline hipDoubleComplex conjugate(hipDoubleComplex value) { return hipConj(value); }

template <typename T, typename A = T>
hipblasStatus_t scal(const char* name, hipblasHandle_t handle, int n, const A* alpha, T* x, int step) {
  if (const auto bad = check(handle, alpha != nullptr)) return bad;
  return submit(handle, [=, factor = Scalar<A>(*handle, alpha)] {
    const A a = factor.get();
    fortran<T>(name, &n, &a, x, &step);
  });
}
template <typename T>
hipblasStatus_t axpy(hipblasHandle_t handle, int n, const T* alpha, const T* x, int x_step, T* y, int y_step) {
  if (const auto bad = check(handle, alpha != nullptr)) return bad;
  return submit(handle, [=, factor = Scalar<T>(*handle, alpha)] {
    const T a = factor.get();
    fortran<T>("axpy", &n, &a, x, &x_step, y, &y_step);
  });
}
// copy and swap.
template <typename T, typename X>
hipblasStatus_t move(const char* name, hipblasHandle_t handle, int n, X* x, int x_step, T* y, int y_step) {
  if (const auto bad = check(handle, true)) return bad;
  return submit(handle, [=] { fortran<T>(name, &n, x, &x_step, y, &y_step); });
}
template <typename T>
hipblasStatus_t rot(hipblasHandle_t handle, int n, T* x, int x_step, T* y, int y_step, const T* cosine, const T* sine) {
  if (const auto bad = check(handle, cosine != nullptr && sine != nullptr)) return bad;
  return submit(handle, [=, c = Scalar<T>(*handle, cosine), s = Scalar<T>(*handle, sine)] {
    const T c_now = c.get(), s_now = s.get();
    fortran<T>("rot", &n, x, &x_step, y, &y_step, &c_now, &s_now);
  });
}

// Return the address of element 0: with a negative stride it is at the end of the memory.
template <typename T>
T* first_of(T* x, int n, int step) {
  return step >= 0 || n <= 0 ? x : x - static_cast<std::ptrdiff_t>(n - 1) * step;
}
template <typename T>
hipblasStatus_t dot(hipblasHandle_t handle, bool conjugated, int n, const T* x, int x_step, const T* y, int y_step,
                    T* result) {
  if (const auto bad = check(handle, result != nullptr)) return bad;
  return submit(handle, [=] {
    const T *a = first_of(x, n, x_step), *b = first_of(y, n, y_step);
    T sum{};
    for (std::ptrdiff_t i = 0; i < n; ++i)
      sum += product(conjugated ? conjugate(a[i * x_step]) : a[i * x_step], b[i * y_step]);
    *result = sum;
  });
}
// Sum over a vector with a positive stride, in double.
template <typename T, typename R>
hipblasStatus_t sum(hipblasHandle_t handle, int n, const T* x, int step, R* result, double (*of)(T), bool root) {
  if (const auto bad = check(handle, result != nullptr)) return bad;
  return submit(handle, [=] {
    double total = 0;
    for (std::ptrdiff_t i = 0; step > 0 && i < n; ++i) total += of(x[i * step]);
    *result = static_cast<R>(root ? std::sqrt(total) : total);
  });
}
// Return the 1-based index of the largest or smallest element; 0 for an empty vector.
template <typename T>
hipblasStatus_t extreme(hipblasHandle_t handle, bool largest, int n, const T* x, int step, int* result) {
  if (const auto bad = check(handle, result != nullptr)) return bad;
  return submit(handle, [=] {
    std::ptrdiff_t best = 0;
    for (std::ptrdiff_t i = 1; step > 0 && i < n; ++i) {
      const double here = magnitude(x[i * step]), there = magnitude(x[best * step]);
      if (largest ? here > there : here < there) best = i;
    }
    *result = n > 0 && step > 0 ? static_cast<int>(best) + 1 : 0;
  });
}

}  // namespace hipport::cpu::blas

#define HIPPORT_BLAS_LEVEL1(P, p, T, Real, SumPrefix)                                                           \
  inline hipblasStatus_t hipblas##P##scal(hipblasHandle_t h, int n, const T* alpha, T* x, int ix) {             \
    return hipport::cpu::blas::scal<T>("scal", h, n, alpha, x, ix);                                             \
  }                                                                                                             \
  inline hipblasStatus_t hipblas##P##axpy(hipblasHandle_t h, int n, const T* alpha, const T* x, int ix, T* y,   \
                                          int iy) {                                                             \
    return hipport::cpu::blas::axpy<T>(h, n, alpha, x, ix, y, iy);                                              \
  }                                                                                                             \
  inline hipblasStatus_t hipblas##P##copy(hipblasHandle_t h, int n, const T* x, int ix, T* y, int iy) {         \
    return hipport::cpu::blas::move<T>("copy", h, n, x, ix, y, iy);                                             \
  }                                                                                                             \
  inline hipblasStatus_t hipblas##P##swap(hipblasHandle_t h, int n, T* x, int ix, T* y, int iy) {               \
    return hipport::cpu::blas::move<T>("swap", h, n, x, ix, y, iy);                                             \
  }                                                                                                             \
  inline hipblasStatus_t hipblas##SumPrefix##asum(hipblasHandle_t h, int n, const T* x, int ix, Real* result) { \
    return hipport::cpu::blas::sum<T>(h, n, x, ix, result, &hipport::cpu::blas::magnitude, false);              \
  }                                                                                                             \
  inline hipblasStatus_t hipblas##SumPrefix##nrm2(hipblasHandle_t h, int n, const T* x, int ix, Real* result) { \
    return hipport::cpu::blas::sum<T>(h, n, x, ix, result, &hipport::cpu::blas::square, true);                  \
  }                                                                                                             \
  inline hipblasStatus_t hipblasI##p##amax(hipblasHandle_t h, int n, const T* x, int ix, int* result) {         \
    return hipport::cpu::blas::extreme(h, true, n, x, ix, result);                                              \
  }                                                                                                             \
  inline hipblasStatus_t hipblasI##p##amin(hipblasHandle_t h, int n, const T* x, int ix, int* result) {         \
    return hipport::cpu::blas::extreme(h, false, n, x, ix, result);                                             \
  }
HIPPORT_BLAS_LEVEL1(S, s, float, float, S)
HIPPORT_BLAS_LEVEL1(D, d, double, double, D)
HIPPORT_BLAS_LEVEL1(C, c, hipFloatComplex, float, Sc)
HIPPORT_BLAS_LEVEL1(Z, z, hipDoubleComplex, double, Dz)
#undef HIPPORT_BLAS_LEVEL1
#define HIPPORT_BLAS_DOT(Name, T, conjugated)                                                                         \
  inline hipblasStatus_t hipblas##Name(hipblasHandle_t h, int n, const T* x, int ix, const T* y, int iy, T* result) { \
    return hipport::cpu::blas::dot(h, conjugated, n, x, ix, y, iy, result);                                           \
  }
HIPPORT_BLAS_DOT(Sdot, float, false)
HIPPORT_BLAS_DOT(Ddot, double, false)
HIPPORT_BLAS_DOT(Cdotu, hipFloatComplex, false)
HIPPORT_BLAS_DOT(Cdotc, hipFloatComplex, true)
HIPPORT_BLAS_DOT(Zdotu, hipDoubleComplex, false)
HIPPORT_BLAS_DOT(Zdotc, hipDoubleComplex, true)
#undef HIPPORT_BLAS_DOT
#define HIPPORT_BLAS_ROT(P, T)                                                                             \
  inline hipblasStatus_t hipblas##P##rot(hipblasHandle_t h, int n, T* x, int ix, T* y, int iy, const T* c, \
                                         const T* s) {                                                     \
    return hipport::cpu::blas::rot(h, n, x, ix, y, iy, c, s);                                              \
  }
HIPPORT_BLAS_ROT(S, float)
HIPPORT_BLAS_ROT(D, double)
#undef HIPPORT_BLAS_ROT
inline hipblasStatus_t hipblasCsscal(hipblasHandle_t h, int n, const float* alpha, hipFloatComplex* x, int ix) {
  return hipport::cpu::blas::scal("sscal", h, n, alpha, x, ix);
}
inline hipblasStatus_t hipblasZdscal(hipblasHandle_t h, int n, const double* alpha, hipDoubleComplex* x, int ix) {
  return hipport::cpu::blas::scal("dscal", h, n, alpha, x, ix);
}
