// SPDX-License-Identifier: MIT
// Several devices: current device, variables of each, streams, peers, copies between them.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <thread>

__device__ int counter = 5;
__global__ void count(int amount) { counter += amount; }
__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

int wrong = 0;
void expect(bool right, const char* what) {
  if (!right) std::printf("wrong: %s\n", what);
  wrong += !right;
}

int counted() {
  int value = 0;
  expect(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof value) == hipSuccess, "copy of a variable");
  return value;
}

void peers() {
  int can = -1;
  expect(hipDeviceCanAccessPeer(&can, 0, 1) == hipSuccess && can == 1, "peers");
  expect(hipDeviceCanAccessPeer(&can, 1, 1) == hipSuccess && can == 0, "not its own peer");
  expect(hipDeviceDisablePeerAccess(1) == hipErrorPeerAccessNotEnabled, "not enabled");
  expect(hipDeviceEnablePeerAccess(1, 0) == hipSuccess, "enabled");
  expect(hipDeviceEnablePeerAccess(1, 0) == hipErrorPeerAccessAlreadyEnabled, "enabled twice");
  expect(hipDeviceEnablePeerAccess(7, 0) == hipErrorInvalidDevice, "no such peer");
  expect(hipDeviceDisablePeerAccess(1) == hipSuccess, "disabled");
}

void memory() {
  int values[4] = {1, 2, 3, 4}, *first = nullptr, *second = nullptr;
  expect(hipSetDevice(0) == hipSuccess && hipMalloc(reinterpret_cast<void**>(&first), sizeof values) == hipSuccess,
         "memory of device 0");
  expect(hipSetDevice(1) == hipSuccess && hipMalloc(reinterpret_cast<void**>(&second), sizeof values) == hipSuccess,
         "memory of device 1");
  hipPointerAttribute_t attributes;
  expect(hipPointerGetAttributes(&attributes, second + 1) == hipSuccess && attributes.device == 1,
         "a pointer's device");
  expect(hipMemcpy(first, values, sizeof values, hipMemcpyHostToDevice) == hipSuccess, "to device 0");
  expect(hipMemcpyPeer(second, 1, first, 0, sizeof values) == hipSuccess, "from device to device");
  copy<<<1, 4>>>(second, first);
  expect(hipMemcpy(values, first, sizeof values, hipMemcpyDeviceToHost) == hipSuccess, "back");
  expect(values[0] == 2 && values[3] == 5, "a kernel of device 1 on memory of device 0");
}

int main() {
  int devices = 0, device = -1;
  expect(hipGetDeviceCount(&devices) == hipSuccess, "count");
  expect(hipSetDevice(devices) == hipErrorInvalidDevice, "no such device");
  for (int i = 0; i < devices; ++i) {
    expect(hipSetDevice(i) == hipSuccess && hipGetDevice(&device) == hipSuccess && device == i, "current device");
    count<<<1, 1>>>(i);
    hipDeviceProp_t properties;
    expect(hipGetDeviceProperties(&properties, i) == hipSuccess && properties.pciBusID == i, "properties");
  }
  std::thread([&] { expect(hipGetDevice(&device) == hipSuccess && device == 0, "a new thread's device"); }).join();
  for (int i = 0; i < devices; ++i) {
    expect(hipSetDevice(i) == hipSuccess, "device");
    expect(counted() == 5 + i, "each device has its own variable");
  }
  expect(hipSetDevice(0) == hipSuccess, "device 0");
  if (devices > 1) peers(), memory();
  std::printf("%d devices, %d wrong\n", devices, wrong);
  return wrong != 0;
}
