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
// One sequence of instructions: the wavefronts of a row run at once in the emulator, but for those at the borders.
__global__ void rows(const unsigned* in, unsigned* out, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1 || z >= depth) return;
  const int at = (z * height + y) * width + x;
  out[at] = in[at] + 3 * in[at - 1] + 5 * in[at + 1] + 7 * in[at - width] + 9 * in[at + width] + unsigned(z);
}
void show_rows(const char* name, dim3 blocks, dim3 threads, int width, int height, int depth) {
  const int count = width * height * depth;
  auto *const in = zeros<unsigned>(count), *const out = zeros<unsigned>(count);
  for (int i = 0; i < count; ++i) in[i] = unsigned(i) * 2654435761u;
  rows<<<blocks, threads>>>(in, out, width, height, depth);
  show(name, out, count);
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
  show_rows("rows of 64", dim3(5, 9), dim3(64, 4), 300, 33, 1);
  show_rows("rows of 128", dim3(3, 5, 2), dim3(128, 2, 3), 384, 10, 5);
  show_rows("rows of 256", dim3(2, 20), dim3(256, 1, 2), 500, 20, 2);
  show_rows("rows of 96", dim3(4, 6), dim3(96, 3), 384, 18, 1);
  show_rows("one wide row", dim3(1, 3, 9), dim3(1024), 1000, 3, 9);
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
