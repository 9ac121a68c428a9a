// Overloads of CUDA's shuffles for a program's own types, beside CUDA's for numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "checks.h"

struct Pair {
  float x;
  int y;
};
struct Both {
  Pair a;
  double b;
};
template <class T>
struct Box {
  T value;
};

__device__ Pair __shfl_down_sync(unsigned mask, Pair v, unsigned delta, int width = 32) {
  return Pair{__shfl_down_sync(mask, v.x, delta, width), __shfl_down_sync(mask, v.y, delta, width)};
}
__device__ inline Both __shfl_down_sync(unsigned mask, const Both& v, int delta, int width = 32) {
  return {__shfl_down_sync(mask, v.a, delta, width), __shfl_down_sync(mask, v.b, delta, width)};
}
template <class T>
__device__ Box<T> __shfl_xor_sync(unsigned mask, Box<T> v, int lanes, int width = 32) {
  return {__shfl_xor_sync(mask, v.value, lanes, width)};
}
__device__ Pair __shfl_sync(unsigned mask, Pair v, int lane) {
  return Pair{__shfl_sync(mask, v.x, lane), __shfl_sync(mask, v.y, lane)};
}
__device__ Pair __shfl_up_sync(unsigned mask, Pair v, int delta) {
  return Pair{__shfl_up_sync(mask, v.x, delta), __shfl_up_sync(mask, v.y, delta)};
}

__global__ void exchange(int* values) {
  const int thread = threadIdx.x;
  int* out = values + 9 * thread;
  Both sum{{(float)thread, thread}, (double)thread};
  for (int delta = 16; delta > 0; delta >>= 1) {
    const Both other = __shfl_down_sync(0xffffffff, sum, delta);
    sum.a.x += other.a.x;
    sum.a.y += other.a.y;
    sum.b += other.b;
  }
  const Pair first = __shfl_sync(~0u, sum.a, 0);
  const Box<long long> box = __shfl_xor_sync(~0u, Box<long long>{thread}, 1);
  out[0] = (int)first.x;
  out[1] = first.y;
  out[2] = (int)box.value;
  out[3] = __shfl_sync(0xffffffffu, thread, thread + 1);
  out[4] = (int)__shfl_up_sync(0xffffffffu, (unsigned)thread, 1);
  out[5] = __shfl_xor_sync(0xffffffffu, (short)thread, 2);
  out[6] = __shfl_up_sync(0xffffffffu, Pair{(float)thread, thread}, 1).y;
  out[7] = __shfl_down_sync(0xffffffffu, (double)thread, 3, 8) == thread + 3;
  const __half half = __shfl_xor_sync(0xffffffffu, __float2half((float)thread), 1);
  const __nv_bfloat16 narrow = __shfl_sync(0xffffffffu, __float2bfloat16((float)thread), 5);
  out[8] = (int)__half2float(half) * 100 + (int)__bfloat162float(narrow);
}

int main() {
  const int threads = 64;
  int* values;
  cudaMallocManaged(&values, 9 * threads * sizeof(int));
  exchange<<<1, threads>>>(values);
  cudaDeviceSynchronize();
  for (int t = 0; t < threads; ++t) {
    const int* out = values + 9 * t;
    const int warp = t / 32 * 32, above = t % 32 ? t - 1 : t;
    expect("sum of floats", t, out[0], 32 * warp + 496);
    expect("sum of integers", t, out[1], 32 * warp + 496);
    expect("box", t, out[2], t ^ 1);
    expect("next", t, out[3], warp + (t + 1) % 32);
    expect("unsigned", t, out[4], above);
    expect("short", t, out[5], t ^ 2);
    expect("pair", t, out[6], above);
    expect("part of a warp", t, out[7], t % 8 + 3 < 8);
    expect("halves", t, out[8], (t ^ 1) * 100 + warp + 5);
  }
  return finished("own_shuffles");
}
