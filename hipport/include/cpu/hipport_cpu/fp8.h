// SPDX-License-Identifier: MIT
// The 8-bit floating-point types of hip_fp8.h: OCP e4m3 and e5m2, and the FNUZ formats of gfx94x.
#pragma once

#include "../../hipport/compat/float_formats.h"
#include "half_functions.h"

// Which formats the gfx target's hardware has.
#if HIPPORT_FNUZ
#define HIP_FP8_TYPE_FNUZ 1
#define HIP_FP8_TYPE_OCP 0
#else
#define HIP_FP8_TYPE_FNUZ 0
#define HIP_FP8_TYPE_OCP 1
#endif

using __hip_fp8_storage_t = unsigned char;
using __hip_fp8x2_storage_t = unsigned short;
using __hip_fp8x4_storage_t = unsigned;

// Numbers beyond the largest become infinity or NaN (NOSAT), or the largest number (SATFINITE).
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t { __HIP_E4M3 = 0, __HIP_E5M2 = 1, __HIP_E4M3_FNUZ = 2, __HIP_E5M2_FNUZ = 3 };

namespace hipport::cpu {

inline uint8_t to_fp8(double value, bool saturate, __hip_fp8_interpretation_t format) {
  switch (format) {
    case __HIP_E4M3: return compat::to_e4m3(value, saturate);
    case __HIP_E5M2: return compat::to_e5m2(value, saturate);
    case __HIP_E4M3_FNUZ: return compat::to_fnuz(value, 3, saturate);
    case __HIP_E5M2_FNUZ: return compat::to_fnuz(value, 2, saturate);
  }
  return 0;
}

inline float from_fp8(uint8_t bits, __hip_fp8_interpretation_t format) {
  switch (format) {
    case __HIP_E4M3: return compat::from_e4m3(bits);
    case __HIP_E5M2: return compat::from_e5m2(bits);
    case __HIP_E4M3_FNUZ: return compat::from_fnuz(bits, 3);
    case __HIP_E5M2_FNUZ: return compat::from_fnuz(bits, 2);
  }
  return 0.0f;
}

template <__hip_fp8_interpretation_t Format>
struct Float8 {
  static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;
  static constexpr __hip_fp8_interpretation_t __default_interpret = Format;
  __hip_fp8_storage_t __x;

  Float8() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit Float8(T value) : __x(to_fp8(static_cast<double>(value), true, Format)) {}
  explicit Float8(__half value) : Float8(float(value)) {}
  explicit Float8(__hip_bfloat16 value) : Float8(float(value)) {}

  operator float() const { return from_fp8(__x, Format); }
  explicit operator __half() const { return __half(float(*this)); }
  explicit operator __hip_bfloat16() const { return __hip_bfloat16(float(*this)); }
  explicit operator bool() const { return float(*this) != 0.0f; }
};

// Element 0 is in the low byte.
template <__hip_fp8_interpretation_t Format>
unsigned pack_fp8(std::initializer_list<double> values, bool saturate = true) {
  unsigned packed = 0, place = 0;
  for (double value : values) packed |= unsigned(to_fp8(value, saturate, Format)) << (8 * place++);
  return packed;
}
template <__hip_fp8_interpretation_t Format>
float unpack_fp8(unsigned packed, unsigned place) {
  return from_fp8(static_cast<uint8_t>(packed >> (8 * place)), Format);
}

template <__hip_fp8_interpretation_t Format>
struct Float8x2 {
  __hip_fp8x2_storage_t __x;

  Float8x2() = default;
  explicit Float8x2(double2 v) : __x(static_cast<__hip_fp8x2_storage_t>(pack_fp8<Format>({v.x, v.y}))) {}
  explicit Float8x2(float2 v) : Float8x2(double2{v.x, v.y}) {}
  explicit Float8x2(__half2 v) : Float8x2(float2{v.x, v.y}) {}
  explicit Float8x2(__hip_bfloat162 v) : Float8x2(float2{v.x, v.y}) {}

  operator float2() const { return {unpack_fp8<Format>(__x, 0), unpack_fp8<Format>(__x, 1)}; }
  explicit operator __half2() const { return __float22half2_rn(*this); }
  explicit operator __hip_bfloat162() const { return __float22bfloat162_rn(*this); }
};

template <__hip_fp8_interpretation_t Format>
struct Float8x4 {
  __hip_fp8x4_storage_t __x;

  Float8x4() = default;
  explicit Float8x4(double4 v) : __x(pack_fp8<Format>({v.x, v.y, v.z, v.w})) {}
  explicit Float8x4(float4 v) : Float8x4(double4{v.x, v.y, v.z, v.w}) {}
  Float8x4(__half2 low, __half2 high) : Float8x4(float4{low.x, low.y, high.x, high.y}) {}
  Float8x4(__hip_bfloat162 low, __hip_bfloat162 high) : Float8x4(float4{low.x, low.y, high.x, high.y}) {}

  operator float4() const {
    return {unpack_fp8<Format>(__x, 0), unpack_fp8<Format>(__x, 1), unpack_fp8<Format>(__x, 2),
            unpack_fp8<Format>(__x, 3)};
  }
};

}  // namespace hipport::cpu

using __hip_fp8_e4m3 = hipport::cpu::Float8<__HIP_E4M3>;
using __hip_fp8_e5m2 = hipport::cpu::Float8<__HIP_E5M2>;
using __hip_fp8_e4m3_fnuz = hipport::cpu::Float8<__HIP_E4M3_FNUZ>;
using __hip_fp8_e5m2_fnuz = hipport::cpu::Float8<__HIP_E5M2_FNUZ>;
using __hip_fp8x2_e4m3 = hipport::cpu::Float8x2<__HIP_E4M3>;
using __hip_fp8x2_e5m2 = hipport::cpu::Float8x2<__HIP_E5M2>;
using __hip_fp8x2_e4m3_fnuz = hipport::cpu::Float8x2<__HIP_E4M3_FNUZ>;
using __hip_fp8x2_e5m2_fnuz = hipport::cpu::Float8x2<__HIP_E5M2_FNUZ>;
using __hip_fp8x4_e4m3 = hipport::cpu::Float8x4<__HIP_E4M3>;
using __hip_fp8x4_e5m2 = hipport::cpu::Float8x4<__HIP_E5M2>;
using __hip_fp8x4_e4m3_fnuz = hipport::cpu::Float8x4<__HIP_E4M3_FNUZ>;
using __hip_fp8x4_e5m2_fnuz = hipport::cpu::Float8x4<__HIP_E5M2_FNUZ>;

inline __hip_fp8_storage_t __hip_cvt_double_to_fp8(double value, __hip_saturation_t saturation,
                                                   __hip_fp8_interpretation_t format) {
  return hipport::cpu::to_fp8(value, saturation == __HIP_SATFINITE, format);
}
inline __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(double2 value, __hip_saturation_t saturation,
                                                        __hip_fp8_interpretation_t format) {
  const unsigned low = __hip_cvt_double_to_fp8(value.x, saturation, format);
  const unsigned high = __hip_cvt_double_to_fp8(value.y, saturation, format);
  return static_cast<__hip_fp8x2_storage_t>(low | high << 8);
}
inline __hip_fp8_storage_t __hip_cvt_float_to_fp8(float value, __hip_saturation_t saturation,
                                                  __hip_fp8_interpretation_t format) {
  return __hip_cvt_double_to_fp8(value, saturation, format);
}
inline __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(float2 value, __hip_saturation_t saturation,
                                                       __hip_fp8_interpretation_t format) {
  return __hip_cvt_double2_to_fp8x2({value.x, value.y}, saturation, format);
}
inline __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(__half_raw value, __hip_saturation_t saturation,
                                                    __hip_fp8_interpretation_t format) {
  return __hip_cvt_float_to_fp8(hipport::cpu::half_value(value.x), saturation, format);
}
inline __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(__half2_raw value, __hip_saturation_t saturation,
                                                         __hip_fp8_interpretation_t format) {
  using hipport::cpu::half_value;
  return __hip_cvt_float2_to_fp8x2({half_value(value.x), half_value(value.y)}, saturation, format);
}
inline __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw value, __hip_saturation_t saturation,
                                                        __hip_fp8_interpretation_t format) {
  return __hip_cvt_float_to_fp8(hipport::cpu::bfloat16_value(value.x), saturation, format);
}
inline __hip_fp8x2_storage_t __hip_cvt_bfloat16raw2_to_fp8x2(__hip_bfloat162_raw value, __hip_saturation_t saturation,
                                                             __hip_fp8_interpretation_t format) {
  using hipport::cpu::bfloat16_value;
  return __hip_cvt_float2_to_fp8x2({bfloat16_value(value.x), bfloat16_value(value.y)}, saturation, format);
}
inline __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t value, __hip_fp8_interpretation_t format) {
  return {hipport::cpu::half_bits(hipport::cpu::from_fp8(value, format))};
}
inline __half2_raw __hip_cvt_fp8x2_to_halfraw2(__hip_fp8x2_storage_t value, __hip_fp8_interpretation_t format) {
  return {__hip_cvt_fp8_to_halfraw(value & 0xff, format).x,
          __hip_cvt_fp8_to_halfraw(static_cast<__hip_fp8_storage_t>(value >> 8), format).x};
}
