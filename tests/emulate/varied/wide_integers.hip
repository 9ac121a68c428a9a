// SPDX-License-Identifier: MIT
// Integers of 128, 64, 16 and 8 bits.
#include "show.h"

using Wide = unsigned __int128;
using Signed = __int128;

__global__ void of_128(uint64_t* out) {
  const unsigned i = thread_number();
  const Wide a = Wide(scrambled(i)) << 70 | uint64_t(scrambled(i + 1)) << 31 | i, b = Wide(scrambled(i * 3)) << 40 | 77;
  const unsigned count = i % 128;
  const Wide all[] = {a + b, a - b * 3, a * b, a << count, a >> count, Wide(Signed(b - a) >> count), a & ~b, a ^ b};
  uint64_t hash = 0;
  for (const Wide value : all) hash = hash * 1000003 + (uint64_t(value) ^ uint64_t(value >> 64) * 3);
  out[i] = hash + (a < b) + 2 * (Signed(a - b) < 0) + 4 * (a == b);
}
__global__ void of_64(uint64_t* out) {
  const unsigned i = thread_number();
  const uint64_t a = uint64_t(scrambled(i)) << 33 ^ scrambled(i + 9), b = scrambled(i + 77) >> (i % 31) | 1;
  const int64_t c = int64_t(a) >> (i % 20), d = i % 2 == 0 ? -int64_t(b) : int64_t(b);
  uint64_t hash = a / b * 3 + a % b;
  hash = hash * 31 + uint64_t(c / d) + uint64_t(c % d);
  hash = hash * 31 + __umul64hi(a, b << 20) + uint64_t(__mul64hi(c, d << 20));
  hash = hash * 31 + uint64_t(uint32_t(a) / uint32_t(b)) + uint64_t(int(c) % int(d | 1));
  out[i] = hash;
}
__global__ void of_16_and_8(uint64_t* out) {
  const unsigned i = thread_number();
  short s = short(scrambled(i));
  unsigned short u = static_cast<unsigned short>(scrambled(i + 5));
  signed char c = static_cast<signed char>(scrambled(i + 6));
  unsigned char b = static_cast<unsigned char>(scrambled(i + 7) | 1);
  uint64_t hash = 0;
  for (int k = 0; k < 8; ++k) {
    s = short(s * 3 + c);
    u = static_cast<unsigned short>((u << 1) ^ (u >> 3) ^ b);
    c = static_cast<signed char>(c - s);
    b = static_cast<unsigned char>(b * 5 + u);
    hash = hash * 131 + uint64_t(s) + u + uint64_t(s / (b | 1)) + uint64_t(u % (b | 1)) + uint64_t(c >> 2);
  }
  out[i] = hash;
}

int main() {
  auto* const out = zeros<uint64_t>(300);
  of_128<<<3, 100>>>(out);
  show("128", out, 300);
  of_64<<<3, 100>>>(out);
  show("64", out, 300);
  of_16_and_8<<<3, 100>>>(out);
  show("16 and 8", out, 300);
}
