// SPDX-License-Identifier: MIT
// A kernel to stop in: every thread takes the square that its neighbour left in shared memory.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void neighbours(int* out) {
  __shared__ int squares[64];
  const int mine = static_cast<int>(threadIdx.x * threadIdx.x);
  squares[threadIdx.x] = mine;
  __syncthreads();
  const int other = squares[(threadIdx.x + 1) % 64];  // behind the barrier
  out[threadIdx.x] = other - mine;
}

int main() {
  int* out = nullptr;
  if (hipMalloc(&out, 64 * sizeof(int)) != hipSuccess) return 2;
  neighbours<<<1, 64>>>(out);
  std::printf("%d\n", out[37]);
}
