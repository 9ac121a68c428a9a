// SPDX-License-Identifier: MIT
// `__nanosleep`: AMD GPUs sleep in units of 64 clock cycles, so the time is approximate, as it is in CUDA.
#ifndef HIPPORT_COMPAT_SLEEP_H
#define HIPPORT_COMPAT_SLEEP_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

// Sleep for about `nanoseconds`, at most a millisecond: 64 cycles are 32 ns at 2 GHz.
HIPPORT_COMPAT_DEVICE void __nanosleep(unsigned nanoseconds) {
#if defined(HIPPORT_COMPAT_AMDGPU)
  unsigned steps = (nanoseconds < 1000000u ? nanoseconds : 1000000u) / 32u;
  for (; steps >= 64u; steps -= 64u) __builtin_amdgcn_s_sleep(64);
  for (; steps > 0u; --steps) __builtin_amdgcn_s_sleep(1);
#else
  (void)nanoseconds;
#endif
}

#endif

#endif
