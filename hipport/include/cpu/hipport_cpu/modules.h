// SPDX-License-Identifier: MIT
// Modules: shared libraries made by `hipport build --target cpu --genco` or by hipRTC.
#pragma once

#include "function.h"
#include "graph_building.h"
#include "library.h"

#include <cstdio>
#include <memory>

struct ihipModuleSymbol_t : hipport::cpu::Handled<ihipModuleSymbol_t> {
  hipport::cpu::KernelHandle kernel;
  std::string name;
  bool strict;
};
template <>
struct hipport::cpu::PointerArgument<ihipModuleSymbol_t>
    : hipport::cpu::HandleArgument<ihipModuleSymbol_t, hipErrorInvalidHandle, hipErrorInvalidHandle> {};
using hipFunction_t = ihipModuleSymbol_t*;

struct ihipModule_t : hipport::cpu::Handled<ihipModule_t> {
  std::unique_ptr<hipport::cpu::Library> library;
  const hipport::cpu::ModuleTable* table;
  std::vector<std::unique_ptr<ihipModuleSymbol_t>> functions;
};
template <>
struct hipport::cpu::PointerArgument<ihipModule_t>
    : hipport::cpu::HandleArgument<ihipModule_t, hipErrorInvalidHandle, hipErrorNotFound> {};
using hipModule_t = ihipModule_t*;

enum hipFunction_attribute {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_NUM_REGS,
  HIP_FUNC_ATTRIBUTE_PTX_VERSION,
  HIP_FUNC_ATTRIBUTE_BINARY_VERSION,
  HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
  HIP_FUNC_ATTRIBUTE_MAX
};

namespace hipport::cpu {

HIPPORT_RUNTIME hipError_t refuse_image(hipError_t error, const char* what) {
  std::fprintf(stderr,
               "hipport: the module is %s; the CPU target loads files of `hipport build --target cpu --genco`\n", what);
  return status(error);
}

HIPPORT_RUNTIME hipError_t load_module(hipModule_t* module, const char* image, size_t size) {
  if (const char* what = size > 24 ? foreign_image(image) : nullptr) return refuse_image(hipErrorNoBinaryForGpu, what);
  if (size < sizeof(ElfW(Ehdr)) || image_size(image) == 0)
    return refuse_image(hipErrorInvalidImage, "no shared library");
  auto library = std::make_unique<Library>(image, size);
  if (!library->is_open()) return refuse_image(hipErrorInvalidImage, dlerror());
  const ModuleTable* table = library->table();
  if (table == nullptr) return refuse_image(hipErrorInvalidImage, "a shared library, but no module of this release");
  if (table->wave_size != HIPPORT_WAVE_SIZE)
    return refuse_image(hipErrorNoBinaryForGpu, "for wavefronts of another size than the program's");
  *module = new ihipModule_t{{}, std::move(library), table, {}};
  return hipSuccess;
}

inline const Exported* exported(const ModuleTable& table, const void* address) {
  const Exported* found = table.first;
  while (found != nullptr && found->kernel.address != address) found = found->next;
  return found;
}

HIPPORT_RUNTIME hipError_t launch_function(hipFunction_t function, dim3 grid, dim3 block, unsigned bytes,
                                           hipStream_t stream, void** arguments, void** extra, bool cooperative) {
  if (!is_stream(stream)) return hipport::cpu::status(hipErrorInvalidValue);
  HIPPORT_NEEDS(function);
  const Launch launch{{grid, block, bytes}, stream, function->name.c_str(), function->strict};
  std::shared_ptr<BoundKernel> bound;
  if (check_geometry(launch.geometry) != hipSuccess) return hipport::cpu::status(hipErrorInvalidValue);
  const hipError_t status = bind_with_extra("hipModuleLaunchKernel of a kernel whose parameters are not known",
                                            function->kernel, launch, arguments, extra, cooperative, &bound);
  if (status != hipSuccess) return status;
  return enqueue(stream, [bound] { bound->run(); }, hipGraphNodeTypeKernel);
}

inline const void* kernel_address(hipFunction_t function) {
  return function == nullptr ? nullptr : function->kernel.address;
}

inline int attribute(const hipFuncAttributes& all, hipFunction_attribute which) {
  switch (which) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return all.maxThreadsPerBlock;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return static_cast<int>(all.sharedSizeBytes);
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return static_cast<int>(all.constSizeBytes);
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return static_cast<int>(all.localSizeBytes);
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: return all.numRegs;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION: return all.ptxVersion;
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: return all.binaryVersion;
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: return all.cacheModeCA;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return all.maxDynamicSharedSizeBytes;
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return all.preferredShmemCarveout;
    default: return 0;
  }
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  if (module == nullptr || image == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const char* bytes = static_cast<const char*>(image);
  if (const char* what = hipport::cpu::foreign_image(bytes))
    return hipport::cpu::refuse_image(hipErrorNoBinaryForGpu, what);
  return hipport::cpu::load_module(module, bytes, hipport::cpu::image_size(bytes));
}
template <typename Option>
hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, Option*, void**) {
  return hipModuleLoadData(module, image);
}
HIPPORT_RUNTIME hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, std::nullptr_t,
                                               void**) {
  return hipModuleLoadData(module, image);
}
HIPPORT_RUNTIME hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* image) {
  return hipModuleLoadData(module, image);
}
HIPPORT_RUNTIME hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  if (module == nullptr || path == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return hipport::cpu::status(hipErrorFileNotFound);
  std::string image;
  char piece[4096];
  for (size_t size; (size = std::fread(piece, 1, sizeof piece, file)) > 0;) image.append(piece, size);
  std::fclose(file);
  return hipport::cpu::load_module(module, image.data(), image.size());
}
HIPPORT_RUNTIME hipError_t hipModuleUnload(hipModule_t module) {
  HIPPORT_NEEDS(module);
  delete module;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  HIPPORT_NEEDS(function, name, module);
  const void* address = module->library->symbol(name);
  if (address == nullptr) return hipport::cpu::status(hipErrorNotFound);
  const hipport::cpu::Exported* known = hipport::cpu::exported(*module->table, address);
  const hipport::cpu::KernelHandle kernel{address, known != nullptr ? known->kernel.type : nullptr};
  module->functions.push_back(std::make_unique<ihipModuleSymbol_t>(
      ihipModuleSymbol_t{{}, kernel, hipport::cpu::demangled(name), module->table->strict}));
  *function = module->functions.back().get();
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipModuleGetFunctionCount(unsigned* count, hipModule_t module) {
  HIPPORT_NEEDS(count, module);
  *count = 0;
  for (const hipport::cpu::Exported* kernel = module->table->first; kernel != nullptr; kernel = kernel->next)
    *count += kernel->expression == nullptr;
  return hipSuccess;
}
template <typename T>
hipError_t hipModuleGetGlobal(T** address, size_t* size, hipModule_t module, const char* name) {
  HIPPORT_NEEDS(name, module);
  size_t bytes = 0;
  void* found = module->library->symbol(name, &bytes);
  if (address != nullptr) *address = static_cast<T*>(found);
  if (size != nullptr) *size = bytes;
  return hipport::cpu::status(found == nullptr ? hipErrorNotFound : hipSuccess);
}

HIPPORT_RUNTIME hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                                 unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                                 unsigned bytes, hipStream_t stream, void** arguments, void** extra) {
  return hipport::cpu::launch_function(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), bytes,
                                       stream, arguments, extra, false);
}
HIPPORT_RUNTIME hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                                            unsigned grid_z, unsigned block_x, unsigned block_y,
                                                            unsigned block_z, unsigned bytes, hipStream_t stream,
                                                            void** arguments) {
  return hipport::cpu::launch_function(function, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), bytes,
                                       stream, arguments, nullptr, true);
}

HIPPORT_RUNTIME hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute which, hipFunction_t function) {
  HIPPORT_NEEDS(value, function);
  hipFuncAttributes all;
  const hipError_t status = hipport::cpu::function_attributes(&all, hipport::cpu::kernel_address(function));
  if (status == hipSuccess) *value = hipport::cpu::attribute(all, which);
  return status;
}
// Return the function of a kernel of the program itself; it lives as long as the program.
HIPPORT_RUNTIME hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* kernel) {
  const hipport::cpu::KernelHandle known = hipport::cpu::kernel(kernel);
  if (known.type == nullptr) return hipport::cpu::status(hipErrorInvalidDeviceFunction);
  *function = new ihipModuleSymbol_t{{}, known, "a kernel by its symbol", HIPPORT_STRICT};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function,
                                                                              int size, size_t bytes) {
  if (function == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  HIPPORT_NEEDS(blocks, function);
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, hipport::cpu::kernel_address(function), size, bytes);
}
HIPPORT_RUNTIME hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                                       hipFunction_t function, int size,
                                                                                       size_t bytes, unsigned) {
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, size, bytes);
}
HIPPORT_RUNTIME hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t function,
                                                                   size_t bytes, int limit) {
  if (function == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  HIPPORT_NEEDS(grid, block, function);
  return hipOccupancyMaxPotentialBlockSize(grid, block, function, bytes, limit);
}
HIPPORT_RUNTIME hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block,
                                                                            hipFunction_t function, size_t bytes,
                                                                            int limit, unsigned) {
  return hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, bytes, limit);
}

// "Libraries" are modules under newer names.
using hipLibrary_t = hipModule_t;
using hipKernel_t = hipFunction_t;
template <typename... Options>
hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* image, Options...) {
  return hipModuleLoadData(library, image);
}
template <typename... Options>
hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* path, Options...) {
  return hipModuleLoad(library, path);
}
HIPPORT_RUNTIME hipError_t hipLibraryUnload(hipLibrary_t library) { return hipModuleUnload(library); }
HIPPORT_RUNTIME hipError_t hipLibraryGetKernel(hipKernel_t* kernel, hipLibrary_t library, const char* name) {
  return hipModuleGetFunction(kernel, library, name);
}
HIPPORT_RUNTIME hipError_t hipLibraryGetKernelCount(unsigned* count, hipLibrary_t library) {
  return hipModuleGetFunctionCount(count, library);
}
HIPPORT_RUNTIME hipError_t hipKernelGetName(const char** name, hipKernel_t kernel) {
  HIPPORT_NEEDS(name, kernel);
  *name = kernel->name.c_str();
  return hipSuccess;
}
