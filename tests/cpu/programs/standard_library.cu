// The standard library behind the words of the kernel language: its headers say `__noinline__` themselves.
#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <vector>
#if __has_include(<format>)
#include <format>
#endif
#if __has_include(<stacktrace>)
#include <stacktrace>
#endif

#include <cstdio>

#define THREADS 64
#define NOINLINE __noinline__
#define NEVER_INLINE __attribute__((__noinline__))

__device__ __noinline__ int square(int x) { return x * x; }

template <typename T>
static NOINLINE __device__ T twice(T x) {
  return x + x;
}

NEVER_INLINE __host__ __device__ int next(int x) { return x + 1; }

// Element i becomes 2 * j * j + 1 with j from the other end.
__global__ void reversed(int* out) {
  __shared__ int tile[THREADS];
  tile[threadIdx.x] = twice(square(threadIdx.x));
  __syncthreads();
  out[threadIdx.x] = next(tile[THREADS - 1 - threadIdx.x]);
}

static bool succeeded(cudaError_t status) {
  if (status != cudaSuccess) std::printf("%s\n", cudaGetErrorString(status));
  return status == cudaSuccess;
}

int main() {
  int* memory = nullptr;
  if (!succeeded(cudaMalloc(&memory, THREADS * sizeof(int)))) return 1;
  const std::shared_ptr<int> device(memory, [](int* pointer) { succeeded(cudaFree(pointer)); });
  reversed<<<1, THREADS>>>(device.get());
  std::vector<int> host(THREADS);
  if (!succeeded(cudaMemcpy(host.data(), device.get(), THREADS * sizeof(int), cudaMemcpyDeviceToHost))) return 1;
  int wrong = 0;
  for (int i = 0; i < THREADS; ++i) wrong += host[i] != 2 * (THREADS - 1 - i) * (THREADS - 1 - i) + 1;
#if defined(__cpp_lib_format)
  const std::string said = std::format("{} wrong", wrong);
#else
  const std::string said = std::to_string(wrong) + " wrong";
#endif
#if defined(__cpp_lib_stacktrace)
  wrong += !std::stacktrace().empty();
#endif
  std::puts(said.c_str());
  return wrong;
}
