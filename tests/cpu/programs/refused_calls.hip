// SPDX-License-Identifier: MIT
// Calls that a capture does not permit, what pointers point to, and flags of events.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <thread>

__managed__ int managed[4] = {1};
__device__ int variable[10];
__constant__ int constant;

__global__ void set(int* p) { *p = 1; }

static int wrong;

static void check(bool is_right, const char* what) {
  if (is_right) return;
  ++wrong;
  std::printf("wrong: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

// End a capture that `call` was made in, and return whether it was made invalid.
template <typename F>
static bool invalidates(hipStreamCaptureMode mode, unsigned flags, F call) {
  hipStream_t stream;
  hipGraph_t graph = nullptr;
  (void)hipStreamCreateWithFlags(&stream, flags);
  (void)hipStreamBeginCapture(stream, mode);
  call(stream);
  const hipError_t ended = hipStreamEndCapture(stream, &graph);
  (void)hipGetLastError();
  (void)hipStreamDestroy(stream);
  return ended == hipErrorStreamCaptureInvalidated && graph == nullptr;
}

static void captures(int* memory) {
  void* other = nullptr;
  int host = 0;
  const auto launch = [&](hipStream_t) {
    set<<<1, 1>>>(memory);
    CHECK(hipGetLastError() == hipErrorStreamCaptureImplicit);
  };
  CHECK(invalidates(hipStreamCaptureModeGlobal, hipStreamDefault, launch));
  CHECK(invalidates(hipStreamCaptureModeRelaxed, hipStreamDefault, launch));
  CHECK(!invalidates(hipStreamCaptureModeGlobal, hipStreamNonBlocking, [&](hipStream_t) {
    set<<<1, 1>>>(memory);
    CHECK(hipGetLastError() == hipSuccess);
  }));
  CHECK(invalidates(hipStreamCaptureModeGlobal, hipStreamDefault, [&](hipStream_t) {
    CHECK(hipMemcpy(&host, memory, 4, hipMemcpyDeviceToHost) == hipErrorStreamCaptureImplicit);
  }));
  const auto allocate = [&](hipStream_t) { CHECK(hipMalloc(&other, 4) == hipErrorStreamCaptureUnsupported); };
  CHECK(invalidates(hipStreamCaptureModeGlobal, hipStreamDefault, allocate));
  CHECK(invalidates(hipStreamCaptureModeThreadLocal, hipStreamNonBlocking, allocate));
  const auto permitted = [&](hipStream_t) {
    CHECK(hipMalloc(&other, 4) == hipSuccess && hipFree(other) == hipSuccess);
  };
  CHECK(!invalidates(hipStreamCaptureModeRelaxed, hipStreamDefault, permitted));
  const auto elsewhere = [&](auto call) { return [=](hipStream_t s) { std::thread([&] { call(s); }).join(); }; };
  CHECK(invalidates(hipStreamCaptureModeGlobal, hipStreamDefault, elsewhere(allocate)));
  CHECK(!invalidates(hipStreamCaptureModeThreadLocal, hipStreamDefault, elsewhere(permitted)));
  CHECK(hipMalloc(&other, 4) == hipSuccess && hipFree(other) == hipSuccess);
}

static hipMemoryType type_of(const void* pointer) {
  hipPointerAttribute_t found{};
  return hipPointerGetAttributes(&found, pointer) == hipSuccess ? found.type : hipMemoryType(99);
}

static void pointers() {
  void* address = nullptr;
  CHECK(type_of(&managed[3]) == hipMemoryTypeManaged && managed[0] == 1);
  CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(variable)) == hipSuccess);
  CHECK(type_of(static_cast<char*>(address) + 39) == hipMemoryTypeDevice);
  CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(constant)) == hipSuccess && type_of(address) == hipMemoryTypeDevice);
  CHECK(type_of(&address) == hipMemoryTypeUnregistered);
}

static void events() {
  hipEvent_t event;
  CHECK(hipEventCreateWithFlags(&event, 0x80) == hipErrorInvalidValue);
  CHECK(hipEventCreateWithFlags(&event, hipEventInterprocess) == hipErrorInvalidValue);
  CHECK(hipEventCreateWithFlags(&event, hipEventReleaseToDevice | hipEventReleaseToSystem) == hipErrorInvalidValue);
  CHECK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming) == hipSuccess);
  CHECK(hipEventDestroy(event) == hipSuccess);
  CHECK(hipMallocAsync(nullptr, 5, nullptr) == hipErrorInvalidValue);
}

int main() {
  int* memory = nullptr;
  (void)hipMalloc(&memory, 4);
  captures(memory);
  pointers();
  events();
  (void)hipFree(memory);
  std::printf("%d wrong\n", wrong);
}
