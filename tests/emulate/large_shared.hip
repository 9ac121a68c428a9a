// Reverses 160 KiB of shared memory, less than that, and more than there is.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void reverse(int* data, int count) {
  extern __shared__ int shared[];
  for (int i = threadIdx.x; i < count; i += blockDim.x) shared[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] = shared[count - 1 - i];
}

int main() {
  hipDeviceProp_t properties;
  int most = 0;
  if (hipGetDeviceProperties(&properties, 0) != hipSuccess ||
      hipDeviceGetAttribute(&most, hipDeviceAttributeMaxSharedMemoryPerBlock, 0) != hipSuccess)
    return 1;
  std::printf("%d %d\n", static_cast<int>(properties.sharedMemPerBlock), most);
  const int largest = most / 4;
  int* data = nullptr;
  if (hipMallocManaged(reinterpret_cast<void**>(&data), (largest + 1) * sizeof(int)) != hipSuccess) return 1;
  for (const int count : {1000, largest, largest + 1}) {
    for (int i = 0; i < count; ++i) data[i] = i;
    reverse<<<1, 256, count * sizeof(int)>>>(data, count);
    const bool fits = hipGetLastError() == hipSuccess;
    int blocks = 0, wrong = 0;
    if (hipDeviceSynchronize() != hipSuccess ||
        hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, count * sizeof(int)) != hipSuccess)
      return 2;
    for (int i = 0; i < count; ++i) wrong += data[i] != count - 1 - i;
    std::printf("%d: %s, %d blocks, %d wrong\n", count, fits ? "fits" : "does not fit", blocks, wrong);
  }
}
