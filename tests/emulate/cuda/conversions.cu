// Half, bfloat16 and fp8 numbers become the nearest integer, NaN 0 or the highest bit; differences of upper halves differ.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "checks.h"

constexpr long long kLow = -0x7fffffffffffffffll - 1;

__global__ void halves(long long* out, half h, __nv_bfloat16 b, half nan) {
  out[0] = (unsigned char)h;
  out[1] = static_cast<signed char>(h);
  out[2] = (long long)b;
  out[3] = (short)b;
  out[4] = (unsigned char)-h;
  signed char converted = h * h;
  out[5] = converted;
  out[6] = (long long)nan;
  out[7] = (int)h;
}

__global__ void bytes(long long* out, __nv_fp8_e4m3 large, __nv_fp8_e4m3 nan, __nv_fp8_e4m3 zero) {
  out[0] = (signed char)large;
  out[1] = (unsigned char)large;
  out[2] = (int)nan;
  out[3] = (long long)nan;
  out[4] = __half_as_ushort((half)zero);
}

// Clang 19 merges both differences for gfx90a.
__global__ void distances(unsigned* out, unsigned a, unsigned b) {
  const unsigned x = (a + threadIdx.x) >> 16, y = (b - threadIdx.x) >> 16;
  out[0] = x > y ? x - y : y - x;
  out[1] = __vabsdiffu2(a, b);
  out[2] = __vsadu4(a, b);
}

__global__ void functions(float* out, half x, float y, long exponent) {
  out[0] = __half2float(hsin(x));
  out[1] = __high2float(h2sin(__half2half2(x)));
  out[2] = scalblnf(y, exponent);
}

__nv_fp8_e4m3 byte(unsigned char bits) {
  __nv_fp8_e4m3 made;
  made.__x = bits;
  return made;
}

int main() {
  long long* out;
  cudaMallocManaged(&out, 8 * sizeof(long long));
  halves<<<1, 1>>>(out, __float2half(1000.5f), __float2bfloat16(1e30f), __float2half(nanf("")));
  cudaDeviceSynchronize();
  const long long of_halves[8] = {255, 127, 0x7fffffffffffffffll, 32767, 0, 127, kLow, 1000};
  for (int i = 0; i < 8; ++i) expect("halves", i, out[i], of_halves[i]);

  bytes<<<1, 1>>>(out, byte(0xfe), byte(0x7f), byte(0x80));
  cudaDeviceSynchronize();
  const long long of_bytes[5] = {-128, 0, 0, kLow, 0x8000};
  for (int i = 0; i < 5; ++i) expect("bytes", i, out[i], of_bytes[i]);

  unsigned* words = reinterpret_cast<unsigned*>(out);
  distances<<<1, 1>>>(words, 0x7fff0000u, 0xfffeffffu);
  cudaDeviceSynchronize();
  const unsigned of_words[3] = {0x7fffu, 0x7fffffffu, 639};
  for (int i = 0; i < 3; ++i) expect("distances", i, words[i], of_words[i]);

  float* numbers = reinterpret_cast<float*>(out);
  functions<<<1, 1>>>(numbers, __float2half(0.5f), 1.5f, -(1l << 40));
  cudaDeviceSynchronize();
  expect("hsin", 0, static_cast<int>(numbers[0] * 1000), 479);
  expect("hsin", 1, static_cast<int>(numbers[1] * 1000), 479);
  expect("scalbln", 0, numbers[2], 0.0f);
  return finished("conversions");
}
