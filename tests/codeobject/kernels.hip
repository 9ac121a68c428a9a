// Kernels that differ in what limits them. Compiled without headers (-nogpuinc), so the few words needed are here.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((amdgpu_flat_work_group_size(1, n)))

struct dim3 {
  unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, __SIZE_TYPE__, void*);

// Keeps N values alive at once: registers up to a point, spills and scratch beyond.
template <int N>
__device__ float mix(const float* in, int i) {
  float r[N];
#pragma unroll
  for (int j = 0; j < N; ++j) r[j] = in[i * N + j];
#pragma unroll
  for (int round = 0; round < 4; ++round) {
#pragma unroll
    for (int j = 0; j < N; ++j) r[j] = r[j] * r[(j * 7 + 3) % N] + in[round * j];
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < N; ++j) sum += r[j];
  return sum;
}

template <int N>
__global__ __launch_bounds__(256) void registers(float* out, int i) {
  out[i] = mix<N>(out, i);
}
template __global__ void registers<16>(float*, int);
template __global__ void registers<64>(float*, int);
template __global__ void registers<200>(float*, int);

template <int N>
__global__ __launch_bounds__(1024) void registers_in_large_groups(float* out, int i) {
  out[i] = mix<N>(out, i);
}
template __global__ void registers_in_large_groups<200>(float*, int);

template <int Bytes, int Threads>
__global__ __launch_bounds__(Threads) void local_memory(float* out, int i) {
  __shared__ float tile[Bytes / 4];
  tile[i] = out[i];
  __builtin_amdgcn_s_barrier();
  out[i] = tile[i ^ 1];
}
template __global__ void local_memory<4096, 64>(float*, int);
template __global__ void local_memory<16384, 256>(float*, int);
template __global__ void local_memory<40000, 256>(float*, int);
template __global__ void local_memory<65536, 1024>(float*, int);

extern "C" __global__ void small(float* out) { out[0] = 1; }

extern "C" __global__ __launch_bounds__(64) __attribute__((amdgpu_waves_per_eu(1, 2))) void few_waves(float* out) {
  out[0] = 1;
}

__device__ __attribute__((noinline)) int descend(int* out, int depth) {
  return depth == 0 ? out[0] : descend(out, depth - 1) / out[depth];
}
extern "C" __global__ void recursive(int* out, int depth) { out[0] = descend(out, depth); }
