// Reads memory and does next to nothing with it: what the bandwidth of kernels that mostly read is compared with.
//
// sizes: words (of 4 bytes). buffers: words; one word, to which the exclusive or of all is added.
#include "../../kernels/numeric.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

// The exclusive or over a group of lanes goes to memory.
__device__ void add_all(unsigned all, unsigned* out) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) all ^= __shfl_xor_sync(kAllLanes, all, distance, kLanes);
  if (threadIdx.x % kLanes == 0) atomicXor(out, all);
}

__global__ void words_kernel(const unsigned* words, int count, unsigned* out) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  unsigned all = 0;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) all ^= words[i];
  add_all(all, out);
}

__device__ unsigned exclusive_or(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }

__global__ void sixteen_bytes_kernel(const uint4* fours, int count, const unsigned* rest, int rest_count,
                                     unsigned* out) {
  constexpr int at_once = 4;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned all = first < rest_count ? rest[first] : 0;
  for (int64_t i = first; i < count; i += at_once * step) {
    uint4 values[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      values[j] = i + j * step < count ? __ldcs(fours + i + j * step) : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int j = 0; j < at_once; ++j) all ^= exclusive_or(values[j]);
  }
  add_all(all, out);
}

constexpr int kBlocks = 1024;

void words(const Launch& launch) {
  words_kernel<<<kBlocks, launch.block(), 0, launch.stream()>>>(launch.buffer<unsigned>(0), launch.size(0),
                                                                launch.buffer<unsigned>(1));
}

void sixteen_bytes(const Launch& launch) {
  const int count = launch.size(0);
  const unsigned* all = launch.buffer<unsigned>(0);
  sixteen_bytes_kernel<<<kBlocks, launch.block(), 0, launch.stream()>>>(
      reinterpret_cast<const uint4*>(all), count / 4, all + count / 4 * 4, count % 4, launch.buffer<unsigned>(1));
}

const Registered v1("read", 1, "A word of 4 bytes a thread at a time.", {256, 512}, words);
const Registered v2("read", 2, "16 bytes a thread, four such loads under way.", {256, 512}, sixteen_bytes);

}  // namespace

}  // namespace hipport_llm
