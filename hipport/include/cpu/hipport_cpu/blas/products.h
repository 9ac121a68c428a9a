// SPDX-License-Identifier: MIT
// hipBLAS: products that BLAS lacks, or has in another form.
#pragma once

#include "arguments.h"

namespace hipport::cpu::blas {

// Fortran's arguments are addresses.
template <typename T>
T* address_of(T* const& pointer) {
  return pointer;
}
template <typename T>
const T* address_of(const T& value) {
  return &value;
}
template <typename T, typename... V>
void fortran_values(const char* name, const V&... values) {
  fortran<T>(name, address_of(values)...);
}

// C = alpha op(A) B or alpha B op(A), where A is triangular; BLAS overwrites B.
template <typename T>
void trmm_now(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T* a, int a_lead, const T* b,
              int b_lead, T* c, int c_lead) {
  for (std::ptrdiff_t column = 0; column < n && b != c; ++column)
    std::copy_n(b + column * b_lead, m, c + column * c_lead);
  fortran_values<T>("trmm", side, uplo, trans, diag, m, n, alpha, a, a_lead, c, c_lead);
}
template <typename T>
hipblasStatus_t trmm(hipblasHandle_t handle, int batch, Arguments arguments) {
  return own_routine(trmm_now<T>, handle, batch, arguments);
}
// C = diag(x) A or A diag(x).
template <typename T>
void dgmm_now(char side, int m, int n, const T* a, int a_lead, const T* x, int step, T* c, int c_lead) {
  const T* first = first_of(x, side == 'L' ? m : n, step);
  for (std::ptrdiff_t column = 0; column < n; ++column)
    for (std::ptrdiff_t row = 0; row < m; ++row)
      c[row + column * c_lead] = product(a[row + column * a_lead], first[(side == 'L' ? row : column) * step]);
}
template <typename T>
hipblasStatus_t dgmm(hipblasHandle_t handle, int batch, Arguments arguments) {
  return own_routine(dgmm_now<T>, handle, batch, arguments);
}

// The type of the parts of a complex number.
template <typename T>
struct RealOf {
  using type = decltype(T::x);
};
template <>
struct RealOf<float> {
  using type = float;
};
template <>
struct RealOf<double> {
  using type = double;
};
// A real factor of a complex matrix.
template <typename T, typename R>
T as_factor(R factor) {
  if constexpr (std::is_same_v<T, R>)
    return factor;
  else
    return T{factor, 0};
}
// One triangle of C = alpha op(A) op(B)^T + beta C, with ^H if `conjugated`.
template <typename T, typename Beta, bool conjugated>
void triangle_of_product(char uplo, char trans, int n, int k, T alpha, const T* a, int a_lead, const T* b, int b_lead,
                         Beta beta, T* c, int c_lead) {
  const char turned = conjugated ? 'C' : 'T', plain = 'N';
  const char left = trans == 'N' ? plain : turned, right = trans == 'N' ? turned : plain;
  std::vector<T> whole(static_cast<size_t>(n) * static_cast<size_t>(n));
  const T zero{};
  const int lead = std::max(1, n);
  fortran_values<T>("gemm", left, right, n, n, k, alpha, a, a_lead, b, b_lead, zero, whole.data(), lead);
  for (std::ptrdiff_t column = 0; column < n; ++column)
    for (std::ptrdiff_t row = uplo == 'U' ? 0 : column; row < (uplo == 'U' ? column + 1 : n); ++row) {
      T sum = whole[static_cast<size_t>(row + column * n)];
      T& old = c[row + column * c_lead];
      const T keep = as_factor<T>(beta);
      if (magnitude(keep) != 0) sum += product(keep, old);
      old = sum;
    }
}
template <typename T>
hipblasStatus_t syrkx(hipblasHandle_t handle, int batch, Arguments arguments) {
  return own_routine(triangle_of_product<T, T, false>, handle, batch, arguments);
}
template <typename T>
hipblasStatus_t herkx(hipblasHandle_t handle, int batch, Arguments arguments) {
  return own_routine(triangle_of_product<T, typename RealOf<T>::type, true>, handle, batch, arguments);
}

}  // namespace hipport::cpu::blas
