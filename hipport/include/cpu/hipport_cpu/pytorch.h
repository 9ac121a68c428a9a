// SPDX-License-Identifier: MIT
// PyTorch's CUDA part for the CPU target: an extension's kernels run on tensors of the CPU, with PyTorch built for CPUs.
//
// It is included before everything else (`-include hipport_cpu/pytorch.h`): PyTorch's headers must not take the compiler
// for HIP's, whose libraries they would include, except for the conversions of 16-bit floats. After them, `is_cuda` asks
// for a tensor of the CPU, and `kCUDA` names the CPU, so that checks and allocations of extensions fit.
#pragma once

#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

// at::Half's own __ldg hides the general one in its namespace; this one is found by its argument.
namespace hipport::cpu {
inline __half __ldg(const __half* address) { return *address; }
}  // namespace hipport::cpu

#include <torch/headeronly/util/Half.h>

#pragma push_macro("__HIP__")
#pragma push_macro("__HIPCC__")
#undef __HIP__
#undef __HIPCC__
#include <ATen/ATen.h>
#include <ATen/ceil_div.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <torch/extension.h>
#pragma pop_macro("__HIPCC__")
#pragma pop_macro("__HIP__")

#define is_cuda is_cpu
#define kCUDA kCPU

namespace c10::cuda {

inline DeviceIndex device_count() noexcept { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex, bool = false) {}
inline void MaybeSetDevice(DeviceIndex) {}
inline hipError_t SetDevice(DeviceIndex, bool = false) { return hipSuccess; }
inline DeviceIndex ExchangeDevice(DeviceIndex) { return 0; }
inline DeviceIndex MaybeExchangeDevice(DeviceIndex) { return 0; }
inline void device_synchronize() { (void)hipDeviceSynchronize(); }
inline int warp_size() { return hipport::cpu::wave_size; }

class CUDAStream {
 public:
  CUDAStream() = default;
  explicit CUDAStream(hipStream_t stream) : stream_(stream) {}
  operator hipStream_t() const { return stream_; }
  hipStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return 0; }
  Device device() const { return Device(DeviceType::CPU); }
  bool query() const { return true; }
  void synchronize() const { (void)hipStreamSynchronize(stream_); }
  bool operator==(const CUDAStream& other) const { return stream_ == other.stream_; }
  bool operator!=(const CUDAStream& other) const { return stream_ != other.stream_; }

 private:
  hipStream_t stream_ = nullptr;
};

inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return {}; }
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return {}; }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) { return {}; }
inline CUDAStream getStreamFromExternal(hipStream_t stream, DeviceIndex) { return CUDAStream(stream); }
inline void setCurrentCUDAStream(CUDAStream) {}

// There is one device, so guards have nothing to restore.
struct CUDAGuard {
  explicit CUDAGuard(DeviceIndex) {}
  explicit CUDAGuard(Device) {}
  void set_device(Device) {}
  void reset_device(Device) {}
  void set_index(DeviceIndex) {}
};

struct OptionalCUDAGuard {
  OptionalCUDAGuard() = default;
  template <typename T>
  explicit OptionalCUDAGuard(T) {}
  void set_device(Device) {}
  void set_index(DeviceIndex) {}
  void reset() {}
};

struct CUDAStreamGuard {
  explicit CUDAStreamGuard(CUDAStream) {}
  void reset_stream(CUDAStream) {}
};

using OptionalCUDAStreamGuard = OptionalCUDAGuard;

namespace CUDACachingAllocator {
inline Allocator* get() { return GetCPUAllocator(); }
inline void* raw_alloc(size_t bytes) { return GetCPUAllocator()->raw_allocate(bytes); }
inline void* raw_alloc_with_stream(size_t bytes, hipStream_t) { return raw_alloc(bytes); }
inline void raw_delete(void* memory) { GetCPUAllocator()->raw_deallocate(memory); }
inline void recordStream(const DataPtr&, CUDAStream) {}
inline void emptyCache() {}
}  // namespace CUDACachingAllocator

namespace compat {
using std::abs;
using std::ceil;
using std::exp;
using std::floor;
using std::log;
using std::max;
using std::min;
using std::pow;
using std::sqrt;
using std::tanh;
template <typename T>
T rsqrt(T value) {
  return T(1) / std::sqrt(value);
}
}  // namespace compat

}  // namespace c10::cuda

#define C10_CUDA_CHECK(...)                                                                      \
  do {                                                                                           \
    const hipError_t hipport_status = (__VA_ARGS__);                                             \
    TORCH_CHECK(hipport_status == hipSuccess, "HIP error: ", hipGetErrorString(hipport_status)); \
  } while (0)
#define C10_CUDA_CHECK_WARN(...) C10_CUDA_CHECK(__VA_ARGS__)
#define C10_CUDA_ERROR_HANDLED(...) (__VA_ARGS__)
#define C10_CUDA_IGNORE_ERROR(...) ((void)(__VA_ARGS__))
#define C10_CUDA_CLEAR_ERROR() ((void)hipGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(hipGetLastError())
#define AT_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)

namespace at::cuda {

inline hipDeviceProp_t* getDeviceProperties(DeviceIndex) {
  static hipDeviceProp_t properties = [] {
    hipDeviceProp_t found{};
    C10_CUDA_CHECK(hipGetDeviceProperties(&found, 0));
    return found;
  }();
  return &properties;
}

inline hipDeviceProp_t* getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline bool is_available() { return true; }

template <typename A, typename B>
constexpr auto ATenCeilDiv(A a, B b) {
  return (a + b - 1) / b;
}

}  // namespace at::cuda

template <typename T>
T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}

template <typename T>
void gpuAtomicAddNoReturn(T* address, T value) {
  atomicAdd(address, value);
}

// Numbers without an atomic function of HIP (8-bit integers, 16-bit floats): tried until no other thread came between.
namespace hipport::cpu {
template <typename T, typename F>
T atomic_by(T* address, F change) {
  T before, after;
  __atomic_load(address, &before, __ATOMIC_RELAXED);
  do {
    after = change(before);
  } while (!__atomic_compare_exchange(address, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return before;
}
}  // namespace hipport::cpu

// HIP's max and min convert 16-bit floats to float.
inline at::Half max(at::Half a, at::Half b) { return a < b ? b : a; }
inline at::Half min(at::Half a, at::Half b) { return b < a ? b : a; }
inline at::BFloat16 max(at::BFloat16 a, at::BFloat16 b) { return a < b ? b : a; }
inline at::BFloat16 min(at::BFloat16 a, at::BFloat16 b) { return b < a ? b : a; }

#define HIPPORT_PYTORCH_ADD(T)                                                                \
  inline T gpuAtomicAdd(T* address, T value) {                                                \
    return hipport::cpu::atomic_by(address, [value](T before) { return T(before + value); }); \
  }                                                                                           \
  inline T atomicAdd(T* address, T value) { return gpuAtomicAdd(address, value); }            \
  inline void gpuAtomicAddNoReturn(T* address, T value) { gpuAtomicAdd(address, value); }
HIPPORT_PYTORCH_ADD(at::Half)
HIPPORT_PYTORCH_ADD(at::BFloat16)
HIPPORT_PYTORCH_ADD(int64_t)
HIPPORT_PYTORCH_ADD(int16_t)
HIPPORT_PYTORCH_ADD(int8_t)
HIPPORT_PYTORCH_ADD(uint8_t)
#undef HIPPORT_PYTORCH_ADD
