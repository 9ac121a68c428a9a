// SPDX-License-Identifier: MIT
// cusparseSpSM_solve, which hipSPARSE gives the analysis's buffer again as an argument. Here the analysis records the
// buffer for its descriptor.
#ifndef HIPPORT_COMPAT_SPARSE_SOLVE_MANY_H
#define HIPPORT_COMPAT_SPARSE_SOLVE_MANY_H

#include <hipsparse/hipsparse.h>

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP)

#include "solve_buffers.h"

namespace hipport {
namespace compat {

// The descriptors of what is only read have another type since ROCm 6.0.
template <typename Matrix, typename Dense>
inline hipsparseStatus_t spsm_analysis(hipsparseHandle_t handle, hipsparseOperation_t of_a, hipsparseOperation_t of_b,
                                       const void* alpha, Matrix a, Dense b, hipsparseDnMatDescr_t c, hipDataType type,
                                       hipsparseSpSMAlg_t algorithm, hipsparseSpSMDescr_t descriptor, void* buffer) {
  BuffersOf<hipsparseSpSMDescr_t>::keep(descriptor, buffer);
  return hipsparseSpSM_analysis(handle, of_a, of_b, alpha, a, b, c, type, algorithm, descriptor, buffer);
}

template <typename Matrix, typename Dense>
inline hipsparseStatus_t spsm_solve(hipsparseHandle_t handle, hipsparseOperation_t of_a, hipsparseOperation_t of_b,
                                    const void* alpha, Matrix a, Dense b, hipsparseDnMatDescr_t c, hipDataType type,
                                    hipsparseSpSMAlg_t algorithm, hipsparseSpSMDescr_t descriptor) {
  return hipsparseSpSM_solve(handle, of_a, of_b, alpha, a, b, c, type, algorithm, descriptor,
                             BuffersOf<hipsparseSpSMDescr_t>::of(descriptor));
}

inline hipsparseStatus_t spsm_destroy(hipsparseSpSMDescr_t descriptor) {
  BuffersOf<hipsparseSpSMDescr_t>::forget(descriptor);
  return hipsparseSpSM_destroyDescr(descriptor);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
