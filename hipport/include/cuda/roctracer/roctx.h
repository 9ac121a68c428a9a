// SPDX-License-Identifier: MIT
// rocTX's ranges and marks, mapped to NVTX.
#pragma once

#include <hip/hip_runtime.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
#include <nvToolsExt.h>
#endif

#include <hipport_cuda/names/nvtx.h>

#define roctxMark nvtxMarkA
#define roctxRangePush nvtxRangePushA
#define roctxRangeStart nvtxRangeStartA
