// Launches kernels that call await_previous_kernel: on NVIDIA's GPUs from Hopper on, before the one ahead has ended.
#ifndef HIPPORT_LLM_EARLY_LAUNCH_H
#define HIPPORT_LLM_EARLY_LAUNCH_H

#include "../kernels/early_start.cuh"
#include "device.h"

namespace hipport_llm {

// The grid of a launch: `bytes` of dynamic shared memory.
struct LaunchGrid {
  dim3 blocks;
  int threads;
  int bytes = 0;
};

#if HIPPORT_LLM_EARLY_START

template <typename... Parameters, typename... Arguments>
void launch_early(void (*kernel)(Parameters...), const LaunchGrid& grid, cudaStream_t stream,
                  const Arguments&... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid.blocks;
  config.blockDim = dim3(grid.threads);
  config.dynamicSmemBytes = grid.bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "launching a kernel");
}

#else

template <typename Kernel, typename... Arguments>
void launch_early(Kernel* kernel, const LaunchGrid& grid, cudaStream_t stream, const Arguments&... arguments) {
  kernel<<<grid.blocks, grid.threads, grid.bytes, stream>>>(arguments...);
}

#endif

}  // namespace hipport_llm

#endif
