// SPDX-License-Identifier: MIT
// `cuda/functional`: function objects that say what they return, and the larger and the smaller of two values.
#ifndef HIPPORT_COMPAT_CUDA_FUNCTIONAL_H
#define HIPPORT_COMPAT_CUDA_FUNCTIONAL_H

#include "core.h"
#include "cuda_std.h"

// Not every release of CUDA has the header.
#if defined(HIPPORT_COMPAT_CUDA) && defined(__has_include)
#if __has_include(<cuda/functional>)
#define HIPPORT_COMPAT_THEIR_FUNCTIONAL 1
#endif
#endif

#if defined(HIPPORT_COMPAT_THEIR_FUNCTIONAL)
#include <cuda/functional>
#elif defined(HIPPORT_COMPAT_CUDA) || defined(HIPPORT_COMPAT_HIP)

#include <functional>
#include <type_traits>
#include <utility>

namespace cuda {

// What a call returns, for lambdas of the device, of which nvcc's host compiler cannot know it. HIP's compilers can.
template <typename R, typename F>
struct hipport_proclaimed {
  F function;

  template <typename... A>
  HIPPORT_COMPAT R operator()(A&&... arguments) {
    return function(::std::forward<A>(arguments)...);
  }
  template <typename... A>
  HIPPORT_COMPAT R operator()(A&&... arguments) const {
    return function(::std::forward<A>(arguments)...);
  }
};
template <typename R, typename F>
HIPPORT_COMPAT hipport_proclaimed<R, typename ::std::decay<F>::type> proclaim_return_type(F&& function) {
  return {::std::forward<F>(function)};
}
template <typename F>
HIPPORT_COMPAT typename ::std::decay<F>::type proclaim_copyable_arguments(F&& function) {
  return ::std::forward<F>(function);
}

// The first of two equal values.
template <typename T = void>
struct maximum {
  HIPPORT_COMPAT constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <typename T = void>
struct minimum {
  HIPPORT_COMPAT constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct maximum<void> {
  template <typename A, typename B>
  HIPPORT_COMPAT constexpr typename ::std::common_type<A, B>::type operator()(const A& a, const B& b) const {
    return a < b ? b : a;
  }
};
template <>
struct minimum<void> {
  template <typename A, typename B>
  HIPPORT_COMPAT constexpr typename ::std::common_type<A, B>::type operator()(const A& a, const B& b) const {
    return b < a ? b : a;
  }
};

}  // namespace cuda

#endif

#endif
