// SPDX-License-Identifier: MIT
// `atomicAdd` of `float2` and `float4`, and of half and bfloat16 numbers and pairs.
//
// As in CUDA, each element is added atomically, not the vector as a whole. The functions for half and bfloat16 are
// templates, so that HIP's own overloads are preferred where they exist.
#ifndef HIPPORT_COMPAT_ATOMICS_VECTOR_H
#define HIPPORT_COMPAT_ATOMICS_VECTOR_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#define HIPPORT_COMPAT_ADD_EACH(name, scalar)                                                                \
  HIPPORT_COMPAT_DEVICE float2 name(float2* address, float2 value) {                                         \
    float* element = reinterpret_cast<float*>(address);                                                      \
    return make_float2(scalar(element, value.x), scalar(element + 1, value.y));                              \
  }                                                                                                          \
  HIPPORT_COMPAT_DEVICE float4 name(float4* address, float4 value) {                                         \
    float* element = reinterpret_cast<float*>(address);                                                      \
    return make_float4(scalar(element, value.x), scalar(element + 1, value.y), scalar(element + 2, value.z), \
                       scalar(element + 3, value.w));                                                        \
  }
HIPPORT_COMPAT_ADD_EACH(atomicAdd, atomicAdd)
HIPPORT_COMPAT_ADD_EACH(atomicAdd_system, atomicAdd_system)
#undef HIPPORT_COMPAT_ADD_EACH

#if !defined(__HIPPORT_CPU__)  // the CPU target's `atomicAdd` takes any type

#include <type_traits>

#include <hip/hip_fp16.h>  // the templates below find its functions only if they are declared here

namespace hipport {
namespace compat {

// A half or bfloat16 number (2 bytes) or a pair (4 bytes). AsDeclared keeps T from being deduced from the second
// argument, which is converted to it.
template <typename T, size_t Bytes>
using SmallClass = typename std::enable_if<std::is_class<T>::value && sizeof(T) == Bytes, T>::type;
template <typename T>
struct AsDeclared {
  typedef T type;
};

// Replace a word with `change(word)` atomically; return the old word.
template <typename Change>
HIPPORT_COMPAT_DEVICE unsigned update_word(unsigned* word, Change change) {
  unsigned old = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const unsigned found = atomicCAS(word, old, change(old));
    if (found == old) return old;
    old = found;
  }
}

template <typename T>
struct AddPair {
  T value;
  HIPPORT_COMPAT_DEVICE unsigned operator()(unsigned old) const {
    return bits<unsigned>(T(__hadd2(bits<T>(old), value)));
  }
};

// Add to the 16-bit half of a word that begins at bit `shift`; the other half stays.
template <typename T>
struct AddHalf {
  T value;
  unsigned shift;
  HIPPORT_COMPAT_DEVICE T part(unsigned word) const { return bits<T>(static_cast<unsigned short>(word >> shift)); }
  HIPPORT_COMPAT_DEVICE unsigned operator()(unsigned old) const {
    const unsigned sum = bits<unsigned short>(T(__hadd(part(old), value)));
    return (old & ~(0xffffu << shift)) | sum << shift;
  }
};

}  // namespace compat
}  // namespace hipport

template <typename T>
HIPPORT_COMPAT_DEVICE hipport::compat::SmallClass<T, 4> atomicAdd(T* address,
                                                                  typename hipport::compat::AsDeclared<T>::type value) {
  const hipport::compat::AddPair<T> add{value};
  return hipport::compat::bits<T>(hipport::compat::update_word(reinterpret_cast<unsigned*>(address), add));
}

template <typename T>
HIPPORT_COMPAT_DEVICE hipport::compat::SmallClass<T, 2> atomicAdd(T* address,
                                                                  typename hipport::compat::AsDeclared<T>::type value) {
  const uintptr_t place = reinterpret_cast<uintptr_t>(address);
  const hipport::compat::AddHalf<T> add{value, (place & 2u) != 0 ? 16u : 0u};
  return add.part(hipport::compat::update_word(reinterpret_cast<unsigned*>(place & ~uintptr_t(2)), add));
}

#endif

#endif

#endif

#endif
