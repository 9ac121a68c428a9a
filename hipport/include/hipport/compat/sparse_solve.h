// SPDX-License-Identifier: MIT
// cusparseSpSV_solve for hipSPARSE before ROCm 6.0, which needs the analysis's buffer again as an argument. Here the
// analysis records the buffer for its descriptor.
#ifndef HIPPORT_COMPAT_SPARSE_SOLVE_H
#define HIPPORT_COMPAT_SPARSE_SOLVE_H

#include <hipsparse/hipsparse.h>

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && HIPPORT_COMPAT_HIP_BEFORE(6, 0)

#include "solve_buffers.h"

namespace hipport {
namespace compat {

typedef BuffersOf<hipsparseSpSVDescr_t> SolveBuffers;

inline hipsparseStatus_t spsv_analysis(hipsparseHandle_t handle, hipsparseOperation_t operation, const void* alpha,
                                       hipsparseSpMatDescr_t a, hipsparseDnVecDescr_t x, hipsparseDnVecDescr_t y,
                                       hipDataType type, hipsparseSpSVAlg_t algorithm, hipsparseSpSVDescr_t descriptor,
                                       void* buffer) {
  SolveBuffers::keep(descriptor, buffer);
  return hipsparseSpSV_analysis(handle, operation, alpha, a, x, y, type, algorithm, descriptor, buffer);
}

inline hipsparseStatus_t spsv_solve(hipsparseHandle_t handle, hipsparseOperation_t operation, const void* alpha,
                                    hipsparseSpMatDescr_t a, hipsparseDnVecDescr_t x, hipsparseDnVecDescr_t y,
                                    hipDataType type, hipsparseSpSVAlg_t algorithm, hipsparseSpSVDescr_t descriptor) {
  return hipsparseSpSV_solve(handle, operation, alpha, a, x, y, type, algorithm, descriptor,
                             SolveBuffers::of(descriptor));
}

inline hipsparseStatus_t spsv_destroy(hipsparseSpSVDescr_t descriptor) {
  SolveBuffers::forget(descriptor);
  return hipsparseSpSV_destroyDescr(descriptor);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
