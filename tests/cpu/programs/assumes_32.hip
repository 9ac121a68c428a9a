// SPDX-License-Identifier: MIT
// A sum that counts on wavefronts of 32 lanes, as code ported line by line does.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void sum_of_block(const int* values, int* sum) {
  __shared__ int partial[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int value = values[threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_xor(value, delta);
  const unsigned lanes = static_cast<unsigned>(__ballot(value > 0));  // loses the upper half of a wavefront of 64
  if (lane == 0) partial[warp] = __popc(lanes) == 32 ? value : -1;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < static_cast<int>(blockDim.x) / 32; ++i) *sum += partial[i];
}

__global__ void first_lanes(int* count) {
  if (__popcll(__ballot(1)) == 32) atomicAdd(count, 1);
}

int main() {
  int *values = nullptr, *sum = nullptr, *count = nullptr;
  if (hipMalloc(&values, 256 * sizeof(int)) || hipMalloc(&sum, sizeof(int)) || hipMalloc(&count, sizeof(int))) return 2;
  *sum = *count = 0;
  for (int i = 0; i < 256; ++i) values[i] = i + 1;
  sum_of_block<<<1, 256>>>(values, sum);
  first_lanes<<<1, 256>>>(count);
  const bool right = *sum == 256 * 257 / 2 && *count == 256;
  std::printf("%s: %d, %d\n", right ? "PASS" : "FAIL", *sum, *count);
  return right ? 0 : 1;
}
