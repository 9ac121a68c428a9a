// SPDX-License-Identifier: MIT
// __builtin_amdgcn_*: barriers, fences, clocks, waits, and the numbers of threads and blocks.
#pragma once

#include "../builtins.h"
#include "../integers.h"
#include "../lanes.h"

inline void __builtin_amdgcn_wave_barrier(HIPPORT_CALLER) { __syncwarp(hipport_file, hipport_place); }
[[gnu::always_inline]] inline void __builtin_amdgcn_s_barrier(HIPPORT_CALLER) {
  __syncthreads(hipport_file, hipport_place);
}
template <typename... Spaces>
void __builtin_amdgcn_fence(unsigned, const char*, Spaces...) {
  hipport::cpu::fence();
}

// Instructions are not reordered, and memory operations end at once: only sleeping does something.
extern "C" inline void __builtin_amdgcn_s_sleep(int) { __nanosleep(0); }
inline void __builtin_amdgcn_s_waitcnt(int) {}
inline void __builtin_amdgcn_s_setprio(short) {}
inline void __builtin_amdgcn_sched_barrier(int) {}
inline void __builtin_amdgcn_sched_group_barrier(int, int, int) {}
inline void __builtin_amdgcn_iglp_opt(int) {}
inline void __builtin_amdgcn_s_dcache_inv() {}
inline void __builtin_amdgcn_buffer_wbinvl1() {}

inline uint64_t __builtin_amdgcn_s_memtime() { return static_cast<uint64_t>(clock64()); }
inline uint64_t __builtin_amdgcn_s_memrealtime() { return static_cast<uint64_t>(wall_clock64()); }

#define HIPPORT_DIMENSION(x)                                                                                      \
  inline unsigned __builtin_amdgcn_workitem_id_##x() { return threadIdx.x; }                                      \
  inline unsigned __builtin_amdgcn_workgroup_id_##x() { return blockIdx.x; }                                      \
  inline unsigned short __builtin_amdgcn_workgroup_size_##x() { return static_cast<unsigned short>(blockDim.x); } \
  inline unsigned __builtin_amdgcn_grid_size_##x() { return gridDim.x * blockDim.x; }
HIPPORT_DIMENSION(x)
HIPPORT_DIMENSION(y)
HIPPORT_DIMENSION(z)
#undef HIPPORT_DIMENSION
