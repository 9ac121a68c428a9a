// SPDX-License-Identifier: MIT
// `htanh`, `h2tanh` and their `_approx` forms, of half and bfloat16 numbers, rounded from float.
//
// They are templates, so that a project's own functions and HIP's are preferred.
#ifndef HIPPORT_COMPAT_HALF_TANH_H
#define HIPPORT_COMPAT_HALF_TANH_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "bf16.h"
#include "half.h"

#if defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

HIPPORT_COMPAT_DEVICE __half tanh_of(__half a) { return __float2half(::tanhf(__half2float(a))); }
template <typename T>
HIPPORT_COMPAT_DEVICE T tanh_of(T a) {
  return __float2bfloat16(::tanhf(__bfloat162float(a)));
}

}  // namespace compat
}  // namespace hipport

#define HIPPORT_COMPAT_TANH(suffix)                                                                  \
  template <typename T>                                                                              \
  HIPPORT_COMPAT_DEVICE auto htanh##suffix(T a) -> decltype(hipport::compat::one_of(a), __hneg(a)) { \
    return hipport::compat::tanh_of(a);                                                              \
  }                                                                                                  \
  template <typename T2>                                                                             \
  HIPPORT_COMPAT_DEVICE auto h2tanh##suffix(T2 a) -> decltype(__hneg2(a)) {                          \
    using namespace hipport::compat;                                                                 \
    return joined<T2>(tanh_of(low(a)), tanh_of(high(a)));                                            \
  }
HIPPORT_COMPAT_TANH()
HIPPORT_COMPAT_TANH(_approx)
#undef HIPPORT_COMPAT_TANH

#endif

#endif

#endif
