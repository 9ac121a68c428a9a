// SPDX-License-Identifier: MIT
// float4, uint3, dim3 and similar types, with HIP's component-wise operators.
#pragma once

#include "platform.h"

#include <type_traits>

template <typename T, unsigned N>
struct HIP_vector_type;

template <typename T>
struct HIP_vector_type<T, 1> {
  using value_type = T;
  T x;
  HIP_vector_type() = default;
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U, T>>>
  constexpr HIP_vector_type(U x_) : x(static_cast<T>(x_)) {}
};

template <typename T>
struct alignas(2 * sizeof(T)) HIP_vector_type<T, 2> {
  using value_type = T;
  T x, y;
  HIP_vector_type() = default;
  template <typename U, typename = std::enable_if_t<std::is_arithmetic_v<U>>>
  constexpr HIP_vector_type(U all) : x(static_cast<T>(all)), y(static_cast<T>(all)) {}
  constexpr HIP_vector_type(T x_, T y_) : x(x_), y(y_) {}
};

template <typename T>
struct HIP_vector_type<T, 3> {
  using value_type = T;
  T x, y, z;
  HIP_vector_type() = default;
  template <typename U, typename = std::enable_if_t<std::is_arithmetic_v<U>>>
  constexpr HIP_vector_type(U all) : x(static_cast<T>(all)), y(static_cast<T>(all)), z(static_cast<T>(all)) {}
  constexpr HIP_vector_type(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
};

template <typename T>
struct alignas(4 * sizeof(T)) HIP_vector_type<T, 4> {
  using value_type = T;
  T x, y, z, w;
  HIP_vector_type() = default;
  template <typename U, typename = std::enable_if_t<std::is_arithmetic_v<U>>>
  constexpr HIP_vector_type(U all)
      : x(static_cast<T>(all)), y(static_cast<T>(all)), z(static_cast<T>(all)), w(static_cast<T>(all)) {}
  constexpr HIP_vector_type(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
};

namespace hipport::cpu {

// Call `f(a, b)` for each pair of components.
template <typename T, unsigned N, typename F>
constexpr auto zip(const HIP_vector_type<T, N>& a, const HIP_vector_type<T, N>& b, F f) {
  using R = decltype(f(a.x, b.x));
  if constexpr (N == 1) return HIP_vector_type<R, 1>(f(a.x, b.x));
  if constexpr (N == 2) return HIP_vector_type<R, 2>(f(a.x, b.x), f(a.y, b.y));
  if constexpr (N == 3) return HIP_vector_type<R, 3>(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));
  if constexpr (N == 4) return HIP_vector_type<R, 4>(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}

template <typename U>
using if_arithmetic = std::enable_if_t<std::is_arithmetic_v<U>, int>;

}  // namespace hipport::cpu

#define HIPPORT_VECTOR_OPERATOR(op)                                                                             \
  template <typename T, unsigned N>                                                                             \
  constexpr HIP_vector_type<T, N> operator op(const HIP_vector_type<T, N>& a, const HIP_vector_type<T, N>& b) { \
    return ::hipport::cpu::zip(a, b, [](T p, T q) { return static_cast<T>(p op q); });                          \
  }                                                                                                             \
  template <typename T, unsigned N, typename U, ::hipport::cpu::if_arithmetic<U> = 0>                           \
  constexpr HIP_vector_type<T, N> operator op(const HIP_vector_type<T, N>& a, U b) {                            \
    return a op HIP_vector_type<T, N>(b);                                                                       \
  }                                                                                                             \
  template <typename T, unsigned N, typename U, ::hipport::cpu::if_arithmetic<U> = 0>                           \
  constexpr HIP_vector_type<T, N> operator op(U a, const HIP_vector_type<T, N>& b) {                            \
    return HIP_vector_type<T, N>(a) op b;                                                                       \
  }                                                                                                             \
  template <typename T, unsigned N, typename U>                                                                 \
  constexpr HIP_vector_type<T, N>& operator op##=(HIP_vector_type<T, N>& a, const U & b) {                      \
    return a = a op b;                                                                                          \
  }
HIPPORT_VECTOR_OPERATOR(+)
HIPPORT_VECTOR_OPERATOR(-)
HIPPORT_VECTOR_OPERATOR(*)
HIPPORT_VECTOR_OPERATOR(/)
HIPPORT_VECTOR_OPERATOR(%)
HIPPORT_VECTOR_OPERATOR(&)
HIPPORT_VECTOR_OPERATOR(|)
HIPPORT_VECTOR_OPERATOR(^)
HIPPORT_VECTOR_OPERATOR(<<)
HIPPORT_VECTOR_OPERATOR(>>)
#undef HIPPORT_VECTOR_OPERATOR

template <typename T, unsigned N>
constexpr HIP_vector_type<T, N> operator-(const HIP_vector_type<T, N>& a) {
  return HIP_vector_type<T, N>(T(0)) - a;
}

template <typename T, unsigned N>
constexpr HIP_vector_type<T, N> operator~(const HIP_vector_type<T, N>& a) {
  return a ^ HIP_vector_type<T, N>(~T(0));
}

template <typename T, unsigned N>
constexpr bool operator==(const HIP_vector_type<T, N>& a, const HIP_vector_type<T, N>& b) {
  bool same = a.x == b.x;
  if constexpr (N > 1) same = same && a.y == b.y;
  if constexpr (N > 2) same = same && a.z == b.z;
  if constexpr (N > 3) same = same && a.w == b.w;
  return same;
}

template <typename T, unsigned N>
constexpr bool operator!=(const HIP_vector_type<T, N>& a, const HIP_vector_type<T, N>& b) {
  return !(a == b);
}

#define HIPPORT_VECTOR_TYPES(name, T)                                          \
  using name##1 = HIP_vector_type<T, 1>;                                       \
  using name##2 = HIP_vector_type<T, 2>;                                       \
  using name##3 = HIP_vector_type<T, 3>;                                       \
  using name##4 = HIP_vector_type<T, 4>;                                       \
  constexpr name##1 make_##name##1(T x) { return name##1(x); }                 \
  constexpr name##2 make_##name##2(T x, T y) { return name##2(x, y); }         \
  constexpr name##3 make_##name##3(T x, T y, T z) { return name##3(x, y, z); } \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
HIPPORT_VECTOR_TYPES(char, signed char)
HIPPORT_VECTOR_TYPES(uchar, unsigned char)
HIPPORT_VECTOR_TYPES(short, short)
HIPPORT_VECTOR_TYPES(ushort, unsigned short)
HIPPORT_VECTOR_TYPES(int, int)
HIPPORT_VECTOR_TYPES(uint, unsigned int)
HIPPORT_VECTOR_TYPES(long, long)
HIPPORT_VECTOR_TYPES(ulong, unsigned long)
HIPPORT_VECTOR_TYPES(longlong, long long)
HIPPORT_VECTOR_TYPES(ulonglong, unsigned long long)
HIPPORT_VECTOR_TYPES(float, float)
HIPPORT_VECTOR_TYPES(double, double)
#undef HIPPORT_VECTOR_TYPES

// The size of a grid or a block.
struct dim3 {
  uint32_t x, y, z;
  constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
