// SPDX-License-Identifier: MIT
// Wrong calls whose status changed with the releases of HIP. The argument is the release: 5 stands for 5.2.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

static int wrong = 0;
static void expect(const char* what, int got, int expected) {
  const int last = hipGetLastError();
  if (got == expected && last == expected) return;
  std::printf("%s: %d and last %d, not %d\n", what, got, last, expected);
  ++wrong;
}

int main(int, char** given) {
  const int release = std::atoi(given[1]);
  const bool old = release < 6;
  void *host = nullptr, *device = nullptr;
  char text[13];
  size_t value = 0;
  hipFuncAttributes attributes;
  hipPointerAttribute_t pointer;
  expect("memory", hipHostMalloc(&host, 16, 0), hipSuccess);
  expect("flags", hipHostGetDevicePointer(&device, host, 1), old ? hipSuccess : hipErrorInvalidValue);
  expect("part of a name", hipDeviceGetPCIBusId(text, 5, 0), old ? hipSuccess : hipErrorInvalidValue);
  expect("no part", hipDeviceGetPCIBusId(text, 0, 0), hipErrorInvalidValue);
  expect("no device", hipDeviceGetPCIBusId(text, 13, 9), hipErrorInvalidDevice);
  expect("limit", hipDeviceGetLimit(&value, hipLimit_t(99)), old ? hipErrorUnsupportedLimit : hipErrorInvalidValue);
  expect("no place", hipDeviceGetLimit(nullptr, hipLimitMallocHeapSize), hipErrorInvalidValue);
  expect("kernel", hipFuncGetAttributes(&attributes, host), hipErrorInvalidSymbol);
  expect("no kernel", hipFuncGetAttributes(&attributes, nullptr),
         old ? hipErrorInvalidValue : hipErrorInvalidDeviceFunction);
  expect("pointer", hipPointerGetAttributes(&pointer, &value), old ? hipErrorInvalidValue : hipSuccess);
  expect("start", hipProfilerStart(), release < 7 ? hipErrorNotSupported : hipSuccess);
  expect("stop", hipProfilerStop(), release < 7 ? hipErrorNotSupported : hipSuccess);
  std::printf("%d wrong\n", wrong);
}
