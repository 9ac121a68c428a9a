// PTX's vectors for loads, stores and multiplication: a few elements side by side, aligned as a whole.
#ifndef HIPPORT_PTX_VEC_H
#define HIPPORT_PTX_VEC_H

#include "core.h"

namespace hipport {
namespace ptx {

template <typename T, int Count>
struct alignas(sizeof(T) * Count) Vec {
  T at[Count];

  HIPPORT_PTX_MEMBER T& operator[](int i) { return at[i]; }
  HIPPORT_PTX_MEMBER const T& operator[](int i) const { return at[i]; }
};

template <typename T>
HIPPORT_PTX Vec<T, 1> vec(T a) {
  return Vec<T, 1>{{a}};
}
template <typename T>
HIPPORT_PTX Vec<T, 2> vec(T a, T b) {
  return Vec<T, 2>{{a, b}};
}
template <typename T>
HIPPORT_PTX Vec<T, 4> vec(T a, T b, T c, T d) {
  return Vec<T, 4>{{a, b, c, d}};
}
template <typename T>
HIPPORT_PTX Vec<T, 8> vec(T a, T b, T c, T d, T e, T f, T g, T h) {
  return Vec<T, 8>{{a, b, c, d, e, f, g, h}};
}

}  // namespace ptx
}  // namespace hipport

#endif
