// SPDX-License-Identifier: MIT
// GLM's functions in device code: GLM up to 0.9.9.8 marks them for devices where nvcc compiles only, and would make them
// functions of the host.
#ifndef HIPPORT_COMPAT_GLM_H
#define HIPPORT_COMPAT_GLM_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && !defined(__CUDACC__) && defined(__has_include)
#if __has_include(<glm/detail/setup.hpp>)
// GLM asks once; without GLM_FORCE_CUDA it would ask cuda.h for the version.
#ifndef GLM_FORCE_CUDA
#define GLM_FORCE_CUDA
#endif
#define __CUDACC__
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 8000
#include <glm/detail/setup.hpp>
#pragma pop_macro("CUDA_VERSION")
#undef __CUDACC__
#endif
#endif

#endif

#endif
