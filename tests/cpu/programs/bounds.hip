// SPDX-License-Identifier: MIT
// Launches within and beyond `__launch_bounds__`: prints for each the threads that ran and the error.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) bounded(int* count) { atomicAdd(count, 1); }

template <int Threads>
__launch_bounds__(2 * Threads, 1) __global__ void bounded_template(int* count) {
  __shared__ int ones[Threads];
  ones[threadIdx.x % Threads] = 1;
  atomicAdd(count, ones[threadIdx.x % Threads]);
}

__global__ void unbounded(int* count) { atomicAdd(count, 1); }

template <typename Kernel>
void report(const char* name, Kernel kernel, int threads) {
  int count = 0;
  kernel<<<1, threads>>>(&count);
  std::printf("%s %d: %d %s\n", name, threads, count, hipGetErrorName(hipGetLastError()));
}

int main() {
  report("bounded", bounded, kThreads);
  report("bounded", bounded, kThreads + 1);
  report("template", bounded_template<32>, 64);
  report("template", bounded_template<32>, 65);
  report("unbounded", unbounded, 1024);
  int count = 0;
  int* pointer = &count;
  void* arguments[] = {&pointer};
  std::printf("by address: %s\n", hipGetErrorName(hipLaunchKernel((void*)bounded, 1, 200, arguments, 0, nullptr)));
  hipFuncAttributes attributes;
  for (auto kernel : {bounded, bounded_template<32>, unbounded}) {
    if (hipFuncGetAttributes(&attributes, (const void*)kernel) != hipSuccess) return 1;
    std::printf("%d threads, %zu bytes\n", attributes.maxThreadsPerBlock, attributes.sharedSizeBytes);
  }
}
