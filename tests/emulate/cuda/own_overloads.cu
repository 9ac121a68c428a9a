// Overloads of CUDA's functions of warps, blocks and memory for a program's own types, beside CUDA's for numbers.
#include <cuda_runtime.h>

#include "checks.h"

struct Pair {
  int x;
  int y;
};

__device__ Pair __reduce_add_sync(unsigned mask, Pair v) {
  return Pair{__reduce_add_sync(mask, v.x), __reduce_add_sync(mask, v.y)};
}
__device__ unsigned __match_any_sync(unsigned mask, const Pair& v) {
  return __match_any_sync(mask, v.x) & __match_any_sync(mask, v.y);
}
__device__ unsigned __ballot_sync(unsigned mask, Pair v) { return __ballot_sync(mask, v.x > v.y); }
__device__ int __any_sync(unsigned mask, Pair v) { return __any_sync(mask, v.x > v.y); }
__device__ int __all_sync(unsigned mask, Pair v) { return __all_sync(mask, v.x > v.y); }
__device__ Pair atomicAdd_block(Pair* to, Pair v) {
  return Pair{atomicAdd_block(&to->x, v.x), atomicAdd_block(&to->y, v.y)};
}
__device__ Pair __ldcs(const Pair* from) { return Pair{__ldcs(&from->x) + 1, __ldcs(&from->y) + 1}; }
__device__ void __stcs(Pair* to, Pair v) {
  __stcs(&to->x, v.x + 1);
  __stcs(&to->y, v.y + 1);
}
__device__ Pair __dp4a(Pair a, Pair b, int c) { return Pair{__dp4a(a.x, b.x, c), __dp4a(a.y, b.y, c)}; }

__global__ void compute(int* values) {
  __shared__ Pair sum, kept[64];
  __shared__ int count;
  const int thread = threadIdx.x;
  int* out = values + 12 * thread;
  const Pair own{thread, 32};
  if (thread == 0) sum = Pair{0, 0}, count = 0;
  __syncthreads();
  out[0] = __reduce_add_sync(0xffffffffu, own).x;
  out[1] = __reduce_add_sync(0xffffffff, thread);
  out[2] = (int)__match_any_sync(~0u, Pair{thread / 2, 0});
  out[3] = (int)__match_any_sync(~0u, thread / 4);
  out[4] = (int)__ballot_sync(~0u, own);
  out[5] = (int)__ballot_sync(~0u, thread % 2);
  out[6] = __any_sync(~0u, own) + 2 * __all_sync(~0u, Pair{thread, 31}) + 4 * __any_sync(~0u, thread == 3);
  atomicAdd_block(&sum, Pair{1, thread});
  atomicAdd_block(&count, 2);
  kept[thread] = own;
  __syncthreads();
  out[7] = sum.x + sum.y + count;
  out[8] = __ldcs(&kept[thread]).x;
  out[9] = __ldcs(&kept[thread].x);
  __stcs(&kept[thread], own);
  out[10] = kept[thread].x;
  out[11] = __dp4a(Pair{thread, 1}, Pair{2, 3}, 1).x + __dp4a(1, 2, 3);
}

int main() {
  const int threads = 64;
  int* values;
  cudaMallocManaged(&values, 12 * threads * sizeof(int));
  compute<<<1, threads>>>(values);
  cudaDeviceSynchronize();
  for (int t = 0; t < threads; ++t) {
    const int* out = values + 12 * t;
    const int lane = t % 32, upper = t >= 32;
    expect("sum of pairs", t, out[0], upper ? 1520 : 496);
    expect("sum", t, out[1], upper ? 1520 : 496);
    expect("alike pairs", t, out[2], (int)(3u << (lane / 2 * 2)));
    expect("alike", t, out[3], (int)(15u << (lane / 4 * 4)));
    expect("ballot of pairs", t, out[4], upper ? ~1 : 0);
    expect("ballot", t, out[5], (int)0xaaaaaaaau);
    expect("any and all", t, out[6], upper ? 3 : 4);
    expect("atomics of the block", t, out[7], 64 + 2016 + 128);
    expect("loaded pair", t, out[8], t + 1);
    expect("loaded", t, out[9], t);
    expect("stored pair", t, out[10], t + 1);
    expect("dot product", t, out[11], 2 * t + 1 + 5);
  }
  return finished("own_overloads");
}
