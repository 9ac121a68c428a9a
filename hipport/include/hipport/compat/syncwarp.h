// SPDX-License-Identifier: MIT
// `__syncwarp` for HIP before 7.0.
#ifndef HIPPORT_COMPAT_SYNCWARP_H
#define HIPPORT_COMPAT_SYNCWARP_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && HIPPORT_COMPAT_HIP_BEFORE(7, 0)

// The lanes of a wavefront run in lockstep; only the compiler must be kept from moving memory accesses across.
template <typename Mask = unsigned>
HIPPORT_COMPAT_DEVICE void __syncwarp(Mask = ~Mask(0)) {
#if defined(HIPPORT_COMPAT_AMDGPU)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}

#endif

#endif
