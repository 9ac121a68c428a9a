// SPDX-License-Identifier: MIT
// `threadIdx` and its like, and variables of type dim3, as a uint3 or a dim3, whichever is wanted.
//
// In CUDA they convert to each other. In HIP for AMD GPUs `threadIdx` converts to dim3 only, and dim3 to nothing.
#ifndef HIPPORT_COMPAT_COORDINATES_H
#define HIPPORT_COMPAT_COORDINATES_H

#include "core.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hipport {

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

struct coordinates_type : uint3 {
  __host__ __device__ coordinates_type(unsigned x_, unsigned y_, unsigned z_) {
    x = x_;
    y = y_;
    z = z_;
  }
  __host__ __device__ operator dim3() const { return dim3(x, y, z); }
};

// `blockIdx * blockDim`: HIP's operators for a vector and anything else are ambiguous for two of these. As templates,
// they find the operators that a program defines for uint3.
#define HIPPORT_COORDINATES_OPERATOR(op)                                                \
  template <typename Vector = uint3>                                                    \
  HIPPORT_COMPAT auto operator op(const coordinates_type& a, const coordinates_type& b) \
      ->decltype(std::declval<Vector>() op std::declval<Vector>()) {                    \
    return static_cast<const Vector&>(a) op static_cast<const Vector&>(b);              \
  }
HIPPORT_COORDINATES_OPERATOR(+)
HIPPORT_COORDINATES_OPERATOR(-)
HIPPORT_COORDINATES_OPERATOR(*)
HIPPORT_COORDINATES_OPERATOR(/)
HIPPORT_COORDINATES_OPERATOR(%)
HIPPORT_COORDINATES_OPERATOR(&)
HIPPORT_COORDINATES_OPERATOR(|)
HIPPORT_COORDINATES_OPERATOR(^)
HIPPORT_COORDINATES_OPERATOR(<<)
HIPPORT_COORDINATES_OPERATOR(>>)
HIPPORT_COORDINATES_OPERATOR(==)
HIPPORT_COORDINATES_OPERATOR(!=)
#undef HIPPORT_COORDINATES_OPERATOR

// `auto [x, y, z] = threadIdx;`, with the functions of vector_bindings.h.
}  // namespace hipport

template <>
struct std::tuple_size<hipport::coordinates_type> : std::integral_constant<std::size_t, 3> {};

template <std::size_t index>
struct std::tuple_element<index, hipport::coordinates_type> {
  using type = unsigned;
};

namespace hipport {

template <typename T>
HIPPORT_COMPAT coordinates_type coordinates(const T& from) {
  return coordinates_type(from.x, from.y, from.z);
}

#else

template <typename T>
HIPPORT_COMPAT T coordinates(const T& from) {
  return from;
}

#endif

}  // namespace hipport

#endif
