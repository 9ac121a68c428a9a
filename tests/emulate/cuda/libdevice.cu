// Functions of libdevice, as programs declare them, beside those of CUDA's headers.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "checks.h"

extern "C" {
__device__ float __nv_sinf(float);
__device__ float __nv_fast_expf(float);
__device__ float __nv_fast_fdividef(float, float);
__device__ double __nv_pow(double, double);
__device__ float __nv_powif(float, int);
__device__ void __nv_sincosf(float, float*, float*);
__device__ float __nv_fadd_rd(float, float);
__device__ double __nv_ddiv_rz(double, double);
__device__ int __nv_float2int_rn(float);
__device__ float __nv_saturatef(float);
__device__ int __nv_popc(unsigned);
__device__ int __nv_clzll(long long);
__device__ int __nv_hadd(int, int);
__device__ int __nv_mulhi(int, int);
__device__ unsigned __nv_usad(unsigned, unsigned, unsigned);
__device__ int __nv_isnanf(float);
__device__ int __nv_signbitd(double);
__device__ unsigned short __nv_float2half_rn(float);
__device__ float __nv_half2float(unsigned short);
__device__ float __nv_norm3df(float, float, float);
}

constexpr int kResults = 22;

__global__ void compute(float* got, float* expected, float x, int n) {
  float sine, cosine, other_sine, other_cosine;
  __nv_sincosf(x, &sine, &cosine);
  sincosf(x, &other_sine, &other_cosine);
  const float results[] = {__nv_sinf(x),
                           __nv_fast_expf(x),
                           __nv_fast_fdividef(x, 3),
                           (float)__nv_pow(x, 2.5),
                           __nv_powif(x, 3),
                           sine,
                           cosine,
                           __nv_fadd_rd(x, 1e-9f),
                           (float)(__nv_ddiv_rz(x, 3) * 1e6),
                           (float)__nv_float2int_rn(x * 100),
                           __nv_saturatef(x + 1),
                           (float)__nv_popc(n),
                           (float)__nv_clzll(n),
                           (float)__nv_hadd(n, 7),
                           (float)__nv_mulhi(n, 1 << 30),
                           (float)__nv_usad(n, 12, 5),
                           (float)(__nv_isnanf(x) != 0),
                           (float)(__nv_signbitd(-x) != 0),
                           (float)__nv_float2half_rn(x),
                           __nv_half2float(__nv_float2half_rn(x)),
                           __nv_norm3df(x, 2, 3),
                           __nv_sinf(-x)};
  const float others[] = {sinf(x),
                          __expf(x),
                          __fdividef(x, 3),
                          (float)pow((double)x, 2.5),
                          powf(x, 3),
                          other_sine,
                          other_cosine,
                          __fadd_rd(x, 1e-9f),
                          (float)(__ddiv_rz(x, 3) * 1e6),
                          (float)__float2int_rn(x * 100),
                          __saturatef(x + 1),
                          (float)__popc(n),
                          (float)__clzll(n),
                          (float)((n + 7) >> 1),
                          (float)__mulhi(n, 1 << 30),
                          (float)__usad(n, 12, 5),
                          0,
                          1,
                          (float)__half_as_short(__float2half_rn(x)),
                          __half2float(__float2half_rn(x)),
                          norm3df(x, 2, 3),
                          sinf(-x)};
  for (int i = 0; i < kResults; ++i) {
    got[i] = results[i];
    expected[i] = others[i];
  }
}

int main() {
  float got[kResults], expected[kResults], *results, *others;
  cudaMalloc(&results, sizeof got);
  cudaMalloc(&others, sizeof expected);
  compute<<<1, 1>>>(results, others, 0.7f, 12345678);
  cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(expected, others, sizeof expected, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kResults; ++i) expect("result", i, got[i], expected[i]);
  expect("sum of a rounded half", 19, got[19], 0.7001953125f);
  cudaFree(results);
  cudaFree(others);
  return finished("libdevice");
}
