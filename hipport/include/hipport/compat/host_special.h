// SPDX-License-Identifier: MIT
// Special functions that CUDA has in host code, too, and HIP in device code only. These declarations are for the host.
#ifndef HIPPORT_COMPAT_HOST_SPECIAL_H
#define HIPPORT_COMPAT_HOST_SPECIAL_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "float_math.h"

#if defined(HIPPORT_COMPAT_HIP) && defined(__HIP__) && !defined(__HIPPORT_CPU__)

#include "special_values.h"

#include <type_traits>

// Define the function for double, and for float with the suffix `f`.
#define HIPPORT_COMPAT_HOST(name, parameters, floats, value) \
  __host__ inline double name parameters { return (value); } \
  __host__ inline float name##f floats { return static_cast<float>(value); }
#define HIPPORT_COMPAT_HOST_ONE(name, value)                 \
  HIPPORT_COMPAT_HOST(name, (double x), (float x), value)    \
  __host__ inline float name(float x) { return name##f(x); } \
  template <typename T>                                      \
  __host__ inline HIPPORT_COMPAT_OF_HALF(T) name(T x) {      \
    return name##f(static_cast<float>(x));                   \
  }

HIPPORT_COMPAT_HOST_ONE(erfcx, hipport::compat::erfcx(x))
HIPPORT_COMPAT_HOST_ONE(erfinv, hipport::compat::erfinv(x))
// rocThrust's <thrust/random.h> defines ::erfcinv(double), too: a template is no second definition.
template <typename T, typename = std::enable_if_t<std::is_same_v<T, double> || std::is_integral_v<T>>>
__host__ inline double erfcinv(T x) {
  return hipport::compat::erfcinv(x);
}
__host__ inline float erfcinvf(float x) { return static_cast<float>(hipport::compat::erfcinv(x)); }
__host__ inline float erfcinv(float x) { return erfcinvf(x); }
template <typename T>
__host__ inline HIPPORT_COMPAT_OF_HALF(T) erfcinv(T x) {
  return erfcinvf(static_cast<float>(x));
}
HIPPORT_COMPAT_HOST_ONE(normcdfinv, -1.41421356237309504880 * hipport::compat::erfcinv(2.0 * x))
HIPPORT_COMPAT_HOST_ONE(cyl_bessel_i0, hipport::compat::bessel_i(0, x))
HIPPORT_COMPAT_HOST_ONE(cyl_bessel_i1, hipport::compat::bessel_i(1, x))
HIPPORT_COMPAT_HOST(rnorm3d, (double x, double y, double z), (float x, float y, float z),
                    hipport::compat::inverse_length(x, y, z))
HIPPORT_COMPAT_HOST(norm4d, (double x, double y, double z, double w), (float x, float y, float z, float w),
                    hipport::compat::length(x, y, z, w))
HIPPORT_COMPAT_HOST(rnorm4d, (double x, double y, double z, double w), (float x, float y, float z, float w),
                    hipport::compat::inverse_length(x, y, z, w))
HIPPORT_COMPAT_HOST(norm, (int count, const double* values), (int count, const float* values),
                    hipport::compat::length(count, values))
HIPPORT_COMPAT_HOST(rnorm, (int count, const double* values), (int count, const float* values),
                    1.0 / hipport::compat::length(count, values))
#undef HIPPORT_COMPAT_HOST
#undef HIPPORT_COMPAT_HOST_ONE

#endif

#endif

#endif
