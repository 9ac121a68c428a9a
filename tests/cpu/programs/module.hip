// A module: kernels with and without C linkage, a template, overloads, a variable.
#include <hip/hip_runtime.h>

__constant__ float by = 2.0f;

extern "C" __global__ void scale(float* data, char, double plus, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = data[i];
  __syncthreads();
  data[i] = tile[threadIdx.x] * by + static_cast<float>(plus);
}
namespace inner {
__global__ void negate(float* data) { data[threadIdx.x] = -data[threadIdx.x]; }
}  // namespace inner
__global__ void overloaded(int*) {}
__global__ void overloaded(float*) {}
