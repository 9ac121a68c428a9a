// SPDX-License-Identifier: MIT
// Shared variables with `alignas` of types, constants and numbers, on both sides of `__shared__`.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kAlign = 32;
struct Shape {
  double sides[2];
  __device__ virtual int count() { return 2; }
};
template <class T>
struct Box {
  typedef T Inner;
  T value;
};

template <class T, int N>
__global__ void count_misaligned(int* wrong) {
  __shared__ alignas(Shape) char shape[sizeof(Shape)];
  alignas(T) __shared__ char type[16];
  __shared__ alignas(N) char parameter[3];
  __shared__ alignas(kAlign) int constant;
  alignas(Box<double>) __shared__ char first[8], second;
  alignas(unsigned long long) __shared__ char words;
  alignas(typename Box<T>::Inner) __shared__ char dependent;
  __shared__ alignas(2 * N) char product;
  alignas(alignof(float4)) __shared__ char of_type;
  alignas(T*) __shared__ char pointer;
  *wrong = (size_t)shape % alignof(Shape) + (size_t)type % alignof(T) + (size_t)parameter % N;
  *wrong += (size_t)&constant % kAlign + (size_t)first % 8 + (size_t)&second % 8 + (size_t)&words % 8;
  *wrong += (size_t)&dependent % 8 + (size_t)&product % (2 * N) + (size_t)&of_type % 16 + (size_t)&pointer % 8;
}

int main() {
  int* wrong;
  cudaMallocManaged(&wrong, sizeof(int));
  *wrong = 1;
  count_misaligned<double, 64><<<1, 1>>>(wrong);
  cudaDeviceSynchronize();
  printf("%d wrong\n", *wrong);
}
