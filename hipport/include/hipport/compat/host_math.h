// SPDX-License-Identifier: MIT
// CUDA math functions that also exist in host code, and that HIP has only in device code. These declarations are for
// the host; a `__host__ __device__` function uses the one for its side.
#ifndef HIPPORT_COMPAT_HOST_MATH_H
#define HIPPORT_COMPAT_HOST_MATH_H

#include "core.h"
#include "float_math.h"
