// SPDX-License-Identifier: MIT
// Texture references of the program, and of a module of the same source: bound to linear memory, to rows with a pitch, and
// to arrays.
#include <hip/hip_runtime.h>

#include <cstdio>

enum { kWidth = 8, kHeight = 4, kCount = kWidth * kHeight };

texture<float, hipTextureType1D, hipReadModeElementType> line;
texture<float, hipTextureType2D, hipReadModeElementType> plane;
texture<unsigned char, hipTextureType2D, hipReadModeNormalizedFloat> bytes;

extern "C" __global__ void read_line(float* to) { to[threadIdx.x] = tex1Dfetch(line, int(threadIdx.x)); }
extern "C" __global__ void read_plane(float* to, float step) {
  to[threadIdx.x] = tex2D(plane, step * (threadIdx.x % kWidth) + 0.5f, float(threadIdx.x / kWidth) + 0.5f);
}
extern "C" __global__ void read_bytes(float* to) {
  to[threadIdx.x] = tex2D(bytes, (threadIdx.x % kWidth + 0.5f) / kWidth, (threadIdx.x / kWidth + 0.5f) / kHeight);
}

static int wrong = 0;
#define OK(call)                                                                         \
  do {                                                                                   \
    const hipError_t error = call;                                                       \
    if (error != hipSuccess) printf("%s: %s\n", #call, hipGetErrorName(error)), ++wrong; \
  } while (0)
static void check(const char* what, bool right) {
  if (!right) printf("%s\n", what), ++wrong;
}

static float* to;
static float found[kCount];
static void fetch() { OK(hipMemcpy(found, to, sizeof found, hipMemcpyDefault)); }

// Memory with numbers, and with a second set of them.
static float* numbers(float first) {
  float host[kCount], *memory;
  for (int i = 0; i < kCount; ++i) host[i] = first + float(i);
  OK(hipMalloc(&memory, sizeof host));
  OK(hipMemcpy(memory, host, sizeof host, hipMemcpyDefault));
  return memory;
}
// Rows of so many bytes, as far apart as textures need it.
static void* rows(const void* from, size_t width, size_t* pitch) {
  void* memory;
  OK(hipMallocPitch(&memory, pitch, width, kHeight));
  OK(hipMemcpy2D(memory, *pitch, from, width, width, kHeight, hipMemcpyDefault));
  return memory;
}
static hipArray_t array_of(const float* from) {
  const hipChannelFormatDesc channels = hipCreateChannelDesc<float>();
  hipArray_t array;
  OK(hipMallocArray(&array, &channels, kWidth, kHeight));
  OK(hipMemcpy2DToArray(array, 0, 0, from, kWidth * 4, kWidth * 4, kHeight, hipMemcpyDefault));
  return array;
}
static bool counts_from(float first) {
  for (int i = 0; i < kCount; ++i)
    if (found[i] != first + float(i)) return false;
  return true;
}

static void of_the_program() {
  size_t offset = 1;
  OK(hipBindTexture(&offset, line, numbers(0)));
  read_line<<<1, kCount>>>(to);
  fetch();
  check("a line", counts_from(0) && offset == 0);
  OK(hipBindTexture(nullptr, line, numbers(100), kWidth * sizeof(float)));
  read_line<<<1, kCount>>>(to);
  fetch();
  check("another line", found[0] == 100 && found[kWidth - 1] == 107 && found[kWidth] == 0);
  OK(hipUnbindTexture(line));

  const hipChannelFormatDesc channels = hipCreateChannelDesc<float>();
  plane.addressMode[0] = hipAddressModeClamp;
  size_t pitch = 0;
  void* memory = rows(numbers(7), kWidth * sizeof(float), &pitch);
  OK(hipBindTexture2D(&offset, plane, memory, channels, kWidth, kHeight, pitch));
  read_plane<<<1, kCount>>>(to, 1);
  fetch();
  check("rows", counts_from(7));
  plane.filterMode = hipFilterModeLinear;
  OK(hipBindTextureToArray(plane, array_of(numbers(0)), channels));
  read_plane<<<1, kCount>>>(to, 0.5f);
  fetch();
  check("between two numbers", found[1] == 0.5f && found[2] == 1 && found[kWidth + 3] == 9.5f);

  unsigned char host[kCount];
  for (int i = 0; i < kCount; ++i) host[i] = (unsigned char)(i * 5);
  memory = rows(host, kWidth, &pitch);
  bytes.normalized = true;
  OK(hipBindTexture2D(nullptr, bytes, memory, kWidth, kHeight, pitch));
  read_bytes<<<1, kCount>>>(to);
  fetch();
  bool right = true;
  for (int i = 0; i < kCount; ++i) right &= found[i] == host[i] / 255.0f;
  check("bytes as fractions", right);

  textureReference unknown{};
  check("no variable of the program", hipBindTexture(nullptr, &unknown, memory, &channels, 4) != hipSuccess);
  check("no memory", hipBindTexture(nullptr, line, nullptr) != hipSuccess);
}

static void of_a_module(const char* file) {
  hipModule_t module;
  hipFunction_t function;
  textureReference* reference = nullptr;
  OK(hipModuleLoad(&module, file));
  OK(hipModuleGetFunction(&function, module, "read_plane"));
  OK(hipModuleGetTexRef(&reference, module, "plane"));
  check("no such texture", hipModuleGetTexRef(&reference, module, "nothing") == hipErrorNotFound);
  OK(hipTexRefSetArray(reference, array_of(numbers(30)), 1));
  OK(hipTexRefSetFlags(reference, 1));
  float step = 1;
  void* arguments[] = {&to, &step};
  OK(hipModuleLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, nullptr, arguments, nullptr));
  fetch();
  check("an array of a module", counts_from(30));
  step = 0.5f;
  OK(hipTexRefSetFilterMode(reference, hipFilterModeLinear));
  OK(hipModuleLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, nullptr, arguments, nullptr));
  fetch();
  check("a filter that is set later", found[1] == 30.5f);

  OK(hipModuleGetFunction(&function, module, "read_line"));
  OK(hipModuleGetTexRef(&reference, module, "line"));
  size_t offset = 1;
  OK(hipTexRefSetFormat(reference, HIP_AD_FORMAT_FLOAT, 1));
  OK(hipTexRefSetFlags(reference, 1));
  OK(hipTexRefSetAddress(&offset, reference, numbers(50), kCount * sizeof(float)));
  OK(hipModuleLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, nullptr, arguments, nullptr));
  fetch();
  check("a line of a module", counts_from(50) && offset == 0);
}

int main(int, char** arguments) {
  OK(hipMalloc(&to, sizeof found));
  of_the_program();
  of_a_module(arguments[1]);
  printf("%d wrong\n", wrong);
}
