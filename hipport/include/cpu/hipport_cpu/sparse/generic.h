// SPDX-License-Identifier: MIT
// hipSPARSE: the generic functions.
#pragma once

#include "descriptors.h"
#include "multiply.h"
#include "solve.h"

// A product between its steps.
struct hipsparseSpGEMMDescr {
  hipport::cpu::sparse::Rows<double> real;
  hipport::cpu::sparse::Rows<hipport::cpu::sparse::Complex> complex;
};
struct hipsparseSpSVDescr {};
struct hipsparseSpSMDescr {};
using hipsparseSpGEMMDescr_t = hipsparseSpGEMMDescr*;
using hipsparseSpSVDescr_t = hipsparseSpSVDescr*;
using hipsparseSpSMDescr_t = hipsparseSpSMDescr*;

namespace hipport::cpu::sparse {

template <typename T>
Rows<T>& rows_of(hipsparseSpGEMMDescr& descriptor) {
  if constexpr (std::is_same_v<T, Complex>)
    return descriptor.complex;
  else
    return descriptor.real;
}

// Compute the product, and the number of its elements. The host needs the number: the stream's work ends in the call.
inline hipsparseStatus_t spgemm(const void* handle, hipsparseOperation_t op_a, hipsparseOperation_t op_b, const void* a,
                                const void* b, void* c, hipDataType compute, hipsparseSpGEMMDescr* descriptor) {
  const bool valid = a != nullptr && b != nullptr && c != nullptr && descriptor != nullptr;
  return with_numbers(handle, compute, valid, [&](auto none) {
    using T = decltype(none);
    const Rows<T> left = by_rows<T>(*sparse_of(a), op_a), right = by_rows<T>(*sparse_of(b), op_b);
    SparseMatrix& result = *static_cast<SparseMatrix*>(c);
    if (left.width != right.count || result.format != HIPSPARSE_FORMAT_CSR) return HIPSPARSE_STATUS_INVALID_VALUE;
    rows_of<T>(*descriptor) = product(left, right);
    result.count = static_cast<Index>(rows_of<T>(*descriptor).columns.size());
    return HIPSPARSE_STATUS_SUCCESS;
  });
}
inline hipsparseStatus_t spgemm_copy(const void* handle, const void* alpha, const void* beta, const void* c,
                                     hipDataType compute, hipsparseSpGEMMDescr* descriptor) {
  const bool valid = alpha != nullptr && beta != nullptr && c != nullptr && descriptor != nullptr;
  return with_numbers(handle, compute, valid, [&](auto none) {
    using T = decltype(none);
    return submit(handle, [=, c = *sparse_of(c), rows = rows_of<T>(*descriptor), by = Scalar<T>(handle, compute, alpha),
                           keep = Scalar<T>(handle, compute, beta)] { write_csr(rows, c, by.get(), keep.get()); });
  });
}

// Call `visit(zero, x, y, place)` for each element of a sparse vector x, where `place` is its index in y.
template <typename Visit>
hipsparseStatus_t with_vectors(const void* handle, const void* x, const void* y, Visit visit) {
  const bool valid = x != nullptr && y != nullptr;
  return with_numbers(handle, valid ? indexed_of(x)->type : HIP_R_32F, valid, [&](auto none) {
    return submit(handle, [x = *indexed_of(x), y = *vector_of(y), visit] {
      for (Index i = 0; i < x.count; ++i)
        visit(decltype(none)(), x, y, static_cast<size_t>(i),
              static_cast<size_t>(load_index(x.index_type, x.indices, i) - x.base));
    });
  });
}

inline hipsparseStatus_t to_dense(const void* handle, const void* a, const void* b) {
  const bool valid = a != nullptr && b != nullptr;
  return with_numbers(handle, valid ? sparse_of(a)->type : HIP_R_32F, valid, [&](auto none) {
    using T = decltype(none);
    return submit(handle, [a = *sparse_of(a), b = *dense_of(b)] {
      const auto as_is = HIPSPARSE_OPERATION_NON_TRANSPOSE;
      for (Index row = 0; row < b.rows; ++row)
        for (Index column = 0; column < b.columns; ++column) store(b.type, b.values, b.at(as_is, row, column), T());
      for_each(a, 0, [&](Index row, Index column, Index i) {
        store(b.type, b.values, b.at(as_is, row, column), load<T>(a.type, a.values, static_cast<size_t>(i)));
      });
    });
  });
}
// Count the elements that are not 0, and write the offsets of CSR and CSC.
inline hipsparseStatus_t count_elements(const void* handle, const void* a, void* b) {
  const bool valid = a != nullptr && b != nullptr;
  return with_numbers(handle, valid ? dense_of(a)->type : HIP_R_32F, valid, [&](auto none) {
    using T = decltype(none);
    const DenseMatrix& dense = *dense_of(a);
    SparseMatrix& result = *static_cast<SparseMatrix*>(b);
    const bool by_rows = result.format != HIPSPARSE_FORMAT_CSC, offsets = result.format != HIPSPARSE_FORMAT_COO;
    result.count = 0;
    for (Index line = 0; line < (by_rows ? dense.rows : dense.columns); ++line) {
      if (offsets) store_index(result.outer_type, result.outer, line, result.count + result.base);
      for (Index i = 0; i < (by_rows ? dense.columns : dense.rows); ++i) {
        const size_t place =
            dense.at(by_rows ? HIPSPARSE_OPERATION_NON_TRANSPOSE : HIPSPARSE_OPERATION_TRANSPOSE, line, i);
        result.count += load<T>(dense.type, dense.values, place) != T();
      }
    }
    const Index lines = by_rows ? dense.rows : dense.columns;
    if (offsets) store_index(result.outer_type, result.outer, lines, result.count + result.base);
    return HIPSPARSE_STATUS_SUCCESS;
  });
}
inline hipsparseStatus_t to_sparse(const void* handle, const void* a, const void* b) {
  const bool valid = a != nullptr && b != nullptr;
  return with_numbers(handle, valid ? dense_of(a)->type : HIP_R_32F, valid, [&](auto none) {
    using T = decltype(none);
    return submit(handle, [a = *dense_of(a), b = *sparse_of(b)] {
      const bool by_rows = b.format != HIPSPARSE_FORMAT_CSC;
      Index found = 0;
      for (Index line = 0; line < (by_rows ? a.rows : a.columns); ++line)
        for (Index i = 0; i < (by_rows ? a.columns : a.rows); ++i) {
          const auto turned = by_rows ? HIPSPARSE_OPERATION_NON_TRANSPOSE : HIPSPARSE_OPERATION_TRANSPOSE;
          const T value = load<T>(a.type, a.values, a.at(turned, line, i));
          if (value == T()) continue;
          if (b.format == HIPSPARSE_FORMAT_COO) store_index(b.outer_type, b.outer, found, line + b.base);
          store_index(b.inner_type, b.inner, found, i + b.base);
          store(b.type, b.values, static_cast<size_t>(found++), value);
        }
    });
  });
}

}  // namespace hipport::cpu::sparse

inline hipsparseStatus_t hipsparseAxpby(hipsparseHandle_t h, const void* alpha, hipsparseConstSpVecDescr_t x,
                                        const void* beta, hipsparseDnVecDescr_t y) {
  using namespace hipport::cpu::sparse;
  const bool valid = alpha != nullptr && beta != nullptr && x != nullptr && y != nullptr;
  return with_numbers(h, valid ? indexed_of(x)->type : HIP_R_32F, valid, [&](auto none) {
    using T = decltype(none);
    const hipDataType type = indexed_of(x)->type;
    return submit(
        h, [x = *indexed_of(x), y = *vector_of(y), by = Scalar<T>(h, type, alpha), keep = Scalar<T>(h, type, beta)] {
          for (size_t i = 0; i < static_cast<size_t>(y.size); ++i) update(y.type, y.values, i, T(), T(), keep.get());
          for (Index i = 0; i < x.count; ++i)
            update(y.type, y.values, static_cast<size_t>(load_index(x.index_type, x.indices, i) - x.base), by.get(),
                   load<T>(x.type, x.values, static_cast<size_t>(i)), T(1));
        });
  });
}
inline hipsparseStatus_t hipsparseGather(hipsparseHandle_t h, hipsparseConstDnVecDescr_t y, hipsparseSpVecDescr_t x) {
  using namespace hipport::cpu::sparse;
  return with_vectors(h, x, y, [](auto zero, auto& to, auto& from, size_t i, size_t place) {
    store(to.type, to.values, i, load<decltype(zero)>(from.type, from.values, place));
  });
}
inline hipsparseStatus_t hipsparseScatter(hipsparseHandle_t h, hipsparseConstSpVecDescr_t x, hipsparseDnVecDescr_t y) {
  using namespace hipport::cpu::sparse;
  return with_vectors(h, x, y, [](auto zero, auto& from, auto& to, size_t i, size_t place) {
    store(to.type, to.values, place, load<decltype(zero)>(from.type, from.values, i));
  });
}
inline hipsparseStatus_t hipsparseRot(hipsparseHandle_t h, const void* cosine, const void* sine,
                                      hipsparseSpVecDescr_t x, hipsparseDnVecDescr_t y) {
  using namespace hipport::cpu::sparse;
  const bool valid = cosine != nullptr && sine != nullptr && x != nullptr && y != nullptr;
  return with_numbers(h, valid ? indexed_of(x)->type : HIP_R_32F, valid, [&](auto none) {
    using T = decltype(none);
    const hipDataType type = indexed_of(x)->type;
    return submit(h, [x = *indexed_of(x), y = *vector_of(y), c = Scalar<T>(h, type, cosine),
                      s = Scalar<T>(h, type, sine)] {
      for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
        const size_t place = static_cast<size_t>(load_index(x.index_type, x.indices, static_cast<Index>(i)) - x.base);
        const T a = load<T>(x.type, x.values, i), b = load<T>(y.type, y.values, place);
        store(x.type, x.values, i, c.get() * a + s.get() * b);
        store(y.type, y.values, place, c.get() * b - s.get() * a);
      }
    });
  });
}
inline hipsparseStatus_t hipsparseSpVV_bufferSize(hipsparseHandle_t h, hipsparseOperation_t, hipsparseConstSpVecDescr_t,
                                                  hipsparseConstDnVecDescr_t, void*, hipDataType, size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSpVV(hipsparseHandle_t h, hipsparseOperation_t op, hipsparseConstSpVecDescr_t x,
                                       hipsparseConstDnVecDescr_t y, void* result, hipDataType compute, void*) {
  using namespace hipport::cpu::sparse;
  return with_numbers(h, compute, x != nullptr && y != nullptr && result != nullptr, [&](auto none) {
    using T = decltype(none);
    return submit(h, [=, x = *indexed_of(x), y = *vector_of(y)] {
      T sum{};
      for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
        const size_t place = static_cast<size_t>(load_index(x.index_type, x.indices, static_cast<Index>(i)) - x.base);
        const T value = load<T>(x.type, x.values, i);
        sum += (op == HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(value) : value) *
               load<T>(y.type, y.values, place);
      }
      store(compute, result, 0, sum);
    });
  });
}

inline hipsparseStatus_t hipsparseSpMV_bufferSize(hipsparseHandle_t h, hipsparseOperation_t, const void*,
                                                  hipsparseConstSpMatDescr_t, hipsparseConstDnVecDescr_t, const void*,
                                                  const hipsparseDnVecDescr_t, hipDataType, hipsparseSpMVAlg_t,
                                                  size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSpMV_preprocess(hipsparseHandle_t h, hipsparseOperation_t, const void*,
                                                  hipsparseConstSpMatDescr_t, hipsparseConstDnVecDescr_t, const void*,
                                                  const hipsparseDnVecDescr_t, hipDataType, hipsparseSpMVAlg_t, void*) {
  return hipport::cpu::sparse::no_work(h);
}
inline hipsparseStatus_t hipsparseSpMV(hipsparseHandle_t h, hipsparseOperation_t op, const void* alpha,
                                       hipsparseConstSpMatDescr_t a, hipsparseConstDnVecDescr_t x, const void* beta,
                                       const hipsparseDnVecDescr_t y, hipDataType compute, hipsparseSpMVAlg_t, void*) {
  using namespace hipport::cpu::sparse;
  return spmv(h, op, alpha, sparse_of(a), vector_of(x), beta, vector_of(y), compute);
}
inline hipsparseStatus_t hipsparseSpMM_bufferSize(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                                  const void*, hipsparseConstSpMatDescr_t, hipsparseConstDnMatDescr_t,
                                                  const void*, const hipsparseDnMatDescr_t, hipDataType,
                                                  hipsparseSpMMAlg_t, size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSpMM_preprocess(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                                  const void*, hipsparseConstSpMatDescr_t, hipsparseConstDnMatDescr_t,
                                                  const void*, const hipsparseDnMatDescr_t, hipDataType,
                                                  hipsparseSpMMAlg_t, void*) {
  return hipport::cpu::sparse::no_work(h);
}
inline hipsparseStatus_t hipsparseSpMM(hipsparseHandle_t h, hipsparseOperation_t op_a, hipsparseOperation_t op_b,
                                       const void* alpha, hipsparseConstSpMatDescr_t a, hipsparseConstDnMatDescr_t b,
                                       const void* beta, const hipsparseDnMatDescr_t c, hipDataType compute,
                                       hipsparseSpMMAlg_t, void*) {
  using namespace hipport::cpu::sparse;
  return spmm(h, op_a, op_b, alpha, sparse_of(a), dense_of(b), beta, dense_of(c), compute);
}
inline hipsparseStatus_t hipsparseSDDMM_bufferSize(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                                   const void*, hipsparseConstDnMatDescr_t, hipsparseConstDnMatDescr_t,
                                                   const void*, hipsparseSpMatDescr_t, hipDataType, hipsparseSDDMMAlg_t,
                                                   size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSDDMM_preprocess(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                                   const void*, hipsparseConstDnMatDescr_t, hipsparseConstDnMatDescr_t,
                                                   const void*, hipsparseSpMatDescr_t, hipDataType, hipsparseSDDMMAlg_t,
                                                   void*) {
  return hipport::cpu::sparse::no_work(h);
}
inline hipsparseStatus_t hipsparseSDDMM(hipsparseHandle_t h, hipsparseOperation_t op_a, hipsparseOperation_t op_b,
                                        const void* alpha, hipsparseConstDnMatDescr_t a, hipsparseConstDnMatDescr_t b,
                                        const void* beta, hipsparseSpMatDescr_t c, hipDataType compute,
                                        hipsparseSDDMMAlg_t, void*) {
  using namespace hipport::cpu::sparse;
  return sddmm(h, op_a, op_b, alpha, dense_of(a), dense_of(b), beta, sparse_of(c), compute);
}

inline hipsparseStatus_t hipsparseSpGEMM_createDescr(hipsparseSpGEMMDescr_t* made) {
  return hipport::cpu::sparse::create<hipsparseSpGEMMDescr>(made);
}
inline hipsparseStatus_t hipsparseSpGEMM_destroyDescr(hipsparseSpGEMMDescr_t made) {
  return hipport::cpu::sparse::destroy<hipsparseSpGEMMDescr>(made);
}
inline hipsparseStatus_t hipsparseSpGEMM_workEstimation(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                                        const void*, hipsparseConstSpMatDescr_t,
                                                        hipsparseConstSpMatDescr_t, const void*, hipsparseSpMatDescr_t,
                                                        hipDataType, hipsparseSpGEMMAlg_t, hipsparseSpGEMMDescr_t,
                                                        size_t* size, void*) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSpGEMM_compute(hipsparseHandle_t h, hipsparseOperation_t op_a,
                                                 hipsparseOperation_t op_b, const void*, hipsparseConstSpMatDescr_t a,
                                                 hipsparseConstSpMatDescr_t b, const void*, hipsparseSpMatDescr_t c,
                                                 hipDataType compute, hipsparseSpGEMMAlg_t,
                                                 hipsparseSpGEMMDescr_t descriptor, size_t* size, void* buffer) {
  using namespace hipport::cpu::sparse;
  const hipsparseStatus_t asked = no_buffer(h, size);
  return asked != HIPSPARSE_STATUS_SUCCESS || buffer == nullptr ? asked
                                                                : spgemm(h, op_a, op_b, a, b, c, compute, descriptor);
}
inline hipsparseStatus_t hipsparseSpGEMM_copy(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                              const void* alpha, hipsparseConstSpMatDescr_t, hipsparseConstSpMatDescr_t,
                                              const void* beta, hipsparseSpMatDescr_t c, hipDataType compute,
                                              hipsparseSpGEMMAlg_t, hipsparseSpGEMMDescr_t descriptor) {
  return hipport::cpu::sparse::spgemm_copy(h, alpha, beta, c, compute, descriptor);
}

inline hipsparseStatus_t hipsparseSpSV_createDescr(hipsparseSpSVDescr_t* made) {
  return hipport::cpu::sparse::create<hipsparseSpSVDescr>(made);
}
inline hipsparseStatus_t hipsparseSpSV_destroyDescr(hipsparseSpSVDescr_t made) {
  return hipport::cpu::sparse::destroy<hipsparseSpSVDescr>(made);
}
inline hipsparseStatus_t hipsparseSpSV_bufferSize(hipsparseHandle_t h, hipsparseOperation_t, const void*,
                                                  hipsparseConstSpMatDescr_t, hipsparseConstDnVecDescr_t,
                                                  const hipsparseDnVecDescr_t, hipDataType, hipsparseSpSVAlg_t,
                                                  hipsparseSpSVDescr_t, size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSpSV_analysis(hipsparseHandle_t h, hipsparseOperation_t, const void*,
                                                hipsparseConstSpMatDescr_t, hipsparseConstDnVecDescr_t,
                                                const hipsparseDnVecDescr_t, hipDataType, hipsparseSpSVAlg_t,
                                                hipsparseSpSVDescr_t, void*) {
  return hipport::cpu::sparse::no_work(h);
}
inline hipsparseStatus_t hipsparseSpSV_solve(hipsparseHandle_t h, hipsparseOperation_t op, const void* alpha,
                                             hipsparseConstSpMatDescr_t a, hipsparseConstDnVecDescr_t x,
                                             const hipsparseDnVecDescr_t y, hipDataType compute, hipsparseSpSVAlg_t,
                                             hipsparseSpSVDescr_t) {
  using namespace hipport::cpu::sparse;
  return spsv(h, op, alpha, sparse_of(a), vector_of(x), vector_of(y), compute);
}
inline hipsparseStatus_t hipsparseSpSM_createDescr(hipsparseSpSMDescr_t* made) {
  return hipport::cpu::sparse::create<hipsparseSpSMDescr>(made);
}
inline hipsparseStatus_t hipsparseSpSM_destroyDescr(hipsparseSpSMDescr_t made) {
  return hipport::cpu::sparse::destroy<hipsparseSpSMDescr>(made);
}
inline hipsparseStatus_t hipsparseSpSM_bufferSize(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                                  const void*, hipsparseConstSpMatDescr_t, hipsparseConstDnMatDescr_t,
                                                  const hipsparseDnMatDescr_t, hipDataType, hipsparseSpSMAlg_t,
                                                  hipsparseSpSMDescr_t, size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSpSM_analysis(hipsparseHandle_t h, hipsparseOperation_t, hipsparseOperation_t,
                                                const void*, hipsparseConstSpMatDescr_t, hipsparseConstDnMatDescr_t,
                                                const hipsparseDnMatDescr_t, hipDataType, hipsparseSpSMAlg_t,
                                                hipsparseSpSMDescr_t, void*) {
  return hipport::cpu::sparse::no_work(h);
}
inline hipsparseStatus_t hipsparseSpSM_solve(hipsparseHandle_t h, hipsparseOperation_t op_a, hipsparseOperation_t op_b,
                                             const void* alpha, hipsparseConstSpMatDescr_t a,
                                             hipsparseConstDnMatDescr_t b, const hipsparseDnMatDescr_t c,
                                             hipDataType compute, hipsparseSpSMAlg_t, hipsparseSpSMDescr_t, void*) {
  using namespace hipport::cpu::sparse;
  return spsm(h, op_a, op_b, alpha, sparse_of(a), dense_of(b), dense_of(c), compute);
}

inline hipsparseStatus_t hipsparseSparseToDense_bufferSize(hipsparseHandle_t h, hipsparseConstSpMatDescr_t,
                                                           hipsparseDnMatDescr_t, hipsparseSparseToDenseAlg_t,
                                                           size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseSparseToDense(hipsparseHandle_t h, hipsparseConstSpMatDescr_t a,
                                                hipsparseDnMatDescr_t b, hipsparseSparseToDenseAlg_t, void*) {
  return hipport::cpu::sparse::to_dense(h, a, b);
}
inline hipsparseStatus_t hipsparseDenseToSparse_bufferSize(hipsparseHandle_t h, hipsparseConstDnMatDescr_t,
                                                           hipsparseSpMatDescr_t, hipsparseDenseToSparseAlg_t,
                                                           size_t* size) {
  return hipport::cpu::sparse::no_buffer(h, size);
}
inline hipsparseStatus_t hipsparseDenseToSparse_analysis(hipsparseHandle_t h, hipsparseConstDnMatDescr_t a,
                                                         hipsparseSpMatDescr_t b, hipsparseDenseToSparseAlg_t, void*) {
  return hipport::cpu::sparse::count_elements(h, a, b);
}
inline hipsparseStatus_t hipsparseDenseToSparse_convert(hipsparseHandle_t h, hipsparseConstDnMatDescr_t a,
                                                        hipsparseSpMatDescr_t b, hipsparseDenseToSparseAlg_t, void*) {
  return hipport::cpu::sparse::to_sparse(h, a, b);
}
