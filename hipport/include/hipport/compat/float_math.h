// SPDX-License-Identifier: MIT
// Mathematical functions of a float or half number, which CUDA has as overloads: HIP has these names for double only, so
// that a float becomes a double, and so does what is computed with the result.
#ifndef HIPPORT_COMPAT_FLOAT_MATH_H
#define HIPPORT_COMPAT_FLOAT_MATH_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include <math.h>

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

namespace hipport {
namespace compat {

// Has a member only for types of 16-bit numbers, which convert to float and to double.
template <bool Is>
struct FloatOf {};
template <>
struct FloatOf<true> {
  typedef float type;
};

}  // namespace compat
}  // namespace hipport

// Float, in overloads for types of 16-bit numbers.
#define HIPPORT_COMPAT_OF_HALF(T) typename hipport::compat::FloatOf<__is_class(T) && sizeof(T) == 2>::type
#define HIPPORT_COMPAT_FLOAT(space, name)                  \
  space float name(float value) { return name##f(value); } \
  template <typename T>                                    \
  space HIPPORT_COMPAT_OF_HALF(T) name(T value) {          \
    return name##f(static_cast<float>(value));             \
  }

// For the host, the C library has the first of these.
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT, exp10)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT, j0)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT, j1)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT, y0)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT, y1)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, cyl_bessel_i0)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, cyl_bessel_i1)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, erfcinv)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, erfcx)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, erfinv)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, normcdf)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, normcdfinv)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, rcbrt)
HIPPORT_COMPAT_FLOAT(HIPPORT_COMPAT_DEVICE, rsqrt)
#undef HIPPORT_COMPAT_FLOAT

#endif

#endif

#endif
