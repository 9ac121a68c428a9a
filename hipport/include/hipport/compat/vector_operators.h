// SPDX-License-Identifier: MIT
// A project's operators for a vector and a number, for numbers of other types.
//
// In CUDA `uchar4 operator*(uchar4, float)` also takes 0.5, a double. HIP's vector types have templates that fit a
// double better and convert it to unsigned char first. The macros declare an operator that converts the number to the
// type that CUDA's compiler chooses, and calls the project's operator. They go behind its declaration; the numbers are
// the types for which the project declares the operator.
#ifndef HIPPORT_COMPAT_VECTOR_OPERATORS_H
#define HIPPORT_COMPAT_VECTOR_OPERATORS_H

#include "core.h"

#ifdef HIPPORT_COMPAT_HIP

#include <type_traits>
#include <utility>

namespace hipport {
namespace compat {

// `of` is overloaded for the types, and returns its argument.
template <typename... Numbers>
struct overloads;

template <typename Number>
struct overloads<Number> {
  HIPPORT_COMPAT static Number of(Number number) { return number; }
};

template <typename Number, typename... Numbers>
struct overloads<Number, Numbers...> : overloads<Numbers...> {
  using overloads<Numbers...>::of;
  HIPPORT_COMPAT static Number of(Number number) { return number; }
};

template <typename T, typename... Types>
struct is_one_of : std::false_type {};

template <typename T, typename Type, typename... Types>
struct is_one_of<T, Type, Types...>
    : std::conditional<std::is_same<T, Type>::value, std::true_type, is_one_of<T, Types...>>::type {};

// Whether a number of type `T`, none of the given ones, converts to one of them better than to the others.
template <typename T, typename... Numbers>
struct is_other_number {
  template <typename U>
  static auto test(int) -> decltype(overloads<Numbers...>::of(std::declval<U>()), std::true_type());
  template <typename U>
  static std::false_type test(...);
  static constexpr bool value = decltype(test<T>(0))::value && !is_one_of<T, Numbers...>::value;
};

template <typename T, typename... Numbers>
using if_other_number = typename std::enable_if<is_other_number<T, Numbers...>::value, int>::type;

// A type that no number has. Unlike others it converts to all types, so that the functions that take it compile.
template <typename T>
struct no_number {
  template <typename U>
  HIPPORT_COMPAT operator U() const {
    return U();
  }
};

// `T` if it is another number, otherwise a type that no argument has.
template <typename T, typename... Numbers>
using other_number = typename std::conditional<is_other_number<T, Numbers...>::value, T, no_number<T>>::type;

template <typename... Numbers, typename T>
HIPPORT_COMPAT auto as_number(T number) -> decltype(overloads<Numbers...>::of(number)) {
  return overloads<Numbers...>::of(number);
}

template <typename Number, typename... Numbers, typename T>
HIPPORT_COMPAT Number as_number(no_number<T>) {
  return Number();
}

}  // namespace compat
}  // namespace hipport

#define HIPPORT_VECTOR_OP_NUMBER(vector, op, ...)                               \
  template <typename T, ::hipport::compat::if_other_number<T, __VA_ARGS__> = 0> \
  HIPPORT_COMPAT decltype(auto) operator op(vector a, T b) {                    \
    return a op ::hipport::compat::overloads<__VA_ARGS__>::of(b);               \
  }

#define HIPPORT_NUMBER_OP_VECTOR(vector, op, ...)                               \
  template <typename T, ::hipport::compat::if_other_number<T, __VA_ARGS__> = 0> \
  HIPPORT_COMPAT decltype(auto) operator op(T a, vector b) {                    \
    return ::hipport::compat::overloads<__VA_ARGS__>::of(a) op b;               \
  }

// HIP's `operator*=` for numbers is a member template, to which only functions that are no templates are preferred.
#define HIPPORT_COMPAT_ASSIGN(vector, op, T, ...)                                                           \
  HIPPORT_COMPAT decltype(auto) operator op(vector& a, ::hipport::compat::other_number<T, __VA_ARGS__> b) { \
    return a op ::hipport::compat::as_number<__VA_ARGS__>(b);                                               \
  }

#define HIPPORT_VECTOR_ASSIGN_NUMBER(vector, op, ...)                \
  HIPPORT_COMPAT_ASSIGN(vector, op, bool, __VA_ARGS__)               \
  HIPPORT_COMPAT_ASSIGN(vector, op, char, __VA_ARGS__)               \
  HIPPORT_COMPAT_ASSIGN(vector, op, signed char, __VA_ARGS__)        \
  HIPPORT_COMPAT_ASSIGN(vector, op, unsigned char, __VA_ARGS__)      \
  HIPPORT_COMPAT_ASSIGN(vector, op, short, __VA_ARGS__)              \
  HIPPORT_COMPAT_ASSIGN(vector, op, unsigned short, __VA_ARGS__)     \
  HIPPORT_COMPAT_ASSIGN(vector, op, int, __VA_ARGS__)                \
  HIPPORT_COMPAT_ASSIGN(vector, op, unsigned int, __VA_ARGS__)       \
  HIPPORT_COMPAT_ASSIGN(vector, op, long, __VA_ARGS__)               \
  HIPPORT_COMPAT_ASSIGN(vector, op, unsigned long, __VA_ARGS__)      \
  HIPPORT_COMPAT_ASSIGN(vector, op, long long, __VA_ARGS__)          \
  HIPPORT_COMPAT_ASSIGN(vector, op, unsigned long long, __VA_ARGS__) \
  HIPPORT_COMPAT_ASSIGN(vector, op, float, __VA_ARGS__)              \
  HIPPORT_COMPAT_ASSIGN(vector, op, double, __VA_ARGS__)

#else

// CUDA's vector types have no operators of their own.
#define HIPPORT_VECTOR_OP_NUMBER(vector, op, ...)
#define HIPPORT_NUMBER_OP_VECTOR(vector, op, ...)
#define HIPPORT_VECTOR_ASSIGN_NUMBER(vector, op, ...)

#endif

#endif
