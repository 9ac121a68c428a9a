// Launches and questions without a kernel, and a launch without the arguments that the kernel has: errors, no crash.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void store(int* to) { *to = 1; }

static void print(const char* name, hipError_t status) { std::printf("%s: %s\n", name, hipGetErrorName(status)); }

int main() {
  int one = 0, two = 0;
  print("launch", hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  print("launch with events", hipExtModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  print("old launch", hipHccModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  print("blocks", hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&one, nullptr, 64, 0));
  print("block size", hipModuleOccupancyMaxPotentialBlockSize(&one, &two, nullptr, 0, 0));
  print("attribute", hipFuncGetAttribute(&one, HIP_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
  print("without arguments", hipLaunchKernel(reinterpret_cast<const void*>(store), 1, 1, nullptr, 0, nullptr));
}
