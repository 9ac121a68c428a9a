// Finds the last of several blocks or warps to finish, which then combines the results of all of them.
#ifndef HIPPORT_LLM_LAST_BLOCK_CUH
#define HIPPORT_LLM_LAST_BLOCK_CUH

#include "numeric.cuh"

namespace hipport_llm {

// Increments the count and returns its previous value. The thread sees what those that counted earlier, and their
// blocks, wrote.
__device__ inline unsigned count_arrival(unsigned* arrivals) {
#if !defined(__HIP_PLATFORM_AMD__)
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrivals) : "memory");
  return before;
#else
  return atomicAdd(arrivals, 1u);
#endif
}

// Makes this thread's writes visible to threads that count later, and the writes of those that counted before to it.
__device__ inline void fence_arrival() {
#if defined(__HIP_PLATFORM_AMD__)
  __threadfence();
#endif
}

// Returns whether this block is the last of `count` to arrive; it then sees what the others wrote. Called by all
// threads. `arrivals` is 0 before the first and after the last.
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

// The same for warps that each hand over a result of their own.
__device__ inline bool last_warp_to_arrive(unsigned* arrivals, unsigned count) {
  fence_arrival();
  __syncwarp();
  unsigned last = 0;
  if (threadIdx.x % kLanes == 0) {
    last = count_arrival(arrivals) == count - 1;
    if (last) *arrivals = 0;
  }
  last = __shfl_sync(kAllLanes, last, 0, kLanes);
  fence_arrival();
  return last != 0;
}

}  // namespace hipport_llm

#endif
