// SPDX-License-Identifier: MIT
// Switches and jumps that diverge: dense, sparse and nested ones, with cases that fall through, and goto.
#include "show.h"

#define CASE(n) \
  case n: value = value * (2 * n + 1) + (n ^ 21); break;
#define FOUR(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)

__device__ unsigned dense(unsigned which, unsigned value) {
  switch (which) {
    SIXTEEN(0)
    SIXTEEN(16)
    SIXTEEN(32)
    SIXTEEN(48)
    default: value = ~value;
  }
  return value;
}
__device__ __noinline__ int sparse(int which) {
  switch (which) {
    case -1000: return 1;
    case 0: return 2;
    case 7: return 3;
    case 1 << 20: return 4;
    case 1 << 28: return 5;
    case 12345: return 6;
    default: return which % 10;
  }
}
// A machine with states, as generators of parsers make them.
__device__ unsigned parse(unsigned text) {
  unsigned state = 0, found = 0;
  for (int i = 0; i < 32; ++i, text = text >> 1 | text << 31) {
    switch (state) {
      case 0:
        if (text & 1) goto one;
        state = 2;
        break;
      case 1:
      one:
        found += 3;
        [[fallthrough]];
      case 2: state = text & 2 ? 3 : 1; break;
      case 3:
        if (found > 40) return found * 7;
        for (int k = 0; k < 3; ++k) {
          if (text >> k & 4) goto out;
          if (text >> k & 8) continue;
          ++found;
        }
      out:
        state = found & 3;
        break;
      default: return 0;
    }
  }
  return found;
}

__global__ void run(unsigned* out) {
  const unsigned i = thread_number();
  unsigned value = i;
  for (unsigned k = 0; k < 20; ++k) value = dense(scrambled(value + k) % 70, value);
  const int keys[] = {-1000, 0, 7, 1 << 20, 1 << 28, 12345, 99};
  out[i * 3] = value;
  out[i * 3 + 1] = unsigned(sparse(keys[i % 7]) * 100 + sparse(int(i)));
  out[i * 3 + 2] = parse(scrambled(i));
}

int main() {
  auto* const out = zeros<unsigned>(256 * 3);
  run<<<2, 128>>>(out);
  show("switches", out, 256 * 3);
}
