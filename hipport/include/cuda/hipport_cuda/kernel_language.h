// SPDX-License-Identifier: MIT
// What kernels find in HIP and not in CUDA.
#pragma once

// HIP's cross-lane functions without a mask act on the lanes that are active. Asking which these are takes an instruction:
// with HIPPORT_FULL_WARPS a program promises that whole warps call them. CUDA has shuffles of these names, for GPUs
// before Volta and in host compiles, which are no templates and go before these where they are there.
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

// CUDA has the votes without a mask as built-in functions for GPUs before Volta only. A macro puts others in their
// place; it has no parameters, so that headers with names of their own like these still mean one thing by them.
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

// In nanoseconds.
__device__ inline long long wall_clock64() {
  long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

// The compiler's own function, which nvcc takes in host code only; __trap, which it takes in device code, becomes it.
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
