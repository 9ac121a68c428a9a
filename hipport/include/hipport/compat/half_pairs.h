// SPDX-License-Identifier: MIT
// Functions that HIP gets wrong: `__hisinf` is true, not -1, for minus infinity; of pairs, `__hisnan2` gives -1 before
// 6.2, `h2rcp` works on bits before 6.4, and `__hgt2` and `__hisnan2` of bfloat16 numbers always give 1 for the high one;
// `hsin` and `h2sin` of half numbers are NaN with the device libraries of 5.2.
#ifndef HIPPORT_COMPAT_HALF_PAIRS_H
#define HIPPORT_COMPAT_HALF_PAIRS_H

#include "half.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(hgt2)
HIPPORT_COMPAT_FORWARD(hisinf)
HIPPORT_COMPAT_FORWARD(hisnan2)
template <typename T2>
HIPPORT_COMPAT T2 h2rcp(T2 a) {
  return ::h2rcp(a);
}
template <typename T>
HIPPORT_COMPAT_DEVICE T hsin(T a) {
  return ::hsin(a);
}
template <typename T2>
HIPPORT_COMPAT_DEVICE T2 h2sin(T2 a) {
  return ::h2sin(a);
}

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

// Return a pair of 1 for true and 0 for false.
template <typename T2>
HIPPORT_COMPAT T2 truths(T2 like, bool first, bool second) {
  const unsigned one = one_of(low(like));
  return bits<T2>((first ? one : 0u) | (second ? one << 16 : 0u));
}
template <typename T2>
HIPPORT_COMPAT T2 hgt2(T2 a, T2 b) {
  return truths(a, __hgt(low(a), low(b)), __hgt(high(a), high(b)));
}
template <typename T2>
HIPPORT_COMPAT T2 hisnan2(T2 a) {
  return truths(a, __hisnan(low(a)), __hisnan(high(a)));
}
// Return 1 and -1 for infinities, 0 for other numbers.
template <typename T>
HIPPORT_COMPAT int hisinf(T a) {
  static_assert(sizeof(T) == 2, "half or bfloat16 numbers");
  unsigned short number = 0;
  __builtin_memcpy(&number, &a, sizeof(T));
  return (number & 0x7fffu) != (one_of(a) | 0x4000u) ? 0 : (number & 0x8000u) != 0 ? -1 : 1;
}
HIPPORT_COMPAT __half inverse(__half a) { return __float2half(1.0f / __half2float(a)); }
template <typename T>
HIPPORT_COMPAT T inverse(T a) {
  return hrcp(a);
}
template <typename T2>
HIPPORT_COMPAT T2 h2rcp(T2 a) {
  return joined<T2>(inverse(low(a)), inverse(high(a)));
}
template <typename T>
HIPPORT_COMPAT_DEVICE T hsin(T a) {
  return static_cast<T>(::sinf(static_cast<float>(a)));
}
template <typename T2>
HIPPORT_COMPAT_DEVICE T2 h2sin(T2 a) {
  return joined<T2>(compat::hsin(low(a)), compat::hsin(high(a)));
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
