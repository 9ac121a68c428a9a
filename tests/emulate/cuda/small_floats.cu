// Numbers of 8 bits are made of all kinds of numbers, and converted to them.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "checks.h"

__global__ void conversions(float* out) {
  const __nv_fp8_e4m3 five(5u);
  out[0] = static_cast<float>(five);
  out[1] = static_cast<int>(five);
  out[2] = static_cast<short>(__nv_fp8_e5m2(-3.0f));
  out[3] = __bfloat162float(__nv_bfloat16(five));
  out[4] = __half2float(__half(five));
  out[5] = static_cast<float>(__nv_fp8_e4m3(static_cast<short>(-7)));
  out[6] = static_cast<float>(__nv_fp8_e5m2(__float2bfloat16(2.0f)));
  out[7] = static_cast<bool>(five);
  out[8] = static_cast<long long>(five);
  out[9] = static_cast<float>(__nv_fp8_e4m3(100ll));
}

int main() {
  const float expected[10] = {5, 5, -3, 5, 5, -7, 2, 1, 5, 96};
  float *out, got[10];
  cudaMalloc(&out, sizeof got);
  conversions<<<1, 1>>>(out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 10; ++i) expect("conversions", i, got[i], expected[i]);
  return finished("small_floats");
}
