// SPDX-License-Identifier: MIT
// hipSPARSE: older functions, whose types are in their names, and conversions.
#pragma once

#include "multiply.h"
#include "solve.h"

// What a factorization, or a solver, has found: the first row without a pivot, or -1.
#define HIPPORT_SPARSE_INFO(Name, name)                                                                          \
  struct name##Info {                                                                                            \
    hipport::cpu::sparse::Index zero = -1;                                                                       \
    hipsparseIndexBase_t base = HIPSPARSE_INDEX_BASE_ZERO;                                                       \
  };                                                                                                             \
  using name##Info_t = name##Info*;                                                                              \
  inline hipsparseStatus_t hipsparseCreate##Name##Info(name##Info_t* made) {                                     \
    return hipport::cpu::sparse::create<name##Info>(made);                                                       \
  }                                                                                                              \
  inline hipsparseStatus_t hipsparseDestroy##Name##Info(name##Info_t made) {                                     \
    return hipport::cpu::sparse::destroy<name##Info>(made);                                                      \
  }                                                                                                              \
  inline hipsparseStatus_t hipsparseX##name##_zeroPivot(hipsparseHandle_t h, name##Info_t info, int* position) { \
    if (h == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;                                                   \
    if (info == nullptr || position == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;                           \
    *position = info->zero < 0 ? -1 : static_cast<int>(info->zero) + info->base;                                 \
    return info->zero < 0 ? HIPSPARSE_STATUS_SUCCESS : HIPSPARSE_STATUS_ZERO_PIVOT;                              \
  }
HIPPORT_SPARSE_INFO(Csrsv2, csrsv2)
HIPPORT_SPARSE_INFO(Csrilu02, csrilu02)
HIPPORT_SPARSE_INFO(Csric02, csric02)
#undef HIPPORT_SPARSE_INFO

namespace hipport::cpu::sparse {

template <typename T>
constexpr hipDataType type_of() {
  if constexpr (std::is_same_v<T, float>) return HIP_R_32F;
  if constexpr (std::is_same_v<T, double>) return HIP_R_64F;
  if constexpr (std::is_same_v<T, hipFloatComplex>) return HIP_C_32F;
  return HIP_C_64F;
}
// Describe a CSR matrix of the older functions.
template <typename T>
SparseMatrix csr(const void* descriptor, Index rows, Index columns, Index count, const T* values, const int* offsets,
                 const int* indices) {
  const MatDescr fresh, &of = descriptor == nullptr ? fresh : *static_cast<const MatDescr*>(descriptor);
  SparseMatrix result{HIPSPARSE_FORMAT_CSR,
                      rows,
                      columns,
                      count,
                      const_cast<int*>(offsets),
                      const_cast<int*>(indices),
                      const_cast<T*>(values),
                      HIPSPARSE_INDEX_32I,
                      HIPSPARSE_INDEX_32I,
                      of.base,
                      type_of<T>()};
  result.fill = of.fill;
  result.diagonal = of.diagonal;
  return result;
}
template <typename T>
DenseVector dense(Index size, const T* values) {
  return {size, const_cast<T*>(values), type_of<T>()};
}
template <typename T>
DenseMatrix by_columns(Index rows, Index columns, Index lead, const T* values) {
  return {rows, columns, lead, const_cast<T*>(values), type_of<T>(), HIPSPARSE_ORDER_COL};
}

template <typename T>
hipsparseStatus_t csrmv(const void* handle, hipsparseOperation_t operation, int m, int n, int count, const T* alpha,
                        const void* descriptor, const T* values, const int* offsets, const int* indices, const T* x,
                        const T* beta, T* y) {
  const SparseMatrix a = csr(descriptor, m, n, count, values, offsets, indices);
  const bool turned = operation != HIPSPARSE_OPERATION_NON_TRANSPOSE;
  const DenseVector from = dense(turned ? m : n, x), to = dense(turned ? n : m, y);
  return spmv(handle, operation, alpha, &a, &from, beta, &to, a.type);
}
template <typename T>
hipsparseStatus_t csrmm(const void* handle, hipsparseOperation_t op_a, hipsparseOperation_t op_b, int m, int n, int k,
                        int count, const T* alpha, const void* descriptor, const T* values, const int* offsets,
                        const int* indices, const T* b, int b_lead, const T* beta, T* c, int c_lead) {
  const SparseMatrix a = csr(descriptor, m, k, count, values, offsets, indices);
  const bool turned = op_a != HIPSPARSE_OPERATION_NON_TRANSPOSE, plain = op_b == HIPSPARSE_OPERATION_NON_TRANSPOSE;
  const int rows = turned ? k : m, depth = turned ? m : k;
  const DenseMatrix from = by_columns(plain ? depth : n, plain ? n : depth, b_lead, b);
  const DenseMatrix to = by_columns(rows, n, c_lead, c);
  return spmm(handle, op_a, op_b, alpha, &a, &from, beta, &to, a.type);
}
template <typename T>
hipsparseStatus_t csrsv(const void* handle, hipsparseOperation_t operation, int m, int count, const T* alpha,
                        const void* descriptor, const T* values, const int* offsets, const int* indices,
                        csrsv2Info* info, const T* f, T* x) {
  if (info == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;
  const SparseMatrix a = csr(descriptor, m, m, count, values, offsets, indices);
  const DenseVector from = dense(m, f), to = dense(m, x);
  info->base = a.base;
  return spsv(handle, operation, alpha, &a, &from, &to, a.type, &info->zero);
}
// Run an incomplete factorization in place.
template <typename T, typename Info, typename Factor>
hipsparseStatus_t factor(const void* handle, int m, int count, const void* descriptor, T* values, const int* offsets,
                         const int* indices, Info* info, Factor factor_of) {
  const SparseMatrix a = csr(descriptor, m, m, count, values, offsets, indices);
  return with_numbers(handle, a.type, info != nullptr, [&](auto none) {
    info->base = a.base;
    return submit(handle, [=] { info->zero = factor_of(none, a); });
  });
}

// Sort parallel arrays, of which some may be null, by `before(i, j)`.
template <typename Before>
void sort_together(std::ptrdiff_t from, std::ptrdiff_t to, std::initializer_list<int*> arrays, Before before) {
  std::vector<std::ptrdiff_t> order(static_cast<size_t>(to - from));
  std::iota(order.begin(), order.end(), from);
  std::stable_sort(order.begin(), order.end(), before);
  for (int* array : arrays) {
    if (array == nullptr) continue;
    std::vector<int> sorted;
    for (std::ptrdiff_t i : order) sorted.push_back(array[i]);
    std::copy(sorted.begin(), sorted.end(), array + from);
  }
}

}  // namespace hipport::cpu::sparse

#define HIPPORT_SPARSE_OLDER(P, T)                                                                                     \
  inline hipsparseStatus_t hipsparse##P##csrmv(hipsparseHandle_t h, hipsparseOperation_t op, int m, int n, int nnz,    \
                                               const T* alpha, const hipsparseMatDescr_t d, const T* values,           \
                                               const int* rows, const int* columns, const T* x, const T* beta, T* y) { \
    return hipport::cpu::sparse::csrmv(h, op, m, n, nnz, alpha, d, values, rows, columns, x, beta, y);                 \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##csrmm2(                                                                       \
      hipsparseHandle_t h, hipsparseOperation_t op_a, hipsparseOperation_t op_b, int m, int n, int k, int nnz,         \
      const T* alpha, const hipsparseMatDescr_t d, const T* values, const int* rows, const int* columns, const T* b,   \
      int ldb, const T* beta, T* c, int ldc) {                                                                         \
    return hipport::cpu::sparse::csrmm(h, op_a, op_b, m, n, k, nnz, alpha, d, values, rows, columns, b, ldb, beta, c,  \
                                       ldc);                                                                           \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##csrmm(hipsparseHandle_t h, hipsparseOperation_t op, int m, int n, int k,      \
                                               int nnz, const T* alpha, const hipsparseMatDescr_t d, const T* values,  \
                                               const int* rows, const int* columns, const T* b, int ldb,               \
                                               const T* beta, T* c, int ldc) {                                         \
    return hipsparse##P##csrmm2(h, op, HIPSPARSE_OPERATION_NON_TRANSPOSE, m, n, k, nnz, alpha, d, values, rows,        \
                                columns, b, ldb, beta, c, ldc);                                                        \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##csrsv2_solve(hipsparseHandle_t h, hipsparseOperation_t op, int m, int nnz,    \
                                                      const T* alpha, const hipsparseMatDescr_t d, const T* values,    \
                                                      const int* rows, const int* columns, csrsv2Info_t info,          \
                                                      const T* f, T* x, hipsparseSolvePolicy_t, void*) {               \
    return hipport::cpu::sparse::csrsv(h, op, m, nnz, alpha, d, values, rows, columns, info, f, x);                    \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##csrsv2_analysis(hipsparseHandle_t h, hipsparseOperation_t, int, int,          \
                                                         const hipsparseMatDescr_t, const T*, const int*, const int*,  \
                                                         csrsv2Info_t, hipsparseSolvePolicy_t, void*) {                \
    return hipport::cpu::sparse::no_work(h);                                                                           \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##csrsv2_bufferSize(hipsparseHandle_t h, hipsparseOperation_t, int, int,        \
                                                           const hipsparseMatDescr_t, T*, const int*, const int*,      \
                                                           csrsv2Info_t, int* size) {                                  \
    return hipport::cpu::sparse::no_buffer(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##csrsv2_bufferSizeExt(hipsparseHandle_t h, hipsparseOperation_t, int, int,     \
                                                              const hipsparseMatDescr_t, T*, const int*, const int*,   \
                                                              csrsv2Info_t, size_t* size) {                            \
    return hipport::cpu::sparse::no_buffer(h, size);                                                                   \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##gtsv2StridedBatch(hipsparseHandle_t h, int m, const T* dl, const T* d,        \
                                                           const T* du, T* x, int batch, int step, void*) {            \
    return hipport::cpu::sparse::tridiagonal(h, m, 1, dl, d, du, x, m, batch, step);                                   \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##gtsv2StridedBatch_bufferSizeExt(hipsparseHandle_t h, int, const T*, const T*, \
                                                                         const T*, const T*, int, int, size_t* size) { \
    return hipport::cpu::sparse::no_buffer(h, size);                                                                   \
  }
#define HIPPORT_SPARSE_FACTOR(P, T, name, function)                                                                  \
  inline hipsparseStatus_t hipsparse##P##name(hipsparseHandle_t h, int m, int nnz, const hipsparseMatDescr_t d,      \
                                              T* values, const int* rows, const int* columns, name##Info_t info,     \
                                              hipsparseSolvePolicy_t, void*) {                                       \
    return hipport::cpu::sparse::factor(h, m, nnz, d, values, rows, columns, info, [](auto none, const auto& a) {    \
      return hipport::cpu::sparse::function<decltype(none)>(a);                                                      \
    });                                                                                                              \
  }                                                                                                                  \
  inline hipsparseStatus_t hipsparse##P##name##_analysis(hipsparseHandle_t h, int, int, const hipsparseMatDescr_t,   \
                                                         const T*, const int*, const int*, name##Info_t,             \
                                                         hipsparseSolvePolicy_t, void*) {                            \
    return hipport::cpu::sparse::no_work(h);                                                                         \
  }                                                                                                                  \
  inline hipsparseStatus_t hipsparse##P##name##_bufferSize(hipsparseHandle_t h, int, int, const hipsparseMatDescr_t, \
                                                           T*, const int*, const int*, name##Info_t, int* size) {    \
    return hipport::cpu::sparse::no_buffer(h, size);                                                                 \
  }                                                                                                                  \
  inline hipsparseStatus_t hipsparse##P##name##_bufferSizeExt(hipsparseHandle_t h, int, int,                         \
                                                              const hipsparseMatDescr_t, T*, const int*, const int*, \
                                                              name##Info_t, size_t* size) {                          \
    return hipport::cpu::sparse::no_buffer(h, size);                                                                 \
  }
#define HIPPORT_SPARSE_TRIDIAGONAL(P, T, name)                                                                         \
  inline hipsparseStatus_t hipsparse##P##name(hipsparseHandle_t h, int m, int n, const T* dl, const T* d, const T* du, \
                                              T* b, int ldb, void*) {                                                  \
    return hipport::cpu::sparse::tridiagonal(h, m, n, dl, d, du, b, ldb);                                              \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##P##name##_bufferSizeExt(hipsparseHandle_t h, int, int, const T*, const T*,       \
                                                              const T*, const T*, int, size_t* size) {                 \
    return hipport::cpu::sparse::no_buffer(h, size);                                                                   \
  }
#define HIPPORT_SPARSE_ALL(P, T)                            \
  HIPPORT_SPARSE_OLDER(P, T)                                \
  HIPPORT_SPARSE_FACTOR(P, T, csrilu02, incomplete_lu)      \
  HIPPORT_SPARSE_FACTOR(P, T, csric02, incomplete_cholesky) \
  HIPPORT_SPARSE_TRIDIAGONAL(P, T, gtsv2)                   \
  HIPPORT_SPARSE_TRIDIAGONAL(P, T, gtsv2_nopivot)
HIPPORT_SPARSE_ALL(S, float)
HIPPORT_SPARSE_ALL(D, double)
HIPPORT_SPARSE_ALL(C, hipFloatComplex)
HIPPORT_SPARSE_ALL(Z, hipDoubleComplex)
#undef HIPPORT_SPARSE_ALL
#undef HIPPORT_SPARSE_OLDER
#undef HIPPORT_SPARSE_FACTOR
#undef HIPPORT_SPARSE_TRIDIAGONAL

inline hipsparseStatus_t hipsparseXcoo2csr(hipsparseHandle_t h, const int* rows, int nnz, int m, int* offsets,
                                           hipsparseIndexBase_t base) {
  using namespace hipport::cpu::sparse;
  if (h == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  return submit(h, [=] {
    std::fill_n(offsets, m + 1, 0);
    for (int i = 0; i < nnz; ++i) ++offsets[rows[i] - base + 1];
    offsets[0] = base;
    for (int row = 0; row < m; ++row) offsets[row + 1] += offsets[row];
  });
}
inline hipsparseStatus_t hipsparseXcsr2coo(hipsparseHandle_t h, const int* offsets, int, int m, int* rows,
                                           hipsparseIndexBase_t base) {
  using namespace hipport::cpu::sparse;
  if (h == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  return submit(h, [=] {
    for (int row = 0; row < m; ++row)
      for (int i = offsets[row] - base; i < offsets[row + 1] - base; ++i) rows[i] = row + base;
  });
}
inline hipsparseStatus_t hipsparseCsr2cscEx2_bufferSize(hipsparseHandle_t h, int, int, int, const void*, const int*,
                                                        const int*, void*, int*, int*, hipDataType, hipsparseAction_t,
                                                        hipsparseIndexBase_t, hipsparseCsr2CscAlg_t, size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseCsr2cscEx2(hipsparseHandle_t h, int m, int n, int nnz, const void* values,
                                             const int* rows, const int* columns, void* csc_values, int* csc_columns,
                                             int* csc_rows, hipDataType type, hipsparseAction_t action,
                                             hipsparseIndexBase_t base, hipsparseCsr2CscAlg_t, void*) {
  using namespace hipport::cpu::sparse;
  return with_numbers(h, type, m >= 0 && n >= 0 && nnz >= 0, [=](auto none) {
    using T = decltype(none);
    return submit(h, [=] {
      const SparseMatrix a{HIPSPARSE_FORMAT_CSR,
                           m,
                           n,
                           nnz,
                           const_cast<int*>(rows),
                           const_cast<int*>(columns),
                           const_cast<void*>(values),
                           HIPSPARSE_INDEX_32I,
                           HIPSPARSE_INDEX_32I,
                           base,
                           type};
      std::vector<int> next(static_cast<size_t>(n) + 1);
      for_each(a, 0, [&](Index, Index column, Index) { ++next[static_cast<size_t>(column) + 1]; });
      std::partial_sum(next.begin(), next.end(), next.begin());
      for (size_t i = 0; i < next.size(); ++i) csc_columns[i] = next[i] + base;
      for_each(a, 0, [&](Index row, Index column, Index i) {
        const int place = next[static_cast<size_t>(column)]++;
        csc_rows[place] = static_cast<int>(row) + base;
        if (action == HIPSPARSE_ACTION_NUMERIC)
          store(type, csc_values, static_cast<size_t>(place), load<T>(type, values, static_cast<size_t>(i)));
      });
    });
  });
}
inline hipsparseStatus_t hipsparseCreateIdentityPermutation(hipsparseHandle_t h, int n, int* p) {
  using namespace hipport::cpu::sparse;
  if (h == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  return submit(h, [=] { std::iota(p, p + n, 0); });
}
inline hipsparseStatus_t hipsparseXcsrsort_bufferSizeExt(hipsparseHandle_t h, int, int, int, const int*, const int*,
                                                         size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseXcsrsort(hipsparseHandle_t h, int m, int, int, const hipsparseMatDescr_t,
                                           const int* rows, int* columns, int* order, void*) {
  using namespace hipport::cpu::sparse;
  if (h == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  return submit(h, [=] {
    const auto before = [=](std::ptrdiff_t a, std::ptrdiff_t b) { return columns[a] < columns[b]; };
    for (int row = 0; row < m; ++row)
      sort_together(rows[row] - rows[0], rows[row + 1] - rows[0], {order, columns}, before);
  });
}
inline hipsparseStatus_t hipsparseXcoosort_bufferSizeExt(hipsparseHandle_t h, int, int, int, const int*, const int*,
                                                         size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseXcoosortByRow(hipsparseHandle_t h, int, int, int nnz, int* rows, int* columns,
                                                int* order, void*) {
  using namespace hipport::cpu::sparse;
  if (h == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  return submit(h, [=] {
    const std::vector<int> first(rows, rows + nnz), second(columns, columns + nnz);
    sort_together(0, nnz, {order, rows, columns}, [&](std::ptrdiff_t a, std::ptrdiff_t b) {
      const size_t i = static_cast<size_t>(a), j = static_cast<size_t>(b);
      return std::pair(first[i], second[i]) < std::pair(first[j], second[j]);
    });
  });
}
inline hipsparseStatus_t hipsparseXcoosortByColumn(hipsparseHandle_t h, int m, int n, int nnz, int* rows, int* columns,
                                                   int* order, void* buffer) {
  return hipsparseXcoosortByRow(h, n, m, nnz, columns, rows, order, buffer);
}
