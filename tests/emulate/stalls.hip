// SPDX-License-Identifier: MIT
// Kernels that wait for three seconds, until the host says that they may end: `stalls KIND`.
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

__device__ int load(const int* from) { return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); }

__global__ void flag(int* words) {
  while (load(words) == 0) {  // here the wavefronts wait for the flag
  }
}

__global__ void barriers(int* words) {
  for (int done = 0; done == 0;) {
    __syncthreads();
    done = load(words);
  }
}

// Lanes wait for a lock that another lane of the wavefront keeps.
__global__ void lock(int* words) {
  while (atomicCAS(words + 1, 0, 1) != 0 && load(words) == 0) {
  }
  while (load(words) == 0) {
  }
}

__global__ void counts(int* words) {
  int count = 0;
  while (load(words) == 0) ++count;
  words[2] = count;
}

// One work-group waits for all others, each of which takes a while.
__global__ void others(int* words) {
  if (blockIdx.x == 0) {
    while (load(words + 1) + 1 != int(gridDim.x)) {
    }
    return;
  }
  unsigned value = blockIdx.x;
  for (int i = 0; i < 100000; ++i) value = value * 1664525u + (value >> 7);
  words[2] = int(value);
  if (threadIdx.x == 0) atomicAdd(words + 1, 1);
}

}  // namespace

int main(int, char** arguments) {
  const char* const kind = arguments[1];
  int* words = nullptr;
  if (hipHostMalloc(&words, 4096, 0) != hipSuccess) return 1;
  std::memset(words, 0, 4096);
  std::thread host([words] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    __atomic_store_n(words, 1, __ATOMIC_SEQ_CST);
  });
  if (std::strcmp(kind, "flag") == 0) flag<<<1, 128>>>(words);
  if (std::strcmp(kind, "barriers") == 0) barriers<<<1, 128>>>(words);
  if (std::strcmp(kind, "lock") == 0) lock<<<1, 32>>>(words);
  if (std::strcmp(kind, "counts") == 0) counts<<<1, 128>>>(words);
  if (std::strcmp(kind, "others") == 0) others<<<300, 128>>>(words);
  const bool failed = hipDeviceSynchronize() != hipSuccess;
  host.join();
  std::puts(failed ? "failed" : "ended");
  return failed;
}
