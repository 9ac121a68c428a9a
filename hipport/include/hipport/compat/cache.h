// SPDX-License-Identifier: MIT
// Loads and stores with cache hints, of any trivially copyable type.
//
// CUDA's hints do not change what a program computes. `cs` (used once) becomes a nontemporal access, `cv` and `wt`
// (memory that others change, or that the host reads) a volatile one; the others are plain accesses.
#ifndef HIPPORT_COMPAT_CACHE_H
#define HIPPORT_COMPAT_CACHE_H

#include "core.h"

namespace hipport {
namespace compat {

// The largest word that the size and the alignment of a type allow.
template <size_t Alignment>
struct Word {
  typedef uint64_t type;
};
template <>
struct Word<4> {
  typedef uint32_t type;
};
template <>
struct Word<2> {
  typedef uint16_t type;
};
template <>
struct Word<1> {
  typedef uint8_t type;
};

// A word type that may alias values of other types.
template <typename T>
struct Aliasing {
  typedef typename Word<alignof(T)>::type Plain;
  typedef Plain __attribute__((__may_alias__)) Type;
  static constexpr size_t count = sizeof(T) / sizeof(Plain);
};

template <typename T>
HIPPORT_COMPAT T load_volatile(const T* pointer) {
  typedef typename Aliasing<T>::Type Part;
  typename Aliasing<T>::Plain parts[Aliasing<T>::count];
  for (size_t i = 0; i < Aliasing<T>::count; ++i) parts[i] = reinterpret_cast<const volatile Part*>(pointer)[i];
  T value;
  memcpy(static_cast<void*>(&value), parts, sizeof(value));
  return value;
}

template <typename T>
HIPPORT_COMPAT void store_volatile(T* pointer, T value) {
  typedef typename Aliasing<T>::Type Part;
  typename Aliasing<T>::Plain parts[Aliasing<T>::count];
  memcpy(parts, static_cast<const void*>(&value), sizeof(value));
  for (size_t i = 0; i < Aliasing<T>::count; ++i) reinterpret_cast<volatile Part*>(pointer)[i] = parts[i];
}

#if defined(HIPPORT_COMPAT_AMDGPU)
// The largest unit that one instruction can move: 4, 8 or 16 bytes.
template <size_t Size>
struct Vector;
template <>
struct Vector<4> {
  typedef uint32_t __attribute__((__may_alias__)) Type;
};
template <>
struct Vector<8> {
  typedef uint32_t __attribute__((ext_vector_type(2), __may_alias__)) Type;
};
template <>
struct Vector<16> {
  typedef uint32_t __attribute__((ext_vector_type(4), __may_alias__)) Type;
};

template <typename T, bool Moves = alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16)>
struct Streaming {
  __device__ static T load(const T* pointer) { return *pointer; }
  __device__ static void store(T* pointer, T value) { *pointer = value; }
};
template <typename T>
struct Streaming<T, true> {
  typedef typename Vector<sizeof(T)>::Type Moved;
  __device__ static T load(const T* pointer) {
    const Moved moved = __builtin_nontemporal_load(reinterpret_cast<const Moved*>(pointer));
    T value;
    memcpy(static_cast<void*>(&value), &moved, sizeof(value));
    return value;
  }
  __device__ static void store(T* pointer, T value) {
    Moved moved;
    memcpy(&moved, static_cast<const void*>(&value), sizeof(value));
    __builtin_nontemporal_store(moved, reinterpret_cast<Moved*>(pointer));
  }
};
#else
template <typename T>
struct Streaming {
  HIPPORT_COMPAT static T load(const T* pointer) { return *pointer; }
  HIPPORT_COMPAT static void store(T* pointer, T value) { *pointer = value; }
};
#endif

// Keeps T from being deduced from a parameter, so that `__stcs(floats, 0)` works.
template <typename T>
struct Same {
  typedef T type;
};

}  // namespace compat
}  // namespace hipport

#if defined(HIPPORT_COMPAT_HIP)

#define HIPPORT_COMPAT_LOAD(name, how)             \
  template <typename T>                            \
  HIPPORT_COMPAT_DEVICE T name(const T* pointer) { \
    return how;                                    \
  }
#if !defined(__HIPPORT_CPU__)
HIPPORT_COMPAT_LOAD(__ldca, *pointer)
HIPPORT_COMPAT_LOAD(__ldcg, *pointer)
HIPPORT_COMPAT_LOAD(__ldcs, hipport::compat::Streaming<T>::load(pointer))
#endif
HIPPORT_COMPAT_LOAD(__ldlu, *pointer)
HIPPORT_COMPAT_LOAD(__ldcv, hipport::compat::load_volatile(pointer))
#undef HIPPORT_COMPAT_LOAD

#define HIPPORT_COMPAT_STORE(name, how)                                                        \
  template <typename T>                                                                        \
  HIPPORT_COMPAT_DEVICE void name(T* pointer, typename hipport::compat::Same<T>::type value) { \
    how;                                                                                       \
  }
#if !defined(__HIPPORT_CPU__)
HIPPORT_COMPAT_STORE(__stcg, *pointer = value)
HIPPORT_COMPAT_STORE(__stcs, hipport::compat::Streaming<T>::store(pointer, value))
#endif
HIPPORT_COMPAT_STORE(__stwb, *pointer = value)
HIPPORT_COMPAT_STORE(__stwt, hipport::compat::store_volatile(pointer, value))
#undef HIPPORT_COMPAT_STORE

#endif

#endif
