// SPDX-License-Identifier: MIT
// `cuda/std/...`, mapped to the standard library. In device code Clang accepts its `constexpr` functions and those of
// <cmath>; the rest is for the host.
#ifndef HIPPORT_COMPAT_CUDA_STD_H
#define HIPPORT_COMPAT_CUDA_STD_H

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)

// Some CUDA releases lack some of these headers.
#if __has_include(<cuda/std/array>)
#include <cuda/std/array>
#endif
#if __has_include(<cuda/std/bit>)
#include <cuda/std/bit>
#endif
#if __has_include(<cuda/std/chrono>)
#include <cuda/std/chrono>
#endif
#if __has_include(<cuda/std/cmath>)
#include <cuda/std/cmath>
#endif
#if __has_include(<cuda/std/complex>)
#include <cuda/std/complex>
#endif
#if __has_include(<cuda/std/cstddef>)
#include <cuda/std/cstddef>
#endif
#if __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#endif
#if __has_include(<cuda/std/functional>)
#include <cuda/std/functional>
#endif
#if __has_include(<cuda/std/initializer_list>)
#include <cuda/std/initializer_list>
#endif
#if __has_include(<cuda/std/iterator>)
#include <cuda/std/iterator>
#endif
#if __has_include(<cuda/std/limits>)
#include <cuda/std/limits>
#endif
#if __has_include(<cuda/std/optional>)
#include <cuda/std/optional>
#endif
#if __has_include(<cuda/std/ratio>)
#include <cuda/std/ratio>
#endif
#if __has_include(<cuda/std/tuple>)
#include <cuda/std/tuple>
#endif
#if __has_include(<cuda/std/type_traits>)
#include <cuda/std/type_traits>
#endif
#if __has_include(<cuda/std/utility>)
#include <cuda/std/utility>
#endif
#if __has_include(<cuda/std/variant>)
#include <cuda/std/variant>
#endif

#else

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
#if __cplusplus >= 202002L
#include <bit>
#endif

#endif

#if defined(HIPPORT_COMPAT_HIP)

namespace cuda {
namespace std {

using namespace ::std;

// Temporaries are returned by value: Thrust's iterators keep what a function returns for one.
struct identity {
  using is_transparent = void;
  template <typename T>
  HIPPORT_COMPAT constexpr T& operator()(T& value) const {
    return value;
  }
  template <typename T>
  HIPPORT_COMPAT constexpr T operator()(T&& value) const {
    return static_cast<T&&>(value);
  }
};

#if __cplusplus >= 201402L
// Those of <utility> are `constexpr`, and so for device code, since C++20 only.
template <typename T>
HIPPORT_COMPAT constexpr void swap(T& left, T& right) {
  T kept(static_cast<T&&>(left));
  left = static_cast<T&&>(right);
  right = static_cast<T&&>(kept);
}
template <typename T, decltype(sizeof(0)) N>
HIPPORT_COMPAT constexpr void swap(T (&left)[N], T (&right)[N]) {
  for (decltype(sizeof(0)) i = 0; i < N; ++i) {
    cuda::std::swap(left[i], right[i]);
  }
}
template <typename T, typename U = T>
HIPPORT_COMPAT constexpr T exchange(T& value, U&& other) {
  T kept(static_cast<T&&>(value));
  value = static_cast<U&&>(other);
  return kept;
}
#endif

#if __cplusplus >= 201402L && __cplusplus < 202002L
// The assignments of <tuple> and <utility> are `constexpr` since C++20 only. What std::tie returns is often assigned to;
// this is a tuple of references, too.
template <typename... T>
struct tied : ::std::tuple<T&...> {
  HIPPORT_COMPAT constexpr explicit tied(T&... values) : ::std::tuple<T&...>(values...) {}

  template <typename Tuple>
  HIPPORT_COMPAT constexpr tied& operator=(Tuple&& values) {
    static_assert(::std::tuple_size<::std::decay_t<Tuple>>::value == sizeof...(T), "as many values as variables");
    return assign(static_cast<Tuple&&>(values), ::std::index_sequence_for<T...>());
  }

 private:
  template <typename Tuple, decltype(sizeof(0))... I>
  HIPPORT_COMPAT constexpr tied& assign(Tuple&& values, ::std::index_sequence<I...>) {
    const int each[] = {0, (::std::get<I>(*this) = ::std::get<I>(static_cast<Tuple&&>(values)), 0)...};
    (void)each;
    return *this;
  }
};
template <typename... T>
HIPPORT_COMPAT constexpr tied<T...> tie(T&... values) {
  return tied<T...>(values...);
}
#endif

#if __cplusplus < 202002L
// Those of <bit>, for unsigned types.
template <typename T>
HIPPORT_COMPAT constexpr int popcount(T value) {
  static_assert(::std::is_unsigned<T>::value, "the type must be unsigned");
  return __builtin_popcountll(value);
}
template <typename T>
HIPPORT_COMPAT constexpr int countl_zero(T value) {
  static_assert(::std::is_unsigned<T>::value, "the type must be unsigned");
  return value ? __builtin_clzll(value) - static_cast<int>(64 - 8 * sizeof(T)) : static_cast<int>(8 * sizeof(T));
}
template <typename T>
HIPPORT_COMPAT constexpr int countr_zero(T value) {
  static_assert(::std::is_unsigned<T>::value, "the type must be unsigned");
  return value ? __builtin_ctzll(value) : static_cast<int>(8 * sizeof(T));
}
template <typename T>
HIPPORT_COMPAT constexpr int countl_one(T value) {
  return countl_zero(static_cast<T>(~value));
}
template <typename T>
HIPPORT_COMPAT constexpr int countr_one(T value) {
  return countr_zero(static_cast<T>(~value));
}
template <typename T>
HIPPORT_COMPAT constexpr bool has_single_bit(T value) {
  return popcount(value) == 1;
}
template <typename T>
HIPPORT_COMPAT constexpr int bit_width(T value) {
  return static_cast<int>(8 * sizeof(T)) - countl_zero(value);
}
template <typename T>
HIPPORT_COMPAT constexpr T bit_floor(T value) {
  return value ? static_cast<T>(T(1) << (bit_width(value) - 1)) : T(0);
}
template <typename T>
HIPPORT_COMPAT constexpr T bit_ceil(T value) {
  return value > 1 ? static_cast<T>(T(1) << bit_width(static_cast<T>(value - 1))) : T(1);
}
template <typename T>
HIPPORT_COMPAT constexpr T rotl(T value, int by) {
  return static_cast<T>((value << (by & (8 * sizeof(T) - 1))) | (value >> (-by & (8 * sizeof(T) - 1))));
}
template <typename T>
HIPPORT_COMPAT constexpr T rotr(T value, int by) {
  return rotl(value, -by);
}
#endif

}  // namespace std
}  // namespace cuda

#endif

#endif
