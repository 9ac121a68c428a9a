// SPDX-License-Identifier: MIT
// Launches, modules, memory, and what a program can ask about kernels.
#include <hip/hip_runtime_api.h>

#include "callers.h"
#include "launches.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

using hipport::cpu::status;

namespace hipport::emulate {

// Return the kernel of a symbol. Stops the program if the code object does not have it.
const Kernel& kernel_of(const Symbol& symbol) {
  try {
    const Kernel* const kernel = symbol.image->object().kernel(symbol.name);
    if (kernel == nullptr)
      throw Fault("the host code launches this kernel, but the code for " +
                  std::string(symbol.image->object().processor().name) + " does not have it");
    return *kernel;
  } catch (const Fault& fault) {
    stop(hipport::cpu::demangled(symbol.name.c_str()), fault);
  }
}

}  // namespace hipport::emulate

using namespace hipport::emulate;

namespace {

struct Configuration {
  Size3 grid, block;
  size_t shared;
  hipStream_t stream;
};
// The configuration of a launch that is about to follow, and the arguments that were given since, one by one.
struct Setup {
  Configuration how;
  std::vector<uint8_t> arguments;
};
thread_local std::vector<Setup> setups;

// Return a copy of the arguments, each at its offset.
std::vector<uint8_t> packed_arguments(const Kernel& kernel, void** arguments) {
  std::vector<uint8_t> all;
  for (const Argument& argument : kernel.arguments) {
    if (argument.kind.rfind("hidden_", 0) == 0) continue;
    all.resize(std::max<size_t>(all.size(), argument.offset + argument.size));
    std::memcpy(all.data() + argument.offset, *arguments++, argument.size);
  }
  return all;
}

bool has_arguments(const Kernel& kernel) {
  return std::ranges::any_of(kernel.arguments, [](const Argument& one) { return one.kind.rfind("hidden_", 0) != 0; });
}

// Return the arguments in a buffer that `extra` names: pointers to it and to its size, each after a number.
std::vector<uint8_t> buffer_of(void** extra) {
  const uint8_t* buffer = nullptr;
  size_t size = 0;
  for (; extra != nullptr && *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const uint8_t*>(extra[1]);
    if (*extra == HIP_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<size_t*>(extra[1]);
  }
  return buffer == nullptr ? std::vector<uint8_t>() : std::vector<uint8_t>(buffer, buffer + size);
}

// `function` is how the program names the kernel: its address in the host code, or a module's function.
hipError_t launch(const Symbol* symbol, const void* function, Size3 grid, Size3 block, void** arguments, void** extra,
                  size_t shared, hipStream_t stream, bool cooperative) {
  HIPPORT_NEEDS(stream);
  const Bound bound = bound_launch(symbol, grid, block, arguments, extra, shared, cooperative);
  if (bound.status != hipSuccess) return bound.status;
  const hipError_t enqueued = hipport::cpu::enqueue(stream, [bound] { bound.work(); }, hipGraphNodeTypeKernel);
  if (enqueued != hipSuccess) return enqueued;
  if (hipport::cpu::capture_of(stream) != nullptr)
    hipport::cpu::place_of(stream).last.front()->parameters = hipKernelNodeParams{
        {block.x, block.y, block.z}, nullptr,         const_cast<void*>(function), {grid.x, grid.y, grid.z},
        bound.arguments->data(),     unsigned(shared)};
  return hipSuccess;
}

hipError_t load(EmulatedModule** to, std::unique_ptr<EmulatedModule> module) {
  try {
    module->image->object();
  } catch (const Fault& fault) {
    std::fprintf(stderr, "hipport: a module cannot be loaded: %s\n", fault.what());
    return status(hipErrorNoBinaryForGpu);
  }
  *to = module.release();
  return hipSuccess;
}

}  // namespace

namespace hipport::emulate {

constexpr unsigned kMostUnits = 304;  // compute units of an MI300X

unsigned launch_bound(const Kernel& kernel) { return kernel.most_threads == 0 ? 1024 : kernel.most_threads; }

hipError_t occupancy(int* blocks, const Kernel& kernel, int block_size, size_t shared) {
  if (block_size <= 0 || block_size > 1024) return status(hipErrorInvalidValue);
  const size_t bytes = kernel.descriptor.local_bytes + shared;
  const int by_threads = 2048 / block_size;
  *blocks = bytes == 0 ? by_threads : std::min<int>(by_threads, int(local_limit() / bytes));
  return hipSuccess;
}

// Return whether the work-groups of a cooperative launch run at the same time on the largest GPU.
static bool fit_together(const Kernel& kernel, Size3 grid, uint64_t threads, size_t shared) {
  int blocks = 0;
  if (occupancy(&blocks, kernel, int(threads), shared) != hipSuccess) return false;
  return uint64_t(grid.x) * grid.y * grid.z <= uint64_t(blocks) * kMostUnits;
}

hipError_t best_block(int* grid, int* block, const Kernel& kernel, int limit) {
  const int most = int(launch_bound(kernel));
  *block = limit > 0 ? std::min(limit, most) : most;
  *grid = std::max(1, 2048 / *block) * hipport::cpu::processors();
  return hipSuccess;
}

hipFuncAttributes attributes_of(const Kernel& kernel) {
  hipFuncAttributes found{};
  found.maxThreadsPerBlock = int(launch_bound(kernel));
  found.numRegs = int(kernel.vector_registers);
  found.sharedSizeBytes = kernel.descriptor.local_bytes;
  found.localSizeBytes = kernel.descriptor.private_bytes;
  found.maxDynamicSharedSizeBytes = int(local_limit() - kernel.descriptor.local_bytes);
  found.binaryVersion = found.ptxVersion = 90;
  return found;
}

bool are_possible(Size3 grid, Size3 block) {
  const auto product = [](Size3 sizes) { return uint64_t(sizes.x) * sizes.y * sizes.z; };
  return block.x != 0 && block.y != 0 && block.z != 0 && product(block) <= 1024 && grid.x != 0 && grid.y != 0 &&
         grid.z != 0 && std::max({grid.x, grid.y, grid.z}) <= INT_MAX;
}
// Return whether the threads of each dimension can be counted with 32 bits, as the packet of a dispatch does.
bool are_countable(Size3 grid, Size3 block) {
  const auto largest = std::max({uint64_t(grid.x) * block.x, uint64_t(grid.y) * block.y, uint64_t(grid.z) * block.z});
  return largest <= UINT32_MAX;
}
hipError_t size_error(void* address) {
  return status(linked_release(address) < kRelease70 ? hipErrorInvalidValue : hipErrorInvalidConfiguration);
}

Bound bound_launch(const Symbol* symbol, Size3 grid, Size3 block, void** arguments, void** extra, size_t shared,
                   bool cooperative) {
  if (!hipport::cpu::exists(symbol)) return {status(hipErrorInvalidHandle), {}, {}};
  const Kernel& kernel = kernel_of(*symbol);
  if (arguments == nullptr && extra == nullptr && has_arguments(kernel)) return {status(hipErrorInvalidValue), {}, {}};
  if (!are_possible(grid, block) || !are_countable(grid, block)) return {status(hipErrorInvalidConfiguration), {}, {}};
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (threads > launch_bound(kernel)) return {status(hipErrorLaunchFailure), {}, {}};
  if (kernel.descriptor.local_bytes + shared > local_limit()) return {status(hipErrorInvalidValue), {}, {}};
  if (cooperative && !fit_together(kernel, grid, threads, shared))
    return {status(hipErrorCooperativeLaunchTooLarge), {}, {}};
  const auto all = std::make_shared<GridLaunch>(
      GridLaunch{&symbol->image->object(), &kernel, grid, block, uint32_t(shared),
                 arguments != nullptr ? packed_arguments(kernel, arguments) : buffer_of(extra), cooperative});
  const auto places = std::make_shared<std::vector<void*>>();
  for (const Argument& argument : kernel.arguments)
    if (argument.kind.rfind("hidden_", 0) != 0 && argument.offset < all->arguments.size())
      places->push_back(all->arguments.data() + argument.offset);
  const auto work = [all, name = symbol->name] {
    try {
      run_grid(*all);
    } catch (const Fault& fault) {
      stop(hipport::cpu::demangled(name.c_str()), fault);
    } catch (const std::bad_alloc&) {
      stop(hipport::cpu::demangled(name.c_str()), Fault("the system has no memory left for its wavefronts"));
    }
  };
  return {hipSuccess, work, places};
}

hipError_t launch_registered(const void* host, Size3 grid, Size3 block, void** arguments, size_t shared,
                             hipStream_t stream, bool cooperative) {
  const Symbol* const symbol = registered_kernel(host);
  if (symbol == nullptr) return status(hipErrorInvalidDeviceFunction);
  HIPPORT_NEEDS(stream);
  if (!are_possible(grid, block)) return size_error(const_cast<void*>(host));
  return launch(symbol, host, grid, block, arguments, nullptr, shared, stream, cooperative);
}

}  // namespace hipport::emulate

extern "C" {

hipError_t __hipPushCallConfiguration(Size3 grid, Size3 block, size_t shared, hipStream_t stream) {
  setups.push_back({{grid, block, shared, stream}, {}});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(Size3* grid, Size3* block, size_t* shared, hipStream_t* stream) {
  if (setups.empty()) return hipErrorInvalidConfiguration;
  const Configuration top = setups.back().how;
  setups.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *stream = top.stream;
  return hipSuccess;
}
}

// Functions with C names that have the types of the CPU target, whose own functions have C++ names.
#define C_NAME(name) asm(#name)

// Launches in three calls, as before HIP's compiler was clang: the configuration, each argument, the kernel.
hipError_t emulated_configure(Size3 grid, Size3 block, size_t shared, hipStream_t stream) C_NAME(hipConfigureCall);
hipError_t emulated_configure(Size3 grid, Size3 block, size_t shared, hipStream_t stream) {
  setups.push_back({{grid, block, shared, stream}, {}});
  return hipSuccess;
}
hipError_t emulated_setup(const void* argument, size_t size, size_t offset) C_NAME(hipSetupArgument);
hipError_t emulated_setup(const void* argument, size_t size, size_t offset) {
  if (setups.empty() || argument == nullptr) return status(hipErrorInvalidValue);
  std::vector<uint8_t>& all = setups.back().arguments;
  all.resize(std::max(all.size(), offset + size));
  std::memcpy(all.data() + offset, argument, size);
  return hipSuccess;
}
hipError_t emulated_by_pointer(const void* kernel) C_NAME(hipLaunchByPtr);
hipError_t emulated_by_pointer(const void* kernel) {
  const Symbol* const symbol = registered_kernel(kernel);
  if (setups.empty()) return status(hipErrorInvalidConfiguration);
  Setup given = std::move(setups.back());
  setups.pop_back();
  if (symbol == nullptr) return status(hipErrorInvalidDeviceFunction);
  size_t size = given.arguments.size();
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, given.arguments.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  const Configuration& how = given.how;
  return launch(symbol, kernel, how.grid, how.block, nullptr, extra, how.shared, how.stream, false);
}

hipError_t emulated_launch(const void* kernel, Size3 grid, Size3 block, void** arguments, size_t shared,
                           hipStream_t stream) C_NAME(hipLaunchKernel);
hipError_t emulated_launch(const void* kernel, Size3 grid, Size3 block, void** arguments, size_t shared,
                           hipStream_t stream) {
  return launch_registered(kernel, grid, block, arguments, shared, stream, false);
}
hipError_t emulated_cooperative(const void* kernel, Size3 grid, Size3 block, void** arguments, unsigned shared,
                                hipStream_t stream) C_NAME(hipLaunchCooperativeKernel);
hipError_t emulated_cooperative(const void* kernel, Size3 grid, Size3 block, void** arguments, unsigned shared,
                                hipStream_t stream) {
  return launch_registered(kernel, grid, block, arguments, shared, stream, true);
}

hipError_t emulated_module_load(EmulatedModule** to, const char* path) C_NAME(hipModuleLoad);
hipError_t emulated_module_load(EmulatedModule** to, const char* path) {
  HIPPORT_NEEDS(to, path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return status(hipErrorFileNotFound);
  auto module = std::make_unique<EmulatedModule>();
  module->file.assign(std::istreambuf_iterator<char>(file), {});
  module->file.resize(module->file.size() + 64);
  module->image = std::make_unique<Image>(module->file.data());
  return load(to, std::move(module));
}
hipError_t emulated_module_data(EmulatedModule** to, const void* image) C_NAME(hipModuleLoadData);
hipError_t emulated_module_data(EmulatedModule** to, const void* image) {
  HIPPORT_NEEDS(to, image);
  auto module = std::make_unique<EmulatedModule>();
  module->image = std::make_unique<Image>(image);
  return load(to, std::move(module));
}
hipError_t emulated_module_data_ex(EmulatedModule** to, const void* image, unsigned, void*, void**)
    C_NAME(hipModuleLoadDataEx);
hipError_t emulated_module_data_ex(EmulatedModule** to, const void* image, unsigned, void*, void**) {
  return emulated_module_data(to, image);
}
hipError_t emulated_module_unload(EmulatedModule* module) C_NAME(hipModuleUnload);
hipError_t emulated_module_unload(EmulatedModule* module) {
  HIPPORT_NEEDS(module);
  delete module;
  return hipSuccess;
}
hipError_t emulated_module_function(Symbol** to, EmulatedModule* module, const char* name) C_NAME(hipModuleGetFunction);
hipError_t emulated_module_function(Symbol** to, EmulatedModule* module, const char* name) {
  HIPPORT_NEEDS(to, name, module);
  if (module->image->object().kernel(name) == nullptr) return status(hipErrorNotFound);
  module->functions.push_back(std::make_unique<Symbol>(Symbol{{}, module->image.get(), name, nullptr, 0, module}));
  *to = module->functions.back().get();
  return hipSuccess;
}
hipError_t emulated_module_global(void** to, size_t* size, EmulatedModule* module, const char* name)
    C_NAME(hipModuleGetGlobal);
hipError_t emulated_module_global(void** to, size_t* size, EmulatedModule* module, const char* name) {
  HIPPORT_NEEDS(name, module);
  void* const found = module->image->object().variable(name, size);
  if (to != nullptr) *to = found;
  return status(found == nullptr ? hipErrorNotFound : hipSuccess);
}
hipError_t emulated_module_launch(Symbol* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                  unsigned block_y, unsigned block_z, unsigned shared, hipStream_t stream,
                                  void** arguments, void** extra) C_NAME(hipModuleLaunchKernel);
hipError_t emulated_module_launch(Symbol* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                  unsigned block_y, unsigned block_z, unsigned shared, hipStream_t stream,
                                  void** arguments, void** extra) {
  const bool is_possible = are_possible({grid_x, grid_y, grid_z}, {block_x, block_y, block_z});
  if (!is_possible || !hipport::cpu::is_stream(stream)) return status(hipErrorInvalidValue);
  return launch(function, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments, extra, shared,
                stream, false);
}

hipError_t emulated_attributes(hipFuncAttributes* to, const void* host) C_NAME(hipFuncGetAttributes);
hipError_t emulated_attributes(hipFuncAttributes* to, const void* host) {
  HIPPORT_NEEDS(to);
  if (host == nullptr) {
    const bool is_old = hipport::emulate::linked_release(__builtin_return_address(0)) < hipport::emulate::kRelease60;
    return status(is_old ? hipErrorInvalidValue : hipErrorInvalidDeviceFunction);
  }
  const Symbol* const symbol = registered_kernel(host);
  if (symbol == nullptr) return status(hipErrorInvalidSymbol);
  *to = attributes_of(kernel_of(*symbol));
  return hipSuccess;
}
// Up to HIP 5 the settings of kernels took everything, and did nothing.
bool takes_any_setting(void* caller) { return hipport::emulate::linked_release(caller) < hipport::emulate::kRelease60; }
hipError_t emulated_set_attribute(const void* host, int attribute, int value) C_NAME(hipFuncSetAttribute);
hipError_t emulated_set_attribute(const void* host, int attribute, int value) {
  constexpr int largest_carveout = 100;
  if (takes_any_setting(__builtin_return_address(0))) return hipSuccess;
  if (host == nullptr) return status(hipErrorInvalidDeviceFunction);
  if (attribute < 0 || attribute > hipFuncAttributeMax) return status(hipErrorInvalidValue);
  const Symbol* const symbol = registered_kernel(host);
  if (symbol == nullptr) return status(hipErrorInvalidDeviceFunction);
  const bool is_wrong =
      (attribute == hipFuncAttributeMaxDynamicSharedMemorySize &&
       (value < 0 || value > attributes_of(kernel_of(*symbol)).maxDynamicSharedSizeBytes)) ||
      (attribute == hipFuncAttributePreferredSharedMemoryCarveout && (value < -1 || value > largest_carveout));
  return status(is_wrong ? hipErrorInvalidValue : hipSuccess);
}
hipError_t setting(const void* host, int value, int last, void* caller) {
  if (takes_any_setting(caller)) return hipSuccess;
  if (host == nullptr) return status(hipErrorInvalidDeviceFunction);
  return status(value < 0 || value > last ? hipErrorInvalidValue : hipSuccess);
}
hipError_t emulated_cache_config(const void* host, int config) C_NAME(hipFuncSetCacheConfig);
hipError_t emulated_cache_config(const void* host, int config) {
  return setting(host, config, hipFuncCachePreferEqual, __builtin_return_address(0));
}
// Banks of shared memory have one size.
hipError_t emulated_set_banks(const void* host, int size) C_NAME(hipFuncSetSharedMemConfig);
hipError_t emulated_set_banks(const void* host, int size) {
  return setting(host, size, hipSharedMemBankSizeEightByte, __builtin_return_address(0));
}
hipError_t emulated_occupancy(int* blocks, const void* host, int size, size_t shared)
    C_NAME(hipOccupancyMaxActiveBlocksPerMultiprocessor);
hipError_t emulated_occupancy(int* blocks, const void* host, int size, size_t shared) {
  HIPPORT_NEEDS(blocks);
  const Symbol* const symbol = registered_kernel(host);
  if (symbol == nullptr) return status(hipErrorInvalidDeviceFunction);
  return occupancy(blocks, kernel_of(*symbol), size, shared);
}
hipError_t emulated_potential(int* grid, int* block, const void* host, size_t, int limit)
    C_NAME(hipOccupancyMaxPotentialBlockSize);
hipError_t emulated_potential(int* grid, int* block, const void* host, size_t, int limit) {
  HIPPORT_NEEDS(grid, block);
  const Symbol* const symbol = registered_kernel(host);
  if (symbol == nullptr) return status(hipErrorInvalidDeviceFunction);
  return best_block(grid, block, kernel_of(*symbol), limit);
}

hipError_t emulated_malloc(void** to, size_t size) C_NAME(hipMalloc);
hipError_t emulated_malloc(void** to, size_t size) { return ::hipMalloc(to, size); }
hipError_t emulated_malloc_managed(void** to, size_t size, unsigned flags) C_NAME(hipMallocManaged);
hipError_t emulated_malloc_managed(void** to, size_t size, unsigned flags) {
  return ::hipMallocManaged(to, size, flags);
}
hipError_t emulated_host_malloc(void** to, size_t size, unsigned flags) C_NAME(hipHostMalloc);
hipError_t emulated_host_malloc(void** to, size_t size, unsigned flags) { return ::hipHostMalloc(to, size, flags); }
hipError_t emulated_host_alloc(void** to, size_t size, unsigned flags) C_NAME(hipHostAlloc);
hipError_t emulated_host_alloc(void** to, size_t size, unsigned flags) { return ::hipHostAlloc(to, size, flags); }
hipError_t emulated_malloc_async(void** to, size_t size, hipStream_t stream) C_NAME(hipMallocAsync);
hipError_t emulated_malloc_async(void** to, size_t size, hipStream_t stream) {
  return ::hipMallocAsync(to, size, stream);
}
hipError_t emulated_malloc_pitch(void** to, size_t* pitch, size_t width, size_t height) C_NAME(hipMallocPitch);
hipError_t emulated_malloc_pitch(void** to, size_t* pitch, size_t width, size_t height) {
  return ::hipMallocPitch(to, pitch, width, height);
}
