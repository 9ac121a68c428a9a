// SPDX-License-Identifier: MIT
// Macros that declare shared memory, with and without the semicolon, several in one scope.
#include <cstdio>

#define SHARED(T, name, n) __shared__ T name[n]
#define SHARED_ONE(T, name) __shared__ T name;
#define DYNAMIC(T, name) extern __shared__ T name[]
#define ALIGNED(T, name, n) __shared__ __align__(16) T name[n];
#define SEVERAL __shared__ int s1, s2[4];
#define MATRIX(name) __shared__ float(name)[4][4 + 1]
#define STATIC static __shared__ int ones[64]

template <class T>
__global__ void sum(T* out) {
  SHARED(T, a, 64);
  SHARED(int, b, 64);
  SHARED_ONE(float, c)
  MATRIX(m);
  ALIGNED(char, d, 8)
  SEVERAL
  DYNAMIC(int, e);
  STATIC;
  const int i = threadIdx.x;
  ones[i] = 1, s1 = 4, s2[1] = 5, a[i] = i, b[i] = 2, m[1][2] = 3, c = 1, d[0] = 2, e[i] = 7;
  __syncthreads();
  out[i] = a[63 - i] + b[3] + static_cast<T>(c) + static_cast<T>(m[1][2]) + d[0] + s1 + s2[1] + e[i ^ 1] + ones[5];
}

int main() {
  double* out;
  cudaMallocManaged(&out, 512);
  sum<<<1, 64, 256>>>(out);
  cudaDeviceSynchronize();
  printf("%g\n", out[3]);
}
