// SPDX-License-Identifier: MIT
// Numbers of 16 bits: sums, products, conversions and comparisons, one by one and in pairs.
#include "show.h"

#include <hip/hip_fp16.h>

__global__ void run(float* out) {
  const int i = int(thread_number());
  const float x = float(int(scrambled(unsigned(i)) % 4001) - 2000) / 64, y = float(int(i % 77) - 30) / 8 + 0.0625f;
  const __half a = __float2half(x), b = __float2half(y);
  const __half2 p = __floats2half2_rn(x, y), q = __halves2half2(b, a);
  const __half2 sum = __hadd2(p, q), product = __hmul2(p, q), fused = __hfma2(p, q, sum);
  const _Float16 c = _Float16(x), d = _Float16(y);
  const float all[] = {__half2float(a),
                       __half2float(__hadd(a, b)),
                       __half2float(__hsub(a, b)),
                       __half2float(__hmul(a, b)),
                       __half2float(__hfma(a, b, a)),
                       __low2float(sum),
                       __high2float(sum),
                       __low2float(product),
                       __high2float(product),
                       __low2float(fused),
                       __high2float(fused),
                       float(__hlt(a, b)),
                       float(__hge(a, b)),

                       float(c * d + c),
                       float(c / d),
                       float(c > d ? c : d),
                       __half2float(__int2half_rn(i * 33)),
                       float(_Float16(-c))};
  for (int k = 0; k < 18; ++k) out[i * 18 + k] = all[k];
}

int main() {
  auto* const out = zeros<float>(256 * 18);
  run<<<4, 64>>>(out);
  show("halves", out, 256 * 18);
}
