// SPDX-License-Identifier: MIT
// Functions for device code with ordinary names: `fdivide`, whose quotient of floats may be approximate in CUDA and is
// exact here, and `saturate`, which CUDA had up to version 9.
#ifndef HIPPORT_COMPAT_MATH_HELPERS_H
#define HIPPORT_COMPAT_MATH_HELPERS_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

HIPPORT_COMPAT_DEVICE double fdivide(double x, double y) { return x / y; }
HIPPORT_COMPAT_DEVICE float fdivide(float x, float y) { return x / y; }

// 0 for NaN.
HIPPORT_COMPAT_DEVICE float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

#endif

#endif
