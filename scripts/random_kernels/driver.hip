// SPDX-License-Identifier: MIT
// Runs kernels of a module, and prints what each of them computes: a hash, or with a kernel's number its values.
//   driver MODULE KERNELS [KERNEL]
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

constexpr unsigned kBlocks = 3, kMost = 128, kSlots = 32, kThreads = kBlocks * kMost;

static void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::printf("%s: %s\n", what, hipGetErrorName(error));
  std::exit(2);
}
#define CHECK(call) check(call, #call)

// A start value: small numbers, the largest ones and patterns of floating-point numbers among random ones.
static uint32_t value(uint32_t i) {
  const uint32_t hash = (i * 2654435761u ^ i << 13) * 2246822519u;
  const uint32_t edges[] = {0, 1, 0xffffffffu, 0x80000000u, 0x7fffffffu, 0x3f800000u, 0x7f800000u, 0x00000007u};
  return hash % 11 < 2 ? edges[hash >> 8 & 7] : hash % 11 < 5 ? hash >> 24 : hash;
}

template <typename T>
struct Buffer {
  T* memory = nullptr;
  std::vector<T> host;
  explicit Buffer(size_t count) : host(count) {
    CHECK(hipMalloc(reinterpret_cast<void**>(&memory), count * sizeof(T)));
  }
  void send() { CHECK(hipMemcpy(memory, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice)); }
  void receive() { CHECK(hipMemcpy(host.data(), memory, host.size() * sizeof(T), hipMemcpyDeviceToHost)); }
};

int main(int count, char** words) {
  if (count < 3) return 3;
  const int kernels = std::atoi(words[2]), shown = count > 3 ? std::atoi(words[3]) : -1;
  hipModule_t module;
  CHECK(hipModuleLoad(&module, words[1]));
  Buffer<uint32_t> in(2 * kThreads), own(kThreads), counts(16);
  Buffer<unsigned long long> out(kThreads * kSlots), wide(kThreads);
  for (int kernel = 0; kernel < kernels; ++kernel) {
    if (shown >= 0 && kernel != shown) continue;
    for (uint32_t i = 0; i < in.host.size(); ++i) in.host[i] = value(i + 1000 * kernel);
    for (uint32_t i = 0; i < kThreads; ++i)
      own.host[i] = i * 3, wide.host[i] = 0xfffffff0ull + i, counts.host[i % 16] = i % 16;
    out.host.assign(out.host.size(), 0);
    in.send(), own.send(), counts.send(), wide.send(), out.send();
    hipFunction_t function;
    CHECK(hipModuleGetFunction(&function, module, ("kernel" + std::to_string(kernel)).c_str()));
    void* arguments[] = {&in.memory, &out.memory, &own.memory, &counts.memory, &wide.memory};
    const unsigned threads = kernel % 3 == 0 ? 128 : kernel % 3 == 1 ? 96 : 70;
    CHECK(hipModuleLaunchKernel(function, kBlocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(hipDeviceSynchronize());
    out.receive(), own.receive(), counts.receive(), wide.receive();
    uint64_t hash = 14695981039346656037ull;
    unsigned number = 0;
    const auto add = [&](uint64_t one, const char* where) {
      hash = (hash ^ one) * 1099511628211ull;
      if (shown >= 0) std::printf("%s %u.%u %llx\n", where, number / kSlots, number % kSlots, (unsigned long long)one);
      ++number;
    };
    for (uint64_t one : out.host) add(one, "out");
    for (uint64_t one : own.host) add(one, "own");
    for (uint64_t one : counts.host) add(one, "counts");
    for (uint64_t one : wide.host) add(one, "wide");
    if (shown < 0) std::printf("kernel%d %016llx\n", kernel, (unsigned long long)hash);
  }
  return 0;
}
