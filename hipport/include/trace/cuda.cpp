// SPDX-License-Identifier: MIT
// Sits between a program and libcudart.so (LD_PRELOAD) and traces its launches; see recorder.h.
//
// CUDA is not needed to compile it: the functions are declared here with their C interface. It only works with programs
// linked with `nvcc -cudart shared`.
#include "demangle.h"
#include "recorder.h"
#include "signature.h"

#include <dlfcn.h>

namespace {

using hipport::trace::Argument;
using hipport::trace::Kernel;
using hipport::trace::Recorder;

using Status = int;    // cudaError_t
using Stream = void*;  // cudaStream_t
struct Dim3 {
  unsigned x, y, z;
};
struct LaunchConfig {  // the part of cudaLaunchConfig_t that is read here
  Dim3 grid, block;
  size_t shared_bytes;
  Stream stream;
};

struct PitchedPointer {  // cudaPitchedPtr
  void* pointer;
  size_t pitch, width, height;
};
struct Extent {  // cudaExtent
  size_t width, height, depth;
};

constexpr int to_host = 2;  // cudaMemcpyDeviceToHost

// Return the next definition of a function, which is libcudart's.
template <typename Function>
Function* real(const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  if (found == nullptr) {
    std::fprintf(stderr, "hipport: %s is missing in this program's libcudart\n", name);
    std::abort();
  }
  return found;
}

bool read_device(void* to, const void* from, size_t size) {
  static auto* const copy = real<Status(void*, const void*, size_t, int)>("cudaMemcpy");
  return copy(to, from, size, to_host) == 0;
}

Recorder* recorder() { return Recorder::instance(&read_device); }

void synchronize() {
  static auto* const wait = real<Status()>("cudaDeviceSynchronize");
  wait();
}

// New memory has the same contents in every traced run.
Status allocated(Status status, void** pointer, size_t size) {
  if (status != 0 || *pointer == nullptr || size == 0 || recorder() == nullptr) return status;
  static auto* const fill = real<Status(void*, int, size_t)>("cudaMemset");
  synchronize();
  fill(*pointer, 0, size);
  synchronize();
  recorder()->allocated(*pointer, size);
  return status;
}

void freed(const void* pointer) {
  if (pointer != nullptr && recorder() != nullptr) recorder()->freed(pointer);
}

// Names of kernels, by the address of the host function or by CUDA's handle.
class Names {
 public:
  static Names& instance() {
    static Names& all = *new Names;  // registration precedes, and launches may follow, static objects
    return all;
  }
  void add(const void* key, const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    names_[key] = name;
  }
  std::string find(const void* key) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = names_.find(key);
    return found == names_.end() ? "" : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, std::string> names_;
};

Argument argument(const std::string& type, const void* value) {
  if (type.back() != '*') return {type, false, value, hipport::trace::builtin_size(type)};
  return {type, true, *static_cast<void* const*>(value), 0};
}

Kernel describe(const void* function, Dim3 grid, Dim3 block, void** values, size_t shared_bytes) {
  const std::string name = Names::instance().find(function);
  Kernel kernel{name.empty() ? "?" : name, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, {}};
  for (const std::string& type : hipport::trace::parameter_types(name))
    kernel.arguments.push_back(argument(type, values[kernel.arguments.size()]));
  return kernel;
}

// A launch that is being captured into a graph changes nothing yet, and waiting is not allowed.
bool is_captured(Stream stream) {
  static auto* const ask = real<Status(Stream, int*)>("cudaStreamIsCapturing");
  int state = 0;
  return ask(stream, &state) != 0 || state != 0;
}

template <typename Launch>
Status traced(const void* function, Dim3 grid, Dim3 block, void** values, size_t bytes, Stream stream, Launch launch) {
  if (recorder() == nullptr || is_captured(stream)) return launch();
  Status status = 0;
  synchronize();
  recorder()->around(describe(function, grid, block, values, bytes), [&] {
    status = launch();
    synchronize();
  });
  return status;
}

}  // namespace

#define HIPPORT_EXPORT extern "C" __attribute__((visibility("default")))

HIPPORT_EXPORT void __cudaRegisterFunction(void** module, const char* host, char* function, const char* name, int limit,
                                           void* thread, void* block_index, void* block, void* grid, int* warp) {
  Names::instance().add(host, hipport::trace::demangled(name));
  real<void(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*)>("__cudaRegisterFunction")(
      module, host, function, name, limit, thread, block_index, block, grid, warp);
}

// CUDA 12.8 and later launch by this handle.
HIPPORT_EXPORT Status __cudaGetKernel(void** handle, const void* host) {
  const Status status = real<Status(void**, const void*)>("__cudaGetKernel")(handle, host);
  if (status == 0) Names::instance().add(*handle, Names::instance().find(host));
  return status;
}

#define HIPPORT_LAUNCH_FUNCTION(name)                                                                  \
  HIPPORT_EXPORT Status name(const void* function, Dim3 grid, Dim3 block, void** values, size_t bytes, \
                             Stream stream) {                                                          \
    static auto* const launch = real<Status(const void*, Dim3, Dim3, void**, size_t, Stream)>(#name);  \
    return traced(function, grid, block, values, bytes, stream,                                        \
                  [&] { return launch(function, grid, block, values, bytes, stream); });               \
  }
HIPPORT_LAUNCH_FUNCTION(__cudaLaunchKernel)
HIPPORT_LAUNCH_FUNCTION(cudaLaunchKernel)
HIPPORT_LAUNCH_FUNCTION(cudaLaunchCooperativeKernel)

HIPPORT_EXPORT Status cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** values) {
  static auto* const launch = real<Status(const LaunchConfig*, const void*, void**)>("cudaLaunchKernelExC");
  return traced(function, config->grid, config->block, values, config->shared_bytes, config->stream,
                [&] { return launch(config, function, values); });
}

HIPPORT_EXPORT Status cudaMalloc(void** pointer, size_t size) {
  return allocated(real<Status(void**, size_t)>("cudaMalloc")(pointer, size), pointer, size);
}
HIPPORT_EXPORT Status cudaMallocHost(void** pointer, size_t size) {
  return allocated(real<Status(void**, size_t)>("cudaMallocHost")(pointer, size), pointer, size);
}
HIPPORT_EXPORT Status cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
  return allocated(real<Status(void**, size_t, unsigned)>("cudaHostAlloc")(pointer, size, flags), pointer, size);
}
HIPPORT_EXPORT Status cudaMallocManaged(void** pointer, size_t size, unsigned flags) {
  return allocated(real<Status(void**, size_t, unsigned)>("cudaMallocManaged")(pointer, size, flags), pointer, size);
}
HIPPORT_EXPORT Status cudaMallocAsync(void** pointer, size_t size, Stream stream) {
  return allocated(real<Status(void**, size_t, Stream)>("cudaMallocAsync")(pointer, size, stream), pointer,
                   is_captured(stream) ? 0 : size);
}
HIPPORT_EXPORT Status cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  const Status status = real<Status(void**, size_t*, size_t, size_t)>("cudaMallocPitch")(pointer, pitch, width, height);
  return allocated(status, pointer, status == 0 ? *pitch * height : 0);
}
HIPPORT_EXPORT Status cudaMalloc3D(PitchedPointer* memory, Extent extent) {
  const Status status = real<Status(PitchedPointer*, Extent)>("cudaMalloc3D")(memory, extent);
  return allocated(status, &memory->pointer, status == 0 ? memory->pitch * extent.height * extent.depth : 0);
}

#define HIPPORT_FREE_FUNCTION(name)             \
  HIPPORT_EXPORT Status name(void* pointer) {   \
    freed(pointer);                             \
    return real<Status(void*)>(#name)(pointer); \
  }
HIPPORT_FREE_FUNCTION(cudaFree)
HIPPORT_FREE_FUNCTION(cudaFreeHost)
HIPPORT_EXPORT Status cudaFreeAsync(void* pointer, Stream stream) {
  freed(pointer);
  return real<Status(void*, Stream)>("cudaFreeAsync")(pointer, stream);
}
