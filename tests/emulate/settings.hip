// SPDX-License-Identifier: MIT
// Settings of kernels, which HIP checks since release 6. With an argument, the program expects what release 5 does.
#include <hip/hip_runtime.h>

#include <cstdio>

extern __shared__ char dynamic[];
__global__ void kernel(int* to) {
  __shared__ int all[256];
  all[threadIdx.x] = int(threadIdx.x) + dynamic[0];
  __syncthreads();
  *to = all[255 - threadIdx.x];
}

static int wrong = 0;
static void expect(const char* what, hipError_t got, hipError_t expected) {
  if (got == expected) return;
  std::printf("%s: %d\n", what, int(got));
  ++wrong;
}

int main(int count, char**) {
  const bool is_old = count > 1;
  const void* const function = reinterpret_cast<const void*>(&kernel);
  hipFuncAttributes all = {};
  expect("attributes", hipFuncGetAttributes(&all, function), hipSuccess);
  const auto set = [&](const char* what, const void* of, int attribute, int value, hipError_t expected) {
    expect(what, hipFuncSetAttribute(of, static_cast<hipFuncAttribute>(attribute), value),
           is_old ? hipSuccess : expected);
  };
  const int shared = hipFuncAttributeMaxDynamicSharedMemorySize,
            carveout = hipFuncAttributePreferredSharedMemoryCarveout, most = all.maxDynamicSharedSizeBytes;
  set("most", function, shared, most, hipSuccess);
  set("more", function, shared, most + 1, hipErrorInvalidValue);
  set("less than none", function, shared, -1, hipErrorInvalidValue);
  set("usual carveout", function, carveout, -1, hipSuccess);
  set("whole carveout", function, carveout, 100, hipSuccess);
  set("carveout below", function, carveout, -2, hipErrorInvalidValue);
  set("carveout above", function, carveout, 101, hipErrorInvalidValue);
  set("no attribute", function, -1, 50, hipErrorInvalidValue);
  set("no kernel", nullptr, carveout, 50, hipErrorInvalidDeviceFunction);
  set("another address", &wrong, carveout, 50, hipErrorInvalidDeviceFunction);
  for (int value = -1; value < 5; ++value) {
    const bool is_cache = value >= 0 && value < 4, is_bank = value >= 0 && value < 3;
    expect("cache", hipFuncSetCacheConfig(function, static_cast<hipFuncCache_t>(value)),
           is_old || is_cache ? hipSuccess : hipErrorInvalidValue);
    expect("banks", hipFuncSetSharedMemConfig(function, static_cast<hipSharedMemConfig>(value)),
           is_old || is_bank ? hipSuccess : hipErrorInvalidValue);
  }
  const hipError_t none = is_old ? hipSuccess : hipErrorInvalidDeviceFunction;
  expect("cache of none", hipFuncSetCacheConfig(nullptr, hipFuncCachePreferNone), none);
  expect("banks of none", hipFuncSetSharedMemConfig(nullptr, hipSharedMemBankSizeDefault), none);
  std::printf("%d wrong\n", wrong);
}
