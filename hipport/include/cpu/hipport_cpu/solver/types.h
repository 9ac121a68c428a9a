// SPDX-License-Identifier: MIT
// hipSOLVER: types, handles, and the parameters of iterative methods.
#pragma once

#include "../../hip/hip_runtime_api.h"

#include "../../hip/hip_complex.h"
#include "../blas/enums.h"
#include "../data_types.h"

enum hipsolverStatus_t {
  HIPSOLVER_STATUS_SUCCESS = 0,
  HIPSOLVER_STATUS_NOT_INITIALIZED = 1,
  HIPSOLVER_STATUS_ALLOC_FAILED = 2,
  HIPSOLVER_STATUS_INVALID_VALUE = 3,
  HIPSOLVER_STATUS_MAPPING_ERROR = 4,
  HIPSOLVER_STATUS_EXECUTION_FAILED = 5,
  HIPSOLVER_STATUS_INTERNAL_ERROR = 6,
  HIPSOLVER_STATUS_NOT_SUPPORTED = 7,
  HIPSOLVER_STATUS_ARCH_MISMATCH = 8,
  HIPSOLVER_STATUS_HANDLE_IS_NULLPTR = 9,
  HIPSOLVER_STATUS_INVALID_ENUM = 10,
  HIPSOLVER_STATUS_UNKNOWN = 11,
  HIPSOLVER_STATUS_ZERO_PIVOT = 12,
  HIPSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 13
};
enum hipsolverEigMode_t { HIPSOLVER_EIG_MODE_NOVECTOR = 201, HIPSOLVER_EIG_MODE_VECTOR = 202 };
enum hipsolverEigType_t { HIPSOLVER_EIG_TYPE_1 = 211, HIPSOLVER_EIG_TYPE_2 = 212, HIPSOLVER_EIG_TYPE_3 = 213 };
enum hipsolverEigRange_t { HIPSOLVER_EIG_RANGE_ALL = 221, HIPSOLVER_EIG_RANGE_V = 222, HIPSOLVER_EIG_RANGE_I = 223 };
enum hipsolverAlgMode_t { HIPSOLVER_ALG_0 = 231, HIPSOLVER_ALG_1 = 232 };
enum hipsolverDeterministicMode_t {
  HIPSOLVER_DETERMINISTIC_RESULTS = 241,
  HIPSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS = 242
};
enum hipsolverDnFunction_t { HIPSOLVERDN_GETRF = 0 };

using hipsolverOperation_t = hipblasOperation_t;
using hipsolverFillMode_t = hipblasFillMode_t;
using hipsolverSideMode_t = hipblasSideMode_t;
#define HIPSOLVER_OP_N HIPBLAS_OP_N
#define HIPSOLVER_OP_T HIPBLAS_OP_T
#define HIPSOLVER_OP_C HIPBLAS_OP_C
#define HIPSOLVER_FILL_MODE_UPPER HIPBLAS_FILL_MODE_UPPER
#define HIPSOLVER_FILL_MODE_LOWER HIPBLAS_FILL_MODE_LOWER
#define HIPSOLVER_SIDE_LEFT HIPBLAS_SIDE_LEFT
#define HIPSOLVER_SIDE_RIGHT HIPBLAS_SIDE_RIGHT

// The handles are void* in hipSOLVER, too.
using hipsolverHandle_t = void*;
using hipsolverDnHandle_t = void*;
using hipsolverDnParams_t = void*;
using hipsolverGesvdjInfo_t = void*;
using hipsolverSyevjInfo_t = void*;

namespace hipport::cpu::solver {

struct Handle {
  hipStream_t stream = nullptr;
  hipsolverDeterministicMode_t mode = HIPSOLVER_DETERMINISTIC_RESULTS;
};

// What a program asks of Jacobi's method. LAPACK's direct methods take its place: they need neither tolerance nor
// sweeps, and always sort.
struct Jacobi {
  double tolerance = 0;
  int sweeps = 100, sorted = 1;
};

template <typename Made>
hipsolverStatus_t create(void** result) {
  if (result == nullptr) return HIPSOLVER_STATUS_INVALID_VALUE;
  *result = new Made;
  return HIPSOLVER_STATUS_SUCCESS;
}
template <typename Made>
hipsolverStatus_t destroy(void* made) {
  if (made == nullptr) return HIPSOLVER_STATUS_NOT_INITIALIZED;
  delete static_cast<Made*>(made);
  return HIPSOLVER_STATUS_SUCCESS;
}
// Set a member of the object behind a handle.
template <typename Made, typename Value>
hipsolverStatus_t set(void* made, Value Made::* member, Value value) {
  if (made == nullptr) return HIPSOLVER_STATUS_NOT_INITIALIZED;
  static_cast<Made*>(made)->*member = value;
  return HIPSOLVER_STATUS_SUCCESS;
}
template <typename Made, typename Value>
hipsolverStatus_t get(void* made, Value Made::* member, Value* result) {
  if (made == nullptr) return HIPSOLVER_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return HIPSOLVER_STATUS_INVALID_VALUE;
  *result = static_cast<Made*>(made)->*member;
  return HIPSOLVER_STATUS_SUCCESS;
}
// A direct method has no sweeps and no residual to report.
template <typename Value>
hipsolverStatus_t none(void* handle, void* info, Value* result) {
  if (handle == nullptr) return HIPSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || result == nullptr) return HIPSOLVER_STATUS_INVALID_VALUE;
  *result = 0;
  return HIPSOLVER_STATUS_SUCCESS;
}

}  // namespace hipport::cpu::solver

#define HIPPORT_SOLVER_HANDLES(F)                                                                                  \
  inline hipsolverStatus_t F##Create(hipsolverHandle_t* handle) {                                                  \
    return hipport::cpu::solver::create<hipport::cpu::solver::Handle>(handle);                                     \
  }                                                                                                                \
  inline hipsolverStatus_t F##Destroy(hipsolverHandle_t handle) {                                                  \
    return hipport::cpu::solver::destroy<hipport::cpu::solver::Handle>(handle);                                    \
  }                                                                                                                \
  inline hipsolverStatus_t F##SetStream(hipsolverHandle_t handle, hipStream_t stream) {                            \
    return hipport::cpu::solver::set(handle, &hipport::cpu::solver::Handle::stream, stream);                       \
  }                                                                                                                \
  inline hipsolverStatus_t F##GetStream(hipsolverHandle_t handle, hipStream_t* stream) {                           \
    return hipport::cpu::solver::get(handle, &hipport::cpu::solver::Handle::stream, stream);                       \
  }                                                                                                                \
  inline hipsolverStatus_t F##SetDeterministicMode(hipsolverHandle_t handle, hipsolverDeterministicMode_t mode) {  \
    return hipport::cpu::solver::set(handle, &hipport::cpu::solver::Handle::mode, mode);                           \
  }                                                                                                                \
  inline hipsolverStatus_t F##GetDeterministicMode(hipsolverHandle_t handle, hipsolverDeterministicMode_t* mode) { \
    return hipport::cpu::solver::get(handle, &hipport::cpu::solver::Handle::mode, mode);                           \
  }
HIPPORT_SOLVER_HANDLES(hipsolver)
HIPPORT_SOLVER_HANDLES(hipsolverDn)
#undef HIPPORT_SOLVER_HANDLES

#define HIPPORT_SOLVER_JACOBI(F, Name, name)                                                                 \
  inline hipsolverStatus_t F##Create##Name##Info(void** info) {                                              \
    return hipport::cpu::solver::create<hipport::cpu::solver::Jacobi>(info);                                 \
  }                                                                                                          \
  inline hipsolverStatus_t F##Destroy##Name##Info(void* info) {                                              \
    return hipport::cpu::solver::destroy<hipport::cpu::solver::Jacobi>(info);                                \
  }                                                                                                          \
  inline hipsolverStatus_t F##X##name##SetMaxSweeps(void* info, int sweeps) {                                \
    return hipport::cpu::solver::set(info, &hipport::cpu::solver::Jacobi::sweeps, sweeps);                   \
  }                                                                                                          \
  inline hipsolverStatus_t F##X##name##SetSortEig(void* info, int sorted) {                                  \
    return hipport::cpu::solver::set(info, &hipport::cpu::solver::Jacobi::sorted, sorted);                   \
  }                                                                                                          \
  inline hipsolverStatus_t F##X##name##SetTolerance(void* info, double tolerance) {                          \
    return hipport::cpu::solver::set(info, &hipport::cpu::solver::Jacobi::tolerance, tolerance);             \
  }                                                                                                          \
  inline hipsolverStatus_t F##X##name##GetResidual(hipsolverHandle_t handle, void* info, double* residual) { \
    return hipport::cpu::solver::none(handle, info, residual);                                               \
  }                                                                                                          \
  inline hipsolverStatus_t F##X##name##GetSweeps(hipsolverHandle_t handle, void* info, int* sweeps) {        \
    return hipport::cpu::solver::none(handle, info, sweeps);                                                 \
  }
HIPPORT_SOLVER_JACOBI(hipsolver, Syevj, syevj)
HIPPORT_SOLVER_JACOBI(hipsolver, Gesvdj, gesvdj)
HIPPORT_SOLVER_JACOBI(hipsolverDn, Syevj, syevj)
HIPPORT_SOLVER_JACOBI(hipsolverDn, Gesvdj, gesvdj)
#undef HIPPORT_SOLVER_JACOBI
