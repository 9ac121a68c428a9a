// SPDX-License-Identifier: MIT
// Functions of numbers of 32, 64 and 16 bits in floating point.
#include "lanes.h"

#include <algorithm>
#include <limits>

namespace hipport::emulate {
namespace {

// ldexp without a call for each lane: the product is exact in double, and rounded once.
float scaled_by_power(float value, int32_t power) {
  const int32_t limited = power < -400 ? -400 : power > 400 ? 400 : power;
  return float(double(value) * std::bit_cast<double>(uint64_t(1023 + limited) << 52));
}

constexpr double kTwoPi = 6.283185307179586476925286766559;

template <typename T>
bool is_nan(T a) {
  return a != a;
}
// A NaN yields to a number; -0 is less than 0.
template <typename T>
T least(T a, T b) {
  const T less = a < b || (a == b && std::signbit(float(a))) ? a : b;
  return is_nan(a) ? b : is_nan(b) ? a : less;
}
template <typename T>
T greatest(T a, T b) {
  const T more = a > b || (a == b && !std::signbit(float(a))) ? a : b;
  return is_nan(a) ? b : is_nan(b) ? a : more;
}
template <typename T>
T middle(T a, T b, T c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return least(least(a, b), c);
  return greatest(least(a, b), least(greatest(a, b), c));
}

float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
Half fused(Half a, Half b, Half c) { return Half(double(a) * double(b) + double(c)); }

template <typename To, typename From>
To saturated(From a) {
  constexpr To low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  // The largest integer may not be a number of the type, which then rounds it up.
  if (is_nan(a)) return 0;
  if (double(a) <= double(low)) return low;
  return double(a) >= double(high) ? high : static_cast<To>(a);
}

template <typename T>
struct Parts;
template <>
struct Parts<float> {
  using Bits = uint32_t;
  static constexpr int kExponentBits = 8, kMantissaBits = 23, kFar = 96, kScale = 64, kSmall = 23, kUnder = -150,
                       kBias = 127;
};
template <>
struct Parts<double> {
  using Bits = uint64_t;
  static constexpr int kExponentBits = 11, kMantissaBits = 52, kFar = 768, kScale = 128, kSmall = 53, kUnder = -1075,
                       kBias = 1023;
};

template <typename T>
int exponent(T a) {
  using P = Parts<T>;
  return int(std::bit_cast<typename P::Bits>(a) >> P::kMantissaBits & ((1u << P::kExponentBits) - 1));
}
template <typename T>
bool is_denormal(T a) {
  return a != 0 && exponent(a) == 0;
}

// The three steps of a division that AMD's compilers emit around a Newton iteration, from the ISA documents.
template <typename T>
Out<T> divide_scale(T s0, T s1, T s2) {
  using P = Parts<T>;
  if (s2 == 0 || s1 == 0) return {std::numeric_limits<T>::quiet_NaN(), 0};
  const T up = std::ldexp(s0, P::kScale);
  if (exponent(s2) - exponent(s1) >= P::kFar) return {s0 == s1 ? up : s0, 1};
  if (is_denormal(s1)) return {up, 0};
  const bool reciprocal = is_denormal(T(1) / s1), quotient = is_denormal(s2 / s1);
  // AMD's documents scale up here, which would make the divisor infinite.
  if (reciprocal && quotient) return {s0 == s1 ? std::ldexp(s0, -P::kScale) : s0, 1};
  if (reciprocal) return {std::ldexp(s0, -P::kScale), 0};
  if (quotient) return {s0 == s2 ? up : s0, 1};
  if (exponent(s2) <= P::kSmall) return {up, 0};
  return {s0, 0};
}
// Scale a rounded number, and round it again if it becomes denormal: what the first rounding cut off decides ties.
template <typename T>
T rounded_once(T number, T rest, int power) {
  const T scaled = std::ldexp(number, power), lost = number - std::ldexp(scaled, -power);
  const T half_way = std::ldexp(std::numeric_limits<T>::denorm_min(), -power) / 2;
  if (rest == 0 || lost == 0 || std::fabs(lost) != half_way) return scaled;
  const T other =
      std::nextafter(scaled, lost > 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
  return rest > 0 ? std::max(scaled, other) : std::min(scaled, other);
}
// AMD's documents name one factor; GPUs take the one that undoes what v_div_scale did to the quotient, the third source.
template <typename T>
T divide_fmas(T a, T b, T c, Bit scale) {
  using P = Parts<T>;
  const T result = fused(a, b, c);
  if (!scale.value) return result;
  const int power = exponent(c) > P::kBias ? P::kScale : -P::kScale;
  return rounded_once(result, std::fma(a, b, c - result), power);
}
template <typename T>
T divide_fixup(T s0, T s1, T s2) {
  using P = Parts<T>;
  const bool negative = std::signbit(s1) != std::signbit(s2);
  const auto with_sign = [negative](T value) { return negative ? -value : value; };
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  if (is_nan(s2)) return s2;
  if (is_nan(s1)) return s1;
  if ((s1 == 0 && s2 == 0) || (std::isinf(s1) && std::isinf(s2))) return -nan;
  if (s1 == 0 || std::isinf(s2)) return with_sign(infinity);
  if (std::isinf(s1) || s2 == 0) return with_sign(T(0));
  if (exponent(s2) - exponent(s1) < P::kUnder) return with_sign(T(0));
  return with_sign(is_nan(s0) ? infinity : std::fabs(s0));  // a quotient that is too large ends as a NaN
}

// Rounds toward zero.
uint32_t half_toward_zero(float a) {
  const Half nearest = Half(a);
  uint16_t bits = std::bit_cast<uint16_t>(nearest);
  if (std::fabs(float(nearest)) > std::fabs(a) && !std::isinf(a)) --bits;
  return bits;
}

// The bits of 2 / pi after the point, and 53 of them from bit `shift` on as a number; those are bits of a very large
// number's product with 2 / pi. Of 1201 bits, as AMD's instruction has.
constexpr uint32_t kTwoOverPi[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu};
double trigonometric_part(double a, uint32_t which) {
  const int power = int(std::bit_cast<uint64_t>(a) >> 52 & 0x7ff);
  int shift = int(which & 31) * 53;
  if (power > 1077) shift += power - 1077;
  uint64_t bits = 0;
  for (int i = shift; i < shift + 53; ++i) bits = bits << 1 | (i < 1201 ? kTwoOverPi[i / 32] >> (31 - i % 32) & 1 : 0);
  return std::ldexp(double(bits), -53 - shift + (power >= 1968 ? 128 : 0));
}

// A NaN wins.
template <typename T>
T minimum(T a, T b) {
  return is_nan(a) ? a : is_nan(b) ? b : least(a, b);
}
template <typename T>
T maximum(T a, T b) {
  return is_nan(a) ? a : is_nan(b) ? b : greatest(a, b);
}

// From -1 to 1, or from 0 to 1, as integers of 16 bits.
uint32_t signed_norm(float a) {
  const float limited = is_nan(a) ? 0 : a < -1 ? -1 : a > 1 ? 1 : a;
  return uint16_t(int32_t(std::nearbyint(limited * 32767.0f)));
}
uint32_t unsigned_norm(float a) {
  const float limited = is_nan(a) || a < 0 ? 0 : a > 1 ? 1 : a;
  return uint32_t(std::nearbyint(limited * 65535.0f));
}
float legacy_fused(float a, float b, float c) { return a == 0 || b == 0 ? c : fused(a, b, c); }

// The face of a cube that a direction points to: 0 for x, 1 for y, 2 for z.
int cube_axis(float x, float y, float z) {
  if (std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y)) return 2;
  return std::fabs(y) >= std::fabs(x) ? 1 : 0;
}

template <typename T>
T fraction(T a) {
  const T value = a - std::floor(a);
  const T most = std::is_same_v<T, float> ? T(0x1.fffffep-1f) : T(0x1.fffffffffffffp-1);
  return std::isinf(a) ? std::numeric_limits<T>::quiet_NaN() : value < most || is_nan(value) ? value : most;
}
template <typename T>
T mantissa(T a) {
  int power;
  return std::isfinite(a) ? std::frexp(a, &power) : a;
}
template <typename T>
int32_t power_of(T a) {
  int power = 0;
  if (std::isfinite(a)) std::frexp(a, &power);
  return power;
}

}  // namespace

#define LANE(name, ...) table.add<(__VA_ARGS__)>(name);

void add_single(LaneTable& table) {
  LANE("v_add_f32", [](float a, float b) { return a + b; })
  LANE("v_sub_f32", [](float a, float b) { return a - b; })
  LANE("v_subrev_f32", [](float a, float b) { return b - a; })
  LANE("v_mul_f32", [](float a, float b) { return a * b; })
  for (const char* name : {"v_mul_legacy_f32", "v_mul_dx9_zero_f32"})
    table.add<([](float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; })>(name);
  LANE("v_fma_f32", [](float a, float b, float c) { return fused(a, b, c); })
  LANE("v_fmac_f32", [](float a, float b, float c) { return fused(a, b, c); })
  LANE("v_fmaak_f32", [](float a, float b, float c) { return fused(a, b, c); })
  LANE("v_fmamk_f32", [](float a, float b, float c) { return fused(a, b, c); })
  LANE("v_mad_f32", [](float a, float b, float c) { return a * b + c; })
  LANE("v_mac_f32", [](float a, float b, float c) { return a * b + c; })
  LANE("v_madak_f32", [](float a, float b, float c) { return a * b + c; })
  LANE("v_madmk_f32", [](float a, float b, float c) { return a * b + c; })
  LANE("v_min_f32", [](float a, float b) { return least(a, b); })
  LANE("v_max_f32", [](float a, float b) { return greatest(a, b); })
  LANE("v_min_num_f32", [](float a, float b) { return least(a, b); })
  LANE("v_max_num_f32", [](float a, float b) { return greatest(a, b); })
  LANE("v_min3_f32", [](float a, float b, float c) { return least(least(a, b), c); })
  LANE("v_max3_f32", [](float a, float b, float c) { return greatest(greatest(a, b), c); })
  LANE("v_min3_num_f32", [](float a, float b, float c) { return least(least(a, b), c); })
  LANE("v_max3_num_f32", [](float a, float b, float c) { return greatest(greatest(a, b), c); })
  LANE("v_minmax_f32", [](float a, float b, float c) { return greatest(least(a, b), c); })
  LANE("v_maxmin_f32", [](float a, float b, float c) { return least(greatest(a, b), c); })
  LANE("v_minmax_num_f32", [](float a, float b, float c) { return greatest(least(a, b), c); })
  LANE("v_maxmin_num_f32", [](float a, float b, float c) { return least(greatest(a, b), c); })
  LANE("v_med3_f32", [](float a, float b, float c) { return middle(a, b, c); })
  LANE("v_med3_num_f32", [](float a, float b, float c) { return middle(a, b, c); })
  LANE("v_floor_f32", [](float a) { return std::floor(a); })
  LANE("v_ceil_f32", [](float a) { return std::ceil(a); })
  LANE("v_trunc_f32", [](float a) { return std::trunc(a); })
  LANE("v_rndne_f32", [](float a) { return std::nearbyint(a); })
  LANE("v_fract_f32", [](float a) { return fraction(a); })
  LANE("v_rcp_f32", [](float a) { return 1.0f / a; })
  LANE("v_rcp_iflag_f32", [](float a) { return 1.0f / a; })
  LANE("v_rsq_f32", [](float a) { return 1.0f / std::sqrt(a); })
  LANE("v_sqrt_f32", [](float a) { return std::sqrt(a); })
  LANE("v_exp_f32", [](float a) { return std::exp2(a); })
  LANE("v_log_f32", [](float a) { return std::log2(a); })
  LANE("v_sin_f32", [](float a) { return float(std::sin(kTwoPi * std::fmod(double(a), 1.0))); })
  LANE("v_cos_f32", [](float a) { return float(std::cos(kTwoPi * std::fmod(double(a), 1.0))); })
  LANE("v_ldexp_f32", [](float a, int32_t b) { return scaled_by_power(a, b); })
  LANE("v_frexp_mant_f32", [](float a) { return mantissa(a); })
  LANE("v_frexp_exp_i32_f32", [](float a) { return power_of(a); })
  LANE("v_div_scale_f32", [](float a, float b, float c) { return divide_scale(a, b, c); })
  LANE("v_div_fmas_f32", [](float a, float b, float c, Bit d) { return divide_fmas(a, b, c, d); })
  LANE("v_div_fixup_f32", [](float a, float b, float c) { return divide_fixup(a, b, c); })
}

void add_double(LaneTable& table) {
  LANE("v_add_f64", [](double a, double b) { return a + b; })
  LANE("v_mul_f64", [](double a, double b) { return a * b; })
  LANE("v_fma_f64", [](double a, double b, double c) { return fused(a, b, c); })
  LANE("v_fmac_f64", [](double a, double b, double c) { return fused(a, b, c); })
  LANE("v_min_f64", [](double a, double b) { return least(a, b); })
  LANE("v_max_f64", [](double a, double b) { return greatest(a, b); })
  LANE("v_min_num_f64", [](double a, double b) { return least(a, b); })
  LANE("v_max_num_f64", [](double a, double b) { return greatest(a, b); })
  LANE("v_floor_f64", [](double a) { return std::floor(a); })
  LANE("v_ceil_f64", [](double a) { return std::ceil(a); })
  LANE("v_trunc_f64", [](double a) { return std::trunc(a); })
  LANE("v_rndne_f64", [](double a) { return std::nearbyint(a); })
  LANE("v_fract_f64", [](double a) { return fraction(a); })
  LANE("v_rcp_f64", [](double a) { return 1.0 / a; })
  LANE("v_rsq_f64", [](double a) { return 1.0 / std::sqrt(a); })
  LANE("v_sqrt_f64", [](double a) { return std::sqrt(a); })
  LANE("v_ldexp_f64", [](double a, int32_t b) { return std::ldexp(a, b); })
  LANE("v_frexp_mant_f64", [](double a) { return mantissa(a); })
  LANE("v_frexp_exp_i32_f64", [](double a) { return power_of(a); })
  LANE("v_div_scale_f64", [](double a, double b, double c) { return divide_scale(a, b, c); })
  LANE("v_div_fmas_f64", [](double a, double b, double c, Bit d) { return divide_fmas(a, b, c, d); })
  LANE("v_div_fixup_f64", [](double a, double b, double c) { return divide_fixup(a, b, c); })
}

void add_half(LaneTable& table) {
  LANE("v_add_f16", [](Half a, Half b) { return Half(a + b); })
  LANE("v_sub_f16", [](Half a, Half b) { return Half(a - b); })
  LANE("v_subrev_f16", [](Half a, Half b) { return Half(b - a); })
  LANE("v_mul_f16", [](Half a, Half b) { return Half(a * b); })
  LANE("v_fma_f16", [](Half a, Half b, Half c) { return fused(a, b, c); })
  LANE("v_fmac_f16", [](Half a, Half b, Half c) { return fused(a, b, c); })
  LANE("v_fmaak_f16", [](Half a, Half b, Half c) { return fused(a, b, c); })
  LANE("v_fmamk_f16", [](Half a, Half b, Half c) { return fused(a, b, c); })
  LANE("v_mad_f16", [](Half a, Half b, Half c) { return Half(Half(a * b) + c); })
  LANE("v_mac_f16", [](Half a, Half b, Half c) { return Half(Half(a * b) + c); })
  LANE("v_min_f16", [](Half a, Half b) { return least(a, b); })
  LANE("v_max_f16", [](Half a, Half b) { return greatest(a, b); })
  LANE("v_min_num_f16", [](Half a, Half b) { return least(a, b); })
  LANE("v_max_num_f16", [](Half a, Half b) { return greatest(a, b); })
  LANE("v_min3_f16", [](Half a, Half b, Half c) { return least(least(a, b), c); })
  LANE("v_max3_f16", [](Half a, Half b, Half c) { return greatest(greatest(a, b), c); })
  LANE("v_med3_f16", [](Half a, Half b, Half c) { return middle(a, b, c); })
  LANE("v_floor_f16", [](Half a) { return Half(std::floor(float(a))); })
  LANE("v_ceil_f16", [](Half a) { return Half(std::ceil(float(a))); })
  LANE("v_trunc_f16", [](Half a) { return Half(std::trunc(float(a))); })
  LANE("v_rndne_f16", [](Half a) { return Half(std::nearbyint(float(a))); })
  LANE("v_fract_f16", [](Half a) { return Half(float(a) - std::floor(float(a))); })
  LANE("v_rcp_f16", [](Half a) { return Half(1.0f / float(a)); })
  LANE("v_rsq_f16", [](Half a) { return Half(1.0f / std::sqrt(float(a))); })
  LANE("v_sqrt_f16", [](Half a) { return Half(std::sqrt(float(a))); })
  LANE("v_exp_f16", [](Half a) { return Half(std::exp2(float(a))); })
  LANE("v_log_f16", [](Half a) { return Half(std::log2(float(a))); })
  LANE("v_sin_f16", [](Half a) { return Half(std::sin(kTwoPi * double(a))); })
  LANE("v_cos_f16", [](Half a) { return Half(std::cos(kTwoPi * double(a))); })
  LANE("v_ldexp_f16", [](Half a, int16_t b) { return Half(std::ldexp(float(a), b)); })
  LANE("v_frexp_mant_f16", [](Half a) { return Half(mantissa(float(a))); })
  LANE("v_frexp_exp_i16_f16", [](Half a) { return int16_t(power_of(float(a))); })
  LANE("v_div_fixup_f16", [](Half a, Half b, Half c) { return Half(divide_fixup(float(a), float(b), float(c))); })
}

void add_conversions(LaneTable& table) {
  LANE("v_cvt_f32_i32", [](int32_t a) { return float(a); })
  LANE("v_cvt_f32_u32", [](uint32_t a) { return float(a); })
  LANE("v_cvt_i32_f32", [](float a) { return saturated<int32_t>(a); })
  LANE("v_cvt_u32_f32", [](float a) { return saturated<uint32_t>(a); })
  LANE("v_cvt_f64_i32", [](int32_t a) { return double(a); })
  LANE("v_cvt_f64_u32", [](uint32_t a) { return double(a); })
  LANE("v_cvt_i32_f64", [](double a) { return saturated<int32_t>(a); })
  LANE("v_cvt_u32_f64", [](double a) { return saturated<uint32_t>(a); })
  LANE("v_cvt_f64_f32", [](float a) { return double(a); })
  LANE("v_cvt_f32_f64", [](double a) { return float(a); })
  LANE("v_cvt_f16_f32", [](float a) { return Half(a); })
  LANE("v_cvt_f32_f16", [](Half a) { return float(a); })
  LANE("v_cvt_f16_u16", [](uint16_t a) { return Half(float(a)); })
  LANE("v_cvt_f16_i16", [](int16_t a) { return Half(float(a)); })
  LANE("v_cvt_u16_f16", [](Half a) { return saturated<uint16_t>(float(a)); })
  LANE("v_cvt_i16_f16", [](Half a) { return saturated<int16_t>(float(a)); })
  LANE("v_cvt_i32_i16", [](int16_t a) { return int32_t(a); })
  LANE("v_cvt_u32_u16", [](uint16_t a) { return uint32_t(a); })
  LANE("v_cvt_f32_ubyte0", [](uint32_t a) { return float(a & 0xff); })
  LANE("v_cvt_f32_ubyte1", [](uint32_t a) { return float(a >> 8 & 0xff); })
  LANE("v_cvt_f32_ubyte2", [](uint32_t a) { return float(a >> 16 & 0xff); })
  LANE("v_cvt_f32_ubyte3", [](uint32_t a) { return float(a >> 24); })
  LANE("v_cvt_flr_i32_f32", [](float a) { return saturated<int32_t>(std::floor(a)); })
  LANE("v_cvt_floor_i32_f32", [](float a) { return saturated<int32_t>(std::floor(a)); })
  LANE("v_cvt_rpi_i32_f32", [](float a) { return saturated<int32_t>(std::floor(a + 0.5f)); })
  LANE("v_cvt_nearest_i32_f32", [](float a) { return saturated<int32_t>(std::floor(a + 0.5f)); })
  LANE("v_cvt_pkrtz_f16_f32", [](float a, float b) { return half_toward_zero(a) | half_toward_zero(b) << 16; })
  LANE("v_cvt_pk_rtz_f16_f32", [](float a, float b) { return half_toward_zero(a) | half_toward_zero(b) << 16; })
  LANE("v_cvt_pk_i16_i32", [](int32_t a, int32_t b) {
    const auto part = [](int32_t x) { return uint32_t(uint16_t(x < -32768 ? -32768 : x > 32767 ? 32767 : x)); };
    return part(a) | part(b) << 16;
  })
  LANE("v_cvt_pk_u16_u32",
       [](uint32_t a, uint32_t b) { return (a > 0xffff ? 0xffffu : a) | (b > 0xffff ? 0xffffu : b) << 16; })
  LANE("v_cvt_pk_u8_f32", [](float a, uint32_t b, uint32_t c) {
    const unsigned shift = 8 * (b & 3);
    return (c & ~(0xffu << shift)) | uint32_t(saturated<uint8_t>(a)) << shift;
  })
}

// Minima and maxima to which a NaN is the result.
void add_nan_extremes(LaneTable& table) {
  LANE("v_minimum_f32", [](float a, float b) { return minimum(a, b); })
  LANE("v_maximum_f32", [](float a, float b) { return maximum(a, b); })
  LANE("v_minimum_f16", [](Half a, Half b) { return minimum(a, b); })
  LANE("v_maximum_f16", [](Half a, Half b) { return maximum(a, b); })
  LANE("v_minimum_f64", [](double a, double b) { return minimum(a, b); })
  LANE("v_maximum_f64", [](double a, double b) { return maximum(a, b); })
  LANE("v_minimum3_f32", [](float a, float b, float c) { return minimum(minimum(a, b), c); })
  LANE("v_maximum3_f32", [](float a, float b, float c) { return maximum(maximum(a, b), c); })
  LANE("v_minimum3_f16", [](Half a, Half b, Half c) { return minimum(minimum(a, b), c); })
  LANE("v_maximum3_f16", [](Half a, Half b, Half c) { return maximum(maximum(a, b), c); })
  LANE("v_minimummaximum_f32", [](float a, float b, float c) { return maximum(minimum(a, b), c); })
  LANE("v_maximumminimum_f32", [](float a, float b, float c) { return minimum(maximum(a, b), c); })
  LANE("v_minimummaximum_f16", [](Half a, Half b, Half c) { return maximum(minimum(a, b), c); })
  LANE("v_maximumminimum_f16", [](Half a, Half b, Half c) { return minimum(maximum(a, b), c); })
  for (const char* name : {"v_minmax_f16", "v_minmax_num_f16"})
    table.add<([](Half a, Half b, Half c) { return greatest(least(a, b), c); })>(name);
  for (const char* name : {"v_maxmin_f16", "v_maxmin_num_f16"})
    table.add<([](Half a, Half b, Half c) { return least(greatest(a, b), c); })>(name);
  LANE("v_min3_num_f16", [](Half a, Half b, Half c) { return least(least(a, b), c); })
  LANE("v_max3_num_f16", [](Half a, Half b, Half c) { return greatest(greatest(a, b), c); })
  LANE("v_med3_num_f16", [](Half a, Half b, Half c) { return middle(a, b, c); })
}

void add_legacy(LaneTable& table) {
  LANE("v_mad_legacy_f32", [](float a, float b, float c) { return (a == 0 || b == 0 ? 0.0f : a * b) + c; })
  for (const char* name : {"v_fma_legacy_f32", "v_fma_dx9_zero_f32", "v_fmac_legacy_f32", "v_fmac_dx9_zero_f32"})
    table.add<([](float a, float b, float c) { return legacy_fused(a, b, c); })>(name);
  for (const char* name : {"v_madmk_f16", "v_madak_f16", "v_mad_legacy_f16"})
    table.add<([](Half a, Half b, Half c) { return Half(Half(a * b) + c); })>(name);
  LANE("v_fma_legacy_f16", [](Half a, Half b, Half c) { return fused(a, b, c); })
  LANE("v_div_fixup_legacy_f16",
       [](Half a, Half b, Half c) { return Half(divide_fixup(float(a), float(b), float(c))); })
  LANE("v_exp_legacy_f32", [](float a) { return std::exp2(a); })
  LANE("v_log_legacy_f32", [](float a) { return std::log2(a); })
  LANE("v_mullit_f32", [](float a, float b, float c) {
    constexpr float most = std::numeric_limits<float>::max();
    return b <= -most || is_nan(b) || c <= 0 || is_nan(c) ? -most : a == 0 || b == 0 ? 0.0f : a * b;
  })
  LANE("v_trig_preop_f64", [](double a, uint32_t b) { return trigonometric_part(a, b); })
  LANE("v_cubeid_f32", [](float x, float y, float z) {
    const int axis = cube_axis(x, y, z);
    return float(2 * axis + ((axis == 0 ? x : axis == 1 ? y : z) < 0));
  })
  LANE("v_cubema_f32", [](float x, float y, float z) {
    const int axis = cube_axis(x, y, z);
    return 2 * (axis == 0 ? x : axis == 1 ? y : z);
  })
  LANE("v_cubesc_f32", [](float x, float y, float z) {
    const int axis = cube_axis(x, y, z);
    return axis == 0 ? (x < 0 ? z : -z) : axis == 2 && z < 0 ? -x : x;
  })
  LANE("v_cubetc_f32", [](float x, float y, float z) { return cube_axis(x, y, z) == 1 ? (y < 0 ? -z : z) : -y; })
}

void add_norms(LaneTable& table) {
  for (const char* name : {"v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"})
    table.add<([](float a, float b) { return signed_norm(a) | signed_norm(b) << 16; })>(name);
  for (const char* name : {"v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"})
    table.add<([](float a, float b) { return unsigned_norm(a) | unsigned_norm(b) << 16; })>(name);
  for (const char* name : {"v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16"})
    table.add<([](Half a, Half b) { return signed_norm(float(a)) | signed_norm(float(b)) << 16; })>(name);
  for (const char* name : {"v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16"})
    table.add<([](Half a, Half b) { return unsigned_norm(float(a)) | unsigned_norm(float(b)) << 16; })>(name);
  LANE("v_cvt_norm_i16_f16", [](Half a) { return uint16_t(signed_norm(float(a))); })
  LANE("v_cvt_norm_u16_f16", [](Half a) { return uint16_t(unsigned_norm(float(a))); })
  LANE("v_cvt_pk_i16_f32", [](float a, float b) {
    return uint32_t(uint16_t(saturated<int16_t>(a))) | uint32_t(uint16_t(saturated<int16_t>(b))) << 16;
  })
  LANE("v_cvt_pk_u16_f32",
       [](float a, float b) { return uint32_t(saturated<uint16_t>(a)) | uint32_t(saturated<uint16_t>(b)) << 16; })
  LANE("v_cvt_off_f32_i4", [](uint32_t a) { return float(int32_t(a << 28) >> 28) / 16.0f; })
  LANE("v_cvt_pkaccum_u8_f32", [](float a, uint32_t b, uint32_t c) {
    const unsigned shift = 8 * (b & 3);
    return (c & ~(0xffu << shift)) | uint32_t(saturated<uint8_t>(a)) << shift;
  })
}

void add_float_functions(LaneTable& table) {
  add_nan_extremes(table);
  add_legacy(table);
  add_norms(table);
  add_single(table);
  add_double(table);
  add_half(table);
  add_conversions(table);
}

}  // namespace hipport::emulate
