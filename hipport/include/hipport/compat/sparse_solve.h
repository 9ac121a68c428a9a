// SPDX-License-Identifier: MIT
// cusparseSpSV_solve for hipSPARSE before ROCm 6.0, which needs the analysis's buffer again as an argument. Here the
// analysis records the buffer for its descriptor.
#ifndef HIPPORT_COMPAT_SPARSE_SOLVE_H
#define HIPPORT_COMPAT_SPARSE_SOLVE_H

#include <hipsparse/hipsparse.h>

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && HIPPORT_COMPAT_HIP_BEFORE(6, 0)

#include <map>
#include <mutex>

namespace hipport {
namespace compat {

// The buffers of all analyses, which any thread may use to solve.
class SolveBuffers {
 public:
  static void keep(hipsparseSpSVDescr_t descriptor, void* buffer) {
    const std::lock_guard<std::mutex> hold(mutex());
    all()[descriptor] = buffer;
  }
  static void* of(hipsparseSpSVDescr_t descriptor) {
    const std::lock_guard<std::mutex> hold(mutex());
    const std::map<hipsparseSpSVDescr_t, void*>::const_iterator found = all().find(descriptor);
    return found == all().end() ? nullptr : found->second;
  }
  static void forget(hipsparseSpSVDescr_t descriptor) {
    const std::lock_guard<std::mutex> hold(mutex());
    all().erase(descriptor);
  }

 private:
  static std::map<hipsparseSpSVDescr_t, void*>& all() {
    static std::map<hipsparseSpSVDescr_t, void*> buffers;
    return buffers;
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
};

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
