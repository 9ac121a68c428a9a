// A value that only one lane sets and all read: the condition must stay, whatever the value goes through.
#include <cuda_runtime.h>
#include <cstdio>
__device__ int broadcast(int value, int leader) { return __shfl_sync(0xffffffffu, value, leader); }
__device__ int take(int* counter, bool first) {
  int base;
  if (first) base = atomicAdd(counter, 32);
  return base;
}
template <int How> __global__ void reserve(int* counter, int* out) {
  const int lane = threadIdx.x & 31, leader = 3;
  int base;
  if (How == 3)
    base = take(counter, lane == leader);
  else if (lane == leader)
    base = atomicAdd(counter, 32);
  if (How == 0) base = __shfl_sync(0xffffffffu, base, leader);
  if (How == 1) base = broadcast(base, leader);
  if (How == 2) asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(base) : "r"(base), "r"(leader));
  if (How == 3) base = __shfl_sync(0xffffffffu, base, leader);
  out[base + lane] = 1;
}
template <int How> int check() {
  int *counter, *out, missing = 0;
  cudaMallocManaged(&counter, sizeof(int));
  cudaMallocManaged(&out, 128 * sizeof(int));
  *counter = 0;
  for (int i = 0; i < 128; ++i) out[i] = 0;
  reserve<How><<<1, 128>>>(counter, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; ++i) missing += !out[i];
  return missing + (*counter != 128);
}
int main() { printf("%d %d %d %d\n", check<0>(), check<1>(), check<2>(), check<3>()); }
