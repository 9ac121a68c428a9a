// SPDX-License-Identifier: MIT
// Grids of more threads than 32 bits count, and of as many and of more blocks in y than 16 bits count.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void count(unsigned* to) { atomicMax(to, unsigned(blockIdx.y) + 1); }

int main() {
  unsigned* most = nullptr;
  if (hipMallocManaged(reinterpret_cast<void**>(&most), sizeof *most) != hipSuccess) return 2;
  count<<<dim3(1 << 23), 1024>>>(most);
  std::printf("%d ", hipGetLastError());
  for (unsigned blocks : {65536, 70000}) {
    *most = 0;
    count<<<dim3(1, blocks), 1>>>(most);
    if (hipDeviceSynchronize() != hipSuccess) return 3;
    std::printf("blocks %u%s", *most, blocks == 70000 ? "\n" : ", ");
    std::fflush(stdout);
  }
}
