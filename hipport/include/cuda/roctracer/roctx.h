// SPDX-License-Identifier: MIT
// roctx's ranges and marks as NVTX's.
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
