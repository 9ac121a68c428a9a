// SPDX-License-Identifier: MIT
// Scales numbers, adds them up warp by warp, and writes both to files. With `bug`, the sums count on 32 lanes.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int count = 256, lanes = 32;

__global__ void scale(const float* from, float* to, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = factor * from[i];
}

// Right with wavefronts of any size, since the shuffles stay within 32 lanes.
__global__ void sum_of_warps(const float* values, float* sums) {
  float value = values[threadIdx.x];
  for (int delta = lanes / 2; delta > 0; delta /= 2) value += __shfl_xor_sync(~0u, value, delta, lanes);
  if (threadIdx.x % lanes == 0) sums[threadIdx.x / lanes] = value;
}

// Wrong with wavefronts of 64 lanes: it sums as many lanes as there are, and takes them for 32.
template <typename T>
__global__ void sum_of_lanes(const T* values, T* sums) {
  T value = values[threadIdx.x];
  for (int delta = warpSize / 2; delta > 0; delta /= 2) value += __shfl_xor_sync(~0u, value, delta);
  if (threadIdx.x % lanes == 0) sums[threadIdx.x / lanes] = value;
}

__global__ void total_of(const float* sums, float* total) {
  for (int i = 0; i < count / lanes; ++i) *total += sums[i];
}

template <typename T>
void write(const char* name, const T* device, size_t size) {
  std::vector<T> host(size);
  cudaMemcpy(host.data(), device, size * sizeof(T), cudaMemcpyDeviceToHost);
  std::FILE* file = std::fopen(name, "wb");
  std::fwrite(host.data(), sizeof(T), size, file);
  std::fclose(file);
}

int main(int, char** arguments) {
  std::vector<float> host(count);
  for (int i = 0; i < count; ++i) host[i] = static_cast<float>(i);
  float *from, *to, *sums, *total;
  cudaMalloc(&from, count * sizeof(float));
  cudaMalloc(&to, count * sizeof(float));
  cudaMalloc(&sums, count / lanes * sizeof(float));
  cudaMalloc(&total, sizeof(float));
  cudaMemset(total, 0, sizeof(float));
  cudaMemcpy(from, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<count / 64, 64>>>(from, to, 0.5f, count);
  if (std::strcmp(arguments[1], "bug") == 0)
    sum_of_lanes<float><<<1, count>>>(to, sums);
  else
    sum_of_warps<<<1, count>>>(to, sums);
  total_of<<<1, 1>>>(sums, total);
  write("scaled.f32", to, count);
  write("sums.f32", sums, count / lanes);
  float result = 0;
  cudaMemcpy(&result, total, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("total: %g\n", result);
  return result == 0.5f * count * (count - 1) / 2 ? 0 : 1;
}
