// SPDX-License-Identifier: MIT
// Atomic functions of all types and scopes, with relaxed memory order, like those of a GPU.
#pragma once

#include "sync.h"

namespace hipport::cpu {

template <size_t Size>
struct BitsOf;
template <>
struct BitsOf<1> {
  using type = uint8_t;
};
template <>
struct BitsOf<2> {
  using type = uint16_t;
};
template <>
struct BitsOf<4> {
  using type = uint32_t;
};
template <>
struct BitsOf<8> {
  using type = uint64_t;
};
template <typename T>
using Bits = typename BitsOf<sizeof(T)>::type;

template <typename To, typename From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

// A thread that retries may be waiting for one that has not run yet: after many tries, let the others run.
inline thread_local unsigned tries = 0;
inline void count_try() {
  if constexpr (checks::enabled) return;                                 // they see waiting themselves
  const unsigned count = __atomic_load_n(&tries, __ATOMIC_RELAXED) + 1;  // atomic only to satisfy ThreadSanitizer
  __atomic_store_n(&tries, count, __ATOMIC_RELAXED);
  if (count % 1024 == 0 && current_block != nullptr) current_block->yield();
}

// Replace the value with `change(value)` atomically; return the old value.
template <typename T, typename Change>
T atomic_update(T* address, Change change) {
  auto* word = reinterpret_cast<Bits<T>*>(address);
  Bits<T> old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, bits_as<Bits<T>>(static_cast<T>(change(bits_as<T>(old)))), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return bits_as<T>(old);
}

template <typename T>
T atomic_add(T* address, T value) {
  if constexpr (std::is_integral_v<T>)
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  else
    return atomic_update(address, [value](T old) { return old + value; });
}

template <typename T>
T atomic_exchange(T* address, T value) {
  count_try();
  return bits_as<T>(
      __atomic_exchange_n(reinterpret_cast<Bits<T>*>(address), bits_as<Bits<T>>(value), __ATOMIC_RELAXED));
}

template <typename T>
T atomic_compare_exchange(T* address, T expected, T value) {
  count_try();
  Bits<T> old = bits_as<Bits<T>>(expected);
  __atomic_compare_exchange_n(reinterpret_cast<Bits<T>*>(address), &old, bits_as<Bits<T>>(value), false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return bits_as<T>(old);
}

template <typename T>
struct Same {
  using type = T;
};
template <typename T>
using same = typename Same<T>::type;  // keeps T from being deduced from this parameter

}  // namespace hipport::cpu

// Each function exists with `_block` and `_system`, too; scopes affect only caches.
#define HIPPORT_ATOMIC(name, body)                           \
  template <typename T>                                      \
  T name(T* address, hipport::cpu::same<T> value) {          \
    body                                                     \
  }                                                          \
  template <typename T>                                      \
  T name##_block(T* address, hipport::cpu::same<T> value) {  \
    return name(address, value);                             \
  }                                                          \
  template <typename T>                                      \
  T name##_system(T* address, hipport::cpu::same<T> value) { \
    return name(address, value);                             \
  }
HIPPORT_ATOMIC(atomicAdd, return hipport::cpu::atomic_add(address, value);)
HIPPORT_ATOMIC(atomicSub, return hipport::cpu::atomic_add(address, static_cast<T>(-value));)
HIPPORT_ATOMIC(atomicExch, return hipport::cpu::atomic_exchange(address, value);)
HIPPORT_ATOMIC(atomicMin,
               return hipport::cpu::atomic_update(address, [=](T old) { return value < old ? value : old; });)
HIPPORT_ATOMIC(atomicMax,
               return hipport::cpu::atomic_update(address, [=](T old) { return old < value ? value : old; });)
HIPPORT_ATOMIC(atomicAnd, return hipport::cpu::atomic_update(address, [=](T old) { return old & value; });)
HIPPORT_ATOMIC(atomicOr, return hipport::cpu::atomic_update(address, [=](T old) { return old | value; });)
HIPPORT_ATOMIC(atomicXor, return hipport::cpu::atomic_update(address, [=](T old) { return old ^ value; });)
HIPPORT_ATOMIC(atomicInc,
               return hipport::cpu::atomic_update(address, [=](T old) { return old >= value ? 0 : old + 1; });)
HIPPORT_ATOMIC(atomicDec, return hipport::cpu::atomic_update(address, [=](T old) {
                 return old == 0 || old > value ? value : old - 1;
               });)
HIPPORT_ATOMIC(unsafeAtomicAdd, return hipport::cpu::atomic_add(address, value);)
HIPPORT_ATOMIC(safeAtomicAdd, return hipport::cpu::atomic_add(address, value);)
HIPPORT_ATOMIC(atomicAddNoRet, return hipport::cpu::atomic_add(address, value);)
#undef HIPPORT_ATOMIC

template <typename T>
T atomicCAS(T* address, hipport::cpu::same<T> expected, hipport::cpu::same<T> value) {
  return hipport::cpu::atomic_compare_exchange(address, expected, value);
}
template <typename T>
T atomicCAS_block(T* address, hipport::cpu::same<T> expected, hipport::cpu::same<T> value) {
  return atomicCAS(address, expected, value);
}
template <typename T>
T atomicCAS_system(T* address, hipport::cpu::same<T> expected, hipport::cpu::same<T> value) {
  return atomicCAS(address, expected, value);
}

#ifndef __HIP_MEMORY_SCOPE_AGENT
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif

// clang has these builtins on every target.
#if !defined(__clang__)
template <typename T>
T __hip_atomic_load(const T* address, int order, int) {
  hipport::cpu::count_try();
  return hipport::cpu::bits_as<T>(__atomic_load_n(reinterpret_cast<const hipport::cpu::Bits<T>*>(address), order));
}
template <typename T>
void __hip_atomic_store(T* address, hipport::cpu::same<T> value, int order, int) {
  using Word = hipport::cpu::Bits<T>;
  __atomic_store_n(reinterpret_cast<Word*>(address), hipport::cpu::bits_as<Word>(value), order);
}
template <typename T>
T __hip_atomic_fetch_add(T* address, hipport::cpu::same<T> value, int, int) {
  return atomicAdd(address, value);
}
template <typename T>
T __hip_atomic_exchange(T* address, hipport::cpu::same<T> value, int, int) {
  return atomicExch(address, value);
}
#endif
