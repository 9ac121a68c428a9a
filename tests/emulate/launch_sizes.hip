// SPDX-License-Identifier: MIT
// Launches of no threads, of blocks that are too large, and grids in threads. The argument is the error that launches of a
// program's own kernels give.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void count(int* to) { atomicAdd(to, int(blockDim.x)); }

static int wrong = 0;
static void expect(const char* what, int got, int expected) {
  if (got == expected) return;
  std::printf("%s: %d, not %d\n", what, got, expected);
  ++wrong;
}

int main(int, char** given) {
  const int expected = std::atoi(given[1]);
  int* counter = nullptr;
  expect("memory", hipMalloc(reinterpret_cast<void**>(&counter), sizeof *counter), hipSuccess);
  void* arguments[] = {&counter};
  const auto kernel = reinterpret_cast<const void*>(&count);
  const dim3 wrong_grids[] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  const dim3 wrong_blocks[] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {11, 11, 11}};
  for (int i = 0; i < 7; ++i) {
    const dim3 grid = wrong_grids[i], block = wrong_blocks[i];
    expect("hipLaunchKernel", hipLaunchKernel(kernel, grid, block, arguments, 0, nullptr), expected);
    expect("hipExtLaunchKernel", hipExtLaunchKernel(kernel, grid, block, arguments, 0, nullptr, nullptr, nullptr, 0),
           expected);
    (void)hipGetLastError();
    count<<<grid, block>>>(counter);
    expect("launch", hipGetLastError(), expected);
  }
  expect("no kernel", hipExtLaunchKernel(nullptr, dim3(0), dim3(1), arguments, 0, nullptr, nullptr, nullptr, 0),
         hipErrorInvalidDeviceFunction);
  hipFunction_t function = nullptr;
#ifdef MODULE
  hipModule_t module = nullptr;
  expect("module", hipModuleLoad(&module, given[2]), hipSuccess);
  expect("function", hipModuleGetFunction(&function, module, "_Z5countPi"), hipSuccess);
  const auto launch = [&](unsigned grid, unsigned block) {
    return hipModuleLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr);
  };
  expect("no blocks of a module", launch(0, 1), hipErrorInvalidValue);
  expect("no threads of a module", launch(1, 0), hipErrorInvalidValue);
  expect("too many threads of a module", launch(1, 2048), hipErrorInvalidValue);
  const auto by_threads = [&](unsigned threads, unsigned block) {
    return hipExtModuleLaunchKernel(function, threads, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr, nullptr,
                                    nullptr, 0);
  };
  expect("no threads", by_threads(0, 64), expected);
  expect("blocks of no threads", by_threads(64, 0), expected);
  expect("a part of a block", by_threads(100, 64), hipErrorInvalidValue);
  expect("a small block", by_threads(10, 64), hipSuccess);
  expect("two blocks", by_threads(128, 64), hipSuccess);
  int sum = 0;
  expect("copy", hipMemcpy(&sum, counter, sizeof sum, hipMemcpyDeviceToHost), hipSuccess);
  expect("sum of the threads' blocks", sum, 10 * 10 + 128 * 64);
#endif
  std::printf("%d wrong\n", wrong);
}
