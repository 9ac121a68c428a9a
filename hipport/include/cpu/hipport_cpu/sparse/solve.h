// SPDX-License-Identifier: MIT
// hipSPARSE: triangular systems, incomplete factorizations, tridiagonal systems.
#pragma once

#include "../solver/lapack.h"
#include "matrix.h"

namespace hipport::cpu::sparse {

// Solve op(A) x = x in place, where A is the triangle that `m` names; elements on its other side are ignored.
// Returns the row whose pivot is 0 or missing, or -1.
template <typename T>
Index solve_triangle(const SparseMatrix& m, hipsparseOperation_t operation, std::vector<T>& x) {
  const Rows<T> rows = by_rows<T>(m, operation);
  const bool turned = operation != HIPSPARSE_OPERATION_NON_TRANSPOSE;
  const bool lower = (m.fill == HIPSPARSE_FILL_MODE_LOWER) != turned, unit = m.diagonal == HIPSPARSE_DIAG_TYPE_UNIT;
  Index zero = -1;
  for (Index step = 0; step < rows.count; ++step) {
    const Index row = lower ? step : rows.count - 1 - step;
    T sum = x[static_cast<size_t>(row)], pivot{};
    for (size_t i = static_cast<size_t>(rows.starts[static_cast<size_t>(row)]);
         i < static_cast<size_t>(rows.starts[static_cast<size_t>(row) + 1]); ++i) {
      const Index column = rows.columns[i];
      if (column == row)
        pivot = rows.values[i];
      else if ((column < row) == lower)
        sum -= rows.values[i] * x[static_cast<size_t>(column)];
    }
    if (!unit && pivot == T() && (zero < 0 || row < zero)) zero = row;
    x[static_cast<size_t>(row)] = unit ? sum : sum / pivot;
  }
  return zero;
}

// y = op(A)^-1 alpha x.
inline hipsparseStatus_t spsv(const void* handle, hipsparseOperation_t operation, const void* alpha,
                              const SparseMatrix* a, const DenseVector* x, const DenseVector* y, hipDataType compute,
                              Index* zero = nullptr) {
  const bool there = alpha != nullptr && a != nullptr && x != nullptr && y != nullptr;
  const bool valid = there && a->rows == a->columns && x->size == a->rows && y->size == a->rows;
  return with_numbers(handle, compute, valid, [&](auto none) {
    using T = decltype(none);
    return submit(handle, [=, a = *a, x = *x, y = *y, by = Scalar<T>(handle, compute, alpha)] {
      std::vector<T> solution(static_cast<size_t>(a.rows));
      for (size_t i = 0; i < solution.size(); ++i) solution[i] = by.get() * load<T>(x.type, x.values, i);
      const Index found = solve_triangle(a, operation, solution);
      if (zero != nullptr) *zero = found;
      for (size_t i = 0; i < solution.size(); ++i) store(y.type, y.values, i, solution[i]);
    });
  });
}
// C = op(A)^-1 alpha op(B).
inline hipsparseStatus_t spsm(const void* handle, hipsparseOperation_t op_a, hipsparseOperation_t op_b,
                              const void* alpha, const SparseMatrix* a, const DenseMatrix* b, const DenseMatrix* c,
                              hipDataType compute) {
  const bool valid = alpha != nullptr && a != nullptr && b != nullptr && c != nullptr && a->rows == a->columns;
  return with_numbers(handle, compute, valid, [&](auto none) {
    using T = decltype(none);
    return submit(handle, [=, a = *a, b = *b, c = *c, by = Scalar<T>(handle, compute, alpha)] {
      for (Index column = 0; column < c.columns; ++column) {
        std::vector<T> solution(static_cast<size_t>(a.rows));
        for (size_t i = 0; i < solution.size(); ++i) {
          const T value = load<T>(b.type, b.values, b.at(op_b, static_cast<Index>(i), column));
          solution[i] = by.get() * (op_b == HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(value) : value);
        }
        solve_triangle(a, op_a, solution);
        for (size_t i = 0; i < solution.size(); ++i)
          store(c.type, c.values, c.at(HIPSPARSE_OPERATION_NON_TRANSPOSE, static_cast<Index>(i), column), solution[i]);
      }
    });
  });
}

// The rows of a CSR matrix that is factored in place, and the places of its diagonal (-1 where there is none).
template <typename T>
struct Factored {
  Rows<T> rows;
  std::vector<Index> diagonal;
  explicit Factored(const SparseMatrix& m) : rows(by_rows<T>(m, HIPSPARSE_OPERATION_NON_TRANSPOSE)) {
    diagonal.assign(static_cast<size_t>(rows.count), -1);
    for (size_t row = 0; row < diagonal.size(); ++row)
      for (Index i = rows.starts[row]; i < rows.starts[row + 1]; ++i)
        if (rows.columns[static_cast<size_t>(i)] == static_cast<Index>(row)) diagonal[row] = i;
  }
  // Return the place of an element, or -1.
  Index place(Index row, Index column) const {
    const auto begin = rows.columns.begin() + rows.starts[static_cast<size_t>(row)];
    const auto end = rows.columns.begin() + rows.starts[static_cast<size_t>(row) + 1];
    const auto found = std::find(begin, end, column);
    return found == end ? -1 : found - rows.columns.begin();
  }
  T& value(Index at) { return rows.values[static_cast<size_t>(at)]; }
  void write(const SparseMatrix& m) const {
    for (size_t i = 0; i < rows.values.size(); ++i) store(m.type, m.values, i, rows.values[i]);
  }
};

// L U without fill-in. Returns the first row without a pivot, or -1. Columns are in order.
template <typename T>
Index incomplete_lu(const SparseMatrix& m) {
  Factored<T> f(m);
  Index zero = -1;
  for (Index row = 0; row < f.rows.count; ++row) {
    const size_t r = static_cast<size_t>(row);
    for (Index i = f.rows.starts[r]; i < f.rows.starts[r + 1]; ++i) {
      const Index k = f.rows.columns[static_cast<size_t>(i)];
      if (k >= row) break;
      const Index pivot = f.diagonal[static_cast<size_t>(k)];
      if (pivot < 0 || f.value(pivot) == T()) continue;
      f.value(i) /= f.value(pivot);
      for (Index j = i + 1; j < f.rows.starts[r + 1]; ++j) {
        const Index above = f.place(k, f.rows.columns[static_cast<size_t>(j)]);
        if (above >= 0) f.value(j) -= f.value(i) * f.value(above);
      }
    }
    if (zero < 0 && (f.diagonal[r] < 0 || f.value(f.diagonal[r]) == T())) zero = row;
  }
  f.write(m);
  return zero;
}
// L L^H without fill-in, in the lower triangle; the upper one is kept.
template <typename T>
Index incomplete_cholesky(const SparseMatrix& m) {
  Factored<T> f(m);
  Index zero = -1;
  for (Index row = 0; row < f.rows.count; ++row) {
    const size_t r = static_cast<size_t>(row);
    T rest = f.diagonal[r] < 0 ? T() : f.value(f.diagonal[r]);
    for (Index i = f.rows.starts[r]; i < f.rows.starts[r + 1]; ++i) {
      const Index k = f.rows.columns[static_cast<size_t>(i)];
      if (k >= row) break;
      T sum = f.value(i);
      for (Index j = f.rows.starts[r]; j < i; ++j) {
        const Index other = f.place(k, f.rows.columns[static_cast<size_t>(j)]);
        if (other >= 0) sum -= f.value(j) * conjugate(f.value(other));
      }
      const Index pivot = f.diagonal[static_cast<size_t>(k)];
      if (pivot >= 0 && f.value(pivot) != T()) f.value(i) = sum / conjugate(f.value(pivot));
      rest -= f.value(i) * conjugate(f.value(i));
    }
    if (f.diagonal[r] >= 0) f.value(f.diagonal[r]) = std::sqrt(rest);
    if (zero < 0 && (f.diagonal[r] < 0 || !(std::real(rest) > 0))) zero = row;
  }
  f.write(m);
  return zero;
}

// Tridiagonal systems by LAPACK, which exchanges rows. Each has its own diagonals if `step` is not 0.
template <typename T>
hipsparseStatus_t tridiagonal(const void* handle, int m, int sides, const T* lower, const T* diagonal, const T* upper,
                              T* b, int lead, int batch = 1, int step = 0) {
  if (handle == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 1 || sides < 0 || lead < m || batch < 0 || blas::library() == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;
  return submit(handle, [=] {
    for (std::ptrdiff_t i = 0; i < batch; ++i) {
      std::vector<T> below(lower + i * step + 1, lower + i * step + m), above(upper + i * step, upper + i * step + m);
      std::vector<T> middle(diagonal + i * step, diagonal + i * step + m);
      int info = 0;
      below.push_back(T());
      solver::lapack<T>("gtsv", &m, &sides, below.data(), middle.data(), above.data(), b + i * step, &lead, &info);
    }
  });
}

}  // namespace hipport::cpu::sparse
