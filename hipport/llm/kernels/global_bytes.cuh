// Bytes in global memory. What AMD's compilers load through an ordinary pointer that they read from memory may be in shared
// memory, too, so that each wait for shared memory also waits for it.
#ifndef HIPPORT_LLM_GLOBAL_BYTES_CUH
#define HIPPORT_LLM_GLOBAL_BYTES_CUH

#include <cuda_runtime.h>

#include <cstdint>

namespace hipport_llm {

#if defined(__AMDGCN__)
using GlobalBytes = const __attribute__((address_space(1))) uint8_t*;
#else
using GlobalBytes = const uint8_t*;
#endif

template <typename T>
__device__ __forceinline__ T read_bytes(const uint8_t* from) {
  return *reinterpret_cast<const T*>(from);
}

#if defined(__AMDGCN__)

// What a value of some bytes is loaded as.
template <int Bytes>
struct LoadedBytes {
  using Type = uint32_t __attribute__((ext_vector_type(Bytes / 4)));
};
template <>
struct LoadedBytes<1> {
  using Type = uint8_t;
};
template <>
struct LoadedBytes<2> {
  using Type = uint16_t;
};

template <typename T>
__device__ __forceinline__ T read_bytes(GlobalBytes from) {
  using Loaded = typename LoadedBytes<sizeof(T)>::Type;
  const Loaded loaded = *(const __attribute__((address_space(1))) Loaded*)from;
  T value;
  __builtin_memcpy(&value, &loaded, sizeof(T));
  return value;
}

#endif

// Keeps compilers for AMD GPUs from moving loads across this point. They would load the first stage's tiles in another
// order than they are used, and since loads end in the order in which they were issued, wait for all of them.
__device__ __forceinline__ void keep_loads_in_order() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_sched_barrier(0);
#endif
}

}  // namespace hipport_llm

#endif
