// SPDX-License-Identifier: MIT
// Launches that are checked and have their arguments, to run at once or later.
#pragma once

#include "grid.h"
#include "loaded.h"

#include <functional>

namespace hipport::emulate {

struct Bound {
  hipError_t status;
  std::function<void()> work;
  std::shared_ptr<std::vector<void*>> arguments;  // addresses of the copies that `work` holds
};

// Return whether sizes are neither 0 nor too large.
bool are_possible(Size3 grid, Size3 block);

// Return what launches say whose sizes are not possible, in a program with an address: up to HIP 6 that a value is wrong,
// from HIP 7 on what CUDA says. Launches of functions of modules, except hipExtModuleLaunchKernel, keep the former.
hipError_t size_error(void* address);

// Bind a kernel to its arguments: an array of pointers, or one buffer that `extra` names. Without a kernel, or without
// the arguments that it has, the status is an error.
Bound bound_launch(const Symbol* symbol, Size3 grid, Size3 block, void** arguments, void** extra, size_t shared,
                   bool cooperative);

// Launch the kernel that has this address in the host code.
hipError_t launch_registered(const void* host, Size3 grid, Size3 block, void** arguments, size_t shared,
                             hipStream_t stream, bool cooperative);

// Return the kernel of a symbol. Stops the program if the code object does not have it.
const Kernel& kernel_of(const Symbol& symbol);

// What programs ask about kernels.
hipFuncAttributes attributes_of(const Kernel& kernel);
hipError_t occupancy(int* blocks, const Kernel& kernel, int block_size, size_t shared);
hipError_t best_block(int* grid, int* block, const Kernel& kernel, int limit);

}  // namespace hipport::emulate
