// Finds the last of several blocks to finish, which then combines the results of all of them.
#ifndef HIPPORT_LLM_LAST_BLOCK_CUH
#define HIPPORT_LLM_LAST_BLOCK_CUH

#include "numeric.cuh"

namespace hipport_llm {

// Counts one more: what was counted before. Those who count see what the ones before them, and their blocks, wrote.
__device__ inline unsigned count_arrival(unsigned* arrivals) {
#if !defined(__HIP_PLATFORM_AMD__)
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrivals) : "memory");
  return before;
#else
  return atomicAdd(arrivals, 1u);
#endif
}

// What this thread wrote is seen by those who count later; what it reads is what those wrote who counted before.
__device__ inline void fence_arrival() {
#if defined(__HIP_PLATFORM_AMD__)
  __threadfence();
#endif
}

// Whether this block is the last of `count` to come here: it then sees what the others wrote before. By all threads.
// `arrivals` is 0 before the first and after the last.
__device__ inline bool last_to_arrive(unsigned* arrivals, unsigned count) {
  __shared__ bool last;
  fence_arrival();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = count_arrival(arrivals) == count - 1;
    if (last) *arrivals = 0;
  }
  __syncthreads();
  fence_arrival();
  return last;
}

}  // namespace hipport_llm

#endif
