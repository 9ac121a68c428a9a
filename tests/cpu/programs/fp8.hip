// SPDX-License-Identifier: MIT
// Prints all values of all fp8 formats, then what numbers read from stdin become: a line per number, with the codes for
// e4m3, e5m2 and their FNUZ forms, first not saturated, then saturated.
#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>

#include <cstdio>

namespace {

constexpr int kFormats = 4;

__global__ void decode(float* values) {
  const __hip_fp8_storage_t code = static_cast<__hip_fp8_storage_t>(threadIdx.x);
  __hip_fp8_e4m3 a;
  __hip_fp8_e5m2 b;
  __hip_fp8_e4m3_fnuz c;
  __hip_fp8_e5m2_fnuz d;
  a.__x = b.__x = c.__x = d.__x = code;
  const float all[kFormats] = {a, b, c, d};
  for (int format = 0; format < kFormats; ++format) values[format * 256 + code] = all[format];
}

__global__ void encode(const double* numbers, unsigned char* codes) {
  const double number = numbers[threadIdx.x];
  for (int saturate = 0; saturate < 2; ++saturate)
    for (int format = 0; format < kFormats; ++format)
      codes[threadIdx.x * 2 * kFormats + saturate * kFormats + format] = __hip_cvt_double_to_fp8(
          number, static_cast<__hip_saturation_t>(saturate), static_cast<__hip_fp8_interpretation_t>(format));
}

bool several_at_once() {
  const __hip_fp8x4_e4m3 four(float4{1.0f, -2.0f, 0.5f, 1e9f});
  const __hip_fp8x2_e5m2_fnuz two(float2{-0.0f, 3.0f});
  const float4 back = four;
  const float2 pair = two;
  const __half2_raw halves = __hip_cvt_fp8x2_to_halfraw2(0xc038, __HIP_E4M3);
  return back.x == 1.0f && back.y == -2.0f && back.z == 0.5f && back.w == 448.0f && pair.x == 0.0f && pair.y == 3.0f &&
         halves.x == 0x3c00 && halves.y == 0xc000 && float(__hip_fp8_e4m3(__half(1.5f))) == 1.5f &&
         HIP_FP8_TYPE_OCP + HIP_FP8_TYPE_FNUZ == 1;
}

}  // namespace

int main() {
  float values[kFormats * 256];
  decode<<<1, 256>>>(values);
  for (float value : values) std::printf("%a\n", value);
  double number;
  unsigned char codes[2 * kFormats];
  while (std::scanf("%la", &number) == 1) {
    encode<<<1, 1>>>(&number, codes);
    for (unsigned char code : codes) std::printf("%u ", code);
    std::printf("\n");
  }
  std::printf("several: %d, fnuz: %d\n", several_at_once(), HIP_FP8_TYPE_FNUZ);
}
