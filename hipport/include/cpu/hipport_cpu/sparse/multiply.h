// SPDX-License-Identifier: MIT
// hipSPARSE: products of vectors and matrices.
#pragma once

#include "matrix.h"

namespace hipport::cpu::sparse {

// y = by * sum + keep * y, where y is not read if `keep` is 0.
template <typename T>
void update(hipDataType type, void* data, size_t i, T by, T sum, T keep) {
  store(type, data, i, keep == T() ? by * sum : by * sum + keep * load<T>(type, data, i));
}

inline hipsparseStatus_t spmv(const void* handle, hipsparseOperation_t operation, const void* alpha,
                              const SparseMatrix* a, const DenseVector* x, const void* beta, const DenseVector* y,
                              hipDataType compute) {
  const bool there = alpha != nullptr && a != nullptr && x != nullptr && beta != nullptr && y != nullptr;
  const bool turned = operation != HIPSPARSE_OPERATION_NON_TRANSPOSE;
  const bool valid = there && x->size == (turned ? a->rows : a->columns) && y->size == (turned ? a->columns : a->rows);
  return with_numbers(handle, compute, valid, [&](auto zero) {
    using T = decltype(zero);
    return submit(handle, [=, a = *a, x = *x, y = *y, by = Scalar<T>(handle, compute, alpha),
                           keep = Scalar<T>(handle, compute, beta)] {
      const Rows<T> rows = by_rows<T>(a, operation);
      const T factor = by.get(), old = keep.get();
      for (size_t row = 0; row < static_cast<size_t>(rows.count); ++row) {
        T sum{};
        for (size_t i = static_cast<size_t>(rows.starts[row]); i < static_cast<size_t>(rows.starts[row + 1]); ++i)
          sum += rows.values[i] * load<T>(x.type, x.values, static_cast<size_t>(rows.columns[i]));
        update(y.type, y.values, row, factor, sum, old);
      }
    });
  });
}

// C = alpha op(A) op(B) + beta C, where B and C are dense.
inline hipsparseStatus_t spmm(const void* handle, hipsparseOperation_t op_a, hipsparseOperation_t op_b,
                              const void* alpha, const SparseMatrix* a, const DenseMatrix* b, const void* beta,
                              const DenseMatrix* c, hipDataType compute) {
  const bool valid = alpha != nullptr && a != nullptr && b != nullptr && beta != nullptr && c != nullptr;
  return with_numbers(handle, compute, valid, [&](auto zero) {
    using T = decltype(zero);
    return submit(handle, [=, a = *a, b = *b, c = *c, by = Scalar<T>(handle, compute, alpha),
                           keep = Scalar<T>(handle, compute, beta)] {
      const T factor = by.get(), old = keep.get();
      for (int batch = 0; batch < std::max({1, a.batch, b.batch, c.batch}); ++batch) {
        const Rows<T> rows = by_rows<T>(a, op_a, a.batch > 1 ? batch : 0);
        std::vector<T> sums(static_cast<size_t>(c.columns));
        for (size_t row = 0; row < static_cast<size_t>(rows.count); ++row) {
          std::fill(sums.begin(), sums.end(), T());
          for (size_t i = static_cast<size_t>(rows.starts[row]); i < static_cast<size_t>(rows.starts[row + 1]); ++i)
            for (Index j = 0; j < c.columns; ++j) {
              const T other = load<T>(b.type, b.values, b.at(op_b, rows.columns[i], j, b.batch > 1 ? batch : 0));
              const bool conjugated = op_b == HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
              sums[static_cast<size_t>(j)] += rows.values[i] * (conjugated ? conjugate(other) : other);
            }
          for (Index j = 0; j < c.columns; ++j)
            update(c.type, c.values, c.at(HIPSPARSE_OPERATION_NON_TRANSPOSE, static_cast<Index>(row), j, batch), factor,
                   sums[static_cast<size_t>(j)], old);
        }
      }
    });
  });
}

// C = alpha op(A) op(B) + beta C at the elements that the sparse matrix C has.
inline hipsparseStatus_t sddmm(const void* handle, hipsparseOperation_t op_a, hipsparseOperation_t op_b,
                               const void* alpha, const DenseMatrix* a, const DenseMatrix* b, const void* beta,
                               const SparseMatrix* c, hipDataType compute) {
  const bool valid = alpha != nullptr && a != nullptr && b != nullptr && beta != nullptr && c != nullptr;
  return with_numbers(handle, compute, valid, [&](auto zero) {
    using T = decltype(zero);
    return submit(handle, [=, a = *a, b = *b, c = *c, by = Scalar<T>(handle, compute, alpha),
                           keep = Scalar<T>(handle, compute, beta)] {
      const Index depth = op_a == HIPSPARSE_OPERATION_NON_TRANSPOSE ? a.columns : a.rows;
      const T factor = by.get(), old = keep.get();
      for_each(c, 0, [&](Index row, Index column, Index place) {
        T sum{};
        for (Index k = 0; k < depth; ++k)
          sum += load<T>(a.type, a.values, a.at(op_a, row, k)) * load<T>(b.type, b.values, b.at(op_b, k, column));
        update(c.type, c.values, static_cast<size_t>(place), factor, sum, old);
      });
    });
  });
}

// Return the product of two sparse matrices, with the columns of each row in order.
template <typename T>
Rows<T> product(const Rows<T>& a, const Rows<T>& b) {
  Rows<T> result{a.count, b.width, {0}, {}, {}};
  std::vector<T> sums(static_cast<size_t>(b.width));
  std::vector<Index> last(static_cast<size_t>(b.width), -1), found;
  for (Index row = 0; row < a.count; ++row) {
    found.clear();
    for (Index i = a.starts[static_cast<size_t>(row)]; i < a.starts[static_cast<size_t>(row) + 1]; ++i) {
      const size_t middle = static_cast<size_t>(a.columns[static_cast<size_t>(i)]);
      for (size_t j = static_cast<size_t>(b.starts[middle]); j < static_cast<size_t>(b.starts[middle + 1]); ++j) {
        const size_t column = static_cast<size_t>(b.columns[j]);
        if (last[column] != row) {
          last[column] = row;
          sums[column] = T();
          found.push_back(b.columns[j]);
        }
        sums[column] += a.values[static_cast<size_t>(i)] * b.values[j];
      }
    }
    std::sort(found.begin(), found.end());
    for (Index column : found) {
      result.columns.push_back(column);
      result.values.push_back(sums[static_cast<size_t>(column)]);
    }
    result.starts.push_back(static_cast<Index>(result.columns.size()));
  }
  return result;
}

// Write a matrix as CSR: by * rows + keep * (the values that are there).
template <typename T>
void write_csr(const Rows<T>& rows, const SparseMatrix& c, T by, T keep) {
  for (size_t i = 0; i < rows.starts.size(); ++i)
    store_index(c.outer_type, c.outer, static_cast<Index>(i), rows.starts[i] + c.base);
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    store_index(c.inner_type, c.inner, static_cast<Index>(i), rows.columns[i] + c.base);
    update(c.type, c.values, i, by, rows.values[i], keep);
  }
}

}  // namespace hipport::cpu::sparse
