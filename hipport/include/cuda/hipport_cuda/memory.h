// SPDX-License-Identifier: MIT
// Allocation, and hints for managed memory, whose functions changed in CUDA 13.
#pragma once

namespace hipport {
namespace nvidia {

template <typename T>
cudaError_t host_malloc(T** pointer, size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}

template <typename T>
cudaError_t ext_malloc(T** pointer, size_t bytes, unsigned) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}

template <typename T>
cudaError_t host_device_pointer(T** device, void* host, unsigned flags = 0) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}

#if CUDART_VERSION >= 13000
inline cudaMemLocation location(int device) {
  cudaMemLocation place = {};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}

inline cudaError_t prefetch(const void* pointer, size_t bytes, int device, cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, location(device), 0, stream);
}
inline cudaError_t prefetch_to(const void* pointer, size_t bytes, cudaMemLocation place, unsigned flags,
                               cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, place, flags, stream);
}
inline cudaError_t advise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, location(device));
}
inline cudaError_t advise_at(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation place) {
  return cudaMemAdvise(pointer, bytes, advice, place);
}
#endif

}  // namespace nvidia
}  // namespace hipport

#undef hipHostMalloc
#define hipHostMalloc ::hipport::nvidia::host_malloc
#define hipHostAlloc ::hipport::nvidia::host_malloc
#define hipMallocHost ::hipport::nvidia::host_malloc
#undef hipHostGetDevicePointer
#define hipHostGetDevicePointer ::hipport::nvidia::host_device_pointer
#define hipExtMallocWithFlags ::hipport::nvidia::ext_malloc
#define hipFreeHost cudaFreeHost

#if CUDART_VERSION >= 13000
#undef hipMemPrefetchAsync
#define hipMemPrefetchAsync ::hipport::nvidia::prefetch
#undef hipMemPrefetchAsync_v2
#define hipMemPrefetchAsync_v2 ::hipport::nvidia::prefetch_to
#undef hipMemAdvise
#define hipMemAdvise ::hipport::nvidia::advise
#undef hipMemAdvise_v2
#define hipMemAdvise_v2 ::hipport::nvidia::advise_at
#endif
