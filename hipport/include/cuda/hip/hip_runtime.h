// SPDX-License-Identifier: MIT
// HIP on NVIDIA GPUs: the host API and the kernel language.
#pragma once

#define HIP_INCLUDE_HIP_HIP_RUNTIME_H

#include <hip/hip_runtime_api.h>
#include <hip/library_types.h>

#include "../hipport_cuda/launch.h"
#if defined(__CUDACC__)
#include "../hipport_cuda/kernel_language.h"
#endif
