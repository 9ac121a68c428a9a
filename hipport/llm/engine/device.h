// Device memory that is freed automatically, and CUDA errors as exceptions.
#ifndef HIPPORT_LLM_DEVICE_H
#define HIPPORT_LLM_DEVICE_H

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace hipport_llm {

struct EngineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw EngineError(std::string(what) + ": " + cudaGetErrorString(status));
}

// Returns the number of multiprocessors.
inline int processors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "asking for the device's properties");
  return count;
}

// Dynamic shared memory that a block of the kernels may have: what they declare themselves, and a reserve, is not of it.
inline int shared_limit() {
  constexpr int reserved = 1024;
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "asking for the device's properties");
  int limit = 0;
  check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "asking for shared memory");
  return std::max(limit, static_cast<int>(device.sharedMemPerBlock)) - reserved;
}

// Returns how many blocks of a kernel run at the same time.
template <typename Kernel>
int resident_blocks(const Kernel& kernel, int threads) {
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0), "asking for the device's properties");
  return processors() * each;
}

// Returns the dynamic shared memory of a launch: 0 except on NVIDIA GPUs, because elsewhere kernels declare it
// statically.
template <typename Kernel>
int dynamic_bytes(const Kernel& kernel, int bytes) {
#if !defined(__HIP_PLATFORM_AMD__)
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "asking for shared memory");
  return bytes;
#else
  (void)kernel;
  (void)bytes;
  return 0;
#endif
}

// An array on the device.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(size_t count, const char* what) : count_(count) {
    if (count == 0) return;
    const cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&data_), bytes());
    if (status != cudaSuccess)
      throw EngineError("no room on the device for " + std::string(what) + " (" + std::to_string(bytes() >> 20) +
                        " MiB): " + cudaGetErrorString(status));
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) (void)cudaFree(data_);
  }

  T* get() const { return data_; }
  size_t count() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

  void upload(const T* from, size_t count, cudaStream_t stream, size_t at = 0) {
    check(cudaMemcpyAsync(data_ + at, from, count * sizeof(T), cudaMemcpyHostToDevice, stream),
          "copying to the device");
  }
  void download(T* to, size_t count, cudaStream_t stream, size_t at = 0) const {
    check(cudaMemcpyAsync(to, data_ + at, count * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "copying from the device");
  }
  void clear(cudaStream_t stream, size_t at, size_t count) { fill(0, stream, at, count); }
  // Sets all bytes of some elements.
  void fill(int byte, cudaStream_t stream, size_t at, size_t count) {
    check(cudaMemsetAsync(data_ + at, byte, count * sizeof(T), stream), "setting memory of the device");
  }

 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};

}  // namespace hipport_llm

#endif
