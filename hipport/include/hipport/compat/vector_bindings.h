// SPDX-License-Identifier: MIT
// Structured bindings of vectors: `auto [x, y, z, w] = v;`.
//
// CUDA's vectors are plain structs, whose members are bound. HIP's have a union for a base class, which the language does
// not decompose. So they are given the interface of a tuple.
#ifndef HIPPORT_COMPAT_VECTOR_BINDINGS_H
#define HIPPORT_COMPAT_VECTOR_BINDINGS_H

#include "core.h"

#ifdef HIPPORT_COMPAT_HIP

#include <type_traits>
#include <utility>

template <typename T, unsigned int n>
struct std::tuple_size<HIP_vector_type<T, n>> : std::integral_constant<std::size_t, n> {};

template <std::size_t index, typename T, unsigned int n>
struct std::tuple_element<index, HIP_vector_type<T, n>> {
  using type = T;
};

namespace hipport {
namespace compat {

template <std::size_t index>
using nth = std::integral_constant<std::size_t, index>;

template <typename V>
HIPPORT_COMPAT auto component(V&& v, nth<0>) -> decltype((v.x)) {
  return v.x;
}

template <typename V>
HIPPORT_COMPAT auto component(V&& v, nth<1>) -> decltype((v.y)) {
  return v.y;
}

template <typename V>
HIPPORT_COMPAT auto component(V&& v, nth<2>) -> decltype((v.z)) {
  return v.z;
}

template <typename V>
HIPPORT_COMPAT auto component(V&& v, nth<3>) -> decltype((v.w)) {
  return v.w;
}

}  // namespace compat
}  // namespace hipport

template <std::size_t index, typename T, unsigned int n>
HIPPORT_COMPAT T& get(HIP_vector_type<T, n>& v) {
  return ::hipport::compat::component(v, ::hipport::compat::nth<index>());
}

template <std::size_t index, typename T, unsigned int n>
HIPPORT_COMPAT const T& get(const HIP_vector_type<T, n>& v) {
  return ::hipport::compat::component(v, ::hipport::compat::nth<index>());
}

template <std::size_t index, typename T, unsigned int n>
HIPPORT_COMPAT T&& get(HIP_vector_type<T, n>&& v) {
  return static_cast<T&&>(::hipport::compat::component(v, ::hipport::compat::nth<index>()));
}

#endif

#endif
