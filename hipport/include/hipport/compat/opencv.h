// SPDX-License-Identifier: MIT
// OpenCV's types for device code, `cv::cuda::PtrStepSz` and its like: they are for both sides where nvcc compiles.
//
// OpenCV asks for __CUDACC__, which hipcc does not define for AMD GPUs, and would make them types of the host.
#ifndef HIPPORT_COMPAT_OPENCV_H
#define HIPPORT_COMPAT_OPENCV_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && !defined(__CUDACC__) && defined(__has_include)
#if __has_include(<opencv2/core/cuda_types.hpp>)
#define __CUDACC__
#include <opencv2/core/cuda_types.hpp>
#undef __CUDACC__
#endif
#endif

#endif

#endif
