// SPDX-License-Identifier: MIT
// Libraries of kernels (HIP 7), which are modules whose kernels can be counted and listed; names of kernels.
#include <hip/hip_runtime_api.h>

#include "launches.h"

#include <algorithm>

#define C_NAME(name) asm(#name)

using namespace hipport::emulate;
using hipport::cpu::status;

hipError_t emulated_load(EmulatedModule** to, const char* path) C_NAME(hipModuleLoad);
hipError_t emulated_load_data(EmulatedModule** to, const void* image) C_NAME(hipModuleLoadData);
hipError_t emulated_unload(EmulatedModule* module) C_NAME(hipModuleUnload);
hipError_t emulated_function(Symbol** to, EmulatedModule* module, const char* name) C_NAME(hipModuleGetFunction);

hipError_t emulated_fat_binary(EmulatedModule** to, const void* image) C_NAME(hipModuleLoadFatBinary);
hipError_t emulated_fat_binary(EmulatedModule** to, const void* image) { return emulated_load_data(to, image); }
hipError_t emulated_function_count(unsigned* count, EmulatedModule* module) C_NAME(hipModuleGetFunctionCount);
hipError_t emulated_function_count(unsigned* count, EmulatedModule* module) {
  HIPPORT_NEEDS(count, module);
  *count = unsigned(module->image->object().kernels().size());
  return hipSuccess;
}

// Options are CUDA's, or say how long the code is kept.
hipError_t emulated_library_data(EmulatedModule** to, const void* image, int*, void**, unsigned, int*, void**, unsigned)
    C_NAME(hipLibraryLoadData);
hipError_t emulated_library_data(EmulatedModule** to, const void* image, int*, void**, unsigned, int*, void**,
                                 unsigned) {
  if (to == nullptr || image == nullptr) return status(hipErrorInvalidValue);
  return emulated_load_data(to, image);
}
hipError_t emulated_library_file(EmulatedModule** to, const char* path, int*, void**, unsigned, int*, void**, unsigned)
    C_NAME(hipLibraryLoadFromFile);
hipError_t emulated_library_file(EmulatedModule** to, const char* path, int*, void**, unsigned, int*, void**,
                                 unsigned) {
  if (to == nullptr || path == nullptr) return status(hipErrorInvalidValue);
  return emulated_load(to, path);
}
hipError_t emulated_library_unload(EmulatedModule* library) C_NAME(hipLibraryUnload);
hipError_t emulated_library_unload(EmulatedModule* library) {
  return library == nullptr ? status(hipErrorInvalidHandle) : emulated_unload(library);
}
hipError_t emulated_library_kernel(Symbol** to, EmulatedModule* library, const char* name) C_NAME(hipLibraryGetKernel);
hipError_t emulated_library_kernel(Symbol** to, EmulatedModule* library, const char* name) {
  HIPPORT_NEEDS(library);
  if (to == nullptr || name == nullptr) return status(hipErrorInvalidValue);
  return emulated_function(to, library, name);
}
hipError_t emulated_library_count(unsigned* count, EmulatedModule* library) C_NAME(hipLibraryGetKernelCount);
hipError_t emulated_library_count(unsigned* count, EmulatedModule* library) {
  return library == nullptr ? status(hipErrorInvalidHandle) : emulated_function_count(count, library);
}
hipError_t emulated_library_list(Symbol** kernels, unsigned count, EmulatedModule* library)
    C_NAME(hipLibraryEnumerateKernels);
hipError_t emulated_library_list(Symbol** kernels, unsigned count, EmulatedModule* library) {
  HIPPORT_NEEDS(library);
  if (kernels == nullptr || count == 0) return status(hipErrorInvalidValue);
  for (const auto& [name, kernel] : library->image->object().kernels()) {
    if (count-- == 0) break;
    const hipError_t error = emulated_function(kernels++, library, name.c_str());
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}
hipError_t emulated_library_of(EmulatedModule** to, const Symbol* kernel) C_NAME(hipKernelGetLibrary);
hipError_t emulated_library_of(EmulatedModule** to, const Symbol* kernel) {
  HIPPORT_NEEDS(to, kernel);
  if (kernel->module == nullptr) return status(hipErrorInvalidValue);
  *to = kernel->module;
  return hipSuccess;
}
hipError_t emulated_kernel_name(const char** name, const Symbol* kernel) C_NAME(hipKernelGetName);
hipError_t emulated_kernel_name(const char** name, const Symbol* kernel) {
  HIPPORT_NEEDS(name, kernel);
  *name = kernel->name.c_str();
  return hipSuccess;
}

const char* emulated_name_of(const void* host, hipStream_t) C_NAME(hipKernelNameRefByPtr);
const char* emulated_name_of(const void* host, hipStream_t) {
  const Symbol* const symbol = registered_kernel(host);
  return symbol == nullptr ? nullptr : symbol->name.c_str();
}
// Numbers of functions are those of AMD's tracer.
const char* emulated_api_name(uint32_t number) C_NAME(hipApiName);
const char* emulated_api_name(uint32_t) { return "unknown"; }
const char* emulated_command_name(uint32_t number) C_NAME(hipGetCmdName);
const char* emulated_command_name(uint32_t) { return "unknown"; }

// What `blocks` blocks leave of a compute unit's shared memory to each.
hipError_t emulated_available(size_t* bytes, const void* host, int blocks, int size)
    C_NAME(hipOccupancyAvailableDynamicSMemPerBlock);
hipError_t emulated_available(size_t* bytes, const void* host, int blocks, int size) {
  const Symbol* const symbol = registered_kernel(host);
  if (symbol == nullptr) return status(hipErrorInvalidDeviceFunction);
  if (bytes == nullptr || blocks <= 0 || size <= 0 || size > 1024) return status(hipErrorInvalidValue);
  const size_t own = kernel_of(*symbol).descriptor.local_bytes, share = local_limit() / size_t(blocks);
  *bytes = share > own ? share - own : 0;
  return hipSuccess;
}
