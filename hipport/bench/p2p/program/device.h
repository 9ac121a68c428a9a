// A GPU with what every measurement needs on it: what is copied, where to, and a stream.
#ifndef HIPPORT_P2P_DEVICE_H
#define HIPPORT_P2P_DEVICE_H

#include <string>

#include "cuda_check.h"

namespace p2p {

struct Device {
  int index = 0;
  char* source = nullptr;
  char* target = nullptr;
  cudaStream_t stream = nullptr;
  int blocks = 0;  // of a kernel that copies

  void open(int number, size_t bytes) {
    index = number;
    CUDA_CHECK(cudaSetDevice(index));
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&source), bytes));
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&target), bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int processors = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index));
    blocks = processors * 4;
  }

  void close() {
    CUDA_CHECK(cudaSetDevice(index));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(target));
    CUDA_CHECK(cudaFree(source));
  }
};

inline std::string name_of(int index) {
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  return properties.name;
}

// As compilers name it: gfx90a, sm_90.
inline std::string architecture_of(int index) {
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
#if defined(__HIP_PLATFORM_AMD__)
  const std::string target = properties.gcnArchName;  // with features behind colons
  return target.substr(0, target.find(':'));
#else
  return "sm_" + std::to_string(properties.major * 10 + properties.minor);
#endif
}

// Its place on the PCI bus as 0000:05:00.0, which tools of the system know it by.
inline std::string bus_of(int index) {
  char text[32] = "";
  CUDA_CHECK(cudaDeviceGetPCIBusId(text, sizeof(text), index));
  return text;
}

// Bytes a second that its memory can be read or written at most: two transfers a clock, as of all HBM and GDDR.
inline double memory_rate(int index) {
  int kilohertz = 0, bits = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, index));
  CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, index));
  return 2e3 * kilohertz * bits / 8;
}

// Whether `from` can reach the memory of `to`; from then on it does.
inline bool enable_access(int from, int to) {
  int can = 0;
  CUDA_CHECK(cudaDeviceCanAccessPeer(&can, from, to));
  if (can == 0) return false;
  CUDA_CHECK(cudaSetDevice(from));
  CUDA_CHECK(cudaDeviceEnablePeerAccess(to, 0));
  return true;
}

}  // namespace p2p

#endif
