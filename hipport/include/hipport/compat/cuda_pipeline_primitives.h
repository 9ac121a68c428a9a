// SPDX-License-Identifier: MIT
// `cuda_pipeline.h`: `__pipeline_memcpy_async` and related functions, with synchronous copies.
#ifndef HIPPORT_COMPAT_CUDA_PIPELINE_PRIMITIVES_H
#define HIPPORT_COMPAT_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_scope.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cuda_pipeline.h>
#elif defined(HIPPORT_COMPAT_HIP)

// Copy all but the last `zeros` bytes, which are set to 0.
HIPPORT_COMPAT_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  hipport::compat::copy_share(to, from, bytes - zeros, 0, 1);
  memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
}
HIPPORT_COMPAT_DEVICE void __pipeline_commit() {}
HIPPORT_COMPAT_DEVICE void __pipeline_wait_prior(size_t) {}

#endif

#endif
