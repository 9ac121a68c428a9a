// SPDX-License-Identifier: MIT
// A kernel whose body is for newer GPUs only: translated, it must not be empty.
#include <cuda_runtime.h>

#include <cstdio>

#if __CUDA_ARCH__ >= 700
__device__ int answer() { return 42; }
#endif

__global__ void guarded(int* out) {
#if __CUDA_ARCH__ >= 700
  *out = answer();
#endif
}

int main() {
  int *device = nullptr, host = 0;
  cudaMalloc(&device, sizeof(int));
  guarded<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%d\n", host);
  return host == 42 ? 0 : 1;
}
