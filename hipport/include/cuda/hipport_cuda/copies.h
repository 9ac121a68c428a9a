// SPDX-License-Identifier: MIT
// The driver's copy descriptors with HIP's types in them, and copies that take a stream.
#pragma once

struct hipport_Memcpy2D {
  size_t srcXInBytes, srcY;
  cudaMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  cudaArray_t srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  cudaMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  cudaArray_t dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};
static_assert(sizeof(hipport_Memcpy2D) == sizeof(CUDA_MEMCPY2D), "must match the driver");

struct hipport_Memcpy3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  cudaMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  cudaArray_t srcArray;
  void* reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  cudaMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  cudaArray_t dstArray;
  void* reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};
static_assert(sizeof(hipport_Memcpy3D) == sizeof(CUDA_MEMCPY3D), "must match the driver");

#undef hip_Memcpy2D
#define hip_Memcpy2D hipport_Memcpy2D
#undef HIP_MEMCPY3D
#define HIP_MEMCPY3D hipport_Memcpy3D

namespace hipport {
namespace nvidia {

inline cudaError_t memcpy_with_stream(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  const cudaError_t result = cudaMemcpyAsync(to, from, bytes, kind, stream);
  return result == cudaSuccess ? cudaStreamSynchronize(stream) : result;
}

}  // namespace nvidia
}  // namespace hipport

#define hipMemcpyWithStream ::hipport::nvidia::memcpy_with_stream
