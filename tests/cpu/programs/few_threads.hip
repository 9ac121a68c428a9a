// Prints the sum of what the threads of many blocks add. With an argument, the launch is cooperative.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void add(int* sum) { atomicAdd(sum, static_cast<int>(threadIdx.x)); }

int main(int argc, char**) {
  int* sum = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&sum), sizeof *sum) != hipSuccess) return 1;
  *sum = 0;
  void* arguments[] = {&sum};
  if (argc == 1)
    add<<<64, 4>>>(sum);
  else if (hipLaunchCooperativeKernel(add, dim3(2), dim3(4), arguments, 0, nullptr) != hipSuccess)
    return 3;
  if (hipDeviceSynchronize() != hipSuccess) return 2;
  std::printf("%d\n", *sum);
}
