#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void sum(const int* from, int* to) {
  __shared__ int sums[4];
  int value = from[threadIdx.x];
  value += __builtin_amdgcn_update_dpp(0, value, 0x111, 0xf, 0xf, true);  // row_shr:1
  value += __builtin_amdgcn_update_dpp(0, value, 0x112, 0xf, 0xf, true);
  value += __builtin_amdgcn_update_dpp(0, value, 0x114, 0xf, 0xf, true);
  value += __builtin_amdgcn_update_dpp(0, value, 0x118, 0xf, 0xf, true);
  if (threadIdx.x % 64 == 63) sums[threadIdx.x / 64] = value;
  __syncthreads();
  if (threadIdx.x < 4) to[threadIdx.x] = sums[threadIdx.x];
}
int main() {
  int from[256], to[4], *p = nullptr, *q = nullptr;
  for (int i = 0; i < 256; ++i) from[i] = i;
  if (hipMalloc(reinterpret_cast<void**>(&p), sizeof from)) return 2;
  if (hipMalloc(reinterpret_cast<void**>(&q), sizeof to)) return 2;
  if (hipMemcpy(p, from, sizeof from, hipMemcpyHostToDevice)) return 2;
  sum<<<1, 256>>>(p, q);
  if (hipMemcpy(to, q, sizeof to, hipMemcpyDeviceToHost)) return 2;
  std::printf("%d %d %d %d\n", to[0], to[1], to[2], to[3]);
}
