// Functions return, and take, values that only some threads have set and that the others do not use.
#include <cuda_runtime.h>

#include "checks.h"

constexpr int kThreads = 96;

__device__ int total(const int* values, int count) {
  int sum;
  if (threadIdx.x == 0) {
    sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
  }
  return sum;
}

template <typename T>
__device__ T sum_of_first(T value, int count, T* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  T sum;
  if (threadIdx.x % 32 == 0) {
    sum = 0;
    for (int i = 0; i < count; ++i) sum += shared[i];
  }
  return sum;
}

__global__ void sums(const int* in, int* out, int count) {
  __shared__ float shared[kThreads];
  const int sum = total(in, count);
  if (threadIdx.x == 0) out[kThreads] = sum;
  float item;
  if (threadIdx.x < count) item = in[threadIdx.x];
  const float same = sum_of_first(item, count, shared);
  if (threadIdx.x % 32 == 0) out[kThreads + 1 + threadIdx.x / 32] = same;
  out[threadIdx.x] = threadIdx.x % 2 == 0 ? 100 : threadIdx.x;
}

int main() {
  constexpr int count = 40, size = kThreads + 4;
  int in[count], got[size], *numbers, *out;
  for (int i = 0; i < count; ++i) in[i] = i + 1;
  cudaMalloc(&numbers, sizeof in);
  cudaMalloc(&out, sizeof got);
  cudaMemcpy(numbers, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemset(out, 0xff, sizeof got);
  sums<<<1, kThreads>>>(numbers, out, count);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) expect("thread", i, got[i], i % 2 == 0 ? 100 : i);
  for (int i = kThreads; i < size; ++i) expect("sum", i, got[i], count * (count + 1) / 2);
  cudaFree(numbers);
  cudaFree(out);
  return finished("undefined_results");
}
