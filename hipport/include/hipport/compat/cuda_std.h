// SPDX-License-Identifier: MIT
// `cuda/std/...`, mapped to the standard library. In device code Clang accepts its `constexpr` functions and those of
// <cmath>; the rest is for the host.
#ifndef HIPPORT_COMPAT_CUDA_STD_H
#define HIPPORT_COMPAT_CUDA_STD_H

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)

// Some CUDA releases lack some of these headers.
#if __has_include(<cuda/std/algorithm>)
#include <cuda/std/algorithm>
#endif
#if __has_include(<cuda/std/array>)
#include <cuda/std/array>
#endif
#if __has_include(<cuda/std/bit>)
#include <cuda/std/bit>
#endif
#if __has_include(<cuda/std/bitset>)
#include <cuda/std/bitset>
#endif
#if __has_include(<cuda/std/cassert>)
#include <cuda/std/cassert>
#endif
#if __has_include(<cuda/std/cfloat>)
#include <cuda/std/cfloat>
#endif
#if __has_include(<cuda/std/chrono>)
#include <cuda/std/chrono>
#endif
#if __has_include(<cuda/std/climits>)
#include <cuda/std/climits>
#endif
#if __has_include(<cuda/std/cmath>)
#include <cuda/std/cmath>
#endif
#if __has_include(<cuda/std/complex>)
#include <cuda/std/complex>
#endif
#if __has_include(<cuda/std/concepts>)
#include <cuda/std/concepts>
#endif
#if __has_include(<cuda/std/cstddef>)
#include <cuda/std/cstddef>
#endif
#if __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#endif
#if __has_include(<cuda/std/cstdlib>)
#include <cuda/std/cstdlib>
#endif
#if __has_include(<cuda/std/cstring>)
#include <cuda/std/cstring>
#endif
#if __has_include(<cuda/std/ctime>)
#include <cuda/std/ctime>
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
#if __has_include(<cuda/std/memory>)
#include <cuda/std/memory>
#endif
#if __has_include(<cuda/std/numbers>)
#include <cuda/std/numbers>
#endif
#if __has_include(<cuda/std/numeric>)
#include <cuda/std/numeric>
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
#if __has_include(<cuda/std/version>)
#include <cuda/std/version>
#endif

#else

#include <algorithm>
#include <array>
#include <bitset>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
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
#include <concepts>
#include <numbers>
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

#if __cplusplus >= 201402L && __cplusplus < 202002L
// Those of <numeric> are `constexpr`, and so for device code, since C++20 only.
template <typename Iterator, typename T, typename Operation>
HIPPORT_COMPAT constexpr T accumulate(Iterator first, Iterator last, T value, Operation operation) {
  for (; first != last; ++first) {
    value = operation(static_cast<T&&>(value), *first);
  }
  return value;
}
template <typename Iterator, typename T>
HIPPORT_COMPAT constexpr T accumulate(Iterator first, Iterator last, T value) {
  return cuda::std::accumulate(first, last, static_cast<T&&>(value), ::std::plus<>());
}
template <typename Iterator, typename T, typename Operation>
HIPPORT_COMPAT constexpr T reduce(Iterator first, Iterator last, T value, Operation operation) {
  return cuda::std::accumulate(first, last, static_cast<T&&>(value), operation);
}
template <typename Iterator, typename T>
HIPPORT_COMPAT constexpr T reduce(Iterator first, Iterator last, T value) {
  return cuda::std::accumulate(first, last, static_cast<T&&>(value));
}
template <typename Iterator>
HIPPORT_COMPAT constexpr typename ::std::iterator_traits<Iterator>::value_type reduce(Iterator first, Iterator last) {
  return cuda::std::accumulate(first, last, typename ::std::iterator_traits<Iterator>::value_type());
}
template <typename First, typename Second, typename T, typename Sum, typename Product>
HIPPORT_COMPAT constexpr T inner_product(First first, First last, Second second, T value, Sum sum, Product product) {
  for (; first != last; ++first, ++second) {
    value = sum(static_cast<T&&>(value), product(*first, *second));
  }
  return value;
}
template <typename First, typename Second, typename T>
HIPPORT_COMPAT constexpr T inner_product(First first, First last, Second second, T value) {
  return cuda::std::inner_product(first, last, second, static_cast<T&&>(value), ::std::plus<>(), ::std::multiplies<>());
}
template <typename First, typename Second, typename T, typename Sum, typename Product>
HIPPORT_COMPAT constexpr T transform_reduce(First first, First last, Second second, T value, Sum sum, Product product) {
  return cuda::std::inner_product(first, last, second, static_cast<T&&>(value), sum, product);
}
template <typename First, typename Second, typename T>
HIPPORT_COMPAT constexpr T transform_reduce(First first, First last, Second second, T value) {
  return cuda::std::inner_product(first, last, second, static_cast<T&&>(value));
}
template <typename Iterator, typename T, typename Sum, typename Function>
HIPPORT_COMPAT constexpr T transform_reduce(Iterator first, Iterator last, T value, Sum sum, Function function) {
  for (; first != last; ++first) {
    value = sum(static_cast<T&&>(value), function(*first));
  }
  return value;
}
template <typename Iterator, typename T>
HIPPORT_COMPAT constexpr void iota(Iterator first, Iterator last, T value) {
  for (; first != last; ++first, ++value) {
    *first = value;
  }
}
template <typename Iterator, typename Output, typename Operation>
HIPPORT_COMPAT constexpr Output partial_sum(Iterator first, Iterator last, Output out, Operation operation) {
  if (first == last) {
    return out;
  }
  typename ::std::iterator_traits<Iterator>::value_type sum = *first;
  *out = sum;
  while (++first != last) {
    sum = operation(sum, *first);
    *++out = sum;
  }
  return ++out;
}
template <typename Iterator, typename Output>
HIPPORT_COMPAT constexpr Output partial_sum(Iterator first, Iterator last, Output out) {
  return cuda::std::partial_sum(first, last, out, ::std::plus<>());
}
template <typename Iterator, typename Output, typename Operation>
HIPPORT_COMPAT constexpr Output adjacent_difference(Iterator first, Iterator last, Output out, Operation operation) {
  if (first == last) {
    return out;
  }
  typename ::std::iterator_traits<Iterator>::value_type before = *first;
  *out = before;
  while (++first != last) {
    typename ::std::iterator_traits<Iterator>::value_type value = *first;
    *++out = operation(value, before);
    before = value;
  }
  return ++out;
}
template <typename Iterator, typename Output>
HIPPORT_COMPAT constexpr Output adjacent_difference(Iterator first, Iterator last, Output out) {
  return cuda::std::adjacent_difference(first, last, out, ::std::minus<>());
}
template <typename T>
HIPPORT_COMPAT constexpr ::std::enable_if_t<::std::is_integral<T>::value, T> midpoint(T a, T b) {
  using U = ::std::make_unsigned_t<T>;
  return a > b ? static_cast<T>(a - static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)) / 2))
               : static_cast<T>(a + static_cast<T>(static_cast<U>(static_cast<U>(b) - static_cast<U>(a)) / 2));
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
