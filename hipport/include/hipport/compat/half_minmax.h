// SPDX-License-Identifier: MIT
// `__hmax2` and `__hmin2` for pairs of halves, which HIP has only for pairs of bfloat16.
//
// They are templates, so that HIP's own functions are preferred where they exist.
#ifndef HIPPORT_COMPAT_HALF_MINMAX_H
#define HIPPORT_COMPAT_HALF_MINMAX_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

#include <hip/hip_fp16.h>

#include <type_traits>

namespace hipport {
namespace compat {

template <typename T>
using HalfPair = typename std::enable_if<std::is_same<T, __half2>::value, T>::type;

}  // namespace compat
}  // namespace hipport

// As in CUDA, if one argument is NaN, the result is the other one.
#define HIPPORT_COMPAT_HALF_PAIR(name, function)                                                                    \
  template <typename T>                                                                                             \
  HIPPORT_COMPAT_DEVICE hipport::compat::HalfPair<T> name(T a, T b) {                                               \
    return __floats2half2_rn(function(__low2float(a), __low2float(b)), function(__high2float(a), __high2float(b))); \
  }
HIPPORT_COMPAT_HALF_PAIR(__hmax2, fmaxf)
HIPPORT_COMPAT_HALF_PAIR(__hmin2, fminf)
#undef HIPPORT_COMPAT_HALF_PAIR

#endif

#endif
