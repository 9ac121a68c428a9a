// SPDX-License-Identifier: MIT
// Calls LAPACK of this machine, which OpenBLAS contains. It is loaded at the first call.
#pragma once

#include "../blas/library.h"
#include "types.h"

#include <string>
#include <vector>

namespace hipport::cpu::solver {

using blas::letter;
using blas::letter_of;

template <typename T>
struct RealOf {
  using type = T;
};
template <>
struct RealOf<hipFloatComplex> {
  using type = float;
};
template <>
struct RealOf<hipDoubleComplex> {
  using type = double;
};
template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

inline double real_part(double value) { return value; }
inline double real_part(hipFloatComplex value) { return value.x; }
inline double real_part(hipDoubleComplex value) { return value.x; }

// Return a routine: from the BLAS library, if it contains LAPACK, otherwise from a LAPACK library.
inline void* routine(const std::string& symbol) {
  void* found = dlsym(blas::library(), symbol.c_str());
  static void* const other = found != nullptr ? nullptr : dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (found == nullptr && other != nullptr) found = dlsym(other, symbol.c_str());
  if (found == nullptr)
    stop("hipSOLVER on the CPU needs LAPACK with %s (Debian and Ubuntu: apt-get install libopenblas0)", symbol.c_str());
  return found;
}

// Fortran's compilers expect the length of each string behind the other arguments.
template <size_t>
using Length = size_t;
template <typename... A, size_t... I>
void call_fortran(void* function, std::index_sequence<I...>, A... arguments) {
  reinterpret_cast<void (*)(A..., Length<I>...)>(function)(arguments..., Length<I>(1)...);
}

// Call a routine of LAPACK: `potrf` for T = float is `spotrf_`. All arguments are pointers.
template <typename T, typename... A>
void lapack(const char* name, A... arguments) {
  constexpr size_t strings = (size_t(0) + ... + size_t(std::is_same_v<A, const char*>));
  call_fortran(routine(letter<T>() + std::string(name) + "_"), std::make_index_sequence<strings>(), arguments...);
}

// Call `routine(work, size)` for the size of its workspace, and again with a workspace of that size.
template <typename T, typename Routine>
void with_workspace(Routine routine) {
  T size{};
  routine(&size, -1);
  std::vector<T> work(static_cast<size_t>(std::max(1.0, real_part(size))));
  routine(work.data(), static_cast<int>(work.size()));
}

inline char letter_of(hipsolverEigMode_t mode) { return mode == HIPSOLVER_EIG_MODE_VECTOR ? 'V' : 'N'; }

// Return success if a call can be made, otherwise the status to return.
inline hipsolverStatus_t check(hipsolverHandle_t handle, bool valid) {
  if (handle == nullptr || blas::library() == nullptr) return HIPSOLVER_STATUS_NOT_INITIALIZED;
  return valid ? HIPSOLVER_STATUS_SUCCESS : HIPSOLVER_STATUS_INVALID_VALUE;
}
inline bool is_matrix(int rows, int columns, int lead) {
  return rows >= 0 && columns >= 0 && lead >= std::max(1, rows);
}

// Run `work`, which returns LAPACK's info, in the stream's order.
template <typename Work>
hipsolverStatus_t submit(hipsolverHandle_t handle, int* info, Work work) {
  const auto run = [info, work] {
    const int result = work();
    if (info != nullptr) *info = result;
  };
  const hipError_t enqueued = enqueue(static_cast<Handle*>(handle)->stream, run, hipGraphNodeTypeKernel);
  return enqueued == hipSuccess ? HIPSOLVER_STATUS_SUCCESS : HIPSOLVER_STATUS_EXECUTION_FAILED;
}

// LAPACK's workspaces are allocated inside the calls: report the least that programs can allocate.
template <typename Size>
hipsolverStatus_t workspace(hipsolverHandle_t handle, Size* size) {
  if (handle == nullptr) return HIPSOLVER_STATUS_NOT_INITIALIZED;
  if (size == nullptr) return HIPSOLVER_STATUS_INVALID_VALUE;
  *size = 1;
  return HIPSOLVER_STATUS_SUCCESS;
}

}  // namespace hipport::cpu::solver

// Define functions of hipSOLVER's two interfaces for all types: `r` is the name for real, `c` for complex numbers.
#define HIPPORT_SOLVER_OF(Define, F, r, c)                                                              \
  Define(F##S##r, float, float) Define(F##D##r, double, double) Define(F##C##c, hipFloatComplex, float) \
      Define(F##Z##c, hipDoubleComplex, double)
#define HIPPORT_SOLVER_EACH(Define, r, c) \
  HIPPORT_SOLVER_OF(Define, hipsolver, r, c) HIPPORT_SOLVER_OF(Define, hipsolverDn, r, c)
