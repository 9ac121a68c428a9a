// SPDX-License-Identifier: MIT
// `cuda/cmath`: whole numbers of parts, and multiples of a size.
#ifndef HIPPORT_COMPAT_CUDA_CMATH_H
#define HIPPORT_COMPAT_CUDA_CMATH_H

#include "core.h"

// Not every release of CUDA has the header.
#if defined(HIPPORT_COMPAT_CUDA) && defined(__has_include)
#if __has_include(<cuda/cmath>)
#define HIPPORT_COMPAT_THEIR_CMATH 1
#endif
#endif

#if defined(HIPPORT_COMPAT_THEIR_CMATH)
#include <cuda/cmath>
#elif defined(HIPPORT_COMPAT_CUDA) || defined(HIPPORT_COMPAT_HIP)

#include <type_traits>

namespace cuda {

// The number of parts of size `b` that `a` needs, in the type that both convert to; neither is negative.
template <typename A, typename B>
HIPPORT_COMPAT constexpr typename ::std::common_type<A, B>::type ceil_div(A a, B b) {
  using T = typename ::std::common_type<A, B>::type;
  return static_cast<T>(static_cast<T>(a) / static_cast<T>(b) + (static_cast<T>(a) % static_cast<T>(b) != 0 ? 1 : 0));
}
template <typename A, typename B>
HIPPORT_COMPAT constexpr typename ::std::common_type<A, B>::type round_up(A a, B b) {
  using T = typename ::std::common_type<A, B>::type;
  return static_cast<T>(cuda::ceil_div(a, b) * static_cast<T>(b));
}
template <typename A, typename B>
HIPPORT_COMPAT constexpr typename ::std::common_type<A, B>::type round_down(A a, B b) {
  using T = typename ::std::common_type<A, B>::type;
  return static_cast<T>(static_cast<T>(a) / static_cast<T>(b) * static_cast<T>(b));
}

}  // namespace cuda

#endif

#endif
