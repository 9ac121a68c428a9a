// SPDX-License-Identifier: MIT
// What nvcc makes of a program with two kernels, by hand; STEP is what the second adds.
#include <cstddef>
#include <cstdio>

struct Dim3 {
  unsigned x, y, z;
};
extern "C" {
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int __cudaGetKernel(void** handle, const void* host);
int __cudaLaunchKernel(void* handle, Dim3, Dim3, void** values, size_t, void*);
int cudaLaunchKernel(const void* host, Dim3, Dim3, void** values, size_t, void*);
int cudaMalloc(void** pointer, size_t size);
int cudaFree(void* pointer);
int cudaMemcpy(void* to, const void* from, size_t size, int);
}

static void fill(void** values) {  // template <typename T> void fill(T* to, int n)
  float* to = *static_cast<float**>(values[0]);
  for (int i = 0; i < *static_cast<int*>(values[1]); ++i) to[i] = static_cast<float>(i);
}
static void add(void** values) {  // void add(const float* from, float* to, int n)
  const float* from = *static_cast<const float**>(values[0]);
  float* to = *static_cast<float**>(values[1]);
  for (int i = 0; i < *static_cast<int*>(values[2]); ++i) to[i] = from[i] + (i == 5 ? STEP : 0);
}

int main() {
  const auto host = [](void (*kernel)(void**)) { return reinterpret_cast<const char*>(kernel); };
  __cudaRegisterFunction(nullptr, host(fill), nullptr, "_Z4fillIfEvPT_i", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFunction(nullptr, host(add), nullptr, "_ZN4here3addEPKfPfi", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  void *unused, *from, *to, *handle;
  int n = 8;
  cudaMalloc(&unused, 100);
  cudaMalloc(&from, n * sizeof(float));
  cudaFree(unused);
  cudaMalloc(&to, 2 * n * sizeof(float));
  void* of_fill[] = {&from, &n};
  __cudaGetKernel(&handle, host(fill));
  __cudaLaunchKernel(handle, {1, 1, 1}, {8, 1, 1}, of_fill, 0, nullptr);
  float* second_half = static_cast<float*>(to) + n;
  void* of_add[] = {&from, &second_half, &n};
  cudaLaunchKernel(host(add), {1, 1, 1}, {8, 1, 1}, of_add, 16, nullptr);
  float result[8];
  cudaMemcpy(result, second_half, sizeof result, 2);
  std::printf("%g\n", result[7]);
}
