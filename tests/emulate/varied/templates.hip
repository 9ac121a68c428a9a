// SPDX-License-Identifier: MIT
// What C++ makes of kernels: lambdas, variadic templates, constant, managed and static memory, constant expressions.
#include "show.h"

__constant__ int constants[64];
__device__ int counter = 5;
__device__ const float table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
__managed__ int managed[64];

template <typename F>
__global__ void apply(F function, int* out) {
  out[thread_number()] = function(int(thread_number()));
}
template <typename... T>
__device__ int total(T... values) {
  return (int(values) + ... + 0);
}
template <int N>
struct Factorial {
  static constexpr long long value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr long long value = 1;
};
template <typename T, int N>
struct Stack {
  T values[N];
  int size = 0;
  __device__ void push(T value) {
    if (size < N) values[size++] = value;
  }
  __device__ T pop() { return size > 0 ? values[--size] : T{}; }
};
__global__ void run(int* out) {
  const int i = int(thread_number());
  static __device__ int calls;
  atomicAdd(&calls, 1);
  Stack<int, 8> stack;
  for (int k = 0; k < i % 11; ++k) stack.push(k * i);
  int sum = 0;
  for (int k = 0; k < 5; ++k) sum = sum * 3 + stack.pop();
  sum += total(i, 2.5f, 'c', short(-4), Factorial<10>::value) + constants[i % 64] + counter;
  out[i] = sum + int(table[i % 3][i % 4] * 10);
  managed[i % 64] = i % 64 * 3;
}

int main() {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = i * i - 7;
  const int nine = 9;
  if (hipMemcpyToSymbol(HIP_SYMBOL(constants), values, sizeof values) != hipSuccess) return 1;
  if (hipMemcpyToSymbol(HIP_SYMBOL(counter), &nine, sizeof nine) != hipSuccess) return 1;
  auto* const out = zeros<int>(256);
  run<<<2, 128>>>(out);
  show("run", out, 256);
  int sum = 0;
  for (const int value : managed) sum += value;
  std::printf("managed %d\n", sum);
  const int base = 100;
  apply<<<2, 128>>>([=] __device__(int i) { return base + i * values[i % 8]; }, out);
  show("lambda", out, 256);
}
