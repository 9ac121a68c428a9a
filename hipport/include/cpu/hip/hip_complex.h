// SPDX-License-Identifier: MIT
// Complex numbers: `hipFloatComplex` and `hipDoubleComplex`, stored as `float2` and `double2`.
#pragma once

#include "../hipport_cpu/vector_types.h"

#include <cmath>

using hipFloatComplex = float2;
using hipDoubleComplex = double2;
using hipComplex = hipFloatComplex;

#define HIPPORT_COMPLEX(Complex, Real, suffix, make)                                                              \
  inline Complex make(Real real, Real imaginary) { return {real, imaginary}; }                                    \
  inline Real hipCreal##suffix(Complex a) { return a.x; }                                                         \
  inline Real hipCimag##suffix(Complex a) { return a.y; }                                                         \
  inline Complex hipConj##suffix(Complex a) { return {a.x, -a.y}; }                                               \
  inline Complex hipCadd##suffix(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }                         \
  inline Complex hipCsub##suffix(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }                         \
  inline Complex hipCmul##suffix(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  inline Complex hipCdiv##suffix(Complex a, Complex b) {                                                          \
    const Real square = b.x * b.x + b.y * b.y;                                                                    \
    return {(a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square};                                  \
  }                                                                                                               \
  inline Real hipCabs##suffix(Complex a) { return std::hypot(a.x, a.y); }                                         \
  inline Complex hipCfma##suffix(Complex a, Complex b, Complex c) { return hipCadd##suffix(hipCmul##suffix(a, b), c); }
HIPPORT_COMPLEX(hipFloatComplex, float, f, make_hipFloatComplex)
HIPPORT_COMPLEX(hipDoubleComplex, double, , make_hipDoubleComplex)
#undef HIPPORT_COMPLEX
inline hipComplex make_hipComplex(float real, float imaginary) { return {real, imaginary}; }
inline hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex a) { return {a.x, a.y}; }
inline hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
