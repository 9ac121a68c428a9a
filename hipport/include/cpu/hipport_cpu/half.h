// SPDX-License-Identifier: MIT
// 16-bit floating-point types: stored in 16 bits, computed in float, each result rounded to nearest even.
#pragma once

#include "conversions.h"
#include "vector_types.h"

namespace hipport::cpu {

inline uint16_t half_bits(float value) {
  const uint32_t bits = bits_as<uint32_t>(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // beyond the largest half, 65504
  if (magnitude < 0x38800000u) {
    // Adding 0.5 moves the rounded bits of the subnormal to the low end of the sum's mantissa.
    const float sum = bits_as<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (bits_as<uint32_t>(sum) - 0x3f000000u));
  }
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
}

inline float half_value(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return bits_as<float>(sign | 0x7f800000u | magnitude << 13);
  if (magnitude >= 0x0400u) return bits_as<float>(sign | ((magnitude << 13) + 0x38000000u));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
  return sign != 0 ? -subnormal : subnormal;
}

inline uint16_t bfloat16_bits(float value) {
  const uint32_t bits = bits_as<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

inline float bfloat16_value(uint16_t bits) { return bits_as<float>(static_cast<uint32_t>(bits) << 16); }

// Round to a float whose last bit tells whether bits were cut off, so that rounding it again to half is correct.
inline float odd_float(double value) {
  const float nearest = static_cast<float>(value);
  const uint32_t bits = bits_as<uint32_t>(nearest);
  if (value != value || static_cast<double>(nearest) == value || (bits & 1u) != 0) return nearest;
  const bool larger = std::fabs(value) > std::fabs(static_cast<double>(nearest));
  return bits_as<float>(larger ? bits + 1u : bits - 1u);
}

// A 16-bit number; `Encode` and `Decode` convert from and to float.
template <uint16_t (*Encode)(float), float (*Decode)(uint16_t)>
struct Float16 {
  uint16_t x;

  Float16() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Float16(T value) : x(Encode(static_cast<float>(value))) {}
  // HIP rounds a double once to half, but by way of float to bfloat16.
  Float16(double value) : x(Encode(Encode == half_bits ? odd_float(value) : static_cast<float>(value))) {}
  // Templates, which are no copy constructor and no copy assignment: the type stays trivially copyable.
  template <typename T,
            typename = std::enable_if_t<std::is_same_v<std::remove_cv_t<T>, Float16> && std::is_volatile_v<T>>>
  Float16(T& other) : x(other.x) {}
  // Of numbers that are not volatile the implicit assignment is the better match.
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, Float16>>>
  volatile Float16& operator=(const T& other) volatile {
    x = other.x;
    return *this;
  }
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, Float16>>>
  volatile Float16& operator=(const volatile T& other) volatile {
    x = other.x;
    return *this;
  }
  operator float() const { return Decode(x); }
  template <typename Raw, typename = std::enable_if_t<std::is_same_v<typename Raw::hipport_number, Float16>>>
  operator Raw() const {
    return {x};
  }

  static Float16 from_bits(uint16_t bits) {
    Float16 result;
    result.x = bits;
    return result;
  }
  Float16 operator-() const { return from_bits(x ^ 0x8000u); }
  Float16& operator++() { return *this = *this + Float16(1); }
  Float16& operator--() { return *this = *this - Float16(1); }
  Float16 operator++(int) {
    const Float16 before = *this;
    ++*this;
    return before;
  }
  Float16 operator--(int) {
    const Float16 before = *this;
    --*this;
    return before;
  }

#define HIPPORT_FLOAT16_OPERATOR(op)                                                               \
  friend Float16 operator op(Float16 a, Float16 b) { return Float16(Decode(a.x) op Decode(b.x)); } \
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>                        \
  friend Float16 operator op(Float16 a, T b) {                                                     \
    return a op Float16(b);                                                                        \
  }                                                                                                \
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>                        \
  friend Float16 operator op(T a, Float16 b) {                                                     \
    return Float16(a) op b;                                                                        \
  }                                                                                                \
  friend float operator op(Float16 a, float b) { return Decode(a.x) op b; }                        \
  friend float operator op(float a, Float16 b) { return a op Decode(b.x); }                        \
  friend double operator op(Float16 a, double b) { return Decode(a.x) op b; }                      \
  friend double operator op(double a, Float16 b) { return a op Decode(b.x); }                      \
  template <typename T>                                                                            \
  Float16& operator op##=(T b) {                                                                   \
    return *this = Float16(*this op b);                                                            \
  }
  HIPPORT_FLOAT16_OPERATOR(+)
  HIPPORT_FLOAT16_OPERATOR(-)
  HIPPORT_FLOAT16_OPERATOR(*)
  HIPPORT_FLOAT16_OPERATOR(/)
#undef HIPPORT_FLOAT16_OPERATOR

#define HIPPORT_FLOAT16_COMPARISON(op) \
  friend bool operator op(Float16 a, Float16 b) { return Decode(a.x) op Decode(b.x); }
  HIPPORT_FLOAT16_COMPARISON(==)
  HIPPORT_FLOAT16_COMPARISON(!=)
  HIPPORT_FLOAT16_COMPARISON(<)
  HIPPORT_FLOAT16_COMPARISON(>)
  HIPPORT_FLOAT16_COMPARISON(<=)
  HIPPORT_FLOAT16_COMPARISON(>=)
#undef HIPPORT_FLOAT16_COMPARISON
};

}  // namespace hipport::cpu

using __half = hipport::cpu::Float16<hipport::cpu::half_bits, hipport::cpu::half_value>;
using half = __half;
using __hip_bfloat16 = hipport::cpu::Float16<hipport::cpu::bfloat16_bits, hipport::cpu::bfloat16_value>;
using hip_bfloat16 = __hip_bfloat16;

// Pairs of 16-bit numbers.
namespace hipport::cpu {
template <typename T>
struct alignas(4) Pair16 {
  T x, y;
  Pair16() = default;
  Pair16(T x_, T y_) : x(x_), y(y_) {}

#define HIPPORT_PAIR_OPERATOR(op)                                                    \
  friend Pair16 operator op(Pair16 a, Pair16 b) { return {a.x op b.x, a.y op b.y}; } \
  Pair16& operator op##=(Pair16 b) { return *this = *this op b; }
  HIPPORT_PAIR_OPERATOR(+)
  HIPPORT_PAIR_OPERATOR(-)
  HIPPORT_PAIR_OPERATOR(*)
  HIPPORT_PAIR_OPERATOR(/)
#undef HIPPORT_PAIR_OPERATOR
  template <typename Raw, typename = std::enable_if_t<std::is_same_v<typename Raw::hipport_pair, Pair16>>>
  operator Raw() const {
    return {x.x, y.x};
  }
  Pair16 operator-() const { return {-x, -y}; }
  friend bool operator==(Pair16 a, Pair16 b) { return a.x == b.x && a.y == b.y; }
};

// HIP's comparisons; those of compat/half_operators.h, which are CUDA's, are no templates and are preferred.
template <typename T>
bool operator!=(Pair16<T> a, Pair16<T> b) {
  return !(a == b);
}
template <typename T>
bool operator<(Pair16<T> a, Pair16<T> b) {
  return a.x < b.x && a.y < b.y;
}
template <typename T>
bool operator>(Pair16<T> a, Pair16<T> b) {
  return b < a;
}
template <typename T>
bool operator<=(Pair16<T> a, Pair16<T> b) {
  return !(b < a);  // as in HIP; CUDA compares both numbers
}
template <typename T>
bool operator>=(Pair16<T> a, Pair16<T> b) {
  return !(a < b);
}
}  // namespace hipport::cpu
using __half2 = hipport::cpu::Pair16<__half>;
using half2 = __half2;
using __hip_bfloat162 = hipport::cpu::Pair16<__hip_bfloat16>;
// The bits of numbers, which convert from and to them.
struct __half_raw {
  uint16_t x;
  using hipport_number = __half;
  operator __half() const { return __half::from_bits(x); }
};
struct __half2_raw {
  uint16_t x, y;
  using hipport_pair = __half2;
  operator __half2() const { return {__half::from_bits(x), __half::from_bits(y)}; }
};
struct __hip_bfloat16_raw {
  uint16_t x;
  using hipport_number = __hip_bfloat16;
  operator __hip_bfloat16() const { return __hip_bfloat16::from_bits(x); }
};
struct __hip_bfloat162_raw {
  uint16_t x, y;
  using hipport_pair = __hip_bfloat162;
  operator __hip_bfloat162() const { return {__hip_bfloat16::from_bits(x), __hip_bfloat16::from_bits(y)}; }
};
