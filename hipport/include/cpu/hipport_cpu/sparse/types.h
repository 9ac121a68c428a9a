// SPDX-License-Identifier: MIT
// hipSPARSE: types, handles and descriptors of matrices of the older functions.
#pragma once

#include "../../hip/hip_runtime_api.h"

#include "../../hip/hip_complex.h"
#include "../data_types.h"

enum hipsparseStatus_t {
  HIPSPARSE_STATUS_SUCCESS = 0,
  HIPSPARSE_STATUS_NOT_INITIALIZED = 1,
  HIPSPARSE_STATUS_ALLOC_FAILED = 2,
  HIPSPARSE_STATUS_INVALID_VALUE = 3,
  HIPSPARSE_STATUS_ARCH_MISMATCH = 4,
  HIPSPARSE_STATUS_MAPPING_ERROR = 5,
  HIPSPARSE_STATUS_EXECUTION_FAILED = 6,
  HIPSPARSE_STATUS_INTERNAL_ERROR = 7,
  HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  HIPSPARSE_STATUS_ZERO_PIVOT = 9,
  HIPSPARSE_STATUS_NOT_SUPPORTED = 10,
  HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
};
enum hipsparsePointerMode_t { HIPSPARSE_POINTER_MODE_HOST = 0, HIPSPARSE_POINTER_MODE_DEVICE = 1 };
enum hipsparseAction_t { HIPSPARSE_ACTION_SYMBOLIC = 0, HIPSPARSE_ACTION_NUMERIC = 1 };
enum hipsparseMatrixType_t {
  HIPSPARSE_MATRIX_TYPE_GENERAL = 0,
  HIPSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
  HIPSPARSE_MATRIX_TYPE_HERMITIAN = 2,
  HIPSPARSE_MATRIX_TYPE_TRIANGULAR = 3
};
enum hipsparseFillMode_t { HIPSPARSE_FILL_MODE_LOWER = 0, HIPSPARSE_FILL_MODE_UPPER = 1 };
enum hipsparseDiagType_t { HIPSPARSE_DIAG_TYPE_NON_UNIT = 0, HIPSPARSE_DIAG_TYPE_UNIT = 1 };
enum hipsparseIndexBase_t { HIPSPARSE_INDEX_BASE_ZERO = 0, HIPSPARSE_INDEX_BASE_ONE = 1 };
enum hipsparseOperation_t {
  HIPSPARSE_OPERATION_NON_TRANSPOSE = 0,
  HIPSPARSE_OPERATION_TRANSPOSE = 1,
  HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
};
enum hipsparseSolvePolicy_t { HIPSPARSE_SOLVE_POLICY_NO_LEVEL = 0, HIPSPARSE_SOLVE_POLICY_USE_LEVEL = 1 };
enum hipsparseSideMode_t { HIPSPARSE_SIDE_LEFT = 0, HIPSPARSE_SIDE_RIGHT = 1 };
enum hipsparseDirection_t { HIPSPARSE_DIRECTION_ROW = 0, HIPSPARSE_DIRECTION_COLUMN = 1 };
enum hipsparseFormat_t {
  HIPSPARSE_FORMAT_CSR = 1,
  HIPSPARSE_FORMAT_CSC = 2,
  HIPSPARSE_FORMAT_COO = 3,
  HIPSPARSE_FORMAT_COO_AOS = 4,
  HIPSPARSE_FORMAT_BLOCKED_ELL = 5
};
enum hipsparseOrder_t { HIPSPARSE_ORDER_COLUMN = 1, HIPSPARSE_ORDER_COL = 1, HIPSPARSE_ORDER_ROW = 2 };
enum hipsparseIndexType_t { HIPSPARSE_INDEX_16U = 1, HIPSPARSE_INDEX_32I = 2, HIPSPARSE_INDEX_64I = 3 };
enum hipsparseSpMatAttribute_t { HIPSPARSE_SPMAT_FILL_MODE = 0, HIPSPARSE_SPMAT_DIAG_TYPE = 1 };

// There is one algorithm for each function: the choices make no difference.
enum hipsparseCsr2CscAlg_t {
  HIPSPARSE_CSR2CSC_ALG_DEFAULT = 0,
  HIPSPARSE_CSR2CSC_ALG1 = 1,
  HIPSPARSE_CSR2CSC_ALG2 = 2
};
enum hipsparseSpMVAlg_t {
  HIPSPARSE_MV_ALG_DEFAULT = 0,
  HIPSPARSE_COOMV_ALG = 1,
  HIPSPARSE_CSRMV_ALG1 = 2,
  HIPSPARSE_CSRMV_ALG2 = 3,
  HIPSPARSE_SPMV_ALG_DEFAULT = 0,
  HIPSPARSE_SPMV_COO_ALG1 = 1,
  HIPSPARSE_SPMV_CSR_ALG1 = 2,
  HIPSPARSE_SPMV_CSR_ALG2 = 3,
  HIPSPARSE_SPMV_COO_ALG2 = 4
};
enum hipsparseSpMMAlg_t {
  HIPSPARSE_MM_ALG_DEFAULT = 0,
  HIPSPARSE_COOMM_ALG1 = 1,
  HIPSPARSE_COOMM_ALG2 = 2,
  HIPSPARSE_COOMM_ALG3 = 3,
  HIPSPARSE_CSRMM_ALG1 = 4,
  HIPSPARSE_SPMM_ALG_DEFAULT = 0,
  HIPSPARSE_SPMM_COO_ALG1 = 1,
  HIPSPARSE_SPMM_COO_ALG2 = 2,
  HIPSPARSE_SPMM_COO_ALG3 = 3,
  HIPSPARSE_SPMM_CSR_ALG1 = 4,
  HIPSPARSE_SPMM_COO_ALG4 = 5,
  HIPSPARSE_SPMM_CSR_ALG2 = 6,
  HIPSPARSE_SPMM_CSR_ALG3 = 12,
  HIPSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13
};
enum hipsparseSparseToDenseAlg_t { HIPSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 };
enum hipsparseDenseToSparseAlg_t { HIPSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 };
enum hipsparseSDDMMAlg_t { HIPSPARSE_SDDMM_ALG_DEFAULT = 0 };
enum hipsparseSpSVAlg_t { HIPSPARSE_SPSV_ALG_DEFAULT = 0 };
enum hipsparseSpSMAlg_t { HIPSPARSE_SPSM_ALG_DEFAULT = 0 };
enum hipsparseSpGEMMAlg_t {
  HIPSPARSE_SPGEMM_DEFAULT = 0,
  HIPSPARSE_SPGEMM_CSR_ALG_DETERMINISTIC = 1,
  HIPSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
  HIPSPARSE_SPGEMM_CSR_ALG_NONDETERMINISTIC = 2,
  HIPSPARSE_SPGEMM_ALG1 = 3,
  HIPSPARSE_SPGEMM_ALG2 = 4,
  HIPSPARSE_SPGEMM_ALG3 = 5
};

// The handles are void* in hipSPARSE, too.
using hipsparseHandle_t = void*;
using hipsparseMatDescr_t = void*;
using hipsparseSpVecDescr_t = void*;
using hipsparseDnVecDescr_t = void*;
using hipsparseSpMatDescr_t = void*;
using hipsparseDnMatDescr_t = void*;
using hipsparseConstSpVecDescr_t = const void*;
using hipsparseConstDnVecDescr_t = const void*;
using hipsparseConstSpMatDescr_t = const void*;
using hipsparseConstDnMatDescr_t = const void*;

namespace hipport::cpu::sparse {

struct Handle {
  hipStream_t stream = nullptr;
  hipsparsePointerMode_t mode = HIPSPARSE_POINTER_MODE_HOST;
};
struct MatDescr {
  hipsparseMatrixType_t type = HIPSPARSE_MATRIX_TYPE_GENERAL;
  hipsparseFillMode_t fill = HIPSPARSE_FILL_MODE_LOWER;
  hipsparseDiagType_t diagonal = HIPSPARSE_DIAG_TYPE_NON_UNIT;
  hipsparseIndexBase_t base = HIPSPARSE_INDEX_BASE_ZERO;
};

template <typename Made, typename Result>
hipsparseStatus_t create(Result* result, Made made = {}) {
  if (result == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;
  *result = new Made(made);
  return HIPSPARSE_STATUS_SUCCESS;
}
template <typename Made>
hipsparseStatus_t destroy(const void* made) {
  if (made == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  delete static_cast<const Made*>(made);
  return HIPSPARSE_STATUS_SUCCESS;
}
template <typename Made, typename Value>
hipsparseStatus_t set(void* made, Value Made::* member, Value value) {
  if (made == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  static_cast<Made*>(made)->*member = value;
  return HIPSPARSE_STATUS_SUCCESS;
}
template <typename Made, typename Value, typename Result>
hipsparseStatus_t get(const void* made, Value Made::* member, Result* result) {
  if (made == nullptr) return HIPSPARSE_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return HIPSPARSE_STATUS_INVALID_VALUE;
  *result = static_cast<const Made*>(made)->*member;
  return HIPSPARSE_STATUS_SUCCESS;
}

}  // namespace hipport::cpu::sparse

inline hipsparseStatus_t hipsparseCreate(hipsparseHandle_t* handle) {
  return hipport::cpu::sparse::create<hipport::cpu::sparse::Handle>(handle);
}
inline hipsparseStatus_t hipsparseDestroy(hipsparseHandle_t handle) {
  return hipport::cpu::sparse::destroy<hipport::cpu::sparse::Handle>(handle);
}
inline hipsparseStatus_t hipsparseSetStream(hipsparseHandle_t handle, hipStream_t stream) {
  return hipport::cpu::sparse::set(handle, &hipport::cpu::sparse::Handle::stream, stream);
}
inline hipsparseStatus_t hipsparseGetStream(hipsparseHandle_t handle, hipStream_t* stream) {
  return hipport::cpu::sparse::get(handle, &hipport::cpu::sparse::Handle::stream, stream);
}
inline hipsparseStatus_t hipsparseSetPointerMode(hipsparseHandle_t handle, hipsparsePointerMode_t mode) {
  return hipport::cpu::sparse::set(handle, &hipport::cpu::sparse::Handle::mode, mode);
}
inline hipsparseStatus_t hipsparseGetPointerMode(hipsparseHandle_t handle, hipsparsePointerMode_t* mode) {
  return hipport::cpu::sparse::get(handle, &hipport::cpu::sparse::Handle::mode, mode);
}
inline hipsparseStatus_t hipsparseGetVersion(hipsparseHandle_t, int* version) {
  *version = 300100;
  return HIPSPARSE_STATUS_SUCCESS;
}
inline const char* hipsparseGetErrorName(hipsparseStatus_t status) {
  static const char* const names[] = {"HIPSPARSE_STATUS_SUCCESS",
                                      "HIPSPARSE_STATUS_NOT_INITIALIZED",
                                      "HIPSPARSE_STATUS_ALLOC_FAILED",
                                      "HIPSPARSE_STATUS_INVALID_VALUE",
                                      "HIPSPARSE_STATUS_ARCH_MISMATCH",
                                      "HIPSPARSE_STATUS_MAPPING_ERROR",
                                      "HIPSPARSE_STATUS_EXECUTION_FAILED",
                                      "HIPSPARSE_STATUS_INTERNAL_ERROR",
                                      "HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                      "HIPSPARSE_STATUS_ZERO_PIVOT",
                                      "HIPSPARSE_STATUS_NOT_SUPPORTED",
                                      "HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
  return status >= 0 && status <= HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES ? names[status] : "unknown status";
}
inline const char* hipsparseGetErrorString(hipsparseStatus_t status) { return hipsparseGetErrorName(status); }

inline hipsparseStatus_t hipsparseCreateMatDescr(hipsparseMatDescr_t* made) {
  return hipport::cpu::sparse::create<hipport::cpu::sparse::MatDescr>(made);
}
inline hipsparseStatus_t hipsparseDestroyMatDescr(hipsparseMatDescr_t made) {
  return hipport::cpu::sparse::destroy<hipport::cpu::sparse::MatDescr>(made);
}
#define HIPPORT_SPARSE_MEMBER(Name, Type, member)                                                 \
  inline hipsparseStatus_t hipsparseSet##Name(hipsparseMatDescr_t descriptor, Type value) {       \
    return hipport::cpu::sparse::set(descriptor, &hipport::cpu::sparse::MatDescr::member, value); \
  }                                                                                               \
  inline Type hipsparseGet##Name(const hipsparseMatDescr_t descriptor) {                          \
    return static_cast<const hipport::cpu::sparse::MatDescr*>(descriptor)->member;                \
  }
HIPPORT_SPARSE_MEMBER(MatType, hipsparseMatrixType_t, type)
HIPPORT_SPARSE_MEMBER(MatFillMode, hipsparseFillMode_t, fill)
HIPPORT_SPARSE_MEMBER(MatDiagType, hipsparseDiagType_t, diagonal)
HIPPORT_SPARSE_MEMBER(MatIndexBase, hipsparseIndexBase_t, base)
#undef HIPPORT_SPARSE_MEMBER
