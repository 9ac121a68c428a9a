// SPDX-License-Identifier: MIT
// What programs ask about the functions of modules, which are symbols of code objects.
#include <hip/hip_runtime_api.h>

#include "launches.h"

#define C_NAME(name) asm(#name)

using namespace hipport::emulate;
using hipport::cpu::status;

hipError_t emulated_attribute_of(int* to, int attribute, const Symbol* function) C_NAME(hipFuncGetAttribute);
hipError_t emulated_attribute_of(int* to, int attribute, const Symbol* function) {
  HIPPORT_NEEDS(to);
  if (!hipport::cpu::exists(function)) return status(hipErrorInvalidValue);
  const hipFuncAttributes all = attributes_of(kernel_of(*function));
  const int values[] = {all.maxThreadsPerBlock,
                        int(all.sharedSizeBytes),
                        int(all.constSizeBytes),
                        int(all.localSizeBytes),
                        all.numRegs,
                        all.ptxVersion,
                        all.binaryVersion,
                        all.cacheModeCA,
                        all.maxDynamicSharedSizeBytes,
                        all.preferredShmemCarveout};
  if (attribute < 0 || attribute >= int(std::size(values))) return status(hipErrorInvalidValue);
  *to = values[attribute];
  return hipSuccess;
}
hipError_t emulated_function_of(const Symbol** to, const void* host) C_NAME(hipGetFuncBySymbol);
hipError_t emulated_function_of(const Symbol** to, const void* host) {
  HIPPORT_NEEDS(to);
  *to = registered_kernel(host);
  return status(*to == nullptr ? hipErrorInvalidDeviceFunction : hipSuccess);
}
const char* emulated_name(const Symbol* function) C_NAME(hipKernelNameRef);
const char* emulated_name(const Symbol* function) {
  return hipport::cpu::exists(function) ? function->name.c_str() : nullptr;
}
hipError_t emulated_module_cooperative(const Symbol* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                       hipStream_t stream, void** arguments) C_NAME(hipModuleLaunchCooperativeKernel);
hipError_t emulated_module_cooperative(const Symbol* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                       hipStream_t stream, void** arguments) {
  const bool is_possible = are_possible({grid_x, grid_y, grid_z}, {block_x, block_y, block_z});
  if (!is_possible || !hipport::cpu::is_stream(stream)) return status(hipErrorInvalidValue);
  HIPPORT_NEEDS(function);
  const Bound bound =
      bound_launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments, nullptr, shared, true);
  if (bound.status != hipSuccess) return bound.status;
  return hipport::cpu::enqueue(stream, bound.work, hipGraphNodeTypeKernel);
}

hipError_t emulated_module_occupancy(int* blocks, const Symbol* function, int size, size_t shared)
    C_NAME(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor);
hipError_t emulated_module_occupancy(int* blocks, const Symbol* function, int size, size_t shared) {
  HIPPORT_NEEDS(blocks);
  if (!hipport::cpu::exists(function)) return status(hipErrorInvalidValue);
  return occupancy(blocks, kernel_of(*function), size, shared);
}
hipError_t emulated_module_occupancy_flags(int* blocks, const Symbol* function, int size, size_t shared, unsigned)
    C_NAME(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
hipError_t emulated_module_occupancy_flags(int* blocks, const Symbol* function, int size, size_t shared, unsigned) {
  HIPPORT_NEEDS(blocks);
  if (!hipport::cpu::exists(function)) return status(hipErrorInvalidValue);
  return occupancy(blocks, kernel_of(*function), size, shared);
}
hipError_t emulated_occupancy_flags(int* blocks, const void* host, int size, size_t shared, unsigned)
    C_NAME(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
hipError_t emulated_occupancy_flags(int* blocks, const void* host, int size, size_t shared, unsigned flags) {
  constexpr unsigned largest = 1;
  HIPPORT_NEEDS(blocks);
  if (flags > largest) return status(hipErrorInvalidValue);
  const Symbol* const symbol = registered_kernel(host);
  if (symbol == nullptr) return status(hipErrorInvalidDeviceFunction);
  return occupancy(blocks, kernel_of(*symbol), size, shared);
}
hipError_t emulated_module_potential(int* grid, int* block, const Symbol* function, size_t, int limit)
    C_NAME(hipModuleOccupancyMaxPotentialBlockSize);
hipError_t emulated_module_potential(int* grid, int* block, const Symbol* function, size_t, int limit) {
  HIPPORT_NEEDS(grid, block);
  if (!hipport::cpu::exists(function)) return status(hipErrorInvalidValue);
  return best_block(grid, block, kernel_of(*function), limit);
}
hipError_t emulated_module_potential_flags(int* grid, int* block, const Symbol* function, size_t, int limit, unsigned)
    C_NAME(hipModuleOccupancyMaxPotentialBlockSizeWithFlags);
hipError_t emulated_module_potential_flags(int* grid, int* block, const Symbol* function, size_t, int limit, unsigned) {
  HIPPORT_NEEDS(grid, block);
  if (!hipport::cpu::exists(function)) return status(hipErrorInvalidValue);
  return best_block(grid, block, kernel_of(*function), limit);
}
