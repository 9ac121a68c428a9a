// SPDX-License-Identifier: MIT
// Grids and blocks of all shapes: many blocks, three dimensions, 1024 threads, and blocks that are no whole wavefronts.
#include "show.h"

__global__ void place(unsigned* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  atomicAdd(&out[(block * threads + thread) % 5003], block * 31 + thread * 7 + blockIdx.z + threadIdx.y * 1000);
}
__global__ void votes(int* out) {
  __shared__ int sums[1024];
  const int i = int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  const int threads = int(blockDim.x * blockDim.y * blockDim.z);
  const int odd = __syncthreads_count(int(scrambled(unsigned(i))) & 1);
  const int any = __syncthreads_or(i == threads - 1), all = __syncthreads_and(i < threads - 1);
  sums[i] = i;
  for (int half = 512; half > 0; half /= 2) {
    __syncthreads();
    if (i < half && i + half < threads) sums[i] += sums[i + half];
  }
  __syncthreads();
  out[int(blockIdx.x) * threads + i] = sums[0] + odd * 7 + (any != 0) * 3 + (all != 0);
}

int main() {
  auto* const out = zeros<unsigned>(5003);
  place<<<dim3(20000), dim3(32)>>>(out);
  show("many", out, 5003);
  place<<<dim3(7, 11, 13), dim3(8, 4, 2)>>>(out);
  show("three", out, 5003);
  place<<<dim3(1, 70, 3), dim3(5, 3, 7)>>>(out);
  show("odd", out, 5003);
  place<<<dim3(1, 1, 50), dim3(1, 1, 64)>>>(out);
  show("z", out, 5003);
  auto* const sums = zeros<int>(4096);
  votes<<<2, 1024>>>(sums);
  show("1024", sums, 2048);
  votes<<<2, dim3(16, 8, 8)>>>(sums);
  show("16 8 8", sums, 2048);
  votes<<<3, dim3(33, 3)>>>(sums);
  show("33 3", sums, 297);
  votes<<<3, 1>>>(sums);
  show("1", sums, 3);
}
