// The threads of a block, barriers for a block and for the grid, and prefetching.
#ifndef HIPPORT_LLM_THREAD_BLOCK_CUH
#define HIPPORT_LLM_THREAD_BLOCK_CUH

#include "numeric.cuh"

// Bulk copies are used on Hopper, unless the build sets this.
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
// Warps that only start bulk copies, with one lane each. A single warp would not keep up.
constexpr int kCopyingWarps = HIPPORT_LLM_BULK_COPIES ? 4 : 0;
constexpr int kBlockThreads = kThreads + kCopyingWarps * kLanes;

// Returns the value, hiding from AMD's compilers that it is the same one, and in all lanes. They would otherwise hoist
// everything that depends on it out of the loop over the phases of a step, and spill registers.
__device__ __forceinline__ int opaque(int value) {
#if defined(__AMDGCN__)
  asm volatile("" : "+v"(value));
#endif
  return value;
}

// Returns its argument, in an ordinary vector register. Clang 19 for gfx942 may write two neighbors to shared memory with
// one instruction, one of them from an accumulation register, for which there is no instruction: an error.
__device__ __forceinline__ float in_vector_register(float value) {
#if defined(__AMDGCN__)
  asm volatile("" : "+v"(value));
#endif
  return value;
}

// Returns threadIdx.x.
__device__ __forceinline__ unsigned thread_index() {
  const unsigned index = opaque(threadIdx.x);
#if defined(__AMDGCN__)
  __builtin_assume(index < kBlockThreads);
#endif
  return index;
}

// AMD's compilers load a kernel's arguments at its start and keep them in registers, nearly all of which those of a step
// would take. Arguments that are read through the returned pointer are loaded where they are used.
template <typename T>
__device__ __forceinline__ const T* read_again(const T* arguments) {
#if defined(__AMDGCN__)
  using Place = const T __attribute__((address_space(4)))*;
  Place place = (Place)arguments;
  asm volatile("" : "+s"(place));
  return (const T*)place;
#else
  return arguments;
#endif
}

// The arguments of a kernel that has only these, where AMD's GPUs load them from.
template <typename T>
__device__ __forceinline__ const T& kernel_arguments(const T& arguments) {
#if defined(__AMDGCN__)
  (void)arguments;
  return *(const T*)__builtin_amdgcn_kernarg_segment_ptr();
#else
  return arguments;
#endif
}

// A barrier for the computing threads of the block.
__device__ inline void block_sync() {
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES
  asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory");
#else
  __syncthreads();
#endif
}

// Prefetches the cache line of an address.
__device__ inline void prefetch(const void* from) {
#if !defined(__HIP_PLATFORM_AMD__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#else
  __builtin_prefetch(from);
#endif
}

// Increments a count with release semantics: threads that read the new count also see earlier writes.
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

// A barrier for the computing threads of all blocks, which must all be resident. Earlier writes are visible after it.
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
