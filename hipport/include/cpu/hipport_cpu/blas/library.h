// SPDX-License-Identifier: MIT
// Loads this machine's BLAS, preferably OpenBLAS. It is opened at the first call, so that programs need not link it.
#pragma once

#include "types.h"

#include <dlfcn.h>
#include <string>

namespace hipport::cpu::blas {

// Return the handle of the library, or null. A missing library is reported once.
inline void* library() {
  static void* const opened = [] {
    void* found = nullptr;
    for (const char* name : {"libopenblas.so.0", "libopenblas.so", "libblas.so.3"})
      if (found == nullptr) found = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (found == nullptr)
      std::fputs("hipport: hipBLAS on the CPU needs OpenBLAS (Debian and Ubuntu: apt-get install libopenblas0)\n",
                 stderr);
    return found;
  }();
  return opened;
}

template <typename T>
constexpr char letter() {
  if constexpr (std::is_same_v<T, float>) return 's';
  if constexpr (std::is_same_v<T, double>) return 'd';
  if constexpr (std::is_same_v<T, hipFloatComplex>) return 'c';
  return 'z';
}

// The name of a routine of the Fortran interface: `gemm` for T = float is `sgemm_`.
template <typename T>
std::string symbol_of(const char* name) {
  return letter<T>() + std::string(name) + "_";
}
inline void* routine_named(const std::string& symbol) {
  void* const found = dlsym(library(), symbol.c_str());
  if (found == nullptr) stop("hipBLAS: the BLAS library of this machine lacks %s", symbol.c_str());
  return found;
}

// Call a routine of the Fortran interface. All arguments are pointers.
template <typename T, typename... A>
void fortran(const char* name, A... arguments) {
  reinterpret_cast<void (*)(A...)>(routine_named(symbol_of<T>(name)))(arguments...);
}

// A scalar factor: a value read on the host when the call is made, or a pointer read when the work runs.
template <typename T>
class Scalar {
 public:
  Scalar(const ihipblasHandle& handle, const T* pointer)
      : pointer_(handle.pointer_mode == HIPBLAS_POINTER_MODE_DEVICE ? pointer : nullptr),
        value_(pointer_ == nullptr ? *pointer : T{}) {}
  T get() const { return pointer_ == nullptr ? value_ : *pointer_; }

 private:
  const T* pointer_;
  T value_;
};

// Return success if the call can be made, otherwise the status to return.
inline hipblasStatus_t check(hipblasHandle_t handle, bool valid) {
  if (handle == nullptr || library() == nullptr) return HIPBLAS_STATUS_NOT_INITIALIZED;
  return valid ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_INVALID_VALUE;
}

// Return whether a leading dimension is enough for so many rows.
inline bool has_rows(int lead, int rows) { return lead >= std::max(1, rows); }
// Return whether op(A), of `rows` by `columns`, has its rows in memory.
inline bool has_rows(int lead, hipblasOperation_t op, int rows, int columns) {
  return has_rows(lead, op == HIPBLAS_OP_N ? rows : columns);
}

template <typename Work>
hipblasStatus_t submit(hipblasHandle_t handle, Work work) {
  const hipError_t enqueued = enqueue(handle->stream, work, hipGraphNodeTypeKernel);
  return enqueued == hipSuccess ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_INTERNAL_ERROR;
}

inline char letter_of(hipblasOperation_t operation) {
  return operation == HIPBLAS_OP_N ? 'N' : operation == HIPBLAS_OP_T ? 'T' : 'C';
}
inline char letter_of(hipblasFillMode_t fill) { return fill == HIPBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
inline char letter_of(hipblasSideMode_t side) { return side == HIPBLAS_SIDE_LEFT ? 'L' : 'R'; }
inline char letter_of(hipblasDiagType_t diagonal) { return diagonal == HIPBLAS_DIAG_UNIT ? 'U' : 'N'; }

}  // namespace hipport::cpu::blas
