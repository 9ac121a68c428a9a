// SPDX-License-Identifier: MIT
// Quotients and magnitudes of complex numbers, which CUDA scales: HIP's square the parts, and are infinite, NaN or zero
// where a square is out of range, as for floats above 1.8e19.
#ifndef HIPPORT_COMPAT_COMPLEX_MAGNITUDES_H
#define HIPPORT_COMPAT_COMPLEX_MAGNITUDES_H

#include "core.h"

#include <math.h>

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuComplex.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT cuFloatComplex complex_divide(cuFloatComplex a, cuFloatComplex b) { return cuCdivf(a, b); }
HIPPORT_COMPAT cuDoubleComplex complex_divide(cuDoubleComplex a, cuDoubleComplex b) { return cuCdiv(a, b); }
HIPPORT_COMPAT float complex_abs(cuFloatComplex a) { return cuCabsf(a); }
HIPPORT_COMPAT double complex_abs(cuDoubleComplex a) { return cuCabs(a); }

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_complex.h>

namespace hipport {
namespace compat {

// (a / scale) / (b / scale), with the sum of the divisor's parts as the scale.
template <typename Complex, typename Real>
HIPPORT_COMPAT Complex scaled_quotient(Complex a, Complex b, Real scale) {
  const Real inverse = Real(1) / scale;
  const Real ax = a.x * inverse, ay = a.y * inverse, bx = b.x * inverse, by = b.y * inverse;
  const Real square = Real(1) / (bx * bx + by * by);
  Complex result;
  result.x = (ax * bx + ay * by) * square;
  result.y = (ay * bx - ax * by) * square;
  return result;
}

// The larger part times the root of 1 + (smaller / larger)^2; a part that is not finite is the result, or NaN is.
template <typename Real>
HIPPORT_COMPAT Real scaled_length(Real x, Real y, Real largest) {
  const Real more = x > y ? x : y, less = x > y ? y : x, ratio = less / more;
  if (more == Real(0) || more > largest || less > largest) return more + less;
  return more * sqrt(Real(1) + ratio * ratio);
}

HIPPORT_COMPAT hipFloatComplex complex_divide(hipFloatComplex a, hipFloatComplex b) {
  return scaled_quotient(a, b, fabsf(b.x) + fabsf(b.y));
}
HIPPORT_COMPAT hipDoubleComplex complex_divide(hipDoubleComplex a, hipDoubleComplex b) {
  return scaled_quotient(a, b, fabs(b.x) + fabs(b.y));
}
HIPPORT_COMPAT float complex_abs(hipFloatComplex a) { return scaled_length(fabsf(a.x), fabsf(a.y), 3.402823466e38f); }
HIPPORT_COMPAT double complex_abs(hipDoubleComplex a) {
  return scaled_length(fabs(a.x), fabs(a.y), 1.79769313486231570e+308);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
