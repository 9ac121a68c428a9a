// Components of pairs of half numbers are half numbers.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "checks.h"

struct Entry {
  half2 value;
};

template <typename V>
__device__ float sum(const V& v) {
  return static_cast<float>(v.x) + static_cast<float>(v.y);
}

__global__ void components(float* out, half2* pairs, Entry* entries) {
  half2 v = pairs[0];
  out[0] = __half2float(v.x);
  out[1] = __half2float(pairs->y);
  v.x = __float2half(7.5f);
  half* high = &v.y;
  *high = __hadd(*high, v.x);
  out[2] = __low2float(v);
  out[3] = __high2float(v);
  out[4] = sum(v) + sum(make_float2(1, 2));
  out[5] = __half2float(__hmul2(v, v).x);
  entries->value.y = v.y;
  out[6] = __high2float(entries->value);
  out[7] = v.x > v.y;
}

int main() {
  const float expected[8] = {1.5f, -2, 7.5f, 5.5f, 16, 56.25f, 5.5f, 1};
  float *out, got[8];
  half2* pairs;
  const half2 given[2] = {__floats2half2_rn(1.5f, -2.0f), __floats2half2_rn(0.0f, 0.0f)};
  cudaMalloc(&out, sizeof got);
  cudaMalloc(&pairs, sizeof given);
  cudaMemcpy(pairs, given, sizeof given, cudaMemcpyHostToDevice);
  components<<<1, 1>>>(out, pairs, reinterpret_cast<Entry*>(pairs + 1));
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) expect("components", i, got[i], expected[i]);
  return finished("halves");
}
