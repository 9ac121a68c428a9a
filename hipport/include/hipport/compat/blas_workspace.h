// SPDX-License-Identifier: MIT
// cuBLAS's workspace of a handle: hipBLAS allocates its own before ROCm 7.0, so that the caller's is not used.
#ifndef HIPPORT_COMPAT_BLAS_WORKSPACE_H
#define HIPPORT_COMPAT_BLAS_WORKSPACE_H

#include "blas.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

inline hipblasStatus_t blas_set_workspace(hipblasHandle_t handle, void*, size_t) {
  return handle ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_NOT_INITIALIZED;
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
