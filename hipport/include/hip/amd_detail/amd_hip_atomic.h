// SPDX-License-Identifier: MIT
// HIP before 5.6 calls LLVM's intrinsic functions for atomicInc and atomicDec by names that LLVM 17 removed, so that the
// link of device code failed with undefined symbols.
#pragma once
#if defined(__clang__) && __clang_major__ >= 17 && HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR < 506

#define atomicInc hipport_replaced_atomicInc
#define atomicDec hipport_replaced_atomicDec
#include_next <hip/amd_detail/amd_hip_atomic.h>
#undef atomicInc
#undef atomicDec

__device__ inline unsigned int atomicInc(unsigned int* address, unsigned int last) {
  return __builtin_amdgcn_atomic_inc32(address, last, __ATOMIC_RELAXED, "agent");
}
__device__ inline unsigned int atomicDec(unsigned int* address, unsigned int last) {
  return __builtin_amdgcn_atomic_dec32(address, last, __ATOMIC_RELAXED, "agent");
}

#else
#include_next <hip/amd_detail/amd_hip_atomic.h>
#endif
