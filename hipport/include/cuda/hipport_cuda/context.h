// SPDX-License-Identifier: MIT
// Contexts and occupancy, for driver functions with one parameter more than HIP's.
#pragma once

namespace hipport {
namespace nvidia {

inline cudaError_t context_create(CUcontext* context, unsigned flags, CUdevice device) {
#if CUDART_VERSION >= 13000
  return HIPPORT_DRIVER(cuCtxCreate)(context, nullptr, flags, device);
#else
  return HIPPORT_DRIVER(cuCtxCreate)(context, flags, device);
#endif
}

inline cudaError_t potential_block_size(int* grid, int* block, CUfunction function, size_t shared, int limit) {
  return HIPPORT_DRIVER(cuOccupancyMaxPotentialBlockSize)(grid, block, function, nullptr, shared, limit);
}
inline cudaError_t potential_block_size_with_flags(int* grid, int* block, CUfunction function, size_t shared, int limit,
                                                   unsigned flags) {
  return HIPPORT_DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags)(grid, block, function, nullptr, shared, limit,
                                                                   flags);
}

}  // namespace nvidia
}  // namespace hipport

#undef hipCtxCreate
#define hipCtxCreate ::hipport::nvidia::context_create
#undef hipModuleOccupancyMaxPotentialBlockSize
#define hipModuleOccupancyMaxPotentialBlockSize ::hipport::nvidia::potential_block_size
#undef hipModuleOccupancyMaxPotentialBlockSizeWithFlags
#define hipModuleOccupancyMaxPotentialBlockSizeWithFlags ::hipport::nvidia::potential_block_size_with_flags
