// Loads a module from a file, and one that hipRTC compiles.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstdlib>
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
#define OK(call) EXPECT((call) == hipSuccess)
#define RTC(call) EXPECT((call) == HIPRTC_SUCCESS)

constexpr int size = 100;

static void from_file(const char* path, float* data) {
  hipModule_t module;
  hipFunction_t scale, negate, none;
  if (hipModuleLoad(&module, path) != hipSuccess) std::exit(2);
  OK(hipModuleGetFunction(&scale, module, "scale"));
  OK(hipModuleGetFunction(&negate, module, "_ZN5inner6negateEPf"));
  EXPECT(hipModuleGetFunction(&none, module, "nothing") == hipErrorNotFound);
  for (int i = 0; i < size; ++i) data[i] = static_cast<float>(i);
  char unused = 0;
  double plus = 1;
  int n = size;
  void* arguments[] = {&data, &unused, &plus, &n};
  OK(hipModuleLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT(data[99] == 199.0f && data[1] == 3.0f);

  // The variable, and the arguments in one buffer.
  float* by = nullptr;
  size_t bytes = 0;
  OK(hipModuleGetGlobal(&by, &bytes, module, "by"));
  EXPECT(bytes == sizeof(float) && *by == 2.0f);
  *by = 10.0f;
  struct {
    float* data;
    char unused;
    double plus;
    int n;
  } packed = {data, 0, 0.5, 1};
  size_t packed_size = sizeof(packed);
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size,
                   HIP_LAUNCH_PARAM_END};
  OK(hipModuleLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT(data[0] == 10.5f && data[1] == 3.0f);
  void* one[] = {&data};
  OK(hipModuleLaunchKernel(negate, 1, 1, 1, 1, 1, 1, 0, nullptr, one, nullptr));
  EXPECT(data[0] == -10.5f);
  EXPECT(hipModuleLaunchKernel(negate, 1, 1, 1, 4096, 1, 1, 0, nullptr, one, nullptr) == hipErrorInvalidValue);

  // A second instance has its own variable.
  hipModule_t second;
  OK(hipModuleLoad(&second, path));
  OK(hipModuleGetGlobal(&by, nullptr, second, "by"));
  EXPECT(*by == 2.0f);
  int shared = 0;
  OK(hipFuncGetAttribute(&shared, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, scale));
  EXPECT(shared == 64 * sizeof(float));
  unsigned count = 0;
  OK(hipModuleGetFunctionCount(&count, module));
  EXPECT(count == 4);
  OK(hipModuleGetFunction(&none, module, "_Z10overloadedPf"));
  EXPECT(hipModuleLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, nullptr, one, nullptr) == hipErrorNotSupported);
  OK(hipModuleUnload(second));
  OK(hipModuleUnload(module));
}

static void refused(const char* path) {
  hipModule_t module;
  EXPECT(hipModuleLoad(&module, "/no/such/file") == hipErrorFileNotFound);
  EXPECT(hipModuleLoad(&module, path) == hipErrorInvalidImage);
  EXPECT(hipModuleLoadData(&module, "__CLANG_OFFLOAD_BUNDLE__....") == hipErrorNoBinaryForGpu);
}

static const char* const source = R"(
#include "factor.h"
template <typename T>
__global__ void times(T* data) { data[threadIdx.x] = data[threadIdx.x] * FACTOR + T(OFFSET); }
extern "C" __global__ void lanes(int* size) { *size = warpSize; }
__device__ int counter = 3;
)";

static void compiled(float* data) {
  const char *header = "#define FACTOR 4\n", *name = "factor.h";
  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, source, "times.cu", 1, &header, &name));
  RTC(hiprtcAddNameExpression(program, "times<float>"));
  RTC(hiprtcAddNameExpression(program, "&counter"));
  const char* lowered = nullptr;
  EXPECT(hiprtcGetLoweredName(program, "times<float>", &lowered) == HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  const char* options[] = {"--offload-arch=gfx90a", "-DOFFSET=1", "-O0"};
  RTC(hiprtcCompileProgram(program, 3, options));
  RTC(hiprtcGetLoweredName(program, "times<float>", &lowered));
  EXPECT(std::string(lowered) == "_Z5timesIfEvPT_");
  size_t bytes = 0;
  RTC(hiprtcGetCodeSize(program, &bytes));
  std::vector<char> code(bytes);
  RTC(hiprtcGetCode(program, code.data()));
  hipModule_t module;
  hipFunction_t times, lanes;
  OK(hipModuleLoadData(&module, code.data()));
  OK(hipModuleGetFunction(&times, module, lowered));
  OK(hipModuleGetFunction(&lanes, module, "lanes"));
  int* counter = nullptr;
  RTC(hiprtcGetLoweredName(program, "&counter", &lowered));
  OK(hipModuleGetGlobal(&counter, nullptr, module, lowered));
  EXPECT(*counter == 3);
  data[0] = 5;
  int found = 0, *to = &found;
  void *arguments[] = {&data}, *others[] = {&to};
  OK(hipModuleLaunchKernel(times, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  OK(hipModuleLaunchKernel(lanes, 1, 1, 1, 1, 1, 1, 0, nullptr, others, nullptr));
  EXPECT(data[0] == 21.0f && found == HIPPORT_WAVE_SIZE);
  RTC(hiprtcDestroyProgram(&program));
  EXPECT(program == nullptr);
  OK(hipModuleUnload(module));
}

static void not_compiled() {
  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, "__global__ void k() { undeclared(); }", "bad.cu", 0, nullptr, nullptr));
  EXPECT(hiprtcCompileProgram(program, 0, nullptr) == HIPRTC_ERROR_COMPILATION);
  size_t bytes = 0;
  RTC(hiprtcGetProgramLogSize(program, &bytes));
  std::string log(bytes, ' ');
  RTC(hiprtcGetProgramLog(program, log.data()));
  EXPECT(log.find("bad.hip:1:") != std::string::npos && log.find("undeclared") != std::string::npos);
  RTC(hiprtcGetCodeSize(program, &bytes));
  EXPECT(bytes == 0);
  RTC(hiprtcDestroyProgram(&program));
}

int main(int, char** arguments) {
  float* data = nullptr;
  OK(hipMalloc(&data, size * sizeof(float)));
  from_file(arguments[1], data);
  refused(arguments[0]);
  compiled(data);
  not_compiled();
  OK(hipFree(data));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
