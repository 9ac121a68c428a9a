// SPDX-License-Identifier: MIT
// Loops and returns that diverge.
#include "show.h"

__device__ __noinline__ int collatz(unsigned n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    if (++steps > 300) return -1;
  }
  return steps;
}
__device__ unsigned search(unsigned start) {
  for (unsigned a = start;; ++a) {
    unsigned b = 2;
    do {
      if (a % b == 0) goto next;
      if (b * b > a) return a;
      if (b > 200) break;
      ++b;
    } while (true);
    return 0;
  next:
    if (a > start + 50) return 1;
  }
}
__device__ int nested(int i) {
  int sum = 0;
  for (int a = 0; a < i % 7; ++a)
    for (int b = a; b < 9; b += 1 + (i & 1)) {
      if ((a + b) % 4 == 3) continue;
      for (int c = b;; c -= 2) {
        if (c < -3) break;
        if ((sum & 15) == 7) {
          sum += 3;
          break;
        }
        sum += c ^ i;
      }
      if (sum > 5000) return sum;
    }
  return -sum;
}
__global__ void run(int* out) {
  const int i = int(thread_number());
  if (i % 19 == 4) {
    out[i * 3] = -99;
    return;
  }
  out[i * 3] = collatz(unsigned(i) + 1);
  out[i * 3 + 1] = int(search(unsigned(i * 13 + 3)));
  if (i % 5 != 0) out[i * 3 + 2] = nested(i) + (i % 2 ? nested(i * 3) : collatz(unsigned(i + 7)));
}

int main() {
  auto* const out = zeros<int>(320 * 3);
  run<<<4, 80>>>(out);
  show("flows", out, 320 * 3);
}
