// SPDX-License-Identifier: MIT
// curand.h for C: hiprand.h uses `__half`, which HIP's headers do not define in C, and classes.
#ifndef HIPPORT_COMPAT_RAND_H
#define HIPPORT_COMPAT_RAND_H

#if defined(__NVCC__) || defined(__CUDA__) || defined(__HIP_PLATFORM_NVIDIA__)

#include <curand.h>

#else

#if !defined(__cplusplus)

#include <hip/hip_fp16.h>

#include <stdbool.h>

// As hip_fp16.h has it in C++, for pointers to the output of generators of half numbers.
typedef struct hipport_half_in_c {
  unsigned short bits;
} hipport_half_in_c;
#define __half hipport_half_in_c
// hiprand.h names them without `struct` before ROCm 6.
typedef struct rocrand_generator_base_type rocrand_generator_base_type;
typedef struct rocrand_discrete_distribution_st rocrand_discrete_distribution_st;

#include <hiprand/hiprand.h>

#undef __half

#else

#include <hiprand/hiprand.h>

#endif

#endif

#endif
