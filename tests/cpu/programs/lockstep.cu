// SPDX-License-Identifier: MIT
// Programs that are right only if the 32 lanes of a warp run in step; each exists with barriers, too. The argument
// names one: the program prints "right" or "wrong".
#include <cstdio>
#include <cstring>

#define LANES 32

// 1: a reduction in volatile shared memory.
__global__ void reduce(int* out) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = threadIdx.x;
  s[threadIdx.x + 32] = 1;
  s[threadIdx.x] += s[threadIdx.x + 32];
  s[threadIdx.x] += s[threadIdx.x + 16];
  s[threadIdx.x] += s[threadIdx.x + 8];
  s[threadIdx.x] += s[threadIdx.x + 4];
  s[threadIdx.x] += s[threadIdx.x + 2];
  s[threadIdx.x] += s[threadIdx.x + 1];
  if (threadIdx.x == 0) out[0] = s[0];
}

// 2: a scan, in which fewer lanes take part from step to step.
__global__ void scan(int* out) {
  __shared__ volatile int s[LANES];
  s[threadIdx.x] = 1;
  for (int d = 1; d < LANES; d *= 2)
    if (threadIdx.x >= d) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x - d];
  out[threadIdx.x] = s[threadIdx.x];
}

// 3: values that another lane reads at once.
__global__ void reverse(int* out) {
  __shared__ int s[LANES];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[LANES - 1 - threadIdx.x];
}

// 4: one lane reserves room for all.
__device__ unsigned reserved;
__global__ void aggregate(int* out) {
  __shared__ volatile unsigned start;
  if (threadIdx.x == LANES - 1) start = atomicAdd(&reserved, LANES);
  out[start + threadIdx.x] = threadIdx.x;
}

// 5: a histogram that finds out by a tag whose store was the last.
__global__ void histogram(int* out) {
  __shared__ volatile unsigned bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  const unsigned tag = threadIdx.x << 27;
  unsigned count;
  do {
    count = bins[threadIdx.x % 4] & 0x07ffffff;
    count = tag | (count + 1);
    bins[threadIdx.x % 4] = count;
  } while (bins[threadIdx.x % 4] != count);
  if (threadIdx.x < 4) out[threadIdx.x] = bins[threadIdx.x] & 0x07ffffff;
}

// 6: a vote without the vote.
__global__ void vote(int* out) {
  __shared__ volatile int any;
  any = 0;
  if (threadIdx.x == 20) any = 1;
  out[threadIdx.x] = any;
}

// 7: neighbors in global memory.
__global__ void shift(volatile int* memory, int* out) {
  memory[threadIdx.x] = threadIdx.x;
  memory[threadIdx.x] = memory[(threadIdx.x + 1) % LANES];
  out[threadIdx.x] = memory[threadIdx.x];
}

// 8: a lock that one lane takes while the others wait: it never ends if lanes run in step.
__device__ int lock;
__global__ void locked(int* out) {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  out[0] += 1;
  __threadfence();
  atomicExch(&lock, 0);
}

// With barriers: right on every machine.
__global__ void synchronized(int* out) {
  __shared__ int s[LANES];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = s[LANES - 1 - threadIdx.x];
}

int main(int argc, char** argv) {
  int *memory = nullptr, *more = nullptr, out[2 * LANES];
  cudaMalloc(&memory, sizeof(out));
  cudaMalloc(&more, sizeof(out));
  cudaMemset(memory, 0, sizeof(out));
  cudaMemset(more, 0, sizeof(out));
  const char* const name = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("reduce")) reduce<<<1, LANES>>>(memory);
  if (is("scan")) scan<<<1, LANES>>>(memory);
  if (is("reverse")) reverse<<<1, LANES>>>(memory);
  if (is("aggregate")) {
    aggregate<<<1, LANES>>>(memory);
    aggregate<<<1, LANES>>>(memory);
  }
  if (is("histogram")) histogram<<<1, LANES>>>(memory);
  if (is("vote")) vote<<<1, LANES>>>(memory);
  if (is("shift")) shift<<<1, LANES>>>(more, memory);
  if (is("locked")) locked<<<1, LANES>>>(memory);
  if (is("synchronized")) synchronized<<<1, LANES>>>(memory);
  cudaMemcpy(out, memory, sizeof(out), cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0; i < LANES; ++i) {
    if (is("reduce")) right = right && out[0] == 31 * 16 + 32;
    if (is("scan")) right = right && out[i] == i + 1;
    if (is("reverse") || is("synchronized")) right = right && out[i] == LANES - 1 - i;
    if (is("aggregate")) right = right && out[i] == i && out[LANES + i] == i;
    if (is("histogram")) right = right && (i >= 4 || out[i] == LANES / 4);
    if (is("vote")) right = right && out[i] == 1;
    if (is("shift")) right = right && out[i] == (i + 1) % LANES;
    if (is("locked")) right = right && out[0] == LANES;
  }
  std::printf("%s\n", right ? "right" : "wrong");
  cudaFree(memory);
  cudaFree(more);
  return 0;
}
