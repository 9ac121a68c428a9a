// SPDX-License-Identifier: MIT
// `sinpi`, `cospi` and `sincospi`, in host code, too, which HIP has for device code only. A zero has CUDA's sign, which
// is that of IEEE 754: that of the argument for the sine, plus for the cosine. On AMD GPUs `sinpi(1.0)` is -0.
#ifndef HIPPORT_COMPAT_SINES_OF_PI_H
#define HIPPORT_COMPAT_SINES_OF_PI_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include <math.h>

#include "core.h"

namespace hipport {
namespace compat {

#if defined(HIPPORT_COMPAT_CUDA) || defined(__HIPPORT_CPU__)

using ::cospi;
using ::cospif;
using ::sincospi;
using ::sincospif;
using ::sinpi;
using ::sinpif;

#else

#if !defined(HIPPORT_COMPAT_AMDGPU)
// Exact where the sine is 0 or 1, because the angle is reduced before it is multiplied by pi.
inline double sine_of_pi(double x) {
  double rest = ::remainder(x, 2.0);
  if (::fabs(rest) > 0.5) rest = ::copysign(1.0, rest) - rest;
  return ::sin(3.14159265358979323846 * rest);
}
inline double cosine_of_pi(double x) { return sine_of_pi(0.5 - ::fabs(::remainder(x, 2.0))); }
#endif

#if defined(HIPPORT_COMPAT_AMDGPU)
#define HIPPORT_COMPAT_SINE_OF_PI(name, x) ::name(x)
#else
#define HIPPORT_COMPAT_SINE_OF_PI(name, x) (name##_on_host)(x)
inline double sinpi_on_host(double x) { return sine_of_pi(x); }
inline double cospi_on_host(double x) { return cosine_of_pi(x); }
inline float sinpif_on_host(float x) { return static_cast<float>(sine_of_pi(x)); }
inline float cospif_on_host(float x) { return static_cast<float>(cosine_of_pi(x)); }
#endif

HIPPORT_COMPAT double sinpi(double x) {
  const double sine = HIPPORT_COMPAT_SINE_OF_PI(sinpi, x);
  return sine == 0 ? ::copysign(0.0, x) : sine;
}
HIPPORT_COMPAT float sinpif(float x) {
  const float sine = HIPPORT_COMPAT_SINE_OF_PI(sinpif, x);
  return sine == 0 ? ::copysignf(0.0f, x) : sine;
}
// The sum of two zeros of different signs is +0.
HIPPORT_COMPAT double cospi(double x) { return HIPPORT_COMPAT_SINE_OF_PI(cospi, x) + 0.0; }
HIPPORT_COMPAT float cospif(float x) { return HIPPORT_COMPAT_SINE_OF_PI(cospif, x) + 0.0f; }
#undef HIPPORT_COMPAT_SINE_OF_PI

// Overloads as CUDA has them: a 16-bit number, which HIP's classes convert to float and to double, gives a float.
HIPPORT_COMPAT float sinpi(float x) { return sinpif(x); }
HIPPORT_COMPAT float cospi(float x) { return cospif(x); }
template <bool Is>
struct SingleOf {};
template <>
struct SingleOf<true> {
  typedef float type;
};
template <typename T>
HIPPORT_COMPAT typename SingleOf<__is_class(T) && sizeof(T) == 2>::type sinpi(T x) {
  return sinpif(static_cast<float>(x));
}
template <typename T>
HIPPORT_COMPAT typename SingleOf<__is_class(T) && sizeof(T) == 2>::type cospi(T x) {
  return cospif(static_cast<float>(x));
}

HIPPORT_COMPAT void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
HIPPORT_COMPAT void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
HIPPORT_COMPAT void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }

#endif

}  // namespace compat
}  // namespace hipport

#endif

#endif
