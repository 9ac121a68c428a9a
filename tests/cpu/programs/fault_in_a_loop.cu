// Kernels in which one thread of a vectorized loop over threads accesses an address that is not mapped.
#include <cstdio>
#include <cstring>

__global__ void tile(float* out, const float* in, int n, const int* rows) {
  __shared__ float t[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  t[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[rows[y * n + x] * n + x] = t[threadIdx.x][threadIdx.y];  // fault: tile
}

__global__ void lane(float* out, const int* where) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[where[i]] = i;  // fault: lane
}

__global__ void everywhere(float* out, int away) {
  out[blockIdx.x * blockDim.x + threadIdx.x + away] = 1;  // fault: everywhere
}

int main(int argc, char** argv) {
  const int n = 64, away = -500000000;
  const char* const name = argc > 1 ? argv[1] : "";
  int* where;
  float *a, *b;
  cudaMallocManaged(&where, sizeof(int) * n * n);
  cudaMalloc(&a, sizeof(float) * n * n);
  cudaMalloc(&b, sizeof(float) * n * n);
  for (int i = 0; i < n * n; ++i) where[i] = i / n;
  printf("begin\n");
  if (std::strcmp(name, "tile") == 0) {
    where[37 * n + 3] = away / n;
    tile<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n, where);
  } else if (std::strcmp(name, "lane") == 0) {
    for (int i = 299; i < 384; ++i) where[i] = away;  // the first is named
    lane<<<8, 128>>>(a, where);
  } else {
    everywhere<<<64, 128>>>(a, away);  // each processor's thread has a fault
  }
  return cudaDeviceSynchronize();
}
