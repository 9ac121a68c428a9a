// SPDX-License-Identifier: MIT
// `cub::ThreadLoad` and `cub::ThreadStore`. hipCUB's take no pointers to `const`, and copy types of other sizes than a
// number's without their modifier, so that a compiler may read once where a loop waits for another block.
#ifndef HIPPORT_COMPAT_CUB_MEMORY_H
#define HIPPORT_COMPAT_CUB_MEMORY_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>

#include <iterator>

namespace hipport {
namespace compat {

// A word of 16 bytes, which is read and written at once if it is aligned.
template <unsigned Size>
struct MemoryWord {
  typedef unsigned char __attribute__((may_alias)) type;
};
template <>
struct MemoryWord<2> {
  typedef unsigned short __attribute__((may_alias)) type;
};
template <>
struct MemoryWord<4> {
  typedef unsigned __attribute__((may_alias)) type;
};
template <>
struct MemoryWord<8> {
  typedef unsigned long long __attribute__((may_alias)) type;
};
template <>
struct MemoryWord<16> {
  typedef unsigned type __attribute__((vector_size(16), may_alias));
};

constexpr unsigned word_size(unsigned alignment) { return alignment < 16 ? alignment : 16; }

template <typename T>
using WordOf = typename MemoryWord<word_size(alignof(T))>::type;

template <typename T>
__device__ T load_words(const T* from) {
  T value;
  const auto words = reinterpret_cast<const volatile WordOf<T>*>(from);
  for (unsigned i = 0; i < sizeof(T) / sizeof(WordOf<T>); ++i) reinterpret_cast<WordOf<T>*>(&value)[i] = words[i];
  return value;
}

template <typename T>
__device__ void store_words(T* to, const T& value) {
  const auto words = reinterpret_cast<volatile WordOf<T>*>(to);
  for (unsigned i = 0; i < sizeof(T) / sizeof(WordOf<T>); ++i) words[i] = reinterpret_cast<const WordOf<T>*>(&value)[i];
}

template <::hipcub::CacheLoadModifier Modifier = ::hipcub::LOAD_DEFAULT, typename T>
__device__ T ThreadLoad(T* from) {
  const bool plain = Modifier == ::hipcub::LOAD_DEFAULT || Modifier == ::hipcub::LOAD_LDG;
  return plain ? *from : load_words(from);
}
template <::hipcub::CacheLoadModifier Modifier = ::hipcub::LOAD_DEFAULT, typename T>
__device__ T ThreadLoad(const T* from) {
  return ThreadLoad<Modifier>(const_cast<T*>(from));
}
template <::hipcub::CacheLoadModifier Modifier = ::hipcub::LOAD_DEFAULT, typename T>
__device__ T ThreadLoad(volatile T* from) {
  return load_words(const_cast<const T*>(from));
}
template <::hipcub::CacheLoadModifier Modifier = ::hipcub::LOAD_DEFAULT, typename Iterator>
__device__ typename std::iterator_traits<Iterator>::value_type ThreadLoad(Iterator from) {
  return *from;
}

template <::hipcub::CacheStoreModifier Modifier = ::hipcub::STORE_DEFAULT, typename T, typename Value>
__device__ void ThreadStore(T* to, Value given) {
  const T value = given;
  if (Modifier == ::hipcub::STORE_DEFAULT) {
    *to = value;
  } else {
    store_words(to, value);
  }
}
template <::hipcub::CacheStoreModifier Modifier = ::hipcub::STORE_DEFAULT, typename T, typename Value>
__device__ void ThreadStore(volatile T* to, Value given) {
  store_words<T>(const_cast<T*>(to), given);
}
template <::hipcub::CacheStoreModifier Modifier = ::hipcub::STORE_DEFAULT, typename Iterator, typename T>
__device__ void ThreadStore(Iterator to, const T& value) {
  *to = value;
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
