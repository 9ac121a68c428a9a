// SPDX-License-Identifier: MIT
// What kernels ask of the host, one case for each first argument.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// Clang 15 folds constants of anonymous namespaces even if the host writes to them.
__constant__ int factor = 3;
__managed__ int seen = 5;

namespace {

__global__ void print(const char* text) {
  const int returned = printf("%d of %u: %5.2f %.3s %c %%\n", int(threadIdx.x), unsigned(blockIdx.x), threadIdx.x * 1.5,
                              text, 'a' + int(threadIdx.x));
  if (threadIdx.x == 1) printf("one %ld %llx %*d %d\n", -123456789012L, 0xabcdefULL, 4, 7, returned);
}

__global__ void check(int most) { assert(int(threadIdx.x) < most); }

struct Node {
  int value;
  Node* next;
};
__global__ void grow(Node** lists) {
  Node* list = nullptr;
  for (int i = 0; i < 10; ++i) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    *node = {i, list};
    list = node;
  }
  lists[blockIdx.x * blockDim.x + threadIdx.x] = list;
}
__global__ void shrink(Node** lists, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* large = new int[2000];
  large[1999] = 0;
  for (Node* node = lists[i]; node != nullptr;) {
    large[1999] += node->value;
    Node* next = node->next;
    free(node);
    node = next;
  }
  sums[i] = large[1999];
  delete[] large;
}

using Operation = int (*)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ Operation operations[] = {add, multiply};
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void call(int* results) {
  const int i = threadIdx.x;
  results[i] = operations[i % 2](i, factor) + fibonacci(i % 10) + seen;
  __syncthreads();
  if (i == 0) seen = 77;
}

int sum_of(const int* device, int count) {
  std::vector<int> all(count);
  (void)hipMemcpy(all.data(), device, count * sizeof(int), hipMemcpyDeviceToHost);
  int sum = 0;
  for (int value : all) sum += value;
  return sum;
}

void run_heap() {
  Node** lists = nullptr;
  int* sums = nullptr;
  (void)hipMalloc(&lists, 128 * sizeof(Node*));
  (void)hipMalloc(&sums, 128 * sizeof(int));
  grow<<<2, 64>>>(lists);
  shrink<<<2, 64>>>(lists, sums);
  std::printf("%d\n", sum_of(sums, 128));
}

void run_calls() {
  int* results = nullptr;
  const int four = 4;
  (void)hipMalloc(&results, 256);
  (void)hipMemcpyToSymbol(HIP_SYMBOL(factor), &four, sizeof four);
  seen = 6;
  call<<<1, 64>>>(results);
  const int sum = sum_of(results, 64);
  std::printf("%d %d\n", sum, seen);
}

const char* const kSource = R"(#include "helper.h"
template <typename T> __global__ void scale(T *p, T by) { p[threadIdx.x] = helper(p[threadIdx.x], by); }
__constant__ int offset = 3;
extern "C" __global__ void shift(float *p) { p[threadIdx.x] += offset; }
)";

void run_code(const void* code, const char* scale, const char* offset) {
  hipModule_t module;
  hipFunction_t first, second;
  if (hipModuleLoadData(&module, code) != hipSuccess) return;
  (void)hipModuleGetFunction(&first, module, scale);
  (void)hipModuleGetFunction(&second, module, "shift");
  hipDeviceptr_t variable;
  size_t bytes;
  int five = 5;
  (void)hipModuleGetGlobal(&variable, &bytes, module, offset);
  (void)hipMemcpyHtoD(variable, &five, sizeof five);
  float values[64], by = 2, *memory = nullptr;
  for (int i = 0; i < 64; ++i) values[i] = float(i);
  (void)hipMalloc(&memory, sizeof values);
  (void)hipMemcpy(memory, values, sizeof values, hipMemcpyHostToDevice);
  void* arguments[] = {&memory, &by};
  (void)hipModuleLaunchKernel(first, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  (void)hipModuleLaunchKernel(second, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  (void)hipMemcpy(values, memory, sizeof values, hipMemcpyDeviceToHost);
  std::printf("%g %g\n", values[0], values[63]);
}

void run_rtc(const char* source) {
  const char *header = "template <typename T> __device__ T helper(T a, T b) { return a * b; }", *name = "helper.h";
  hiprtcProgram program;
  (void)hiprtcCreateProgram(&program, source, "scale.cu", 1, &header, &name);
  const bool is_right = source == kSource;
  if (is_right) {
    (void)hiprtcAddNameExpression(program, "scale<float>");
    (void)hiprtcAddNameExpression(program, "&offset");
  }
  const char* options[] = {"-DUNUSED=1", "--std=c++17"};
  const hiprtcResult result = hiprtcCompileProgram(program, 2, options);
  size_t size = 0;
  (void)hiprtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  (void)hiprtcGetProgramLog(program, &log[0]);
  std::printf("%s\n%s", hiprtcGetErrorString(result), log.c_str());
  if (result != HIPRTC_SUCCESS) return;
  const char *scale = nullptr, *offset = nullptr;
  (void)hiprtcGetLoweredName(program, "scale<float>", &scale);
  (void)hiprtcGetLoweredName(program, "&offset", &offset);
  (void)hiprtcGetCodeSize(program, &size);
  std::vector<char> code(size);
  (void)hiprtcGetCode(program, code.data());
  std::printf("%s %s\n", scale, offset);
  run_code(code.data(), scale, offset);
}

void run_module(const char* path) {
  hipModule_t module;
  hipFunction_t function;
  const hipError_t error = hipModuleLoad(&module, path);
  std::printf("%s\n", hipGetErrorName(error));
  if (error == hipSuccess)
    std::printf("%s\n", hipGetErrorName(hipModuleGetFunction(&function, module, "no_such_kernel")));
}

}  // namespace

int main(int, char** arguments) {
  const std::string wanted = arguments[1];
  if (wanted == "print") {
    char* text = nullptr;
    (void)hipMalloc(&text, 8);
    (void)hipMemcpy(text, "text", 5, hipMemcpyHostToDevice);
    print<<<1, 3>>>(text);
  }
  if (wanted == "assert") check<<<1, 3>>>(2);
  if (wanted == "heap") run_heap();
  if (wanted == "calls") run_calls();
  if (wanted == "rtc") run_rtc(kSource);
  if (wanted == "rtc-error") run_rtc("__global__ void bad() { undefined_name(); }");
  if (wanted == "module") run_module(arguments[2]);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
