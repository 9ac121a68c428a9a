// Conversions of constants to integers: compilers fold them, also where the number is out of the type's range.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "checks.h"

// 1.5, -1.5, 60000, -60000, infinity, -infinity, NaN
#define ALL_NUMBERS(f) X(f, 0x3e00) X(f, 0xbe00) X(f, 0x7b53) X(f, 0xfb53) X(f, 0x7c00) X(f, 0xfc00) X(f, 0x7e00)
#define X(f, bits) out[i++] = static_cast<double>(f(__ushort_as_half(bits)));

__global__ void convert(double* out) {
  int i = 0;
  ALL_NUMBERS(__half2short_rz)
  ALL_NUMBERS(__half2ushort_rz)
  ALL_NUMBERS(__half2int_rz)
  ALL_NUMBERS(__half2uint_rz)
  ALL_NUMBERS(__half2ll_rz)
  ALL_NUMBERS(__half2ull_rz)
  ALL_NUMBERS(__half2short_rn)
  ALL_NUMBERS(__half2ushort_rn)
  ALL_NUMBERS(__half2int_rn)
  ALL_NUMBERS(__half2uint_rn)
  ALL_NUMBERS(__half2ll_rn)
  ALL_NUMBERS(__half2ull_rn)
  ALL_NUMBERS(__half2short_ru)
  ALL_NUMBERS(__half2ushort_ru)
  ALL_NUMBERS(__half2int_ru)
  ALL_NUMBERS(__half2uint_ru)
  ALL_NUMBERS(__half2ll_ru)
  ALL_NUMBERS(__half2ull_ru)
  ALL_NUMBERS(__half2short_rd)
  ALL_NUMBERS(__half2ushort_rd)
  ALL_NUMBERS(__half2int_rd)
  ALL_NUMBERS(__half2uint_rd)
  ALL_NUMBERS(__half2ll_rd)
  ALL_NUMBERS(__half2ull_rd)
  ALL_NUMBERS(__half2char_rz)
  ALL_NUMBERS(__half2uchar_rz)
}

int main() {
  const int types = 6, modes = 4, numbers = 7, count = types * modes * numbers + 2 * numbers;
  const double whole[modes][2] = {{1, -1}, {2, -2}, {2, -1}, {1, -2}}, large = 60000;
  const double lowest[types + 2] = {-32768, 0, -2147483648.0, 0, -9223372036854775808.0, 0, -128, 0};
  const double highest[types + 2] = {
      32767, 65535, 2147483647, 4294967295.0, 9223372036854775807.0, 18446744073709551615.0, 127, 255};
  const double nan[types + 2] = {0, 0, 0, 0, -9223372036854775808.0, 9223372036854775808.0, 0, 0};
  double *out, got[count];
  cudaMalloc(&out, sizeof got);
  convert<<<1, 1>>>(out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i) {
    const int row = i / numbers, type = row < types * modes ? row % types : row - types * (modes - 1);
    const double* part = whole[row < types * modes ? row / types : 0];
    const double given[numbers] = {part[0], part[1], large, -large, 1e30, -1e30, 0};
    const double low = lowest[type], high = highest[type], x = given[i % numbers];
    expect("convert", i, got[i], i % numbers == numbers - 1 ? nan[type] : x < low ? low : x > high ? high : x);
  }
  return finished("half_constants");
}
