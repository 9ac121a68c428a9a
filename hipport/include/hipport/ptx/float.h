// PTX floating-point instructions on f32 and f64: rounding modes, flushing of subnormal numbers, saturation.
#ifndef HIPPORT_PTX_FLOAT_H
#define HIPPORT_PTX_FLOAT_H

#include <math.h>

#include "core.h"

namespace hipport {
namespace ptx {

// Rounding modes: nearest even, toward zero, down, up; `rna`: nearest, ties away from zero.
enum Rounding { rn, rz, rm, rp, rna };

HIPPORT_PTX bool is_nan(double a) { return a != a; }

// Flush subnormal numbers to zero, keeping the sign.
HIPPORT_PTX float ftz(float a) {
  const uint32_t u = bits<uint32_t>(a);
  return (u & 0x7f800000u) == 0 ? bits<float>(u & 0x80000000u) : a;
}
// Clamp to [0, 1]; NaN becomes 0.
HIPPORT_PTX float saturate(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }

// Return the adjacent double of larger (`away`) or smaller (`toward`) magnitude.
HIPPORT_PTX double away(double a) { return bits<double>(bits<uint64_t>(a) + 1); }
HIPPORT_PTX double toward(double a) { return bits<double>(bits<uint64_t>(a) - 1); }
HIPPORT_PTX float away(float a) { return bits<float>(bits<uint32_t>(a) + 1); }
HIPPORT_PTX float toward(float a) { return bits<float>(bits<uint32_t>(a) - 1); }

HIPPORT_PTX bool negative(double a) { return (bits<uint64_t>(a) >> 63) != 0; }
HIPPORT_PTX bool negative(float a) { return (bits<uint32_t>(a) >> 31) != 0; }

// Correct `nearest`, the exact value rounded to nearest, to the rounding mode; `rest` has the sign of the rounding
// error.
template <int Mode, typename T>
HIPPORT_PTX T adjusted(T nearest, double rest) {
  if (Mode == rn || rest == 0 || is_nan(rest) || is_nan(nearest)) return nearest;
  if (nearest == 0) {
    const T least = sizeof(T) == 4 ? T(1.401298464324817e-45) : T(4.9406564584124654e-324);
    if (Mode == rp && rest > 0) return least;
    if (Mode == rm && rest < 0) return -least;
    return nearest;
  }
  const bool below = negative(nearest);
  const bool too_large = rest < 0;  // the exact value is below `nearest`
  const bool down = Mode == rm || (Mode == rz && !below), up = Mode == rp || (Mode == rz && below);
  if (too_large && down) return below ? away(nearest) : toward(nearest);
  if (!too_large && up) return below ? toward(nearest) : away(nearest);
  return nearest;
}

// Return the sum rounded to double; `rest` is the exact rounding error.
HIPPORT_PTX double two_sum(double a, double b, double& rest) {
  HIPPORT_PTX_NO_FUSING
  const double sum = a + b;
  const double part = sum - a;
  rest = (a - (sum - part)) + (b - part);
  return sum;
}

// Return an exact value (a double and a rest) rounded to odd, which rounds correctly from there.
HIPPORT_PTX double odd(double nearest, double rest) {
  if (rest == 0 || is_nan(rest) || (bits<uint64_t>(nearest) & 1) != 0 || isinf(nearest)) return nearest;
  if (nearest == 0) return rest > 0 ? 4.9406564584124654e-324 : -4.9406564584124654e-324;
  return (rest > 0) != negative(nearest) ? away(nearest) : toward(nearest);
}

template <int Mode>
HIPPORT_PTX float narrow(double a) {
  const float nearest = float(a);
  if (Mode == rn || is_nan(a) || isinf(a) || double(nearest) == a) return nearest;
  if (isinf(nearest)) {
    const bool below = a < 0;
    const bool stays = Mode == rz || (Mode == rm) != below;
    return stays ? (below ? -3.402823466385288598e+38f : 3.402823466385288598e+38f) : nearest;
  }
  return adjusted<Mode>(nearest, a - double(nearest));
}

template <int Mode>
HIPPORT_PTX float add(float a, float b) {
  HIPPORT_PTX_NO_FUSING
  if (Mode == rn) return a + b;
  double rest;
  const double sum = two_sum(a, b, rest);
  if (sum == 0) return Mode == rm && (negative(a) || negative(b)) ? -0.0f : float(a + b);
  return narrow<Mode>(odd(sum, rest));
}
template <int Mode>
HIPPORT_PTX float sub(float a, float b) {
  return add<Mode>(a, -b);
}
template <int Mode>
HIPPORT_PTX float mul(float a, float b) {
  HIPPORT_PTX_NO_FUSING
  return Mode == rn ? a * b : narrow<Mode>(double(a) * double(b));
}
template <int Mode>
HIPPORT_PTX float fma(float a, float b, float c) {
  HIPPORT_PTX_NO_FUSING
  if (Mode == rn) return ::fmaf(a, b, c);
  const double product = double(a) * double(b);
  double rest;
  const double sum = two_sum(product, c, rest);
  if (sum == 0 && !is_nan(sum)) return Mode == rm && (negative(product) || negative(c)) ? -0.0f : ::fmaf(a, b, c);
  return narrow<Mode>(odd(sum, rest));
}
template <int Mode>
HIPPORT_PTX float div(float a, float b) {
  HIPPORT_PTX_NO_FUSING
  const double quotient = double(a) / double(b);
  if (Mode == rn || b == 0 || isinf(b) || isinf(a) || is_nan(quotient)) return float(quotient);
  const double rest = ::fma(-quotient, double(b), double(a));
  return narrow<Mode>(odd(quotient, b < 0 ? -rest : rest));
}
template <int Mode>
HIPPORT_PTX float sqrt(float a) {
  const double root = ::sqrt(double(a));
  if (Mode == rn || !(a > 0) || isinf(a)) return float(root);
  return narrow<Mode>(odd(root, ::fma(-root, root, double(a))));
}
template <int Mode>
HIPPORT_PTX float rcp(float a) {
  return div<Mode>(1.0f, a);
}

HIPPORT_PTX bool overflows(double nearest) { return isinf(nearest); }
template <int Mode>
HIPPORT_PTX double without_overflow(double nearest) {
  const bool below = negative(nearest);
  const bool stays = Mode == rz || (Mode == rm && !below) || (Mode == rp && below);
  return stays ? (below ? -1.7976931348623157e308 : 1.7976931348623157e308) : nearest;
}

template <int Mode>
HIPPORT_PTX double add(double a, double b) {
  HIPPORT_PTX_NO_FUSING
  if (Mode == rn) return a + b;
  double rest;
  const double sum = two_sum(a, b, rest);
  if (sum == 0) return Mode == rm && (negative(a) || negative(b)) ? -0.0 : a + b;
  if (isinf(sum)) return isinf(a) || isinf(b) ? sum : without_overflow<Mode>(sum);
  return adjusted<Mode>(sum, rest);
}
template <int Mode>
HIPPORT_PTX double sub(double a, double b) {
  return add<Mode>(a, -b);
}
// The rounding error is exact for products that are neither too large nor subnormal.
template <int Mode>
HIPPORT_PTX double mul(double a, double b) {
  HIPPORT_PTX_NO_FUSING
  const double product = a * b;
  if (Mode == rn || is_nan(product)) return product;
  if (isinf(product)) return isinf(a) || isinf(b) ? product : without_overflow<Mode>(product);
  return adjusted<Mode>(product, ::fma(a, b, -product));
}
template <int Mode>
HIPPORT_PTX double div(double a, double b) {
  const double quotient = a / b;
  if (Mode == rn || b == 0 || isinf(b) || isinf(a) || is_nan(quotient)) return quotient;
  if (isinf(quotient)) return without_overflow<Mode>(quotient);
  const double rest = ::fma(-quotient, b, a);
  return adjusted<Mode>(quotient, b < 0 ? -rest : rest);
}
template <int Mode>
HIPPORT_PTX double sqrt(double a) {
  const double root = ::sqrt(a);
  if (Mode == rn || !(a > 0) || isinf(a)) return root;
  return adjusted<Mode>(root, ::fma(-root, root, a));
}
template <int Mode>
HIPPORT_PTX double rcp(double a) {
  return div<Mode>(1.0, a);
}

template <int Mode>
HIPPORT_PTX float add_ftz(float a, float b) {
  return ftz(add<Mode>(ftz(a), ftz(b)));
}
template <int Mode>
HIPPORT_PTX float sub_ftz(float a, float b) {
  return ftz(sub<Mode>(ftz(a), ftz(b)));
}
template <int Mode>
HIPPORT_PTX float mul_ftz(float a, float b) {
  return ftz(mul<Mode>(ftz(a), ftz(b)));
}
template <int Mode>
HIPPORT_PTX float fma_ftz(float a, float b, float c) {
  return ftz(fma<Mode>(ftz(a), ftz(b), ftz(c)));
}
template <int Mode>
HIPPORT_PTX float div_ftz(float a, float b) {
  return ftz(div<Mode>(ftz(a), ftz(b)));
}
template <int Mode>
HIPPORT_PTX float sqrt_ftz(float a) {
  return ftz(sqrt<Mode>(ftz(a)));
}
template <int Mode>
HIPPORT_PTX float rcp_ftz(float a) {
  return ftz(rcp<Mode>(ftz(a)));
}

// Two floats side by side in 64 bits.
HIPPORT_PTX float low_f32(uint64_t a) { return bits<float>(uint32_t(a)); }
HIPPORT_PTX float high_f32(uint64_t a) { return bits<float>(uint32_t(a >> 32)); }
HIPPORT_PTX uint64_t f32x2(float low, float high) { return uint64_t(bits<uint32_t>(high)) << 32 | bits<uint32_t>(low); }
#define HIPPORT_PTX_F32X2(name)                                                             \
  template <int Mode>                                                                       \
  HIPPORT_PTX uint64_t name##_f32x2(uint64_t a, uint64_t b) {                               \
    return f32x2(name<Mode>(low_f32(a), low_f32(b)), name<Mode>(high_f32(a), high_f32(b))); \
  }
#define HIPPORT_PTX_FMA_F32X2(name)                                                                                  \
  template <int Mode>                                                                                                \
  HIPPORT_PTX uint64_t name##_f32x2(uint64_t a, uint64_t b, uint64_t c) {                                            \
    return f32x2(name<Mode>(low_f32(a), low_f32(b), low_f32(c)), name<Mode>(high_f32(a), high_f32(b), high_f32(c))); \
  }
HIPPORT_PTX_F32X2(add)
HIPPORT_PTX_F32X2(sub)
HIPPORT_PTX_F32X2(mul)
HIPPORT_PTX_F32X2(add_ftz)
HIPPORT_PTX_F32X2(sub_ftz)
HIPPORT_PTX_F32X2(mul_ftz)
HIPPORT_PTX_FMA_F32X2(fma)
HIPPORT_PTX_FMA_F32X2(fma_ftz)
#undef HIPPORT_PTX_F32X2
#undef HIPPORT_PTX_FMA_F32X2

// Approximations; here they are as accurate as the mathematical functions.
HIPPORT_PTX float rcp_approx(float a) { return 1.0f / a; }
HIPPORT_PTX float sqrt_approx(float a) { return ::sqrtf(a); }
HIPPORT_PTX float rsqrt_approx(float a) { return 1.0f / ::sqrtf(a); }
HIPPORT_PTX double rsqrt_approx(double a) { return 1.0 / ::sqrt(a); }
HIPPORT_PTX float sin_approx(float a) { return ::sinf(a); }
HIPPORT_PTX float cos_approx(float a) { return ::cosf(a); }
HIPPORT_PTX float lg2_approx(float a) { return ::log2f(a); }
HIPPORT_PTX float ex2_approx(float a) { return ::exp2f(a); }
HIPPORT_PTX float tanh_approx(float a) { return ::tanhf(a); }
HIPPORT_PTX float rcp_approx_ftz(float a) { return ftz(rcp_approx(ftz(a))); }
HIPPORT_PTX float sqrt_approx_ftz(float a) { return ftz(sqrt_approx(ftz(a))); }
HIPPORT_PTX float rsqrt_approx_ftz(float a) { return ftz(rsqrt_approx(ftz(a))); }
HIPPORT_PTX float sin_approx_ftz(float a) { return ftz(sin_approx(ftz(a))); }
HIPPORT_PTX float cos_approx_ftz(float a) { return ftz(cos_approx(ftz(a))); }
HIPPORT_PTX float lg2_approx_ftz(float a) { return ftz(lg2_approx(ftz(a))); }
HIPPORT_PTX float ex2_approx_ftz(float a) { return ftz(ex2_approx(ftz(a))); }
// The double versions treat the lower half of argument and result as 0.
HIPPORT_PTX double upper_half(double a) { return bits<double>(bits<uint64_t>(a) & 0xffffffff00000000ull); }
HIPPORT_PTX double ftz(double a) {
  const uint64_t u = bits<uint64_t>(a);
  return (u & 0x7ff0000000000000ull) == 0 ? bits<double>(u & 0x8000000000000000ull) : a;
}
HIPPORT_PTX double rcp_approx_ftz(double a) { return upper_half(ftz(1.0 / ftz(upper_half(a)))); }
HIPPORT_PTX double rsqrt_approx_ftz(double a) { return upper_half(ftz(1.0 / ::sqrt(ftz(upper_half(a))))); }

// If one argument is NaN, the result is the other one; -0 counts as less than +0.
template <typename T>
HIPPORT_PTX T min_number(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && negative(a)) ? a : b;
}
template <typename T>
HIPPORT_PTX T max_number(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  return b < a || (a == b && negative(b)) ? a : b;
}
HIPPORT_PTX float nan_f32() { return bits<float>(0x7fffffffu); }
HIPPORT_PTX float min_nan(float a, float b) { return a != a || b != b ? nan_f32() : min_number(a, b); }
HIPPORT_PTX float max_nan(float a, float b) { return a != a || b != b ? nan_f32() : max_number(a, b); }

// Comparisons without a C++ operator: ne and equ differ from != and == if an argument is NaN.
template <typename T>
HIPPORT_PTX bool compare_ne(T a, T b) {
  return a < b || b < a;
}
template <typename T>
HIPPORT_PTX bool compare_equ(T a, T b) {
  return !(a < b || b < a);
}
template <typename T>
HIPPORT_PTX bool compare_num(T a, T b) {
  return a == a && b == b;
}
template <typename T>
HIPPORT_PTX bool compare_nan(T a, T b) {
  return a != a || b != b;
}

HIPPORT_PTX uint32_t exponent_of(float a) { return (bits<uint32_t>(a) >> 23) & 0xff; }
HIPPORT_PTX uint32_t exponent_of(double a) { return uint32_t(bits<uint64_t>(a) >> 52) & 0x7ff; }
template <typename T>
HIPPORT_PTX bool testp_finite(T a) {
  return exponent_of(a) != (sizeof(T) == 4 ? 0xffu : 0x7ffu);
}
template <typename T>
HIPPORT_PTX bool testp_notanumber(T a) {
  return a != a;
}
template <typename T>
HIPPORT_PTX bool testp_number(T a) {
  return a == a;
}
template <typename T>
HIPPORT_PTX bool testp_infinite(T a) {
  return a == a && !testp_finite(a);
}
template <typename T>
HIPPORT_PTX bool testp_subnormal(T a) {
  return exponent_of(a) == 0 && a != 0;
}
// Zeros count as normal.
template <typename T>
HIPPORT_PTX bool testp_normal(T a) {
  return testp_finite(a) && !testp_subnormal(a);
}

}  // namespace ptx
}  // namespace hipport

#endif
