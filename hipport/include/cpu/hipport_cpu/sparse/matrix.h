// SPDX-License-Identifier: MIT
// Sparse and dense vectors and matrices as descriptors name them, and access to their elements.
#pragma once

#include "../blas/mixed.h"
#include "types.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <vector>

namespace hipport::cpu::sparse {

using Index = int64_t;
using Complex = std::complex<double>;

struct SparseVector {
  Index size, count;
  void *indices, *values;
  hipsparseIndexType_t index_type;
  hipsparseIndexBase_t base;
  hipDataType type;
};
struct DenseVector {
  Index size;
  void* values;
  hipDataType type;
};
// `outer` are the offsets of CSR's rows or CSC's columns, or COO's rows; `inner` the other indices.
struct SparseMatrix {
  hipsparseFormat_t format;
  Index rows, columns, count;
  void *outer, *inner, *values;
  hipsparseIndexType_t outer_type, inner_type;
  hipsparseIndexBase_t base;
  hipDataType type;
  hipsparseFillMode_t fill = HIPSPARSE_FILL_MODE_LOWER;
  hipsparseDiagType_t diagonal = HIPSPARSE_DIAG_TYPE_NON_UNIT;
  int batch = 1;
  Index outer_step = 0, inner_step = 0;
};
struct DenseMatrix {
  Index rows, columns, lead;
  void* values;
  hipDataType type;
  hipsparseOrder_t order;
  int batch = 1;
  Index step = 0;
  // Return the place of an element of op(matrix).
  size_t at(hipsparseOperation_t operation, Index row, Index column, int of_batch = 0) const {
    if (operation != HIPSPARSE_OPERATION_NON_TRANSPOSE) std::swap(row, column);
    const Index place = order == HIPSPARSE_ORDER_ROW ? row * lead + column : column * lead + row;
    return static_cast<size_t>(place + step * of_batch);
  }
};

inline Index load_index(hipsparseIndexType_t type, const void* data, Index i) {
  if (type == HIPSPARSE_INDEX_64I) return static_cast<const int64_t*>(data)[i];
  return type == HIPSPARSE_INDEX_32I ? static_cast<const int32_t*>(data)[i] : static_cast<const uint16_t*>(data)[i];
}
inline void store_index(hipsparseIndexType_t type, void* data, Index i, Index value) {
  if (type == HIPSPARSE_INDEX_64I)
    static_cast<int64_t*>(data)[i] = value;
  else if (type == HIPSPARSE_INDEX_32I)
    static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value);
  else
    static_cast<uint16_t*>(data)[i] = static_cast<uint16_t>(value);
}

inline bool is_complex(hipDataType type) { return type == HIP_C_32F || type == HIP_C_64F; }
inline bool is_value_type(hipDataType type) { return is_complex(type) || blas::bytes_of(type) != 0; }

// Numbers are computed as double, or pairs of double, and rounded when they are stored.
template <typename T>
T load(hipDataType type, const void* data, size_t i) {
  if constexpr (std::is_same_v<T, Complex>) {
    if (type == HIP_C_32F) return static_cast<const std::complex<float>*>(data)[i];
    if (type == HIP_C_64F) return static_cast<const Complex*>(data)[i];
  }
  return blas::load(type, data, i);
}
template <typename T>
void store(hipDataType type, void* data, size_t i, T value) {
  if (type == HIP_C_32F)
    static_cast<std::complex<float>*>(data)[i] = std::complex<float>(value);
  else if (type == HIP_C_64F)
    static_cast<Complex*>(data)[i] = value;
  else
    blas::store(type, data, i, std::real(value));
}
inline double conjugate(double value) { return value; }
inline Complex conjugate(Complex value) { return std::conj(value); }

// A matrix by rows, with the numbers that are computed with.
template <typename T>
struct Rows {
  Index count = 0, width = 0;
  std::vector<Index> starts, columns;
  std::vector<T> values;
};

// Call `visit(row, column, i)` for each element, in the order in which they are stored.
template <typename Visit>
void for_each(const SparseMatrix& m, int batch, Visit visit) {
  const Index base = m.base, inner_at = m.inner_step * batch;
  if (m.format == HIPSPARSE_FORMAT_COO) {
    for (Index i = inner_at; i < inner_at + m.count; ++i)
      visit(load_index(m.outer_type, m.outer, i) - base, load_index(m.inner_type, m.inner, i) - base, i);
    return;
  }
  const bool by_rows = m.format == HIPSPARSE_FORMAT_CSR;
  for (Index line = 0; line < (by_rows ? m.rows : m.columns); ++line) {
    const Index from = load_index(m.outer_type, m.outer, m.outer_step * batch + line) - base;
    const Index to = load_index(m.outer_type, m.outer, m.outer_step * batch + line + 1) - base;
    for (Index i = inner_at + from; i < inner_at + to; ++i) {
      const Index other = load_index(m.inner_type, m.inner, i) - base;
      by_rows ? visit(line, other, i) : visit(other, line, i);
    }
  }
}

// Return op(matrix) by rows.
template <typename T>
Rows<T> by_rows(const SparseMatrix& m, hipsparseOperation_t operation, int batch = 0) {
  const bool turned = operation != HIPSPARSE_OPERATION_NON_TRANSPOSE;
  const bool conjugated = operation == HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  Rows<T> result{turned ? m.columns : m.rows, turned ? m.rows : m.columns, {}, {}, {}};
  std::vector<Index> next(static_cast<size_t>(result.count) + 1);
  Index elements = 0;
  for_each(m, batch, [&](Index row, Index column, Index) {
    ++next[static_cast<size_t>(turned ? column : row)];
    ++elements;
  });
  std::exclusive_scan(next.begin(), next.end(), next.begin(), Index(0));
  result.starts = next;
  result.columns.resize(static_cast<size_t>(elements));
  result.values.resize(static_cast<size_t>(elements));
  for_each(m, batch, [&](Index row, Index column, Index i) {
    const size_t place = static_cast<size_t>(next[static_cast<size_t>(turned ? column : row)]++);
    const T value = load<T>(m.type, m.values, static_cast<size_t>(i));
    result.columns[place] = turned ? row : column;
    result.values[place] = conjugated ? conjugate(value) : value;
  });
  return result;
}

// A factor: read when the call is made, or, from the device, when the work runs.
template <typename T>
class Scalar {
 public:
  Scalar(const void* handle, hipDataType type, const void* pointer)
      : type_(type),
        pointer_(static_cast<const Handle*>(handle)->mode == HIPSPARSE_POINTER_MODE_DEVICE ? pointer : nullptr),
        value_(pointer_ == nullptr ? load<T>(type, pointer, 0) : T{}) {}
  T get() const { return pointer_ == nullptr ? value_ : load<T>(type_, pointer_, 0); }

 private:
  hipDataType type_;
  const void* pointer_;
  T value_;
};

// Call `work(zero)` with 0 of the type that is computed with; `type` is that of the factors.
template <typename Work>
hipsparseStatus_t with_numbers(const void* handle, hipDataType type, bool valid, Work work) {
  if (handle == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  if (!valid) return HIPSPARSE_STATUS_INVALID_VALUE;
  if (!is_value_type(type)) return HIPSPARSE_STATUS_NOT_SUPPORTED;
  if (is_complex(type)) return work(Complex());
  return work(0.0);
}
template <typename Work>
hipsparseStatus_t submit(const void* handle, Work work) {
  const hipError_t enqueued = enqueue(static_cast<const Handle*>(handle)->stream, work, hipGraphNodeTypeKernel);
  return enqueued == hipSuccess ? HIPSPARSE_STATUS_SUCCESS : HIPSPARSE_STATUS_EXECUTION_FAILED;
}
// No function needs a buffer: report the least that programs can allocate.
template <typename Size>
hipsparseStatus_t no_buffer(const void* handle, Size* size) {
  if (handle == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  if (size == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;
  *size = 4;
  return HIPSPARSE_STATUS_SUCCESS;
}
inline hipsparseStatus_t no_work(const void* handle) {
  return handle == nullptr ? HIPSPARSE_STATUS_NOT_INITIALIZED : HIPSPARSE_STATUS_SUCCESS;
}

}  // namespace hipport::cpu::sparse
