// SPDX-License-Identifier: MIT
// Two kernels, which scripts/instructions/speed.py also runs by tinygrad's emulator. Prints name, seconds of
// processor time and checksum.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

constexpr int kTile = 16;

extern "C" __global__ void add(const float* a, const float* b, float* c, int count) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x & 15, y = threadIdx.x >> 4;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0.0f;
  for (int k = 0; k < n; k += kTile) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Arguments: how many numbers are added, the size of the matrices, how often each kernel is launched.
int main(int, char** words) {
  const int count = std::atoi(words[1]), n = std::atoi(words[2]), rounds = std::atoi(words[3]);
  for (const bool adds : {true, false}) {
    const int all = adds ? count : n * n;
    float *a, *b, *c;
    for (float** one : {&a, &b, &c}) (void)hipMallocManaged(reinterpret_cast<void**>(one), all * sizeof(float));
    for (int i = 0; i < all; ++i) {
      a[i] = float(i % 97) / 97;
      b[i] = float(i % 89) / 89;
    }
    double least = 1e9, sum = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::clock_t start = std::clock();
      if (adds)
        add<<<(count + 255) / 256, 256>>>(a, b, c, count);
      else
        gemm<<<dim3(n / kTile, n / kTile), 256>>>(a, b, c, n);
      (void)hipDeviceSynchronize();
      least = std::min(least, double(std::clock() - start) / CLOCKS_PER_SEC);
    }
    for (int i = 0; i < all; ++i) sum += c[i];
    std::printf("%s %.9f %.9g\n", adds ? "add" : "gemm", least, sum);
  }
}
