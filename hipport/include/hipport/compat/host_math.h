// SPDX-License-Identifier: MIT
// CUDA math functions that also exist in host code, and that HIP has only in device code. These declarations are for
// the host; a `__host__ __device__` function uses the one for its side.
#ifndef HIPPORT_COMPAT_HOST_MATH_H
#define HIPPORT_COMPAT_HOST_MATH_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"
#include "sincos.h"
#include "float_math.h"

#if defined(HIPPORT_COMPAT_HIP) && defined(__HIP__) && !defined(__HIPPORT_CPU__)

#include <cmath>

// Define the function for double, and for float with the suffix `f`.
#define HIPPORT_COMPAT_HOST(name, parameters, floats, value) \
  __host__ inline double name parameters { return (value); } \
  __host__ inline float name##f floats { return float(value); }

HIPPORT_COMPAT_HOST(rsqrt, (double x), (float x), 1.0 / std::sqrt(double(x)))
HIPPORT_COMPAT_HOST(rcbrt, (double x), (float x), 1.0 / std::cbrt(double(x)))
HIPPORT_COMPAT_HOST(normcdf, (double x), (float x), 0.5 * std::erfc(-double(x) * 0.70710678118654752440))
HIPPORT_COMPAT_HOST(rhypot, (double x, double y), (float x, float y), 1.0 / std::hypot(double(x), double(y)))
HIPPORT_COMPAT_HOST(norm3d, (double x, double y, double z), (float x, float y, float z),
                    std::hypot(std::hypot(double(x), double(y)), double(z)))
#undef HIPPORT_COMPAT_HOST

#define HIPPORT_COMPAT_HOST_FLOAT(name)                      \
  __host__ inline float name(float x) { return name##f(x); } \
  template <typename T>                                      \
  __host__ inline HIPPORT_COMPAT_OF_HALF(T) name(T x) {      \
    return name##f(static_cast<float>(x));                   \
  }
HIPPORT_COMPAT_HOST_FLOAT(rsqrt)
HIPPORT_COMPAT_HOST_FLOAT(rcbrt)
HIPPORT_COMPAT_HOST_FLOAT(normcdf)
#undef HIPPORT_COMPAT_HOST_FLOAT
__host__ inline float fdividef(float x, float y) { return x / y; }

#endif

#endif

#endif
