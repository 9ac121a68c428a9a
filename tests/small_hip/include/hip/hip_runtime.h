// What tests of builds use of HIP (see ../../__init__.py).
#pragma once

#ifdef __HIP__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __global__
#define __device__
#define __host__
#endif

#ifdef __HIP__  // for clang's own <new>, which headers of the C++ library include
#include <stdlib.h>
extern "C" {
__device__ void* malloc(decltype(sizeof(0)) size);
__device__ void free(void* pointer);
}
#endif

using hip_size_t = decltype(sizeof(0));

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

typedef struct ihipStream_t* hipStream_t;
enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorNoDevice = 100 };
enum hipMemcpyKind { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice };

extern "C" {
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, hip_size_t shared = 0, hipStream_t stream = nullptr);
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, hip_size_t* shared, hipStream_t* stream);
hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, hip_size_t shared,
                           hipStream_t stream);
hipError_t hipMalloc(void** pointer, hip_size_t size);
hipError_t hipMallocManaged(void** pointer, hip_size_t size, unsigned flags = 1);
hipError_t hipFree(void* pointer);
hipError_t hipMemcpy(void* to, const void* from, hip_size_t size, hipMemcpyKind kind);
hipError_t hipMemset(void* pointer, int value, hip_size_t size);
hipError_t hipDeviceSynchronize();
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
hipError_t hipGetDeviceCount(int* count);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceReset();
const char* hipGetErrorString(hipError_t error);
const char* hipGetErrorName(hipError_t error);
}

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)

template <typename T>
hipError_t hipMallocManaged(T** pointer, hip_size_t size, unsigned flags = 1) {
  return hipMallocManaged(reinterpret_cast<void**>(pointer), size, flags);
}

template <typename T>
hipError_t hipMalloc(T** pointer, hip_size_t size) {
  return hipMalloc(reinterpret_cast<void**>(pointer), size);
}

#ifdef __HIP__
#define HIP_COORDINATE(axis, value)                     \
  __declspec(property(get = get_##axis)) unsigned axis; \
  static __device__ unsigned get_##axis() { return value; }
#define HIP_COORDINATES(type, of)                  \
  struct type {                                    \
    HIP_COORDINATE(x, __builtin_amdgcn_##of##_x()) \
    HIP_COORDINATE(y, __builtin_amdgcn_##of##_y()) \
    HIP_COORDINATE(z, __builtin_amdgcn_##of##_z()) \
  };
HIP_COORDINATES(HipThread, workitem_id)
HIP_COORDINATES(HipBlock, workgroup_id)
HIP_COORDINATES(HipBlockSize, workgroup_size)
#undef HIP_COORDINATES
#undef HIP_COORDINATE
extern const __device__ __attribute__((weak)) HipThread threadIdx;
extern const __device__ __attribute__((weak)) HipBlock blockIdx;
extern const __device__ __attribute__((weak)) HipBlockSize blockDim;
#endif
