// SPDX-License-Identifier: MIT
// Memory of threads: arrays that are indexed at run time, and many values at a time.
#include "show.h"

__device__ __noinline__ unsigned sum_of(const unsigned* values, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 3 + values[i];
  return sum;
}
__global__ void run(unsigned* out) {
  const unsigned i = thread_number();
  unsigned array[32];
  for (unsigned k = 0; k < 32; ++k) array[k] = scrambled(i + k);
  for (unsigned k = 0; k < 64; ++k) array[(i + k * 5) % 32] += array[(i * 2 + k) % 32] ^ k;
  unsigned char bytes[40];
  for (unsigned k = 0; k < 40; ++k) bytes[k] = static_cast<unsigned char>(array[k % 32] >> (k % 4 * 8));
  unsigned hash = 0;
  for (unsigned k = 0; k < 40; ++k) hash = hash * 33 + bytes[(k * 7 + i) % 40];
  out[i * 2] = sum_of(array, 32);
  out[i * 2 + 1] = hash;
}

// More values than a thread has registers.
__global__ void many(float* out) {
  float values[160];
#pragma unroll
  for (int k = 0; k < 160; ++k) values[k] = out[(thread_number() + unsigned(k)) % 64] + float(k);
  __syncthreads();
#pragma unroll
  for (int round = 0; round < 3; ++round)
#pragma unroll
    for (int k = 0; k < 160; ++k) values[k] = values[k] * 0.5f + values[(k * 31 + 7) % 160];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 160; ++k) sum += values[k];
  out[64 + thread_number()] = sum;
}

int main() {
  auto* const out = zeros<unsigned>(100 * 2);
  run<<<1, 100>>>(out);
  show("stacks", out, 100 * 2);
  auto* const floats = zeros<float>(64 + 128);
  many<<<2, 64>>>(floats);
  show("many", floats, 64 + 128);
}
