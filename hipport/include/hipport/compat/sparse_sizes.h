// SPDX-License-Identifier: MIT
// cuSPARSE's functions that return the size of a buffer as an int, where hipSPARSE has a size_t.
#ifndef HIPPORT_COMPAT_SPARSE_SIZES_H
#define HIPPORT_COMPAT_SPARSE_SIZES_H

#include <hipsparse/hipsparse.h>

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

#define HIPPORT_COMPAT_SIZES(letter, T)                                                                         \
  inline hipsparseStatus_t hipsparse##letter##csr2gebsr_bufferSize(                                             \
      hipsparseHandle_t handle, hipsparseDirection_t direction, int m, int n, const hipsparseMatDescr_t matrix, \
      const T* values, const int* rows, const int* columns, int row_block, int column_block, int* size) {       \
    size_t bytes = 0;                                                                                           \
    const hipsparseStatus_t status = hipsparse##letter##csr2gebsr_bufferSize(                                   \
        handle, direction, m, n, matrix, values, rows, columns, row_block, column_block, &bytes);               \
    *size = static_cast<int>(bytes);                                                                            \
    return status;                                                                                              \
  }                                                                                                             \
  inline hipsparseStatus_t hipsparse##letter##gebsr2gebsc_bufferSize(                                           \
      hipsparseHandle_t handle, int m, int n, int nnz, const T* values, const int* rows, const int* columns,    \
      int row_block, int column_block, int* size) {                                                             \
    size_t bytes = 0;                                                                                           \
    const hipsparseStatus_t status = hipsparse##letter##gebsr2gebsc_bufferSize(                                 \
        handle, m, n, nnz, values, rows, columns, row_block, column_block, &bytes);                             \
    *size = static_cast<int>(bytes);                                                                            \
    return status;                                                                                              \
  }
HIPPORT_COMPAT_SIZES(S, float)
HIPPORT_COMPAT_SIZES(D, double)
HIPPORT_COMPAT_SIZES(C, hipComplex)
HIPPORT_COMPAT_SIZES(Z, hipDoubleComplex)
#undef HIPPORT_COMPAT_SIZES

#endif

#endif
