// What clang and HIP's headers call with -fgpu-default-stream=per-thread, and functions that are found by their names.
#include <dlfcn.h>
#include <hip/hip_runtime.h>

#include <cstdio>

static int wrong = 0;
#define EXPECT(condition) \
  if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++wrong
#define OK(call) EXPECT((call) == hipSuccess)

__constant__ int offset;
__global__ void number(int* to) { to[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + offset; }

struct Configuration {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
  const void* attributes;
  unsigned count;
};

void launches() {
  int* device = nullptr;
  int host[64] = {}, two = 2;
  OK(hipMalloc(&device, sizeof host));
  OK(hipMemset(device, 0, sizeof host));
  OK(hipMemcpyToSymbol(HIP_SYMBOL(offset), &two, sizeof two));
  number<<<2, 32>>>(device);
  OK(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
  EXPECT(host[0] == 2 && host[63] == 33);
  two = 5;
  OK(hipMemcpyToSymbol(HIP_SYMBOL(offset), &two, sizeof two));
  void* arguments[] = {&device};
  OK(hipLaunchKernel(reinterpret_cast<const void*>(number), dim3(1), dim3(64), arguments, 0, nullptr));
  OK(hipMemcpyAsync(host, device, sizeof host, hipMemcpyDeviceToHost, nullptr));
  OK(hipStreamSynchronize(nullptr));
  OK(hipStreamQuery(nullptr));
  EXPECT(host[0] == 5 && host[63] == 68);
  int read = 0;
  OK(hipMemcpyFromSymbol(&read, HIP_SYMBOL(offset), sizeof read));
  EXPECT(read == 5);

  using Find = hipError_t (*)(const char*, void**, int, uint64_t, int*);
  using Launch = hipError_t (*)(const Configuration*, const void*, void**);
  const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "hipGetProcAddress"));
  EXPECT(find != nullptr);
  void* found = nullptr;
  int status = 9;
  OK(find("hipLaunchKernelExC", &found, 70000000, 0, &status));
  EXPECT(status == 0 && found == dlsym(RTLD_DEFAULT, "hipLaunchKernelExC"));
  const Configuration configuration = {dim3(4), dim3(16), 0, nullptr, nullptr, 0};
  OK(reinterpret_cast<Launch>(found)(&configuration, reinterpret_cast<const void*>(number), arguments));
  OK(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
  EXPECT(host[0] == 5 && host[15] == 20 && host[16] == 5 && host[63] == 20);
  EXPECT(find("hipNoSuchFunction", &found, 70000000, 0, &status) == hipErrorInvalidValue);
  EXPECT(status == 1 && found == nullptr);
  OK(hipFree(device));
}

int main() {
  launches();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
