// SPDX-License-Identifier: MIT
// `simt/atomic`, by which name the first releases of libcu++ had `cuda/atomic`, and their namespace.
#ifndef HIPPORT_COMPAT_SIMT_ATOMIC_H
#define HIPPORT_COMPAT_SIMT_ATOMIC_H

#include "cuda_atomic.h"

#if defined(HIPPORT_COMPAT_HIP) && defined(__cplusplus)

namespace simt = cuda;

#endif

#endif  // HIPPORT_COMPAT_SIMT_ATOMIC_H
