// SPDX-License-Identifier: MIT
// Mathematics, 16-bit floating point and complex numbers against the C library and the compiler's own types.
#include <hip/hip_bf16.h>
#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cfenv>
#include <complex>
#include <cstdio>
#include <type_traits>

namespace {

int wrong = 0;

void expect(bool right, const char* what, double at) {
  if (!right && ++wrong <= 20) std::printf("wrong: %s at %a\n", what, at);
}

// Equal but for so many steps of float, or of double.
template <typename T>
bool near(T a, long double b, long double steps = 4) {
  if (std::isnan(b)) return std::isnan(a);
  if (std::isinf(static_cast<T>(b))) return a == static_cast<T>(b);
  return std::fabs(a - b) <= steps * std::numeric_limits<T>::epsilon() * std::fabs(b) + std::numeric_limits<T>::min();
}

__global__ void half_kernel(__half* halves, __hip_bfloat16* bfloats) {
  const unsigned code = blockIdx.x * blockDim.x + threadIdx.x;
  halves[code] = __float2half(__half2float(__ushort_as_half(static_cast<unsigned short>(code))));
  bfloats[code] = __float2bfloat16(__bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(code))));
}

void check_every_code() {
  static __half halves[65536];
  static __hip_bfloat16 bfloats[65536];
  half_kernel<<<256, 256>>>(halves, bfloats);
  for (unsigned code = 0; code < 65536; ++code) {
    const bool half_nan = (code & 0x7fff) > 0x7c00, bfloat_nan = (code & 0x7fff) > 0x7f80;
    const __half_raw raw{static_cast<unsigned short>(code)};
    const __half of_raw(raw), initialized = raw;
    expect(static_cast<__half_raw>(of_raw).x == code && initialized.x == code, "half of bits", code);
    expect(half_nan ? __hisnan(halves[code]) : halves[code].x == code, "half as float and back", code);
    expect(bfloat_nan ? __hisnan(bfloats[code]) : bfloats[code].x == code, "bfloat16 as float and back", code);
  }
}

#if defined(__FLT16_MAX__)
unsigned short bits(_Float16 value) {
  unsigned short result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

// Assignments between numbers that are volatile, and that are not, from variables and from values.
template <typename Half>
void check_volatile() {
  static_assert(std::is_trivially_copyable_v<Half>);
  const Half fixed(3.5f);
  Half plain(1.5f), other(2.5f), pair[2];
  volatile Half shared, copy;
  plain = other;
  plain = fixed;
  shared = plain;
  expect(static_cast<float>(plain) == 3.5f && shared.x == fixed.x, "half assigned", 3.5);
  shared = other;
  shared = fixed;
  shared = Half(4.0f);
  copy = shared;
  plain = copy;
  const Half made(copy), initialized = copy;
  expect(static_cast<float>(plain) == 4.0f && made.x == plain.x && initialized.x == plain.x, "volatile half", 4.0);
  volatile Half* const places = pair;
  pair[1] = Half(5.0f);
  places[0] = pair[1];
  places[1] = places[0];
  expect(static_cast<float>(pair[0]) == 5.0f && pair[1].x == pair[0].x, "places of volatile half", 5.0);
}

void check_half_against_the_compiler() {
  for (unsigned i = 0; i < 400000; ++i) {
    const float x = hipport::cpu::bits_as<float>(i * 2654435761u);
    if (x != x) continue;
    expect(__half(x).x == bits(static_cast<_Float16>(x)), "float to half", x);
  }
  for (unsigned a = 0; a < 0x7c00; a += 37)
    for (unsigned b = 0; b < 0x7c00; b += 1031) {
      const __half p = __ushort_as_half(a), q = __ushort_as_half(b ^ 0x8000);
      const _Float16 r = static_cast<float>(p), s = static_cast<float>(q);
      expect((p + q).x == bits(r + s) && (p - q).x == bits(r - s) && (p * q).x == bits(r * s), "half arithmetic", a);
      if (b != 0) expect((p / q).x == bits(r / s), "half division", a);
    }
}
#else
void check_half_against_the_compiler() {}
#endif

// Rounding in a direction never goes past the number, and ends next to the nearest half.
void check_directions() {
  for (float x : {0.1f, -0.1f, 1e-8f, -1e-8f, 65519.0f, 70000.0f, -70000.0f, 2049.0f, -2049.0f, 1.0f}) {
    const float up = __float2half_ru(x), down = __float2half_rd(x), zero = __float2half_rz(x);
    expect(down <= x && x <= up && std::fabs(zero) <= std::fabs(x), "directed half", x);
    expect(zero == (x < 0 ? up : down) && (float(__half(x)) == up || float(__half(x)) == down), "directed half", x);
  }
  expect(float(__int2half_ru(2049)) == 2050 && float(__int2half_rd(-2049)) == -2050, "int to half", 2049);
  expect(__half2int_ru(__half(1.5f)) == 2 && __half2uint_rn(__half(2.5f)) == 2 &&
             __half2short_rd(__half(-1.5f)) == -2 && __half2ll_rz(__half(-1.5f)) == -1 &&
             __half2ushort_rn(__half(-3.0f)) == 0,
         "half to integers", 1.5);
}

template <typename T, typename T2>
void check_pairs() {
  const T2 a{T(1.0f), T(2.0f)}, b{T(1.0f), T(-3.0f)}, nan{T(NAN), T(0.5f)};
  const T2 sum = a + b, quotient = a / b, negative = -a;
  expect(float(sum.x) == 2.0f && float(sum.y) == -1.0f && float(quotient.y) == float(T(2.0f / -3.0f)), "operators", 0);
  expect(float(negative.x) == -1.0f && a != b && a == a, "operators of pairs", 0);
  expect(__hbeq2(a, a) && !__hbeq2(a, b) && !__hbne2(a, b) && __hbge2(a, b) && !__hbgt2(a, b), "comparisons", 0);
  expect(!__hbeq2(nan, nan) && __hbequ2(nan, nan) && !__hblt2(nan, a) && __hbltu2(nan, a), "comparisons with NaN", 0);
  expect(float(__heq2(a, b).x) == 1.0f && float(__heq2(a, b).y) == 0.0f && __hgeu(nan.x, a.x), "masks", 0);
  expect(float(__hfma2_sat(a, a, b).y) == 1.0f && float(__hadd2_sat(b, b).y) == 0.0f, "saturation", 0);
  expect(float(h2exp2(a).y) == 4.0f && float(h2floor(T2{T(1.5f), T(-1.5f)}).y) == -2.0f, "functions of pairs", 0);
  expect(__hisnan(__hmax_nan(nan.x, a.x)) && float(__hmax(nan.x, a.x)) == 1.0f, "maximum with NaN", 0);
}

void check_mathematics() {
  for (double x : {1e-3, 0.25, 0.5, 0.9, 1.0, 1.5, 2.75, 10.0, 123.456}) {
    const float f = static_cast<float>(x);
    const long double pi = 3.14159265358979323846264338327950288L;
    expect(near(rsqrt(x), 1 / std::sqrt(static_cast<long double>(x))), "rsqrt", x);
    expect(near(rsqrtf(f), 1 / std::sqrt(static_cast<long double>(f))), "rsqrtf", x);
    expect(near(rcbrt(x), 1 / std::cbrt(static_cast<long double>(x))), "rcbrt", x);
    double s, c;
    sincos(x, &s, &c);
    expect(near(s, std::sin(static_cast<long double>(x))) && near(c, std::cos(static_cast<long double>(x))), "sincos",
           x);
    const long double turn = pi * std::remainder(static_cast<long double>(x), 2.0L);
    expect(std::fabs(sinpi(x) - std::sin(turn)) < 1e-15L && std::fabs(cospi(x) - std::cos(turn)) < 1e-15L, "sinpi", x);
    expect(__ull2double_rd(~0ull) < __ull2double_ru(~0ull) && __double2float_rd(x) <= __double2float_ru(x), "directed",
           x);
    expect(near(exp10f(f), std::pow(10.0L, static_cast<long double>(f)), 64), "exp10f", x);
    expect(near(normcdf(x), 0.5L * std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L)), 8), "normcdf", x);
    expect(near(cyl_bessel_i0(x), std::cyl_bessel_i(0.0L, static_cast<long double>(x)), 64), "cyl_bessel_i0", x);
    expect(near(cyl_bessel_i1(x), std::cyl_bessel_i(1.0L, static_cast<long double>(x)), 64), "cyl_bessel_i1", x);
    const double values[3] = {x, 2 * x, -2 * x};
    const long double length = 3 * static_cast<long double>(x);
    expect(near(norm(3, values), length) && near(rnorm(3, values), 1 / length), "norm", x);
    expect(near(norm4d(x, x, x, x), 2 * static_cast<long double>(x)), "norm4d", x);
  }
  for (double y : {1e-300, 1e-20, 1e-5, 0.1, 0.5, 0.9, 1.0, 1.3, 1.9999}) {
    expect(std::fabs(std::erfc(erfcinv(y)) - y) <= 1e-12 * y, "erfcinv", y);
    expect(std::fabs(normcdf(normcdfinv(y / 2)) - y / 2) <= 1e-12 * y, "normcdfinv", y);
  }
  for (double y : {-0.999, -0.5, 0.0, 1e-10, 0.3, 0.99999})
    expect(std::fabs(std::erf(erfinv(y)) - y) <= 1e-15, "erfinv", y);
}

void check_directed_arithmetic() {
  for (double x : {0.1, 1.0, 3.0, 1e10})
    for (double y : {0.3, 7.0, 1e-5}) {
      expect(__dadd_rd(x, y) <= static_cast<long double>(x) + y && static_cast<long double>(x) + y <= __dadd_ru(x, y),
             "__dadd", x);
      expect(__dadd_rd(x, y) < __dadd_ru(x, y) || static_cast<long double>(x) + y == x + y, "__dadd apart", x);
      expect(__ddiv_rd(x, y) <= static_cast<long double>(x) / y && static_cast<long double>(x) / y <= __ddiv_ru(x, y),
             "__ddiv", x);
      const float p = static_cast<float>(x), q = static_cast<float>(y);
      expect(__fmul_rd(p, q) <= double(p) * q && double(p) * q <= __fmul_ru(p, q), "__fmul", x);
      expect(__fmul_rz(-p, q) == -__fmul_rd(p, q), "__fmul_rz", x);
    }
}

void check_complex() {
  for (double re : {-2.0, 0.5, 3.0})
    for (double im : {-1.5, 0.25, 4.0}) {
      const hipDoubleComplex a = make_hipDoubleComplex(re, im), b = make_hipDoubleComplex(im, 2 - re);
      const std::complex<double> p(re, im), q(im, 2 - re), product = p * q, quotient = p / q;
      const hipDoubleComplex found = hipCmul(a, b), part = hipCdiv(a, b), both = hipCfma(a, b, a);
      expect(near(hipCreal(found), product.real()) && near(hipCimag(found), product.imag()), "hipCmul", re);
      expect(near(part.x, quotient.real(), 16) && near(part.y, quotient.imag(), 16), "hipCdiv", re);
      expect(near(both.x, (product + p).real(), 16) && near(hipCabs(a), std::abs(p)), "hipCfma, hipCabs", re);
      expect(hipConj(a).y == -im && hipComplexDoubleToFloat(a).x == static_cast<float>(re), "hipConj", re);
    }
}

}  // namespace

int main() {
  check_every_code();
  check_volatile<__half>();
  check_volatile<__hip_bfloat16>();
  check_half_against_the_compiler();
  check_directions();
  check_pairs<__half, __half2>();
  check_pairs<__hip_bfloat16, __hip_bfloat162>();
  check_mathematics();
  check_directed_arithmetic();
  check_complex();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
