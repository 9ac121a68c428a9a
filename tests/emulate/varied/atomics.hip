// SPDX-License-Identifier: MIT
// Atomic operations of all widths on global and shared memory, whose results do not depend on their order.
#include "show.h"

struct Totals {
  int sum, least, greatest;
  unsigned bits_and, bits_or, bits_xor, increments, decrements;
  unsigned long long long_sum, long_least, long_greatest, long_or, long_and, long_xor;
  long long signed_least, signed_greatest;
  float floats;
  double doubles;
  unsigned tickets, swaps;
  float float_least, float_greatest;
  double double_least, double_greatest;
};

__device__ void add_all(Totals& t, int i) {
  const int value = int(scrambled(unsigned(i)) % 2001) - 1000;
  const auto wide = static_cast<unsigned long long>(scrambled(unsigned(i))) << 20;
  atomicAdd(&t.sum, value);
  atomicSub(&t.sum, i);
  atomicMin(&t.least, value);
  atomicMax(&t.greatest, value);
  atomicAnd(&t.bits_and, ~(1u << (i % 13)));
  atomicOr(&t.bits_or, 1u << (i % 29));
  atomicXor(&t.bits_xor, scrambled(unsigned(i)));
  atomicInc(&t.increments, 41);
  atomicDec(&t.decrements, 100);
  atomicAdd(&t.long_sum, wide);
  atomicMin(&t.long_least, wide);
  atomicMax(&t.long_greatest, wide);
  atomicOr(&t.long_or, 1ull << (i % 63));
  atomicAnd(&t.long_and, ~(1ull << (i % 47)));
  atomicXor(&t.long_xor, wide);
  atomicAdd(&t.floats, float(value));
  atomicAdd(&t.doubles, double(value) * 0.5);
  for (unsigned seen = t.tickets, expected;;) {
    expected = seen;
    seen = atomicCAS(&t.tickets, expected, expected + 3);
    if (seen == expected) break;
  }
  if (i == 5) atomicExch(&t.swaps, 77u);
}
__device__ void begin(Totals& t) {
  t = {};
  t.bits_and = ~0u;
  t.long_and = ~0ull;
  t.long_least = ~0ull;
  t.decrements = 50;
}

__global__ void global(Totals* total) { add_all(*total, int(thread_number())); }
__global__ void prepare(Totals* total) { begin(*total); }
__global__ void shared(Totals* totals) {
  __shared__ Totals here;
  if (threadIdx.x == 0) begin(here);
  __syncthreads();
  add_all(here, int(thread_number()));
  __syncthreads();
  if (threadIdx.x == 0) totals[blockIdx.x] = here;
}
// What operations return: each old value is returned once.
__global__ void returned(unsigned* counter, unsigned* seen) {
  atomicAdd(&seen[atomicAdd(counter, 1u)], 1u);
  __shared__ unsigned own;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  atomicAdd(&seen[1000 + atomicAdd(&own, 1u)], 1u);
}

int main() {
  auto* const totals = zeros<Totals>(3);
  prepare<<<1, 1>>>(totals);
  global<<<4, 192>>>(totals);
  show("global", reinterpret_cast<unsigned*>(totals), sizeof(Totals) / 4);
  shared<<<3, 200>>>(totals);
  show("shared", reinterpret_cast<unsigned*>(totals), 3 * sizeof(Totals) / 4);
  auto* const counter = zeros<unsigned>(1);
  auto* const seen = zeros<unsigned>(1200);
  returned<<<5, 160>>>(counter, seen);
  show("returned", seen, 1200);
}
