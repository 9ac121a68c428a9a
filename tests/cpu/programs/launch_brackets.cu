// SPDX-License-Identifier: MIT
// Launches whose brackets are in macros, in branches of an #if, or split by the end of a line.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

// clang-format off
__global__ void k(int* p, int n) { atomicAdd(p, n + 0 * threadIdx.x); }
template <class T> __global__ void t(T* p, T n) { atomicAdd(p, n); }
#define CHEVRON <<<1, 64>>>
#define OPEN <<<
#define CLOSE >>>
#define CFG(g, b) <<<g, b>>>
#define L(k) k<<<1, 64>>>
#define ARGS(...) >>>(__VA_ARGS__)
#define BEG(k) k<<<
#define ALL(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)
#define V3(T) std::vector<std::vector<std::vector<T>>>
#define LONG(k) \
  k<\
<<1, 64>>\
>
int main() {
  int* p; cudaMalloc(&p, 256); cudaMemset(p, 0, 256);
  V3(int) v; std::vector<std::vector<std::vector<int>>> w;
  k CHEVRON(p, 1);
  k OPEN 1, 64 CLOSE (p, 1);
  k CFG(1, 64)(p, 1);
  L(k)(p, 1);
  k<<<1, 64 ARGS(p, 1);
  BEG(k) 1, 64>>>(p, 1);
  ALL(k, 1, 64, p, 1);
  t<int> CHEVRON(p, 1);
  LONG(t<int>)(p, 1);
  k<<<1,
#if 1
  64>>>(p, 1);
#else
  32>>>(p, 1);
#endif
  k
#if 0
  <<<1, 32>>>
#else
  <<<1, 64>>>
#endif
  (p, 1);
  t<<<1,
#ifdef NO
  32
#else
  64
#endif
  >>>(p,
#ifdef NO
  2
#else
  1
#endif
  );
  k<<<1, 64>>\
>(p, 1); k<\
<<1, 64>>>(p, 1); k<<\
<1, 64>\
>>(p, 1);
  int h = 0;
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  cudaFree(p);
  std::printf("%d wrong\n", h != 15 * 64);
  return h != 15 * 64 || v.size() + w.size() != 0;
}
