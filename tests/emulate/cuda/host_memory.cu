// The host's memory before, while and after it is registered.
#include <cuda_runtime.h>

#include "checks.h"

__global__ void scale(float* values, float factor) { values[threadIdx.x] *= factor; }

int main() {
  static float values[256];
  float* device = values;
  values[5] = 2;
  expect("before", 0, cudaHostGetDevicePointer(&device, values, 0), cudaErrorInvalidValue);
  expect("unregister", 0, cudaHostUnregister(values), cudaErrorHostMemoryNotRegistered);
  expect("register", 0, cudaHostRegister(values, sizeof values, cudaHostRegisterMapped), cudaSuccess);
#if defined(__HIP_PLATFORM_AMD__)
  const cudaError_t registered = cudaSuccess;  // AMD's runtime does not look
#else
  const cudaError_t registered = cudaErrorHostMemoryAlreadyRegistered;
#endif
  expect("register", 1, cudaHostRegister(values, sizeof values, cudaHostRegisterMapped), registered);
  expect("pointer", 0, cudaHostGetDevicePointer(&device, values + 1, 0), cudaSuccess);
  scale<<<1, 8>>>(device, 8);
  expect("synchronize", 0, cudaDeviceSynchronize(), cudaSuccess);
  expect("values", 5, values[5], 16);
  expect("unregister", 1, cudaHostUnregister(values), cudaSuccess);
  expect("unregister", 2, cudaHostUnregister(values), cudaErrorHostMemoryNotRegistered);
  expect("after", 0, cudaHostGetDevicePointer(&device, values, 0), cudaErrorInvalidValue);
  return finished("host_memory");
}
