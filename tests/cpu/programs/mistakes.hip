// SPDX-License-Identifier: MIT
// One mistake of a kernel a time, chosen by the program's argument; "none" makes none, and "returned" what only looks
// like one.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#define THREADS 64

__global__ void shared_overrun(float* out, int shift) {
  __shared__ float tile[THREADS], next[THREADS];
  tile[threadIdx.x + shift] = 1.0f;  // mistake: shared
  next[threadIdx.x] = 2.0f;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + next[threadIdx.x];
}

__global__ void dynamic_overrun(float* out, int shift) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + shift];  // mistake: dynamic
}

__global__ void global_overrun(float* out, int shift) {
  out[threadIdx.x + shift] = 1.0f;  // mistake: global
}

__global__ void race(float* out, bool barrier) {
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = threadIdx.x;  // mistake: race
  if (barrier) __syncthreads();
  out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

__global__ void race_of_blocks(float* out) {
  if (threadIdx.x == 0) *out = *out + 1.0f;  // mistake: blocks
}

__global__ void unreached_barrier(float* out) {
  if (threadIdx.x < 16) __syncthreads();  // mistake: unreached
  out[threadIdx.x] = 1.0f;
}

__global__ void two_barriers(float* out) {
  if (threadIdx.x % 2) {
    out[threadIdx.x] = 1.0f;
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void missing_lanes(float* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_sync(0xffffffffu, 1.0f, 0);  // mistake: lanes
  else
    __syncthreads();
}

__global__ void foreign_mask(float* out) { out[threadIdx.x] = __shfl_sync(1u, 1.0f, 0); }

__global__ void unwritten(float* out) {
  __shared__ float tile[THREADS];
  out[threadIdx.x] = tile[threadIdx.x];
}

__device__ float sum_of_neighbours(float* tile) {
  __syncthreads();
  return tile[threadIdx.x] + tile[0];
}

__global__ void returned(float* out) {
  __shared__ float tile[THREADS];
  if (threadIdx.x >= 50) return;
  tile[threadIdx.x] = 1.0f;
  out[threadIdx.x] = sum_of_neighbours(tile);
}

__global__ void all_ordered(float* out, float* sum) {
  __shared__ float tile[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[i] = tile[THREADS - 1 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = __shfl_xor(tile[threadIdx.x], 1);
  atomicAdd(sum, out[i]);
}

int main(int argc, char** argv) {
  const int blocks = 16, count = blocks * THREADS;
  const char* name = argc > 1 ? argv[1] : "none";
  float *out = nullptr, *sum = nullptr;
  if (hipMalloc(&out, count * sizeof(float)) || hipMalloc(&sum, sizeof(float))) return 2;
  hipMemset(out, 0, count * sizeof(float));
  hipMemset(sum, 0, sizeof(float));
  const size_t bytes = THREADS * sizeof(float);
  if (!std::strcmp(name, "shared")) shared_overrun<<<2, THREADS>>>(out, 1);
  if (!std::strcmp(name, "dynamic")) dynamic_overrun<<<2, THREADS, bytes>>>(out, 1);
  if (!std::strcmp(name, "global")) global_overrun<<<1, THREADS>>>(out, count - THREADS + 1);
  if (!std::strcmp(name, "race")) race<<<1, THREADS>>>(out, false);
  if (!std::strcmp(name, "blocks")) race_of_blocks<<<1000, THREADS>>>(sum);
  if (!std::strcmp(name, "unreached")) unreached_barrier<<<2, THREADS>>>(out);
  if (!std::strcmp(name, "two")) two_barriers<<<2, THREADS>>>(out);
  if (!std::strcmp(name, "lanes")) missing_lanes<<<2, THREADS>>>(out);
  if (!std::strcmp(name, "mask")) foreign_mask<<<2, THREADS>>>(out);
  if (!std::strcmp(name, "unwritten")) unwritten<<<1, THREADS>>>(out);
  if (!std::strcmp(name, "returned")) returned<<<1, THREADS>>>(out);
  if (!std::strcmp(name, "none")) {
    shared_overrun<<<1, THREADS>>>(out, 0);
    dynamic_overrun<<<1, THREADS, bytes>>>(out, 0);
    global_overrun<<<1, THREADS>>>(out, count - THREADS);
    race<<<1, THREADS>>>(out, true);
    all_ordered<<<blocks, THREADS>>>(out, sum);
  }
  std::printf("%s: %g %g\n", name, out[0], *sum);
  return hipGetLastError() != hipSuccess;
}
