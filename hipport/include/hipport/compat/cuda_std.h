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
#if defined(__HIP__) && !defined(__HIPPORT_CPU__) && defined(__GLIBCXX__)
// What GCC's `optional::value` and `std::get` of variants call ends a kernel. It has to be declared in front of them.
namespace std {
[[noreturn]] __attribute__((device)) inline void __throw_bad_optional_access() { __builtin_trap(); }
[[noreturn]] __attribute__((device)) inline void __throw_bad_variant_access(const char*) { __builtin_trap(); }
[[noreturn]] __attribute__((device)) inline void __throw_bad_variant_access(bool) { __builtin_trap(); }
}  // namespace std
#endif
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

// GCC's <cmath> has these in the global namespace only.
using ::acosf;
using ::acosl;
using ::asinf;
using ::asinl;
using ::atan2f;
using ::atan2l;
using ::atanf;
using ::atanl;
using ::ceilf;
using ::ceill;
using ::cosf;
using ::coshf;
using ::coshl;
using ::cosl;
using ::expf;
using ::expl;
using ::fabsf;
using ::fabsl;
using ::floorf;
using ::floorl;
using ::frexpf;
using ::frexpl;
using ::ldexpf;
using ::ldexpl;
using ::log10f;
using ::log10l;
using ::logf;
using ::logl;
using ::powf;
using ::powl;
using ::sinf;
using ::sinhf;
using ::sinhl;
using ::sinl;
using ::sqrtf;
using ::sqrtl;
using ::tanf;
using ::tanhf;
using ::tanhl;
using ::tanl;

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

#if __cplusplus >= 201402L && __cplusplus < 202002L
// What <type_traits>, <utility>, <iterator>, <cmath> and <bit> have since C++20, and CUDA's headers before.
template <typename T>
using remove_cvref = ::std::remove_cv<typename ::std::remove_reference<T>::type>;
template <typename T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <typename T>
struct type_identity {
  using type = T;
};
template <typename T>
using type_identity_t = typename type_identity<T>::type;
template <typename T>
struct is_bounded_array : ::std::integral_constant<bool, (::std::extent<T>::value > 0)> {};
template <typename T>
struct is_unbounded_array : ::std::integral_constant<bool, ::std::is_array<T>::value&& ::std::extent<T>::value == 0> {};

enum class endian { little = __ORDER_LITTLE_ENDIAN__, big = __ORDER_BIG_ENDIAN__, native = __BYTE_ORDER__ };

HIPPORT_COMPAT constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }
template <typename To, typename From>
HIPPORT_COMPAT constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From), "the types have different sizes");
  return __builtin_bit_cast(To, from);
}
template <typename C>
HIPPORT_COMPAT constexpr auto ssize(const C& of)
    -> ::std::common_type_t<::std::ptrdiff_t, ::std::make_signed_t<decltype(of.size())>> {
  return static_cast<::std::common_type_t<::std::ptrdiff_t, ::std::make_signed_t<decltype(of.size())>>>(of.size());
}
template <typename T, ::std::ptrdiff_t N>
HIPPORT_COMPAT constexpr ::std::ptrdiff_t ssize(const T (&)[N]) noexcept {
  return N;
}
template <typename T>
HIPPORT_COMPAT constexpr T* to_address(T* pointer) noexcept {
  return pointer;
}

template <typename T, typename U>
HIPPORT_COMPAT constexpr bool cmp_less(T left, U right) noexcept {
  using A = ::std::make_unsigned_t<T>;
  using B = ::std::make_unsigned_t<U>;
  return ::std::is_signed<T>::value == ::std::is_signed<U>::value ? left < right
         : ::std::is_signed<T>::value                             ? left < T(0) || A(left) < B(right)
                                                                  : right >= U(0) && A(left) < B(right);
}
template <typename T, typename U>
HIPPORT_COMPAT constexpr bool cmp_greater(T left, U right) noexcept {
  return cuda::std::cmp_less(right, left);
}
template <typename T, typename U>
HIPPORT_COMPAT constexpr bool cmp_less_equal(T left, U right) noexcept {
  return !cuda::std::cmp_less(right, left);
}
template <typename T, typename U>
HIPPORT_COMPAT constexpr bool cmp_greater_equal(T left, U right) noexcept {
  return !cuda::std::cmp_less(left, right);
}
template <typename T, typename U>
HIPPORT_COMPAT constexpr bool cmp_equal(T left, U right) noexcept {
  return !cuda::std::cmp_less(left, right) && !cuda::std::cmp_less(right, left);
}
template <typename T, typename U>
HIPPORT_COMPAT constexpr bool cmp_not_equal(T left, U right) noexcept {
  return !cuda::std::cmp_equal(left, right);
}
template <typename To, typename T>
HIPPORT_COMPAT constexpr bool in_range(T value) noexcept {
  return cuda::std::cmp_less_equal(::std::numeric_limits<To>::min(), value) &&
         cuda::std::cmp_less_equal(value, ::std::numeric_limits<To>::max());
}
template <typename T>
HIPPORT_COMPAT constexpr ::std::enable_if_t<::std::is_floating_point<T>::value, T> lerp(T a, T b, T t) noexcept {
  return t == T(1)                                              ? b
         : (a <= T(0) && b >= T(0)) || (a >= T(0) && b <= T(0)) ? t * b + (T(1) - t) * a
                                                                : a + t * (b - a);
}

// std::invoke is `constexpr`, and so for device code, since C++20 only.
template <typename Function, typename... Arguments>
HIPPORT_COMPAT constexpr auto invoke(Function&& function, Arguments&&... arguments)
    -> decltype(static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...)) {
  return static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
template <typename Member, typename C, typename Object, typename... Arguments>
HIPPORT_COMPAT constexpr auto invoke(Member C::* function, Object&& object, Arguments&&... arguments)
    -> decltype((static_cast<Object&&>(object).*function)(static_cast<Arguments&&>(arguments)...)) {
  return (static_cast<Object&&>(object).*function)(static_cast<Arguments&&>(arguments)...);
}
template <typename Member, typename C, typename Object, typename... Arguments>
HIPPORT_COMPAT constexpr auto invoke(Member C::* function, Object* object, Arguments&&... arguments)
    -> decltype((object->*function)(static_cast<Arguments&&>(arguments)...)) {
  return (object->*function)(static_cast<Arguments&&>(arguments)...);
}
template <typename Member, typename C, typename Object>
HIPPORT_COMPAT constexpr auto invoke(Member C::* member, Object&& object)
    -> ::std::enable_if_t<!::std::is_function<Member>::value, decltype((static_cast<Object&&>(object).*member))> {
  return static_cast<Object&&>(object).*member;
}
template <typename Member, typename C, typename Object>
HIPPORT_COMPAT constexpr auto invoke(Member C::* member, Object* object)
    -> ::std::enable_if_t<!::std::is_function<Member>::value, decltype((object->*member))> {
  return object->*member;
}

// CUDA's headers have the concepts as constants before C++20.
template <typename T, typename U>
constexpr bool same_as = ::std::is_same<T, U>::value;
template <typename T>
constexpr bool integral = ::std::is_integral<T>::value;
template <typename T>
constexpr bool signed_integral = ::std::is_integral<T>::value && ::std::is_signed<T>::value;
template <typename T>
constexpr bool unsigned_integral = ::std::is_integral<T>::value && !::std::is_signed<T>::value;
template <typename T>
constexpr bool floating_point = ::std::is_floating_point<T>::value;
template <typename From, typename To>
constexpr bool convertible_to = ::std::is_convertible<From, To>::value;
template <typename Derived, typename Base>
constexpr bool derived_from = ::std::is_base_of<Base, Derived>::value &&
                              ::std::is_convertible<const volatile Derived*, const volatile Base*>::value;
template <typename T, typename... Arguments>
constexpr bool constructible_from = ::std::is_constructible<T, Arguments...>::value;
#endif

#if __cplusplus >= 201703L && __cplusplus < 202002L
template <typename T>
constexpr bool is_bounded_array_v = is_bounded_array<T>::value;
template <typename T>
constexpr bool is_unbounded_array_v = is_unbounded_array<T>::value;
template <typename Function, typename... Arguments>
constexpr bool invocable = ::std::is_invocable<Function, Arguments...>::value;

namespace numbers {
template <typename T>
using only_floating = ::std::enable_if_t<::std::is_floating_point<T>::value, T>;
template <typename T>
constexpr T e_v = only_floating<T>(2.718281828459045235360287471352662498L);
template <typename T>
constexpr T log2e_v = only_floating<T>(1.442695040888963407359924681001892137L);
template <typename T>
constexpr T log10e_v = only_floating<T>(0.434294481903251827651128918916605082L);
template <typename T>
constexpr T pi_v = only_floating<T>(3.141592653589793238462643383279502884L);
template <typename T>
constexpr T inv_pi_v = only_floating<T>(0.318309886183790671537767526745028724L);
template <typename T>
constexpr T inv_sqrtpi_v = only_floating<T>(0.564189583547756286948079451560772586L);
template <typename T>
constexpr T ln2_v = only_floating<T>(0.693147180559945309417232121458176568L);
template <typename T>
constexpr T ln10_v = only_floating<T>(2.302585092994045684017991454684364208L);
template <typename T>
constexpr T sqrt2_v = only_floating<T>(1.414213562373095048801688724209698079L);
template <typename T>
constexpr T sqrt3_v = only_floating<T>(1.732050807568877293527446341505872367L);
template <typename T>
constexpr T inv_sqrt3_v = only_floating<T>(0.577350269189625764509148780501957456L);
template <typename T>
constexpr T egamma_v = only_floating<T>(0.577215664901532860606512090082402431L);
template <typename T>
constexpr T phi_v = only_floating<T>(1.618033988749894848204586834365638118L);
constexpr double e = e_v<double>, log2e = log2e_v<double>, log10e = log10e_v<double>, pi = pi_v<double>;
constexpr double inv_pi = inv_pi_v<double>, inv_sqrtpi = inv_sqrtpi_v<double>, ln2 = ln2_v<double>;
constexpr double ln10 = ln10_v<double>, sqrt2 = sqrt2_v<double>, sqrt3 = sqrt3_v<double>;
constexpr double inv_sqrt3 = inv_sqrt3_v<double>, egamma = egamma_v<double>, phi = phi_v<double>;
}  // namespace numbers
#endif

#if __cplusplus >= 201402L && __cplusplus < 202302L
// Those of <utility> and <bit> since C++23.
template <typename Enum>
HIPPORT_COMPAT constexpr ::std::underlying_type_t<Enum> to_underlying(Enum value) noexcept {
  return static_cast<::std::underlying_type_t<Enum>>(value);
}
[[noreturn]] HIPPORT_COMPAT void unreachable() { __builtin_unreachable(); }
template <typename T>
HIPPORT_COMPAT constexpr T byteswap(T value) noexcept {
  static_assert(::std::is_integral<T>::value, "the type must be integral");
  using U = ::std::make_unsigned_t<T>;
  U from = static_cast<U>(value), to = 0;
  for (decltype(sizeof(0)) i = 0; i < sizeof(T); ++i) {
    to = static_cast<U>((static_cast<unsigned long long>(to) << 8) | ((from >> (8 * i)) & 0xff));
  }
  return static_cast<T>(to);
}
#endif

}  // namespace std
}  // namespace cuda

#endif

#endif
