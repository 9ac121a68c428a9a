// Copies memory: what the bandwidth of kernels that read and write is compared with.
//
// sizes: words (of 4 bytes). buffers: from, to.
#include "../../kernels/numeric.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

template <typename T>
__global__ void copy_kernel(const T* from, T* to, int count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

template <typename T>
void copy(const T* from, T* to, int count, const Launch& launch) {
  if (count > 0)
    copy_kernel<<<blocks_for(count, launch.block()), launch.block(), 0, launch.stream()>>>(from, to, count);
}

void words(const Launch& launch) {
  copy(launch.buffer<unsigned>(0), launch.buffer<unsigned>(1), launch.size(0), launch);
}

void sixteen_bytes(const Launch& launch) {
  const int count = launch.size(0), whole = count / 4 * 4;
  const unsigned* from = launch.buffer<unsigned>(0);
  unsigned* to = launch.buffer<unsigned>(1);
  copy(reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(to), count / 4, launch);
  copy(from + whole, to + whole, count - whole, launch);
}

const Registered v1("copy", 1, "A word of 4 bytes a thread.", {256, 1024}, words);
const Registered v2("copy", 2, "16 bytes a thread.", {256, 1024}, sixteen_bytes);

}  // namespace

}  // namespace hipport_llm
