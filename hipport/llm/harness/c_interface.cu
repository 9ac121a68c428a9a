// The C interface: turns exceptions into codes and messages.
#include <algorithm>
#include <cstdio>

#include "registry.h"
#include "unit_launch.h"

namespace hipport_llm {

std::vector<Version>& versions() {
  static std::vector<Version> all;
  return all;
}

namespace {

thread_local std::string last_error;

template <typename Action>
int attempt(const Action& action) {
  try {
    action();
    return 0;
  } catch (const std::exception& exception) {
    last_error = exception.what();
    return 1;
  }
}

Version& version_at(int32_t index) {
  if (index < 0 || index >= hipport_kernels_count()) throw EngineError("there is no such kernel");
  return versions()[index];
}

// Replaces kFourWavefronts by what it is on this device.
void ask_for_wavefronts(std::vector<int32_t>& blocks) {
  for (int32_t& threads : blocks)
    if (threads == kFourWavefronts) threads = unit_threads();
}

// The time between two points of a stream.
class Clock {
 public:
  Clock() {
    check(cudaEventCreate(&started_), "creating an event");
    check(cudaEventCreate(&stopped_), "creating an event");
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  ~Clock() {
    if (started_ != nullptr) (void)cudaEventDestroy(started_);
    if (stopped_ != nullptr) (void)cudaEventDestroy(stopped_);
  }

  void start(cudaStream_t stream) { check(cudaEventRecord(started_, stream), "starting the clock"); }
  double stop(cudaStream_t stream) {
    float milliseconds = 0.0f;
    check(cudaEventRecord(stopped_, stream), "stopping the clock");
    check(cudaEventSynchronize(stopped_), "waiting for the kernel");
    check(cudaEventElapsedTime(&milliseconds, started_, stopped_), "reading the clock");
    return milliseconds / 1000.0;
  }

 private:
  cudaEvent_t started_ = nullptr, stopped_ = nullptr;
};

void start(const Version& version, const hipport_kernel_arguments& arguments, int32_t repeat) {
  if (std::find(version.blocks.begin(), version.blocks.end(), arguments.block) == version.blocks.end())
    throw EngineError("it is not made for blocks of " + std::to_string(arguments.block) + " threads");
  for (int32_t i = 0; i < repeat; ++i) version.launch(Launch(arguments, nullptr));
  check(cudaGetLastError(), "launching");
}

void launch(const Version& version, const hipport_kernel_arguments& arguments, int32_t repeat, double* seconds) {
  if (seconds == nullptr) return start(version, arguments, repeat);
  Clock clock;
  clock.start(nullptr);
  start(version, arguments, repeat);
  *seconds = clock.stop(nullptr);
}

}  // namespace

}  // namespace hipport_llm

using namespace hipport_llm;

extern "C" {

int32_t hipport_kernels_count(void) { return static_cast<int32_t>(versions().size()); }

int hipport_kernels_describe(int32_t index, hipport_kernel* kernel) {
  return attempt([&] {
    Version& version = version_at(index);
    ask_for_wavefronts(version.blocks);
    *kernel = {version.kernel, version.number, version.what, version.blocks.data(),
               static_cast<int32_t>(version.blocks.size())};
  });
}

int hipport_kernels_launch(int32_t index, const hipport_kernel_arguments* arguments, int32_t repeat, double* seconds) {
  return attempt([&] { launch(version_at(index), *arguments, repeat, seconds); });
}

int hipport_kernels_run(const int32_t* indices, const hipport_kernel_arguments* arguments, int32_t count) {
  return attempt([&] {
    for (int32_t i = 0; i < count; ++i) start(version_at(indices[i]), arguments[i], 1);
  });
}

int hipport_kernels_allocate(size_t bytes, void** memory) {
  return attempt([&] { check(cudaMalloc(memory, std::max<size_t>(bytes, 1)), "asking for memory of the device"); });
}

void hipport_kernels_free(void* memory) { (void)cudaFree(memory); }

int hipport_kernels_upload(void* to, const void* from, size_t bytes) {
  return attempt([&] { check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the device"); });
}

int hipport_kernels_download(void* to, const void* from, size_t bytes) {
  return attempt([&] { check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the device"); });
}

int hipport_kernels_device(char* name, size_t bytes) {
  return attempt([&] {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "asking for the device's properties");
    std::snprintf(name, bytes, "%s", device.name);
  });
}

const char* hipport_kernels_error(void) { return last_error.c_str(); }

}  // extern "C"
