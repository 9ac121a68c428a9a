// SPDX-License-Identifier: MIT
// Shuffles of bfloat16, and of half before ROCm 5.7, for which HIP has no overloads.
//
// They are templates, so that HIP's own functions are preferred where it has them.
#ifndef HIPPORT_COMPAT_SHUFFLE_HALF_H
#define HIPPORT_COMPAT_SHUFFLE_HALF_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

#include <hip/hip_fp16.h>

#include "bf16.h"

namespace hipport {
namespace compat {

// Has a member only for the types of 16 bits and for pairs of them.
template <typename T>
struct Shuffled {};
template <>
struct Shuffled<__half> {
  typedef int number;
};
template <>
struct Shuffled<__half2> {
  typedef int number;
};
#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)
template <>
struct Shuffled<__nv_bfloat16> {
  typedef int number;
};
template <>
struct Shuffled<__nv_bfloat162> {
  typedef int number;
};
#else
template <>
struct Shuffled<__hip_bfloat16> {
  typedef int number;
};
template <>
struct Shuffled<__hip_bfloat162> {
  typedef int number;
};
#endif

// Pass the value's bits through a shuffle of integers.
template <typename T>
HIPPORT_COMPAT_DEVICE int to_shuffle(T value) {
  int word = 0;
  memcpy(&word, static_cast<const void*>(&value), sizeof(value));
  return word;
}
template <typename T>
HIPPORT_COMPAT_DEVICE T from_shuffle(int word) {
  T value;
  memcpy(static_cast<void*>(&value), &word, sizeof(value));
  return value;
}

}  // namespace compat
}  // namespace hipport

#define HIPPORT_COMPAT_SHUFFLE(name, Where)                                  \
  template <typename T, typename hipport::compat::Shuffled<T>::number = 0>   \
  HIPPORT_COMPAT_DEVICE T name(T value, Where where, int width = warpSize) { \
    using namespace hipport::compat;                                         \
    return from_shuffle<T>(name(to_shuffle(value), where, width));           \
  }
HIPPORT_COMPAT_SHUFFLE(__shfl, int)
HIPPORT_COMPAT_SHUFFLE(__shfl_up, unsigned)
HIPPORT_COMPAT_SHUFFLE(__shfl_down, unsigned)
HIPPORT_COMPAT_SHUFFLE(__shfl_xor, int)
#undef HIPPORT_COMPAT_SHUFFLE

#endif

#endif

#endif
