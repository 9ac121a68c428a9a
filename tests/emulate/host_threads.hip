// Threads of the host that launch kernels, each kernel for the first time, at the same time. The kernels share a function.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

constexpr int kThreads = 4, kKernels = 24, kCount = 256;

__device__ __noinline__ int mixed(int value, int times) {
  for (int i = 0; i < times; ++i) value = value * 5 + i;
  return value;
}

template <int K>
__global__ void fill(int* out) {
  int value = threadIdx.x + K;
  for (int i = 0; i < K % 7; ++i) value = value * 3 + 1;
  out[threadIdx.x] = mixed(value, K % 5);
}

int expected(int kernel, int thread) {
  int value = thread + kernel;
  for (int i = 0; i < kernel % 7; ++i) value = value * 3 + 1;
  for (int i = 0; i < kernel % 5; ++i) value = value * 5 + i;
  return value;
}

template <int... K>
void launch(int kernel, int* out, std::integer_sequence<int, K...>) {
  ((kernel == K ? fill<K><<<1, kCount>>>(out) : void()), ...);
}

int main() {
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] {
      int* out = nullptr;
      if (hipMallocManaged(reinterpret_cast<void**>(&out), kCount * sizeof(int)) != hipSuccess) wrong += 1;
      ++ready;
      while (ready < kThreads) continue;
      for (int turn = 0; turn < kKernels; ++turn) {
        const int kernel = (turn + number / 2) % kKernels;  // two threads launch the same one
        launch(kernel, out, std::make_integer_sequence<int, kKernels>());
        if (hipStreamSynchronize(nullptr) != hipSuccess) wrong += 1;
        for (int i = 0; i < kCount; ++i) wrong += out[i] != expected(kernel, i);
      }
    });
  for (std::thread& one : threads) one.join();
  std::printf("%d wrong\n", wrong.load());
}
