// SPDX-License-Identifier: MIT
// Large structures by value: arguments of kernels and of functions, results, and copies.
#include "show.h"

struct Large {
  int numbers[60];
  double factor;
  char text[13];
  short odd;
};
struct __attribute__((packed)) Packed {
  char a;
  int b;
  short c;
  double d;
};
struct Fields {
  unsigned a : 3, b : 11, c : 18;
  signed d : 5;
  unsigned long long e : 41;
};
union Any {
  float f;
  unsigned u;
  unsigned char bytes[8];
  double d;
};

__device__ __noinline__ Large changed(Large large, int by) {
  for (int i = 0; i < 60; i += 2) large.numbers[i] += by * i;
  large.factor *= 1.5;
  large.text[by % 13] = 'x';
  large.odd = short(large.odd - by);
  return large;
}
__device__ __noinline__ Packed packed(Packed value, char with) {
  return {char(value.a + with), value.b * 3, short(value.c - 1), value.d / 2};
}

__global__ void run(Large large, Packed small, Fields fields, unsigned long long last, unsigned* out) {
  const int i = int(thread_number());
  const Large one = changed(large, i), two = changed(one, 3);
  unsigned hash = unsigned(last);
  for (int k = 0; k < 60; ++k) hash = hash * 31 + unsigned(two.numbers[(k + i) % 60]);
  for (const char c : two.text) hash = hash * 31 + unsigned(c);
  hash += unsigned(int(two.factor)) + unsigned(two.odd);
  Packed other = packed(packed(small, 1), char(i));
  fields.a += unsigned(i);
  fields.b ^= unsigned(i * 37);
  fields.c -= unsigned(i);
  fields.d = i;
  fields.e = fields.e * 5 + unsigned(i);
  Any any{};
  any.d = other.d + i;
  any.bytes[i % 8] ^= 0x55;
  out[i * 4] = hash;
  out[i * 4 + 1] = unsigned(other.a) + unsigned(other.b) * 7 + unsigned(other.c) * 11;
  out[i * 4 + 2] = fields.a + fields.b * 8 + fields.c + unsigned(fields.d) + unsigned(fields.e >> 9);
  out[i * 4 + 3] = any.u ^ unsigned(any.bytes[7]) << 24;
}

int main() {
  Large large{};
  for (int i = 0; i < 60; ++i) large.numbers[i] = i * i;
  large.factor = 2.25;
  std::strcpy(large.text, "hello, world");
  large.odd = -5;
  Fields fields{};
  fields.a = 5, fields.b = 1000, fields.c = 200000, fields.d = -3, fields.e = 0x1ffffffffffull;
  auto* const out = zeros<unsigned>(130 * 4);
  run<<<2, 65>>>(large, {'q', -77, 300, 6.5}, fields, 0x1234567890ull, out);
  show("structs", out, 130 * 4);
}
