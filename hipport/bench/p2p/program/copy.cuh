// Copies from one device to another in both ways, and a pattern by which a copy is known to be whole.
#ifndef HIPPORT_P2P_COPY_CUH
#define HIPPORT_P2P_COPY_CUH

#include <cstdint>

#include "device.h"
#include "options.h"

namespace p2p {

constexpr int kThreads = 512;

// Four loads are under way before the first store waits for one.
__global__ void copy_kernel(const uint4* from, uint4* to, size_t count) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    const uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
    to[i] = a;
    to[i + step] = b;
    to[i + 2 * step] = c;
    to[i + 3 * step] = d;
  }
  for (; i < count; i += step) to[i] = from[i];
}

__device__ inline uint32_t pattern(uint32_t i, uint32_t seed) { return (i + seed) * 2654435761u; }

__global__ void fill_kernel(uint32_t* words, size_t count, uint32_t seed) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    words[i] = pattern(static_cast<uint32_t>(i), seed);
}

__global__ void count_kernel(const uint32_t* words, size_t count, uint32_t seed, unsigned long long* wrong) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    mine += words[i] != pattern(static_cast<uint32_t>(i), seed);
  if (mine != 0) atomicAdd(wrong, mine);
}

// Starts a copy on the stream of the source's device, which is made the current one.
inline void start_copy(Way way, const Device& from, const Device& to, size_t bytes) {
  if (way == Way::kPeerCopy) {
    CUDA_CHECK(cudaMemcpyPeerAsync(to.target, to.index, from.source, from.index, bytes, from.stream));
    return;
  }
  const size_t count = bytes / sizeof(uint4), wanted = (count + kThreads - 1) / kThreads;
  const int blocks = wanted < static_cast<size_t>(from.blocks) ? static_cast<int>(wanted) : from.blocks;
  copy_kernel<<<blocks, kThreads, 0, from.stream>>>(reinterpret_cast<const uint4*>(from.source),
                                                    reinterpret_cast<uint4*>(to.target), count);
  CUDA_CHECK(cudaGetLastError());
}

inline void fill(const Device& device, size_t bytes, uint32_t seed) {
  CUDA_CHECK(cudaSetDevice(device.index));
  fill_kernel<<<device.blocks, kThreads, 0, device.stream>>>(reinterpret_cast<uint32_t*>(device.source), bytes / 4,
                                                             seed);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(device.stream));
}

inline void poison(const Device& device, size_t bytes) {
  CUDA_CHECK(cudaSetDevice(device.index));
  CUDA_CHECK(cudaMemsetAsync(device.target, 0xff, bytes, device.stream));
  CUDA_CHECK(cudaStreamSynchronize(device.stream));
}

// Words of the target that are not what a source filled with `seed` held.
inline unsigned long long count_wrong(const Device& device, size_t bytes, uint32_t seed) {
  unsigned long long wrong = 0, *on_device = nullptr;
  CUDA_CHECK(cudaSetDevice(device.index));
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&on_device), sizeof(wrong)));
  CUDA_CHECK(cudaMemsetAsync(on_device, 0, sizeof(wrong), device.stream));
  count_kernel<<<device.blocks, kThreads, 0, device.stream>>>(reinterpret_cast<const uint32_t*>(device.target),
                                                              bytes / 4, seed, on_device);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(&wrong, on_device, sizeof(wrong), cudaMemcpyDeviceToHost, device.stream));
  CUDA_CHECK(cudaStreamSynchronize(device.stream));
  CUDA_CHECK(cudaFree(on_device));
  return wrong;
}

}  // namespace p2p

#endif
