// SPDX-License-Identifier: MIT
// Linking at run time: two sources, compiled by hipRTC to bitcode, become one module by hiprtcLink* and by hipLink*; from
// data, files, bundles (argument 1) and archives of bundles (argument 2).
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

static int wrong = 0;
#define EXPECT(what)                                 \
  do {                                               \
    if (!(what)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #what); \
      ++wrong;                                       \
    }                                                \
  } while (0)
#define OK(call) EXPECT(int(call) == 0)

// HIP's headers have these since 6.4, those of hipRTC since 5.3 with other types.
constexpr int kCubin = 0, kBitcode = 100, kBundled = 101, kArchive = 102;
extern "C" {
int hipLinkCreate(unsigned, int*, void**, void**) __attribute__((weak));
int hipLinkAddData(void*, int, void*, size_t, const char*, unsigned, int*, void**) __attribute__((weak));
int hipLinkAddFile(void*, int, const char*, unsigned, int*, void**) __attribute__((weak));
int hipLinkComplete(void*, void**, size_t*) __attribute__((weak));
int hipLinkDestroy(void*) __attribute__((weak));
int rtc_create(unsigned, int*, void**, void**) __asm__("hiprtcLinkCreate") __attribute__((weak));
int rtc_add(void*, int, void*, size_t, const char*, unsigned, int*, void**) __asm__("hiprtcLinkAddData")
    __attribute__((weak));
int rtc_complete(void*, void**, size_t*) __asm__("hiprtcLinkComplete") __attribute__((weak));
int rtc_destroy(void*) __asm__("hiprtcLinkDestroy") __attribute__((weak));
int rtc_bitcode_size(hiprtcProgram, size_t*) __asm__("hiprtcGetBitcodeSize") __attribute__((weak));
int rtc_bitcode(hiprtcProgram, char*) __asm__("hiprtcGetBitcode") __attribute__((weak));
}

static std::vector<char> bitcode(const char* source, bool relocatable = true) {
  hiprtcProgram program;
  const char* options[] = {"-fgpu-rdc"};
  OK(hiprtcCreateProgram(&program, source, "part.hip", 0, nullptr, nullptr));
  OK(hiprtcCompileProgram(program, relocatable, options));
  size_t size = 0;
  if (!relocatable) {
    EXPECT(rtc_bitcode_size(program, &size) != HIPRTC_SUCCESS);
    return {};
  }
  OK(rtc_bitcode_size(program, &size));
  std::vector<char> found(size);
  OK(rtc_bitcode(program, found.data()));
  OK(hiprtcDestroyProgram(&program));
  return found;
}

static int result_of(void* code) {
  hipModule_t module;
  hipFunction_t function;
  int* memory = nullptr;
  int found = 0;
  OK(hipModuleLoadData(&module, code));
  OK(hipModuleGetFunction(&function, module, "kernel"));
  OK(hipMalloc(reinterpret_cast<void**>(&memory), 4));
  void* arguments[] = {&memory};
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  OK(hipMemcpy(&found, memory, 4, hipMemcpyDeviceToHost));
  OK(hipModuleUnload(module));
  return found;
}

static void write(const char* path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

int main(int count, char** words) {
  std::vector<char> kernel =
      bitcode("extern __device__ int part(int);\nextern \"C\" __global__ void kernel(int* to) { *to = part(20); }\n");
  std::vector<char> part = bitcode("__device__ int part(int x) { return 2 * x + 2; }\n");
  bitcode("__device__ int alone(int x) { return x; }\n", false);
  void *link = nullptr, *code = nullptr;
  size_t size = 0;

  OK(hipLinkCreate(0, nullptr, nullptr, &link));
  OK(hipLinkAddData(link, kBitcode, kernel.data(), kernel.size(), "kernel", 0, nullptr, nullptr));
  EXPECT(hipLinkAddData(link, kCubin, kernel.data(), kernel.size(), "kernel", 0, nullptr, nullptr) ==
         hipErrorInvalidValue);
  EXPECT(hipLinkAddFile(link, kBitcode, "missing.bc", 0, nullptr, nullptr) == hipErrorFileNotFound);
  EXPECT(hipLinkAddData(link, kBundled, kernel.data(), kernel.size(), "kernel", 0, nullptr, nullptr) ==
         hipErrorInvalidValue);
  EXPECT(hipLinkComplete(link, &code, &size) != hipSuccess);  // `part` is missing
  write("part.bc", part);
  OK(hipLinkAddFile(link, kBitcode, "part.bc", 0, nullptr, nullptr));
  std::remove("part.bc");
  OK(hipLinkComplete(link, &code, &size));
  EXPECT(size > 0 && result_of(code) == 42);
  OK(hipLinkDestroy(link));
  EXPECT(hipLinkDestroy(nullptr) == hipErrorInvalidHandle);

  for (int i = 1; i < count; ++i) {
    OK(hipLinkCreate(0, nullptr, nullptr, &link));
    OK(hipLinkAddData(link, kBitcode, kernel.data(), kernel.size(), "kernel", 0, nullptr, nullptr));
    OK(hipLinkAddFile(link, i == 1 ? kBundled : kArchive, words[i], 0, nullptr, nullptr));
    OK(hipLinkComplete(link, &code, &size));
    EXPECT(result_of(code) == 142);  // as the file's source has it
    OK(hipLinkDestroy(link));
  }

  OK(rtc_create(0, nullptr, nullptr, &link));
  OK(rtc_add(link, kBitcode, kernel.data(), kernel.size(), "kernel", 0, nullptr, nullptr));
  OK(rtc_add(link, kBitcode, part.data(), part.size(), "part", 0, nullptr, nullptr));
  OK(rtc_complete(link, &code, &size));
  EXPECT(result_of(code) == 42);
  OK(rtc_destroy(link));
  std::printf("%d wrong\n", wrong);
}
