// SPDX-License-Identifier: MIT
// Conversions between integers and floating point with a rounding mode, and bit casts.
#pragma once

#include "atomics.h"
#include "math.h"

namespace hipport::cpu {

enum class Round { nearest, zero, up, down };

template <typename T>
T rounded(T value, Round how) {
  switch (how) {
    case Round::nearest: return std::nearbyint(value);
    case Round::zero: return std::trunc(value);
    case Round::up: return std::ceil(value);
    case Round::down: return std::floor(value);
  }
  return value;
}

// Values out of range become the nearest integer in range; NaN becomes 0.
template <typename To, typename From>
To to_integer(From value, Round how) {
  const From whole = rounded(value, how);
  if (whole != whole) return 0;
  if (whole >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  if (whole <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(whole);
}

template <typename To, typename From>
To to_floating(From value, int mode) {
  if (value == 0) return static_cast<To>(value);  // rounded down, x86-64 code for unsigned integers makes -0 of it
  Rounding rounding(mode);
  volatile From exact = value;
  volatile To result = static_cast<To>(exact);  // keeps the conversion inside the scope of `rounding`
  return result;
}

}  // namespace hipport::cpu

#define HIPPORT_CONVERSIONS(suffix, how, mode)                                                                    \
  inline int __float2int##suffix(float x) { return hipport::cpu::to_integer<int>(x, how); }                       \
  inline unsigned __float2uint##suffix(float x) { return hipport::cpu::to_integer<unsigned>(x, how); }            \
  inline long long __float2ll##suffix(float x) { return hipport::cpu::to_integer<long long>(x, how); }            \
  inline unsigned long long __float2ull##suffix(float x) {                                                        \
    return hipport::cpu::to_integer<unsigned long long>(x, how);                                                  \
  }                                                                                                               \
  inline int __double2int##suffix(double x) { return hipport::cpu::to_integer<int>(x, how); }                     \
  inline unsigned __double2uint##suffix(double x) { return hipport::cpu::to_integer<unsigned>(x, how); }          \
  inline long long __double2ll##suffix(double x) { return hipport::cpu::to_integer<long long>(x, how); }          \
  inline unsigned long long __double2ull##suffix(double x) {                                                      \
    return hipport::cpu::to_integer<unsigned long long>(x, how);                                                  \
  }                                                                                                               \
  inline float __int2float##suffix(int x) { return hipport::cpu::to_floating<float>(x, mode); }                   \
  inline float __uint2float##suffix(unsigned x) { return hipport::cpu::to_floating<float>(x, mode); }             \
  inline float __ll2float##suffix(long long x) { return hipport::cpu::to_floating<float>(x, mode); }              \
  inline float __ull2float##suffix(unsigned long long x) { return hipport::cpu::to_floating<float>(x, mode); }    \
  inline double __ll2double##suffix(long long x) { return hipport::cpu::to_floating<double>(x, mode); }           \
  inline double __ull2double##suffix(unsigned long long x) { return hipport::cpu::to_floating<double>(x, mode); } \
  inline float __double2float##suffix(double x) { return hipport::cpu::to_floating<float>(x, mode); }
HIPPORT_CONVERSIONS(_rn, hipport::cpu::Round::nearest, FE_TONEAREST)
HIPPORT_CONVERSIONS(_rz, hipport::cpu::Round::zero, FE_TOWARDZERO)
HIPPORT_CONVERSIONS(_ru, hipport::cpu::Round::up, FE_UPWARD)
HIPPORT_CONVERSIONS(_rd, hipport::cpu::Round::down, FE_DOWNWARD)
#undef HIPPORT_CONVERSIONS

inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }

inline int __float_as_int(float x) { return hipport::cpu::bits_as<int>(x); }
inline unsigned __float_as_uint(float x) { return hipport::cpu::bits_as<unsigned>(x); }
inline float __int_as_float(int x) { return hipport::cpu::bits_as<float>(x); }
inline float __uint_as_float(unsigned x) { return hipport::cpu::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return hipport::cpu::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return hipport::cpu::bits_as<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(hipport::cpu::bits_as<uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(hipport::cpu::bits_as<uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return hipport::cpu::bits_as<double>(static_cast<uint64_t>(static_cast<unsigned>(high)) << 32 |
                                       static_cast<unsigned>(low));
}

// Loads and stores with cache hints are plain ones.
template <typename T> T __ldg(const T* address) { return *address; }
template <typename T> T __ldca(const T* address) { return *address; }
template <typename T> T __ldcg(const T* address) { return *address; }
template <typename T> T __ldcs(const T* address) { return *address; }
template <typename T> void __stcg(T* address, T value) { *address = value; }
template <typename T> void __stcs(T* address, T value) { *address = value; }
template <typename T> void __stwt(T* address, T value) { *address = value; }

inline void __trap() { hipport::cpu::stop("__trap called in a kernel"); }
