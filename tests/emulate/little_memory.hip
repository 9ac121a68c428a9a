// SPDX-License-Identifier: MIT
// Launches a kernel whose private memory is more than what the system has left: the limit is set when all else is there.
#include <hip/hip_runtime.h>
#include <sys/resource.h>

#include <cstdio>

__global__ void scattered(int* out, int count) {
  int own[16 << 10];
  for (int i = 0; i < count; ++i) own[(i * 31 + threadIdx.x) % (16 << 10)] = i;
  out[threadIdx.x] = own[out[threadIdx.x] % (16 << 10)];
}

int main() {
  int* out;
  if (hipMalloc(&out, 1024 * sizeof(int)) || hipMemset(out, 0, 1024 * sizeof(int))) return 1;
  scattered<<<1, 64>>>(out, 1);  // starts what the emulator needs
  if (hipDeviceSynchronize()) return 1;
  unsigned long pages = 0;
  FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lu", &pages) != 1) return 1;
  std::fclose(file);
  const rlim_t size = pages * 4096 + (16 << 20);
  const rlimit limit{size, size};
  if (setrlimit(RLIMIT_AS, &limit)) return 1;
  scattered<<<64, 1024>>>(out, 1);
  return hipDeviceSynchronize() != hipSuccess;
}
