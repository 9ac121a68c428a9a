// SPDX-License-Identifier: MIT
// Prints the lanes of a wavefront, and what functions compute that need a stack of no known size.
#include <hip/hip_runtime.h>

#include <cstdio>

__device__ __noinline__ int sum_of_array(int count, int seed) {
  if (count <= 0) return 0;
#if __clang_major__ < 16  // clang 15 crashes on arrays that are allocated later; recursion needs such a stack, too
  int values[100];
#elif __clang_major__ < 20  // only of sizes that are constant
  int* const values = static_cast<int*>(__builtin_alloca(100 * sizeof(int)));
#else
  int* const values = static_cast<int*>(__builtin_alloca(count * sizeof(int)));
#endif
  for (int i = 0; i < count; ++i) values[i] = seed * i;
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += values[count - 1 - i] ^ i;
  return sum;
}
__device__ __noinline__ int nested(int depth, int count, int seed) {
  return depth == 0 ? 0 : sum_of_array(count, seed + depth) + nested(depth - 1, count, seed);
}
__global__ void stack(int count, int* results) { results[threadIdx.x] = nested(3, count, int(threadIdx.x)); }

__global__ void lanes(unsigned long long* votes) {
  const unsigned long long mask = __ballot(threadIdx.x % 3 == 0);
  if (threadIdx.x == 0) *votes = mask;
}

static int expected(int count, int seed) {
  int sum = 0;
  for (int depth = 1; depth <= 3; ++depth)
    for (int i = 0; i < count; ++i) sum += (seed + depth) * (count - 1 - i) ^ i;
  return sum;
}

int main() {
  unsigned long long* votes = nullptr;
  int *results = nullptr, wrong = 0;
  (void)hipMallocManaged(reinterpret_cast<void**>(&votes), sizeof *votes);
  (void)hipMallocManaged(reinterpret_cast<void**>(&results), 128 * sizeof *results);
  lanes<<<1, 64>>>(votes);
  for (const int count : {1, 7, 100}) {
    stack<<<1, 128>>>(count, results);
    (void)hipDeviceSynchronize();
    for (int i = 0; i < 128; ++i) wrong += results[i] != expected(count, i);
  }
  std::printf("%llx %d wrong\n", *votes, wrong);
}
