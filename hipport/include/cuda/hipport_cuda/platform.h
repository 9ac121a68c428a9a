// SPDX-License-Identifier: MIT
// The macros with which sources detect the platform, and CUDA's own headers.
#pragma once

#if defined(__HIP_PLATFORM_AMD__)
#error "hipport: these headers are HIP for NVIDIA GPUs; __HIP_PLATFORM_AMD__ must not be defined"
#endif
#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#ifndef __HIP_PLATFORM_NVCC__
#define __HIP_PLATFORM_NVCC__ 1
#endif

#if defined(__CUDACC__)
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#if defined(__CUDA_ARCH__)
#define __HIP_DEVICE_COMPILE__ 1
#include "arch.h"
#endif
#endif

#include <cuda.h>
#include <cuda_runtime.h>
#if __has_include(<cuda_profiler_api.h>)
#include <cuda_profiler_api.h>
#endif

#include <hip/hip_version.h>

#if CUDART_VERSION < 11000
#error "hipport: HIP on NVIDIA GPUs needs CUDA 11 or later"
#endif
