// SPDX-License-Identifier: MIT
// Functions that clang and HIP's headers call with -fgpu-default-stream=per-thread, where the emulator has the common ones.
// Operations of all streams run in the order of the calls, so that the default streams do not differ.
#include <hip/hip_runtime_api.h>

#include "grid.h"

using hipport::emulate::Size3;

#define C_NAME(name) asm(#name)

// DEFINE(NAME, (PARAMETERS), (ARGUMENTS)): the function NAME_spt, which calls NAME.
#define DEFINE(name, parameters, arguments)                   \
  hipError_t common_##name parameters C_NAME(name);           \
  hipError_t per_thread_##name parameters C_NAME(name##_spt); \
  hipError_t per_thread_##name parameters { return common_##name arguments; }

DEFINE(hipLaunchKernel,
       (const void* kernel, Size3 grid, Size3 block, void** arguments, size_t shared, hipStream_t stream),
       (kernel, grid, block, arguments, shared, stream))
DEFINE(hipLaunchCooperativeKernel,
       (const void* kernel, Size3 grid, Size3 block, void** arguments, unsigned shared, hipStream_t stream),
       (kernel, grid, block, arguments, shared, stream))
DEFINE(hipMemcpyToSymbol, (const void* symbol, const void* from, size_t size, size_t offset, hipMemcpyKind kind),
       (symbol, from, size, offset, kind))
DEFINE(hipMemcpyFromSymbol, (void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind),
       (to, symbol, size, offset, kind))
DEFINE(hipMemcpyToSymbolAsync,
       (const void* symbol, const void* from, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream),
       (symbol, from, size, offset, kind, stream))
DEFINE(hipMemcpyFromSymbolAsync,
       (void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream),
       (to, symbol, size, offset, kind, stream))
