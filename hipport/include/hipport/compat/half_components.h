// SPDX-License-Identifier: MIT
// `x` and `y` of a pair of half numbers, which are half numbers in CUDA and, in HIP before 6.0, the bits of them as
// integers: `__half2float(v.x)` converts the integer there. What has other types passes through.
#ifndef HIPPORT_COMPAT_HALF_COMPONENTS_H
#define HIPPORT_COMPAT_HALF_COMPONENTS_H

#include "core.h"

#include <hip/hip_fp16.h>

namespace hipport {
namespace compat {

#define HIPPORT_COMPAT_COMPONENT(name)                                                                                 \
  HIPPORT_COMPAT __half& half_##name(__half2& pair) { return reinterpret_cast<__half&>(pair.name); }                   \
  HIPPORT_COMPAT const __half& half_##name(const __half2& pair) { return reinterpret_cast<const __half&>(pair.name); } \
  HIPPORT_COMPAT __half half_##name(__half2&& pair) { return reinterpret_cast<const __half&>(pair.name); }             \
  template <typename T>                                                                                                \
  HIPPORT_COMPAT auto half_##name(T&& pair) -> decltype((pair.name)) {                                                 \
    return pair.name;                                                                                                  \
  }

HIPPORT_COMPAT_COMPONENT(x)
HIPPORT_COMPAT_COMPONENT(y)

#undef HIPPORT_COMPAT_COMPONENT

}  // namespace compat
}  // namespace hipport

#endif
