// SPDX-License-Identifier: MIT
// Which compilers read device code. Others read headers that sources for host and device share: what they cannot use, and
// what CUDA declares for nvcc alone, is hidden from them.
#ifndef HIPPORT_COMPAT_DEVICE_COMPILER_H
#define HIPPORT_COMPAT_DEVICE_COMPILER_H

#if defined(__HIP__) || defined(__HIPCC__) || defined(__HIPPORT_CPU__) || defined(__CUDACC__) || defined(__CUDA__)
#define HIPPORT_COMPAT_DEVICE_COMPILER 1
#endif

#endif
