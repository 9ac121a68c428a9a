// SPDX-License-Identifier: MIT
// Functions that call themselves and each other, with arrays of their own.
#include "show.h"

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }
__device__ __noinline__ void sort(int* first, int* last) {
  if (last - first < 2) return;
  const int pivot = first[(last - first) / 2];
  int *low = first, *high = last - 1;
  while (low <= high) {
    while (*low < pivot) ++low;
    while (*high > pivot) --high;
    if (low > high) break;
    const int value = *low;
    *low++ = *high;
    *high-- = value;
  }
  sort(first, high + 1);
  sort(low, last);
}
// A permutation for each number, by Heap's algorithm.
__device__ __noinline__ unsigned permutations(char* text, int length, unsigned hash) {
  char copy[8];
  for (int i = 0; i < 8; ++i) copy[i] = text[i];
  if (length == 1) {
    for (char c : copy) hash = hash * 31 + unsigned(c);
    return hash;
  }
  for (int i = 0; i < length; ++i) {
    hash = permutations(copy, length - 1, hash);
    const int from = length % 2 == 0 ? i : 0;
    const char c = copy[from];
    copy[from] = copy[length - 1];
    copy[length - 1] = c;
  }
  return hash;
}

__global__ void call(unsigned* out) {
  const unsigned i = thread_number();
  int values[17];
  for (int k = 0; k < 17; ++k) values[k] = int(scrambled(i * 17 + unsigned(k)) % 1000) - 500;
  sort(values, values + 17);
  unsigned hash = 0;
  for (const int value : values) hash = hash * 1000003 + unsigned(value);
  out[i * 5] = fibonacci(i % 9);
  out[i * 5 + 1] = ackermann(i % 3, i % 4);
  out[i * 5 + 2] = is_even(i % 40);
  out[i * 5 + 3] = hash;
  char text[8] = {'a', 'b', 'c', 'd', char('e' + i % 5), 0, 0, 0};
  out[i * 5 + 4] = permutations(text, 3 + int(i % 3), i);
}

int main() {
  auto* const out = zeros<unsigned>(192 * 5);
  call<<<2, 96>>>(out);
  show("recursion", out, 192 * 5);
}
