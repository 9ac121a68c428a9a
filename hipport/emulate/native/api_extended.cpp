// SPDX-License-Identifier: MIT
// Launches by a structure (HIP 7), and functions of HIP by their names.
#include <hip/hip_runtime_api.h>

#include <dlfcn.h>

#include <span>

#include "launches.h"

#define C_NAME(name) asm(#name)

using namespace hipport::emulate;
using hipport::cpu::status;

// Not in a namespace without a name: functions that have such types are not exported.

// As hipLaunchAttribute: the value takes 64 bytes.
struct EmulatedAttribute {
  int kind;
  alignas(8) unsigned char value[64];
};
constexpr int kCooperative = 2;

// As hipLaunchConfig_t.
struct EmulatedLaunchConfiguration {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
  const EmulatedAttribute* attributes;
  unsigned count;
};
// As HIP_LAUNCH_CONFIG.
struct EmulatedDriverConfiguration {
  unsigned grid[3], block[3], shared;
  hipStream_t stream;
  const EmulatedAttribute* attributes;
  unsigned count;
};

namespace {

bool is_cooperative(const EmulatedAttribute* attributes, unsigned count) {
  for (const EmulatedAttribute& one : std::span(attributes, attributes == nullptr ? 0 : count))
    if (one.kind == kCooperative) return *reinterpret_cast<const int*>(one.value) != 0;
  return false;
}

// Find a function of this library. `found` is 0 if there is one, else 1, as HIP's own function says it.
hipError_t find_function(const char* name, void** function, int* found) {
  if (name == nullptr || function == nullptr) return status(hipErrorInvalidValue);
  Dl_info self;
  dladdr(reinterpret_cast<void*>(&find_function), &self);
  void* const library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  *function = library == nullptr ? nullptr : dlsym(library, name);
  if (library != nullptr) dlclose(library);
  if (found != nullptr) *found = *function == nullptr;
  return status(*function == nullptr ? hipErrorInvalidValue : hipSuccess);
}

}  // namespace

hipError_t emulated_launch_ex(const EmulatedLaunchConfiguration* given, const void* kernel, void** arguments)
    C_NAME(hipLaunchKernelExC);
hipError_t emulated_launch_ex(const EmulatedLaunchConfiguration* given, const void* kernel, void** arguments) {
  if (given == nullptr) return status(hipErrorInvalidConfiguration);
  const dim3 grid = given->grid, block = given->block;
  return launch_registered(kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, arguments, given->shared,
                           given->stream, is_cooperative(given->attributes, given->count));
}
hipError_t emulated_driver_launch_ex(const EmulatedDriverConfiguration* given, const Symbol* function, void** arguments,
                                     void** extra) C_NAME(hipDrvLaunchKernelEx);
hipError_t emulated_driver_launch_ex(const EmulatedDriverConfiguration* given, const Symbol* function, void** arguments,
                                     void** extra) {
  HIPPORT_NEEDS(given, function);
  HIPPORT_NEEDS(given->stream);
  const Bound bound = bound_launch(function, {given->grid[0], given->grid[1], given->grid[2]},
                                   {given->block[0], given->block[1], given->block[2]}, arguments, extra, given->shared,
                                   is_cooperative(given->attributes, given->count));
  if (bound.status != hipSuccess) return bound.status;
  return hipport::cpu::enqueue(given->stream, bound.work, hipGraphNodeTypeKernel);
}

hipError_t emulated_proc_address(const char* name, void** function, int, uint64_t, int* found)
    C_NAME(hipGetProcAddress);
hipError_t emulated_proc_address(const char* name, void** function, int, uint64_t, int* found) {
  return find_function(name, function, found);
}
hipError_t emulated_entry_point(const char* name, void** function, unsigned long long, int* found)
    C_NAME(hipGetDriverEntryPoint);
hipError_t emulated_entry_point(const char* name, void** function, unsigned long long, int* found) {
  return find_function(name, function, found);
}
hipError_t emulated_entry_point_spt(const char* name, void** function, unsigned long long, int* found)
    C_NAME(hipGetDriverEntryPoint_spt);
hipError_t emulated_entry_point_spt(const char* name, void** function, unsigned long long, int* found) {
  return find_function(name, function, found);
}
