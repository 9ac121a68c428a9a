// Lanes of shuffles are taken modulo their width; a saturated NaN is 0.
#include <cuda_runtime.h>

#include "checks.h"

constexpr int kThreads = 96;

__global__ void segments(int* out, float* floats, float x) {
  const int thread = threadIdx.x, lane = thread & 31, value = thread * 10;
  int* row = out + thread;
  row[0] = __shfl_sync(~0u, value, lane ^ 1, 2);
  row[kThreads] = __shfl_sync(~0u, value, lane, 8);
  row[2 * kThreads] = __shfl_sync(~0u, value, threadIdx.x ^ 1);
  row[3 * kThreads] = __shfl_sync(~0u, value, thread + 5, 16);
  floats[thread] = __saturatef((thread - 48) * x);
  if (thread == 0) floats[0] = __saturatef(x * __int_as_float(0x7fc00000));
}

int main() {
  int *out, got[4 * kThreads];
  float *floats, read[kThreads];
  cudaMalloc(&out, sizeof got);
  cudaMalloc(&floats, sizeof read);
  segments<<<1, kThreads>>>(out, floats, 0.125f);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(read, floats, sizeof read, cudaMemcpyDeviceToHost);
  for (int thread = 0; thread < kThreads; ++thread) {
    const float plain = (thread - 48) * 0.125f;
    expect("pairs", thread, got[thread], (thread ^ 1) * 10);
    expect("eights", thread, got[kThreads + thread], thread * 10);
    expect("warps", thread, got[2 * kThreads + thread], (thread ^ 1) * 10);
    expect("sixteens", thread, got[3 * kThreads + thread], ((thread & ~15) + (thread + 5) % 16) * 10);
    expect("saturated", thread, read[thread], thread == 0 || plain < 0 ? 0 : plain > 1 ? 1 : plain);
  }
  return finished("segments");
}
