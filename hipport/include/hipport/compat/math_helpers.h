// SPDX-License-Identifier: MIT
// Functions for device code with ordinary names: `fdivide`, whose quotient of floats may be approximate in CUDA and is
// exact here, and `saturate`, which CUDA had up to version 9.
#ifndef HIPPORT_COMPAT_MATH_HELPERS_H
#define HIPPORT_COMPAT_MATH_HELPERS_H

#include <type_traits>

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

HIPPORT_COMPAT_DEVICE double fdivide(double x, double y) { return x / y; }
HIPPORT_COMPAT_DEVICE float fdivide(float x, float y) { return x / y; }

// 0 for NaN. Many projects have a function of this name: any of theirs is a better match.
template <typename T, typename... None>
HIPPORT_COMPAT_DEVICE auto saturate(T value, None...) ->
    typename std::enable_if<std::is_arithmetic<T>::value && sizeof...(None) == 0, float>::type {
  const float x = static_cast<float>(value);
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

#endif

#endif
