// SPDX-License-Identifier: MIT
// hipSPARSE: making, reading and changing the descriptors of the generic functions.
#pragma once

#include "matrix.h"

namespace hipport::cpu::sparse {

inline const SparseMatrix* sparse_of(const void* descriptor) { return static_cast<const SparseMatrix*>(descriptor); }
inline const DenseMatrix* dense_of(const void* descriptor) { return static_cast<const DenseMatrix*>(descriptor); }
inline const SparseVector* indexed_of(const void* descriptor) { return static_cast<const SparseVector*>(descriptor); }
inline const DenseVector* vector_of(const void* descriptor) { return static_cast<const DenseVector*>(descriptor); }

template <typename Result>
hipsparseStatus_t make_sparse(Result* result, const SparseMatrix& m) {
  const bool sized = m.rows >= 0 && m.columns >= 0 && m.count >= 0;
  if (!sized || (m.count > 0 && m.format == HIPSPARSE_FORMAT_COO && m.outer == nullptr))
    return HIPSPARSE_STATUS_INVALID_VALUE;
  return is_value_type(m.type) ? create<SparseMatrix>(result, m) : HIPSPARSE_STATUS_NOT_SUPPORTED;
}
template <typename Pointer>
hipsparseStatus_t read_sparse(const void* descriptor, hipsparseFormat_t format, int64_t* rows, int64_t* columns,
                              int64_t* count, Pointer* outer, Pointer* inner, Pointer* values,
                              hipsparseIndexType_t* outer_type, hipsparseIndexType_t* inner_type,
                              hipsparseIndexBase_t* base, hipDataType* type) {
  if (descriptor == nullptr || sparse_of(descriptor)->format != format) return HIPSPARSE_STATUS_INVALID_VALUE;
  const SparseMatrix& m = *sparse_of(descriptor);
  *rows = m.rows, *columns = m.columns, *count = m.count;
  *outer = m.outer, *inner = m.inner, *values = m.values;
  if (outer_type != nullptr) *outer_type = m.outer_type;
  *inner_type = m.inner_type, *base = m.base, *type = m.type;
  return HIPSPARSE_STATUS_SUCCESS;
}
inline hipsparseStatus_t set_pointers(void* descriptor, hipsparseFormat_t format, void* outer, void* inner,
                                      void* values) {
  if (descriptor == nullptr || sparse_of(descriptor)->format != format) return HIPSPARSE_STATUS_INVALID_VALUE;
  SparseMatrix& m = *static_cast<SparseMatrix*>(descriptor);
  m.outer = outer, m.inner = inner, m.values = values;
  return HIPSPARSE_STATUS_SUCCESS;
}
inline hipsparseStatus_t set_batch(void* descriptor, int count, Index outer_step, Index inner_step) {
  if (descriptor == nullptr || count < 1) return HIPSPARSE_STATUS_INVALID_VALUE;
  SparseMatrix& m = *static_cast<SparseMatrix*>(descriptor);
  m.batch = count, m.outer_step = outer_step, m.inner_step = inner_step;
  return HIPSPARSE_STATUS_SUCCESS;
}
inline hipsparseStatus_t attribute(const void* descriptor, hipsparseSpMatAttribute_t which, void* out, const void* in,
                                   size_t size) {
  if (descriptor == nullptr || size != sizeof(int) || (out == nullptr && in == nullptr))
    return HIPSPARSE_STATUS_INVALID_VALUE;
  SparseMatrix& m = *const_cast<SparseMatrix*>(sparse_of(descriptor));
  void* member = which == HIPSPARSE_SPMAT_FILL_MODE ? static_cast<void*>(&m.fill) : &m.diagonal;
  std::memcpy(out != nullptr ? out : member, out != nullptr ? member : in, size);
  return HIPSPARSE_STATUS_SUCCESS;
}

}  // namespace hipport::cpu::sparse

// Functions that exist for constant descriptors, too: `Const` is the word in their names, `constant` the qualifier.
#define HIPPORT_SPARSE_DESCRIPTORS(Const, constant)                                                                   \
  inline hipsparseStatus_t hipsparseCreate##Const##Coo(                                                               \
      hipsparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t count, constant void* row_indices, \
      constant void* column_indices, constant void* values, hipsparseIndexType_t index, hipsparseIndexBase_t base,    \
      hipDataType type) {                                                                                             \
    using namespace hipport::cpu::sparse;                                                                             \
    return make_sparse(made, {HIPSPARSE_FORMAT_COO, rows, columns, count, (void*)row_indices, (void*)column_indices,  \
                              (void*)values, index, index, base, type});                                              \
  }                                                                                                                   \
  inline hipsparseStatus_t hipsparseCreate##Const##Csr(                                                               \
      hipsparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t count, constant void* offsets,     \
      constant void* indices, constant void* values, hipsparseIndexType_t outer, hipsparseIndexType_t inner,          \
      hipsparseIndexBase_t base, hipDataType type) {                                                                  \
    using namespace hipport::cpu::sparse;                                                                             \
    return make_sparse(made, {HIPSPARSE_FORMAT_CSR, rows, columns, count, (void*)offsets, (void*)indices,             \
                              (void*)values, outer, inner, base, type});                                              \
  }                                                                                                                   \
  inline hipsparseStatus_t hipsparseCreate##Const##Csc(                                                               \
      hipsparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t count, constant void* offsets,     \
      constant void* indices, constant void* values, hipsparseIndexType_t outer, hipsparseIndexType_t inner,          \
      hipsparseIndexBase_t base, hipDataType type) {                                                                  \
    using namespace hipport::cpu::sparse;                                                                             \
    return make_sparse(made, {HIPSPARSE_FORMAT_CSC, rows, columns, count, (void*)offsets, (void*)indices,             \
                              (void*)values, outer, inner, base, type});                                              \
  }                                                                                                                   \
  inline hipsparseStatus_t hipsparseCreate##Const##DnVec(hipsparse##Const##DnVecDescr_t* made, int64_t size,          \
                                                         constant void* values, hipDataType type) {                   \
    using namespace hipport::cpu::sparse;                                                                             \
    return create<DenseVector>(made, {size, (void*)values, type});                                                    \
  }                                                                                                                   \
  inline hipsparseStatus_t hipsparseCreate##Const##DnMat(hipsparse##Const##DnMatDescr_t* made, int64_t rows,          \
                                                         int64_t columns, int64_t lead, constant void* values,        \
                                                         hipDataType type, hipsparseOrder_t order) {                  \
    using namespace hipport::cpu::sparse;                                                                             \
    if (lead < (order == HIPSPARSE_ORDER_ROW ? columns : rows)) return HIPSPARSE_STATUS_INVALID_VALUE;                \
    return create<DenseMatrix>(made, {rows, columns, lead, (void*)values, type, order});                              \
  }                                                                                                                   \
  inline hipsparseStatus_t hipsparseCreate##Const##SpVec(                                                             \
      hipsparse##Const##SpVecDescr_t* made, int64_t size, int64_t count, constant void* indices,                      \
      constant void* values, hipsparseIndexType_t index, hipsparseIndexBase_t base, hipDataType type) {               \
    using namespace hipport::cpu::sparse;                                                                             \
    return create<SparseVector>(made, {size, count, (void*)indices, (void*)values, index, base, type});               \
  }
HIPPORT_SPARSE_DESCRIPTORS(, )
HIPPORT_SPARSE_DESCRIPTORS(Const, const)
#undef HIPPORT_SPARSE_DESCRIPTORS

#define HIPPORT_SPARSE_READ(Const, constant)                                                                           \
  inline hipsparseStatus_t hipsparse##Const##CooGet(                                                                   \
      hipsparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns, int64_t* count, constant void** row_indices,      \
      constant void** column_indices, constant void** values, hipsparseIndexType_t* index, hipsparseIndexBase_t* base, \
      hipDataType* type) {                                                                                             \
    return hipport::cpu::sparse::read_sparse(m, HIPSPARSE_FORMAT_COO, rows, columns, count, row_indices,               \
                                             column_indices, values, nullptr, index, base, type);                      \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##CsrGet(                                                                   \
      hipsparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns, int64_t* count, constant void** offsets,          \
      constant void** indices, constant void** values, hipsparseIndexType_t* outer, hipsparseIndexType_t* inner,       \
      hipsparseIndexBase_t* base, hipDataType* type) {                                                                 \
    return hipport::cpu::sparse::read_sparse(m, HIPSPARSE_FORMAT_CSR, rows, columns, count, offsets, indices, values,  \
                                             outer, inner, base, type);                                                \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##CscGet(                                                                   \
      hipsparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns, int64_t* count, constant void** offsets,          \
      constant void** indices, constant void** values, hipsparseIndexType_t* outer, hipsparseIndexType_t* inner,       \
      hipsparseIndexBase_t* base, hipDataType* type) {                                                                 \
    return hipport::cpu::sparse::read_sparse(m, HIPSPARSE_FORMAT_CSC, rows, columns, count, offsets, indices, values,  \
                                             outer, inner, base, type);                                                \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##SpMatGetValues(hipsparseConstSpMatDescr_t m, constant void** values) {    \
    return hipport::cpu::sparse::get(m, &hipport::cpu::sparse::SparseMatrix::values, values);                          \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##DnVecGetValues(hipsparseConstDnVecDescr_t v, constant void** values) {    \
    return hipport::cpu::sparse::get(v, &hipport::cpu::sparse::DenseVector::values, values);                           \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##DnMatGetValues(hipsparseConstDnMatDescr_t m, constant void** values) {    \
    return hipport::cpu::sparse::get(m, &hipport::cpu::sparse::DenseMatrix::values, values);                           \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##SpVecGetValues(hipsparseConstSpVecDescr_t v, constant void** values) {    \
    return hipport::cpu::sparse::get(v, &hipport::cpu::sparse::SparseVector::values, values);                          \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##DnVecGet(hipsparseConstDnVecDescr_t v, int64_t* size,                     \
                                                      constant void** values, hipDataType* type) {                     \
    if (v == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;                                                           \
    const auto& of = *hipport::cpu::sparse::vector_of(v);                                                              \
    *size = of.size, *values = of.values, *type = of.type;                                                             \
    return HIPSPARSE_STATUS_SUCCESS;                                                                                   \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##DnMatGet(hipsparseConstDnMatDescr_t m, int64_t* rows, int64_t* columns,   \
                                                      int64_t* lead, constant void** values, hipDataType* type,        \
                                                      hipsparseOrder_t* order) {                                       \
    if (m == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;                                                           \
    const auto& of = *hipport::cpu::sparse::dense_of(m);                                                               \
    *rows = of.rows, *columns = of.columns, *lead = of.lead, *values = of.values, *type = of.type, *order = of.order;  \
    return HIPSPARSE_STATUS_SUCCESS;                                                                                   \
  }                                                                                                                    \
  inline hipsparseStatus_t hipsparse##Const##SpVecGet(                                                                 \
      hipsparseConstSpVecDescr_t v, int64_t* size, int64_t* count, constant void** indices, constant void** values,    \
      hipsparseIndexType_t* index, hipsparseIndexBase_t* base, hipDataType* type) {                                    \
    if (v == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;                                                           \
    const auto& of = *hipport::cpu::sparse::indexed_of(v);                                                             \
    *size = of.size, *count = of.count, *indices = of.indices, *values = of.values;                                    \
    *index = of.index_type, *base = of.base, *type = of.type;                                                          \
    return HIPSPARSE_STATUS_SUCCESS;                                                                                   \
  }
HIPPORT_SPARSE_READ(, )
HIPPORT_SPARSE_READ(Const, const)
#undef HIPPORT_SPARSE_READ

inline hipsparseStatus_t hipsparseDestroySpMat(hipsparseConstSpMatDescr_t m) {
  return hipport::cpu::sparse::destroy<hipport::cpu::sparse::SparseMatrix>(m);
}
inline hipsparseStatus_t hipsparseDestroyDnMat(hipsparseConstDnMatDescr_t m) {
  return hipport::cpu::sparse::destroy<hipport::cpu::sparse::DenseMatrix>(m);
}
inline hipsparseStatus_t hipsparseDestroySpVec(hipsparseConstSpVecDescr_t v) {
  return hipport::cpu::sparse::destroy<hipport::cpu::sparse::SparseVector>(v);
}
inline hipsparseStatus_t hipsparseDestroyDnVec(hipsparseConstDnVecDescr_t v) {
  return hipport::cpu::sparse::destroy<hipport::cpu::sparse::DenseVector>(v);
}
inline hipsparseStatus_t hipsparseCsrSetPointers(hipsparseSpMatDescr_t m, void* offsets, void* indices, void* values) {
  return hipport::cpu::sparse::set_pointers(m, HIPSPARSE_FORMAT_CSR, offsets, indices, values);
}
inline hipsparseStatus_t hipsparseCscSetPointers(hipsparseSpMatDescr_t m, void* offsets, void* indices, void* values) {
  return hipport::cpu::sparse::set_pointers(m, HIPSPARSE_FORMAT_CSC, offsets, indices, values);
}
inline hipsparseStatus_t hipsparseCooSetPointers(hipsparseSpMatDescr_t m, void* rows, void* columns, void* values) {
  return hipport::cpu::sparse::set_pointers(m, HIPSPARSE_FORMAT_COO, rows, columns, values);
}
inline hipsparseStatus_t hipsparseSpMatSetValues(hipsparseSpMatDescr_t m, void* values) {
  return hipport::cpu::sparse::set(m, &hipport::cpu::sparse::SparseMatrix::values, values);
}
inline hipsparseStatus_t hipsparseDnMatSetValues(hipsparseDnMatDescr_t m, void* values) {
  return hipport::cpu::sparse::set(m, &hipport::cpu::sparse::DenseMatrix::values, values);
}
inline hipsparseStatus_t hipsparseSpVecSetValues(hipsparseSpVecDescr_t v, void* values) {
  return hipport::cpu::sparse::set(v, &hipport::cpu::sparse::SparseVector::values, values);
}
inline hipsparseStatus_t hipsparseDnVecSetValues(hipsparseDnVecDescr_t v, void* values) {
  return hipport::cpu::sparse::set(v, &hipport::cpu::sparse::DenseVector::values, values);
}
inline hipsparseStatus_t hipsparseSpVecGetIndexBase(hipsparseConstSpVecDescr_t v, hipsparseIndexBase_t* base) {
  return hipport::cpu::sparse::get(v, &hipport::cpu::sparse::SparseVector::base, base);
}
inline hipsparseStatus_t hipsparseSpMatGetIndexBase(hipsparseConstSpMatDescr_t m, hipsparseIndexBase_t* base) {
  return hipport::cpu::sparse::get(m, &hipport::cpu::sparse::SparseMatrix::base, base);
}
inline hipsparseStatus_t hipsparseSpMatGetFormat(hipsparseConstSpMatDescr_t m, hipsparseFormat_t* format) {
  return hipport::cpu::sparse::get(m, &hipport::cpu::sparse::SparseMatrix::format, format);
}
inline hipsparseStatus_t hipsparseSpMatGetSize(hipsparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns,
                                               int64_t* count) {
  if (m == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;
  const auto& of = *hipport::cpu::sparse::sparse_of(m);
  *rows = of.rows, *columns = of.columns, *count = of.count;
  return HIPSPARSE_STATUS_SUCCESS;
}
inline hipsparseStatus_t hipsparseSpMatGetAttribute(hipsparseConstSpMatDescr_t m, hipsparseSpMatAttribute_t which,
                                                    void* data, size_t size) {
  return hipport::cpu::sparse::attribute(m, which, data, nullptr, size);
}
inline hipsparseStatus_t hipsparseSpMatSetAttribute(hipsparseSpMatDescr_t m, hipsparseSpMatAttribute_t which,
                                                    const void* data, size_t size) {
  return hipport::cpu::sparse::attribute(m, which, nullptr, data, size);
}
inline hipsparseStatus_t hipsparseSpMatGetStridedBatch(hipsparseConstSpMatDescr_t m, int* count) {
  return hipport::cpu::sparse::get(m, &hipport::cpu::sparse::SparseMatrix::batch, count);
}
inline hipsparseStatus_t hipsparseSpMatSetStridedBatch(hipsparseSpMatDescr_t m, int count) {
  return hipport::cpu::sparse::set(m, &hipport::cpu::sparse::SparseMatrix::batch, count);
}
inline hipsparseStatus_t hipsparseCsrSetStridedBatch(hipsparseSpMatDescr_t m, int count, int64_t offsets,
                                                     int64_t columns) {
  return hipport::cpu::sparse::set_batch(m, count, offsets, columns);
}
inline hipsparseStatus_t hipsparseCooSetStridedBatch(hipsparseSpMatDescr_t m, int count, int64_t step) {
  return hipport::cpu::sparse::set_batch(m, count, step, step);
}
inline hipsparseStatus_t hipsparseDnMatSetStridedBatch(hipsparseDnMatDescr_t m, int count, int64_t step) {
  if (m == nullptr || count < 1) return HIPSPARSE_STATUS_INVALID_VALUE;
  auto& of = *static_cast<hipport::cpu::sparse::DenseMatrix*>(m);
  of.batch = count, of.step = step;
  return HIPSPARSE_STATUS_SUCCESS;
}
inline hipsparseStatus_t hipsparseDnMatGetStridedBatch(hipsparseConstDnMatDescr_t m, int* count, int64_t* step) {
  if (m == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;
  *count = hipport::cpu::sparse::dense_of(m)->batch, *step = hipport::cpu::sparse::dense_of(m)->step;
  return HIPSPARSE_STATUS_SUCCESS;
}
