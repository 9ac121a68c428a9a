// SPDX-License-Identifier: MIT
// Conversions of 16-bit floating point with a rounding mode.
#pragma once

#include "../../hipport/compat/float_formats.h"
#include "half.h"

namespace hipport::cpu {

// Round to half in a direction; values out of range become infinity or the largest number.
inline __half directed_half(double value, compat::exact::Rounding direction) {
  if (value != value || !compat::exact::is_finite(value)) return __half(value);
  const bool negative = std::signbit(value);
  const bool away = direction == (negative ? compat::exact::downward : compat::exact::upward);
  const unsigned infinity = 0x7c00, steps = compat::steps_of(value, 10, -14, direction);
  const unsigned bits = steps < infinity ? steps : away ? infinity : infinity - 1;
  return __half::from_bits(static_cast<uint16_t>(bits | (negative ? 0x8000u : 0u)));
}

}  // namespace hipport::cpu

// Conversions from and to an integer type, by way of double, which holds all these integers and halves exactly.
#define HIPPORT_HALF_INTEGER(name, T)                                                                                \
  inline __half __##name##2half_rn(T a) { return __half(a); }                                                        \
  inline __half __##name##2half_rz(T a) {                                                                            \
    return hipport::cpu::directed_half(double(a), hipport::compat::exact::to_zero);                                  \
  }                                                                                                                  \
  inline __half __##name##2half_ru(T a) {                                                                            \
    return hipport::cpu::directed_half(double(a), hipport::compat::exact::upward);                                   \
  }                                                                                                                  \
  inline __half __##name##2half_rd(T a) {                                                                            \
    return hipport::cpu::directed_half(double(a), hipport::compat::exact::downward);                                 \
  }                                                                                                                  \
  inline T __half2##name##_rn(__half a) {                                                                            \
    return hipport::cpu::to_integer<T>(float(a), hipport::cpu::Round::nearest);                                      \
  }                                                                                                                  \
  inline T __half2##name##_rz(__half a) { return hipport::cpu::to_integer<T>(float(a), hipport::cpu::Round::zero); } \
  inline T __half2##name##_ru(__half a) { return hipport::cpu::to_integer<T>(float(a), hipport::cpu::Round::up); }   \
  inline T __half2##name##_rd(__half a) { return hipport::cpu::to_integer<T>(float(a), hipport::cpu::Round::down); }
HIPPORT_HALF_INTEGER(short, short)
HIPPORT_HALF_INTEGER(ushort, unsigned short)
HIPPORT_HALF_INTEGER(int, int)
HIPPORT_HALF_INTEGER(uint, unsigned)
HIPPORT_HALF_INTEGER(ll, long long)
HIPPORT_HALF_INTEGER(ull, unsigned long long)
#undef HIPPORT_HALF_INTEGER

inline __half __float2half_rz(float a) { return hipport::cpu::directed_half(a, hipport::compat::exact::to_zero); }
inline __half __float2half_ru(float a) { return hipport::cpu::directed_half(a, hipport::compat::exact::upward); }
inline __half __float2half_rd(float a) { return hipport::cpu::directed_half(a, hipport::compat::exact::downward); }
