// SPDX-License-Identifier: MIT
// Pointers to functions and to members, in tables, arguments and variables of the device.
#include "show.h"

using Function = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int power(int a, int b) {
  int result = 1;
  for (int i = 0; i < (b & 7); ++i) result *= a;
  return result;
}
__device__ Function table[] = {add, subtract, multiply, power};
__device__ Function chosen = multiply;

struct Counter {
  int value = 0;
  __device__ __noinline__ void up(int by) { value += by; }
  __device__ __noinline__ void down(int by) { value -= by; }
};
template <typename F>
__device__ __noinline__ int fold(F function, int start, int count) {
  for (int i = 1; i <= count; ++i) start = function(start, i);
  return start;
}

__global__ void through_tables(int* out) {
  const int i = int(thread_number());
  int value = table[i & 3](i, i ^ 5);
  for (int k = 0; k < 6; ++k) value = table[(scrambled(unsigned(i)) >> (2 * k)) & 3](value, k + 1);
  out[i] = value + fold(chosen, 1, i % 10) + fold([i](int a, int b) { return a ^ (b * i); }, i, 5);
}
__global__ void through_members(int* out) {
  const int i = int(thread_number());
  void (Counter::* const move)(int) = i % 3 == 0 ? &Counter::down : &Counter::up;
  int Counter::* const member = &Counter::value;
  Counter counter;
  for (int k = 0; k < 4; ++k) (counter.*move)(i + k);
  out[i] = counter.*member;
}
__global__ void given(Function* functions, int* out) { out[thread_number()] += functions[thread_number() % 2](9, 4); }
__global__ void take(Function* functions) {
  functions[0] = subtract;
  functions[1] = power;
}

int main() {
  auto* const out = zeros<int>(256);
  auto* const functions = zeros<Function>(2);
  through_tables<<<2, 128>>>(out);
  show("tables", out, 256);
  through_members<<<2, 128>>>(out);
  take<<<1, 1>>>(functions);
  given<<<2, 128>>>(functions, out);
  show("members", out, 256);
}
