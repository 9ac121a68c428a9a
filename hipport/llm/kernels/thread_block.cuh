// The threads of a block, barriers for a block and for the grid, and prefetching.
#ifndef HIPPORT_LLM_THREAD_BLOCK_CUH
#define HIPPORT_LLM_THREAD_BLOCK_CUH

#include "numeric.cuh"

// Hopper's bulk copies are used where they are, unless the build says otherwise.
#if !defined(HIPPORT_LLM_BULK_COPIES)
#if !defined(__HIP_PLATFORM_AMD__) && defined(HIPPORT_LLM_HOPPER)
#define HIPPORT_LLM_BULK_COPIES 1
#else
#define HIPPORT_LLM_BULK_COPIES 0
#endif
#endif

namespace hipport_llm {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kLanes;
// Warps that do nothing but start bulk copies; of each, one lane does. One warp alone would not keep up.
constexpr int kCopyingWarps = HIPPORT_LLM_BULK_COPIES ? 4 : 0;
constexpr int kBlockThreads = kThreads + kCopyingWarps * kLanes;

// The same value, which AMD's compilers take for another one. They would compute all that depends on nothing new once,
// before the loop over the phases of a step, and keep it in registers, of which there are not as many.
__device__ __forceinline__ int opaque(int value) {
#if defined(__AMDGCN__)
  asm volatile("" : "+v"(value));
#endif
  return value;
}

// The thread's number in its block.
__device__ __forceinline__ unsigned thread_index() {
  const unsigned index = opaque(threadIdx.x);
#if defined(__AMDGCN__)
  __builtin_assume(index < kBlockThreads);
#endif
  return index;
}

// A barrier for the computing threads of the block.
__device__ inline void block_sync() {
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES
  asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory");
#else
  __syncthreads();
#endif
}

// Asks for the memory at an address to be brought near.
__device__ inline void prefetch(const void* from) {
#if !defined(__HIP_PLATFORM_AMD__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#else
  __builtin_prefetch(from);
#endif
}

// Counts one more; what the thread has seen written before is seen by those who see the count.
__device__ inline void add_release(unsigned* count) {
#if !defined(__HIP_PLATFORM_AMD__)
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
#else
  __threadfence();
  atomicAdd(count, 1u);
#endif
}

__device__ inline unsigned load_acquire(const unsigned* from) {
#if !defined(__HIP_PLATFORM_AMD__)
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
#else
  const unsigned value = __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __threadfence();
  return value;
#endif
}

// A barrier for the computing threads of all blocks, which must all be resident. What they wrote before is seen after.
class GridBarrier {
 public:
  // `arrivals` is 0 when the kernel starts.
  __device__ explicit GridBarrier(unsigned* arrivals) : arrivals_(arrivals), expected_(0) {}

  __device__ void sync() {
    expected_ += gridDim.x;
    block_sync();
    if (thread_index() == 0) {
      add_release(arrivals_);
      while (load_acquire(arrivals_) < expected_) {
      }
    }
    block_sync();
  }

 private:
  unsigned* arrivals_;
  unsigned expected_;
};

}  // namespace hipport_llm

#endif
