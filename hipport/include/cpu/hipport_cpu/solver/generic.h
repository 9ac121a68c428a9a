// SPDX-License-Identifier: MIT
// hipSOLVER: functions with sizes of 64 bits, whose element types are arguments.
#pragma once

#include "linear.h"
#include "orthogonal.h"

#include <limits>

namespace hipport::cpu::solver {

struct Params {
  hipsolverAlgMode_t algorithm = HIPSOLVER_ALG_0;
};

// LAPACK counts with 32 bits.
inline bool fits(std::initializer_list<int64_t> sizes) {
  for (int64_t size : sizes)
    if (size > std::numeric_limits<int>::max()) return false;
  return true;
}

// Call `function(T*)` with a null pointer to the element type.
template <typename Function>
hipsolverStatus_t with_type(hipDataType type, bool sizes_fit, Function function) {
  if (!sizes_fit) return HIPSOLVER_STATUS_INVALID_VALUE;
  switch (type) {
    case HIP_R_32F: return function(static_cast<float*>(nullptr));
    case HIP_R_64F: return function(static_cast<double*>(nullptr));
    case HIP_C_32F: return function(static_cast<hipFloatComplex*>(nullptr));
    case HIP_C_64F: return function(static_cast<hipDoubleComplex*>(nullptr));
    default: return HIPSOLVER_STATUS_INVALID_ENUM;
  }
}
inline hipsolverStatus_t workspaces(hipsolverHandle_t handle, size_t* device, size_t* host) {
  if (const auto bad = workspace(handle, device)) return bad;
  return workspace(handle, host);
}

// Pivots have 64 bits here, and 32 in LAPACK.
template <typename T>
hipsolverStatus_t getrf_wide(void* handle, int m, int n, T* a, int lead, int64_t* pivots, int* info) {
  if (const auto bad = check(handle, is_matrix(m, n, lead))) return bad;
  return submit(handle, info, [=] {
    std::vector<int> narrow(static_cast<size_t>(std::max(1, std::min(m, n))));
    const int result = getrf_now(m, n, a, lead, pivots == nullptr ? nullptr : narrow.data());
    if (pivots != nullptr) std::copy_n(narrow.begin(), std::min(m, n), pivots);
    return result;
  });
}
template <typename T>
hipsolverStatus_t getrs_wide(void* handle, hipblasOperation_t operation, int n, int sides, const T* a, int a_lead,
                             const int64_t* pivots, T* b, int b_lead, int* info) {
  if (const auto bad = check(handle, is_matrix(n, n, a_lead) && is_matrix(n, sides, b_lead))) return bad;
  return submit(handle, info, [=] {
    std::vector<int> narrow;
    for (int i = 0; pivots != nullptr && i < n; ++i) narrow.push_back(static_cast<int>(pivots[i]));
    return getrs_now(operation, n, sides, a, a_lead, pivots == nullptr ? nullptr : narrow.data(), b, b_lead);
  });
}

}  // namespace hipport::cpu::solver

inline hipsolverStatus_t hipsolverDnCreateParams(hipsolverDnParams_t* params) {
  return hipport::cpu::solver::create<hipport::cpu::solver::Params>(params);
}
inline hipsolverStatus_t hipsolverDnDestroyParams(hipsolverDnParams_t params) {
  return hipport::cpu::solver::destroy<hipport::cpu::solver::Params>(params);
}
inline hipsolverStatus_t hipsolverDnSetAdvOptions(hipsolverDnParams_t params, hipsolverDnFunction_t,
                                                  hipsolverAlgMode_t algorithm) {
  return hipport::cpu::solver::set(params, &hipport::cpu::solver::Params::algorithm, algorithm);
}

inline hipsolverStatus_t hipsolverDnXgeqrf_bufferSize(hipsolverDnHandle_t h, hipsolverDnParams_t, int64_t, int64_t,
                                                      hipDataType, const void*, int64_t, hipDataType, const void*,
                                                      hipDataType, size_t* device, size_t* host) {
  return hipport::cpu::solver::workspaces(h, device, host);
}
inline hipsolverStatus_t hipsolverDnXgeqrf(hipsolverDnHandle_t h, hipsolverDnParams_t, int64_t m, int64_t n,
                                           hipDataType type, void* a, int64_t lda, hipDataType, void* tau, hipDataType,
                                           void*, size_t, void*, size_t, int* info) {
  using namespace hipport::cpu::solver;
  return with_type(type, fits({m, n, lda}), [=](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    return geqrf(h, static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
                 static_cast<T*>(tau), info);
  });
}
inline hipsolverStatus_t hipsolverDnXgetrf_bufferSize(hipsolverDnHandle_t h, hipsolverDnParams_t, int64_t, int64_t,
                                                      hipDataType, const void*, int64_t, hipDataType, size_t* device,
                                                      size_t* host) {
  return hipport::cpu::solver::workspaces(h, device, host);
}
inline hipsolverStatus_t hipsolverDnXgetrf(hipsolverDnHandle_t h, hipsolverDnParams_t, int64_t m, int64_t n,
                                           hipDataType type, void* a, int64_t lda, int64_t* pivots, hipDataType, void*,
                                           size_t, void*, size_t, int* info) {
  using namespace hipport::cpu::solver;
  return with_type(type, fits({m, n, lda}), [=](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    return getrf_wide(h, static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda), pivots,
                      info);
  });
}
inline hipsolverStatus_t hipsolverDnXgetrs(hipsolverDnHandle_t h, hipsolverDnParams_t, hipsolverOperation_t op,
                                           int64_t n, int64_t nrhs, hipDataType type, const void* a, int64_t lda,
                                           const int64_t* pivots, hipDataType, void* b, int64_t ldb, int* info) {
  using namespace hipport::cpu::solver;
  return with_type(type, fits({n, nrhs, lda, ldb}), [=](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    return getrs_wide(h, op, static_cast<int>(n), static_cast<int>(nrhs), static_cast<const T*>(a),
                      static_cast<int>(lda), pivots, static_cast<T*>(b), static_cast<int>(ldb), info);
  });
}
inline hipsolverStatus_t hipsolverDnXpotrf_bufferSize(hipsolverDnHandle_t h, hipsolverDnParams_t, hipsolverFillMode_t,
                                                      int64_t, hipDataType, const void*, int64_t, hipDataType,
                                                      size_t* device, size_t* host) {
  return hipport::cpu::solver::workspaces(h, device, host);
}
inline hipsolverStatus_t hipsolverDnXpotrf(hipsolverDnHandle_t h, hipsolverDnParams_t, hipsolverFillMode_t fill,
                                           int64_t n, hipDataType type, void* a, int64_t lda, hipDataType, void*,
                                           size_t, void*, size_t, int* info) {
  using namespace hipport::cpu::solver;
  return with_type(type, fits({n, lda}), [=](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    return potrf(h, fill, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda), info);
  });
}
inline hipsolverStatus_t hipsolverDnXpotrs(hipsolverDnHandle_t h, hipsolverDnParams_t, hipsolverFillMode_t fill,
                                           int64_t n, int64_t nrhs, hipDataType type, const void* a, int64_t lda,
                                           hipDataType, void* b, int64_t ldb, int* info) {
  using namespace hipport::cpu::solver;
  return with_type(type, fits({n, nrhs, lda, ldb}), [=](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    return potrs(h, fill, static_cast<int>(n), static_cast<int>(nrhs), static_cast<const T*>(a), static_cast<int>(lda),
                 static_cast<T*>(b), static_cast<int>(ldb), info);
  });
}
