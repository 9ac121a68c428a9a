// SPDX-License-Identifier: MIT
// Kernel functions that HIP has and CUDA lacks.
#pragma once

// HIP's cross-lane functions without a mask act on the active lanes. Finding these takes an instruction; a program that
// defines HIPPORT_FULL_WARPS promises that whole warps call them. CUDA declares shuffles of these names, which are not
// templates and therefore preferred, for GPUs before Volta and in host compiles.
#if defined(HIPPORT_FULL_WARPS)
#define HIPPORT_ACTIVE 0xffffffffu
#else
#define HIPPORT_ACTIVE __activemask()
#endif

template <typename T>
__device__ inline T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(HIPPORT_ACTIVE, value, lane, width);
}
template <typename T>
__device__ inline T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(HIPPORT_ACTIVE, value, delta, width);
}
template <typename T>
__device__ inline T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(HIPPORT_ACTIVE, value, delta, width);
}
template <typename T>
__device__ inline T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(HIPPORT_ACTIVE, value, mask, width);
}

// CUDA has votes without a mask as built-in functions only for GPUs before Volta. Macros replace them. They have no
// parameters, so that headers that use these names for their own functions still compile.
__device__ inline unsigned long long hipport_ballot(int predicate) { return __ballot_sync(HIPPORT_ACTIVE, predicate); }
__device__ inline int hipport_any(int predicate) { return __any_sync(HIPPORT_ACTIVE, predicate); }
__device__ inline int hipport_all(int predicate) { return __all_sync(HIPPORT_ACTIVE, predicate); }
#define __ballot hipport_ballot
#define __any hipport_any
#define __all hipport_all

__device__ inline unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// The time in nanoseconds.
__device__ inline long long wall_clock64() {
  long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// __builtin_trap is a compiler builtin that nvcc accepts only in host code. In device code it becomes __trap.
[[noreturn]] __host__ __device__ inline void hipport_trap() {
#if defined(__CUDA_ARCH__)
  __trap();
#endif
  __builtin_trap();
}
#define __builtin_trap hipport_trap

#define unsafeAtomicAdd(address, value) atomicAdd(address, value)
#define safeAtomicAdd(address, value) atomicAdd(address, value)
#define atomicAddNoRet(address, value) atomicAdd(address, value)

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
