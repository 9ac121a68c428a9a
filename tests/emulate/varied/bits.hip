// SPDX-License-Identifier: MIT
// Functions of bits and bytes, of 32 and of 64 bits.
#include "show.h"

__global__ void run(uint64_t* out) {
  const unsigned i = thread_number();
  const unsigned a = scrambled(i) >> (i % 33 == 32 ? 0 : i % 33), b = scrambled(i + 1000), c = 1 + i % 31;
  const uint64_t wide = uint64_t(a) << (i % 40) | (i % 5 == 0 ? 0 : b);
  const int s = int(a ^ 0x80000000u), t = int(b);
  const uint64_t all[] = {uint64_t(__popc(a)),
                          uint64_t(__popcll(wide)),
                          uint64_t(__clz(int(a))),
                          uint64_t(__clzll((long long)(wide))),
                          uint64_t(__ffs(int(a))),
                          uint64_t(__ffsll((unsigned long long)(wide))),
                          uint64_t(__brev(a)),
                          __brevll(wide),
                          uint64_t(__byte_perm(a, b, b & 0x7777)),
                          uint64_t(__mul24(s >> 16, t >> 20)),
                          uint32_t(__umul24(a >> 20, b >> 16)),
                          uint64_t(__mulhi(s, t)),
                          uint64_t(__umulhi(a, b)),
                          uint64_t(__funnelshift_l(a, b, c)),
                          uint64_t(__funnelshift_r(a, b, c)),
                          uint64_t(__sad(s / 2, t / 2, 5u)),
                          uint64_t(__usad(a, b, 6u)),

                          uint64_t(__float_as_int(float(s))),
                          uint64_t(__double_as_longlong(double(t))),
                          uint64_t(a << (c & 31) | a >> ((32 - c) & 31)),
                          uint64_t(int64_t(s) << (c & 63)),
                          uint64_t(int64_t(wide) >> (c & 63)),
                          uint64_t(min(s, t)),
                          uint64_t(max(a, b)),
                          uint64_t(abs(s / 2)),
                          uint64_t(s & ~t),
                          uint64_t(~(a ^ b))};
  uint64_t hash = i;
  for (const uint64_t value : all) hash = hash * 1000003 + value;
  out[i] = hash;
}

int main() {
  auto* const out = zeros<uint64_t>(512);
  run<<<4, 128>>>(out);
  show("bits", out, 512);
}
