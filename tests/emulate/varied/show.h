// SPDX-License-Identifier: MIT
// What the programs of this folder share: memory of the device, and output that tells results apart.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

// Memory for `count` elements, which are 0 at first. It is kept.
template <typename T>
T* zeros(size_t count) {
  T* memory = nullptr;
  if (hipMalloc(&memory, count * sizeof(T)) != hipSuccess || hipMemset(memory, 0, count * sizeof(T)) != hipSuccess)
    std::puts("no memory");
  return memory;
}

// Write a hash of all elements, and the first ones.
template <typename T>
void show(const char* name, const T* memory, size_t count) {
  std::vector<T> all(count);
  const hipError_t error = hipMemcpy(all.data(), memory, count * sizeof(T), hipMemcpyDeviceToHost);
  uint64_t hash = 1469598103934665603u;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(all.data());
  for (size_t i = 0; i < count * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
  std::printf("%s: %d %016llx", name, int(error), static_cast<unsigned long long>(hash));
  if constexpr (std::is_arithmetic_v<T>)
    for (size_t i = 0; i < count && i < 6; ++i) std::printf(" %.9g", double(all[i]));
  std::puts("");
}

__device__ inline unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Numbers that differ between threads.
__device__ inline uint32_t scrambled(uint32_t value) {
  value = (value ^ 61) ^ (value >> 16);
  value *= 9;
  value ^= value >> 4;
  value *= 0x27d4eb2d;
  return value ^ (value >> 15);
}
