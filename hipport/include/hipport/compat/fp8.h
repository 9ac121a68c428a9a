// SPDX-License-Identifier: MIT
// `cuda_fp8.h` in software: OCP's e4m3 and e5m2, one, two and four at a time.
//
// MI300 (gfx94x) computes with FNUZ formats, whose bytes stand for other numbers: bytes made here are for storage and
// for exchange with other software, not for that hardware's matrix instructions.
#ifndef HIPPORT_COMPAT_FP8_H
#define HIPPORT_COMPAT_FP8_H

#include "float_formats.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cuda_fp8.h>
#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_fp16.h>

#include <type_traits>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

HIPPORT_COMPAT __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? hipport::compat::to_e4m3(x, saturate == __NV_SATFINITE)
                           : hipport::compat::to_e5m2(x, saturate == __NV_SATFINITE);
}
// CUDA converts `double` in software, which keeps the sign of NaN and has another NaN for e5m2.
HIPPORT_COMPAT __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  if (hipport::compat::is_nan(x))
    return static_cast<__nv_fp8_storage_t>((hipport::compat::exact::is_negative(x) ? 0x80u : 0u) |
                                           (kind == __NV_E4M3 ? 0x7fu : 0x7eu));
  return kind == __NV_E4M3 ? hipport::compat::to_e4m3(x, saturate == __NV_SATFINITE)
                           : hipport::compat::to_e5m2(x, saturate == __NV_SATFINITE);
}
HIPPORT_COMPAT __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t kind) {
  const unsigned low = __nv_cvt_double_to_fp8(x.x, saturate, kind), high = __nv_cvt_double_to_fp8(x.y, saturate, kind);
  return static_cast<__nv_fp8x2_storage_t>(low | high << 8);
}
HIPPORT_COMPAT __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind) {
  const unsigned low = __nv_cvt_float_to_fp8(x.x, saturate, kind), high = __nv_cvt_float_to_fp8(x.y, saturate, kind);
  return static_cast<__nv_fp8x2_storage_t>(low | high << 8);
}
HIPPORT_COMPAT __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half2float(hipport::compat::bits<__half>(x)), saturate, kind);
}
HIPPORT_COMPAT __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const float value = kind == __NV_E4M3 ? hipport::compat::from_e4m3(x) : hipport::compat::from_e5m2(x);
  return hipport::compat::bits<__half_raw>(__float2half(value));
}

namespace hipport {
namespace compat {

// Numbers that have no constructor and no conversion of their own: integers and bfloat16.
template <typename T, typename Self>
using Number8 = std::enable_if_t<(std::is_integral<T>::value && !std::is_same<T, bool>::value) ||
                                 (std::is_class<T>::value && sizeof(T) == 2 && !std::is_same<T, __half>::value &&
                                  std::is_constructible<float, T>::value && std::is_constructible<T, float>::value &&
                                  !std::is_same<T, Self>::value)>;

// Integers are the nearest ones.
template <typename T, bool Integral = std::is_integral<T>::value>
struct Number8Cast {
  static HIPPORT_COMPAT T of(float x) { return static_cast<T>(x); }
};
template <typename T>
struct Number8Cast<T, true> {
  static HIPPORT_COMPAT T of(float x) { return saturated<T>(x); }
};

}  // namespace compat
}  // namespace hipport

#define HIPPORT_COMPAT_FP8(format, kind)                                                                               \
  struct __nv_fp8_##format {                                                                                           \
    __nv_fp8_storage_t __x;                                                                                            \
    __nv_fp8_##format() = default;                                                                                     \
    HIPPORT_COMPAT explicit __nv_fp8_##format(float x) : __x(hipport::compat::to_##format(x, true)) {}                 \
    HIPPORT_COMPAT explicit __nv_fp8_##format(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}      \
    HIPPORT_COMPAT explicit __nv_fp8_##format(int x) : __x(hipport::compat::to_##format(x, true)) {}                   \
    HIPPORT_COMPAT explicit __nv_fp8_##format(__half x) : __x(hipport::compat::to_##format(__half2float(x), true)) {}  \
    template <typename T, typename = hipport::compat::Number8<T, __nv_fp8_##format>>                                   \
    HIPPORT_COMPAT explicit __nv_fp8_##format(T x) : __x(hipport::compat::to_##format(static_cast<float>(x), true)) {} \
    template <typename T, typename = hipport::compat::Number8<T, __nv_fp8_##format>>                                   \
    HIPPORT_COMPAT explicit operator T() const {                                                                       \
      return hipport::compat::Number8Cast<T>::of(hipport::compat::from_##format(__x));                                 \
    }                                                                                                                  \
    HIPPORT_COMPAT explicit operator float() const { return hipport::compat::from_##format(__x); }                     \
    HIPPORT_COMPAT explicit operator double() const { return hipport::compat::from_##format(__x); }                    \
    HIPPORT_COMPAT explicit operator __half() const { return __float2half(hipport::compat::from_##format(__x)); }      \
    HIPPORT_COMPAT explicit operator bool() const { return (__x & 0x7f) != 0; }                                        \
  };                                                                                                                   \
  struct alignas(2) __nv_fp8x2_##format {                                                                              \
    __nv_fp8x2_storage_t __x;                                                                                          \
    __nv_fp8x2_##format() = default;                                                                                   \
    HIPPORT_COMPAT explicit __nv_fp8x2_##format(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}  \
    HIPPORT_COMPAT explicit operator float2() const {                                                                  \
      return make_float2(hipport::compat::from_##format(__x & 255u), hipport::compat::from_##format(__x >> 8));        \
    }                                                                                                                  \
  };                                                                                                                   \
  struct alignas(4) __nv_fp8x4_##format {                                                                              \
    __nv_fp8x4_storage_t __x;                                                                                          \
    __nv_fp8x4_##format() = default;                                                                                   \
    HIPPORT_COMPAT explicit __nv_fp8x4_##format(float4 x)                                                              \
        : __x(__nv_cvt_float2_to_fp8x2(make_float2(x.x, x.y), __NV_SATFINITE, kind) |                                  \
              static_cast<unsigned>(__nv_cvt_float2_to_fp8x2(make_float2(x.z, x.w), __NV_SATFINITE, kind)) << 16) {}   \
    HIPPORT_COMPAT explicit operator float4() const {                                                                  \
      return make_float4(                                                                                              \
          hipport::compat::from_##format(__x & 255u), hipport::compat::from_##format((__x >> 8) & 255u),               \
          hipport::compat::from_##format((__x >> 16) & 255u), hipport::compat::from_##format(__x >> 24));              \
    }                                                                                                                  \
  };
HIPPORT_COMPAT_FP8(e4m3, __NV_E4M3)
HIPPORT_COMPAT_FP8(e5m2, __NV_E5M2)
#undef HIPPORT_COMPAT_FP8

#endif

#endif
