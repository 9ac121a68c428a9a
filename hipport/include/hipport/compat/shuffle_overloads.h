// SPDX-License-Identifier: MIT
// CUDA's shuffles with a mask, under their own names, for files that overload them for types of theirs: a call may mean
// either, by the type of its value. They take no part of the mask: lanes of a warp are halves of a wavefront of 64.
#ifndef HIPPORT_COMPAT_SHUFFLE_OVERLOADS_H
#define HIPPORT_COMPAT_SHUFFLE_OVERLOADS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_fp16.h>

#include "bf16.h"
#include "shuffle_half.h"

// The mask is a template's parameter as in ROCm 7, whose functions of these names are for any type.
#define HIPPORT_COMPAT_SHUFFLES(T)                                                          \
  template <typename Mask>                                                                  \
  HIPPORT_COMPAT_DEVICE T __shfl_sync(Mask, T value, int lane, int width = 32) {            \
    return ::__shfl(value, lane & (width - 1), width);                                      \
  }                                                                                         \
  template <typename Mask>                                                                  \
  HIPPORT_COMPAT_DEVICE T __shfl_up_sync(Mask, T value, unsigned delta, int width = 32) {   \
    return ::__shfl_up(value, delta, width);                                                \
  }                                                                                         \
  template <typename Mask>                                                                  \
  HIPPORT_COMPAT_DEVICE T __shfl_down_sync(Mask, T value, unsigned delta, int width = 32) { \
    return ::__shfl_down(value, delta, width);                                              \
  }                                                                                         \
  template <typename Mask>                                                                  \
  HIPPORT_COMPAT_DEVICE T __shfl_xor_sync(Mask, T value, int lanes, int width = 32) {       \
    return ::__shfl_xor(value, lanes, width);                                               \
  }
HIPPORT_COMPAT_SHUFFLES(bool)
HIPPORT_COMPAT_SHUFFLES(char)
HIPPORT_COMPAT_SHUFFLES(signed char)
HIPPORT_COMPAT_SHUFFLES(unsigned char)
HIPPORT_COMPAT_SHUFFLES(short)
HIPPORT_COMPAT_SHUFFLES(unsigned short)
HIPPORT_COMPAT_SHUFFLES(int)
HIPPORT_COMPAT_SHUFFLES(unsigned)
HIPPORT_COMPAT_SHUFFLES(long)
HIPPORT_COMPAT_SHUFFLES(unsigned long)
HIPPORT_COMPAT_SHUFFLES(long long)
HIPPORT_COMPAT_SHUFFLES(unsigned long long)
HIPPORT_COMPAT_SHUFFLES(float)
HIPPORT_COMPAT_SHUFFLES(double)
HIPPORT_COMPAT_SHUFFLES(__half)
HIPPORT_COMPAT_SHUFFLES(__half2)
#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)
HIPPORT_COMPAT_SHUFFLES(__nv_bfloat16)
HIPPORT_COMPAT_SHUFFLES(__nv_bfloat162)
#else
HIPPORT_COMPAT_SHUFFLES(__hip_bfloat16)
HIPPORT_COMPAT_SHUFFLES(__hip_bfloat162)
#endif
#undef HIPPORT_COMPAT_SHUFFLES

#endif

#endif

#endif
