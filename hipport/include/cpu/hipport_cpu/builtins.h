// SPDX-License-Identifier: MIT
// The built-in variables: threadIdx, blockIdx, blockDim, gridDim.
#pragma once

#include "checks/hooks.h"
#include "sanitizers.h"
#include "vector_types.h"
#include "wave.h"

inline thread_local uint3 threadIdx{0, 0, 0};
inline thread_local uint3 blockIdx{0, 0, 0};
inline thread_local dim3 blockDim{1, 1, 1};
inline thread_local dim3 gridDim{1, 1, 1};

inline constexpr int warpSize = HIPPORT_WAVE_SIZE;

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

namespace hipport::cpu {

// Return the number of the thread in its block.
inline unsigned flat_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Set the index of the running thread. All threads of a block share the variable, which is not a race: they run one at
// a time on one operating system thread.
inline void set_thread(const uint3& index) {
  sanitizers::ignore_begin();
  threadIdx = index;
  sanitizers::ignore_end();
  if constexpr (checks::enabled) checks::resume(flat_thread());
}

}  // namespace hipport::cpu
