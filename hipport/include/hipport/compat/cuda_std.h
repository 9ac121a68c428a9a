// SPDX-License-Identifier: MIT
// `cuda/std/...`: the standard library itself. In device code Clang takes what is `constexpr` in it, and its functions
// of <cmath>; the rest is for the host.
#ifndef HIPPORT_COMPAT_CUDA_STD_H
#define HIPPORT_COMPAT_CUDA_STD_H

#include "core.h"

#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <ratio>
#include <tuple>
#include <type_traits>
#include <utility>
#if __cplusplus >= 201703L
#include <optional>
#include <variant>
#endif

#if defined(HIPPORT_COMPAT_HIP)

namespace cuda {
namespace std {

using namespace ::std;

#if __cplusplus < 202002L
struct identity {
  template <typename T>
  HIPPORT_COMPAT constexpr T&& operator()(T&& value) const {
    return static_cast<T&&>(value);
  }
};
#endif

}  // namespace std
}  // namespace cuda

#endif

#endif
