// Two votes on one line, each for the lanes of its own branch.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void votes(unsigned long long* to) {
  const unsigned lane = threadIdx.x;
  const unsigned long long mine = lane % 2 != 0 ? __ballot(1) : __ballot(1);
  if (lane < 2) to[lane] = mine;
}

int main() {
  unsigned long long* to = nullptr;
  if (hipMallocManaged(reinterpret_cast<void**>(&to), 2 * sizeof *to) != hipSuccess) return 2;
  votes<<<1, 32>>>(to);
  if (hipDeviceSynchronize() != hipSuccess) return 3;
  std::printf("%llx %llx\n", to[0], to[1]);
  return 0;
}
