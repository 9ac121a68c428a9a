// SPDX-License-Identifier: MIT
// `cuda/atomic`: atomics with a memory order and a scope, by Clang's `__hip_atomic` builtins on AMD GPUs.
#ifndef HIPPORT_COMPAT_CUDA_ATOMIC_H
#define HIPPORT_COMPAT_CUDA_ATOMIC_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "cuda_scope.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <cuda/atomic>
#elif defined(HIPPORT_COMPAT_HIP)

#include <atomic>
#include <type_traits>

namespace cuda {

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

}  // namespace cuda

namespace hipport {
namespace compat {

constexpr int order_of(std::memory_order order) {
  return order == std::memory_order_relaxed   ? __ATOMIC_RELAXED
         : order == std::memory_order_consume ? __ATOMIC_CONSUME
         : order == std::memory_order_acquire ? __ATOMIC_ACQUIRE
         : order == std::memory_order_release ? __ATOMIC_RELEASE
         : order == std::memory_order_acq_rel ? __ATOMIC_ACQ_REL
                                              : __ATOMIC_SEQ_CST;
}

// Return the memory order for a failed exchange, which must not be a release.
constexpr std::memory_order when_failed(std::memory_order order) {
  return order == std::memory_order_acq_rel   ? std::memory_order_acquire
         : order == std::memory_order_release ? std::memory_order_relaxed
                                              : order;
}

// The accesses from which all others are built, on the bits of a value of 4 or 8 bytes (also 1 and 2 on the host). The
// scope is a template argument because the builtins need a constant.
template <cuda::thread_scope Scope>
struct AtomicAccess {
#if defined(HIPPORT_COMPAT_AMDGPU)
  static constexpr int scope = Scope == cuda::thread_scope_system   ? __HIP_MEMORY_SCOPE_SYSTEM
                               : Scope == cuda::thread_scope_device ? __HIP_MEMORY_SCOPE_AGENT
                               : Scope == cuda::thread_scope_block  ? __HIP_MEMORY_SCOPE_WORKGROUP
                                                                    : __HIP_MEMORY_SCOPE_SINGLETHREAD;
#define HIPPORT_COMPAT_ATOMIC(name, ...) __hip_atomic_##name(__VA_ARGS__, scope)
#define HIPPORT_COMPAT_LOAD __hip_atomic_load
#define HIPPORT_COMPAT_STORE __hip_atomic_store
#define HIPPORT_COMPAT_EXCHANGE __hip_atomic_exchange
#define HIPPORT_COMPAT_COMPARE(p, e, v, s, f) __hip_atomic_compare_exchange_strong(p, e, v, s, f, scope)
#define HIPPORT_COMPAT_SCOPE , scope
#else
#define HIPPORT_COMPAT_ATOMIC(name, ...) __atomic_##name(__VA_ARGS__)
#define HIPPORT_COMPAT_LOAD __atomic_load_n
#define HIPPORT_COMPAT_STORE __atomic_store_n
#define HIPPORT_COMPAT_EXCHANGE __atomic_exchange_n
#define HIPPORT_COMPAT_COMPARE(p, e, v, s, f) __atomic_compare_exchange_n(p, e, v, false, s, f)
#define HIPPORT_COMPAT_SCOPE
#endif

  template <typename Bits>
  HIPPORT_COMPAT static Bits load(const Bits* address, std::memory_order order) {
    return HIPPORT_COMPAT_LOAD(address, order_of(order) HIPPORT_COMPAT_SCOPE);
  }
  template <typename Bits>
  HIPPORT_COMPAT static void store(Bits* address, Bits value, std::memory_order order) {
    HIPPORT_COMPAT_STORE(address, value, order_of(order) HIPPORT_COMPAT_SCOPE);
  }
  template <typename Bits>
  HIPPORT_COMPAT static Bits exchange(Bits* address, Bits value, std::memory_order order) {
    return HIPPORT_COMPAT_EXCHANGE(address, value, order_of(order) HIPPORT_COMPAT_SCOPE);
  }
  template <typename Bits>
  HIPPORT_COMPAT static bool compare(Bits* address, Bits* expected, Bits value, std::memory_order order,
                                     std::memory_order failure) {
    return HIPPORT_COMPAT_COMPARE(address, expected, value, order_of(order), order_of(failure));
  }

#define HIPPORT_COMPAT_FETCH(name)                                             \
  template <typename T>                                                        \
  HIPPORT_COMPAT static T name(T* address, T value, std::memory_order order) { \
    return HIPPORT_COMPAT_ATOMIC(name, address, value, order_of(order));       \
  }
  HIPPORT_COMPAT_FETCH(fetch_add)
  HIPPORT_COMPAT_FETCH(fetch_and)
  HIPPORT_COMPAT_FETCH(fetch_or)
  HIPPORT_COMPAT_FETCH(fetch_xor)
#undef HIPPORT_COMPAT_FETCH
#undef HIPPORT_COMPAT_ATOMIC
#undef HIPPORT_COMPAT_LOAD
#undef HIPPORT_COMPAT_STORE
#undef HIPPORT_COMPAT_EXCHANGE
#undef HIPPORT_COMPAT_COMPARE
#undef HIPPORT_COMPAT_SCOPE
};

template <size_t Size>
struct BitsOf {
  static_assert(Size == 0, "cuda::atomic takes objects of 1, 2, 4 and 8 bytes here: CUDA locks larger ones");
  typedef uint64_t type;
};
template <>
struct BitsOf<1> {
  typedef uint8_t type;
};
template <>
struct BitsOf<2> {
  typedef uint16_t type;
};
template <>
struct BitsOf<4> {
  typedef uint32_t type;
};
template <>
struct BitsOf<8> {
  typedef uint64_t type;
};

// The members that `atomic` and `atomic_ref` share; `Self` returns the address.
template <typename Self, typename T, cuda::thread_scope Scope>
class AtomicMembers {
  typedef typename BitsOf<sizeof(T)>::type Bits;
  typedef Bits __attribute__((__may_alias__)) Word;
  typedef AtomicAccess<Scope> Access;
  typedef std::memory_order Order;
  static constexpr Order strict = std::memory_order_seq_cst;

 public:
  typedef T value_type;
  static constexpr bool is_always_lock_free = true;

  HIPPORT_COMPAT T load(Order order = strict) const { return bits<T>(Bits(Access::load(word(), order))); }
  HIPPORT_COMPAT void store(T value, Order order = strict) const { Access::store(word(), as_word(value), order); }
  HIPPORT_COMPAT T exchange(T value, Order order = strict) const {
    return bits<T>(Bits(Access::exchange(word(), as_word(value), order)));
  }
  HIPPORT_COMPAT bool compare_exchange_strong(T& expected, T value, Order order, Order failure) const {
    Word old = as_word(expected);
    const bool done = Access::compare(word(), &old, as_word(value), order, failure);
    expected = bits<T>(Bits(old));
    return done;
  }
  HIPPORT_COMPAT bool compare_exchange_strong(T& expected, T value, Order order = strict) const {
    return compare_exchange_strong(expected, value, order, when_failed(order));
  }
  HIPPORT_COMPAT bool compare_exchange_weak(T& expected, T value, Order order, Order failure) const {
    return compare_exchange_strong(expected, value, order, failure);
  }
  HIPPORT_COMPAT bool compare_exchange_weak(T& expected, T value, Order order = strict) const {
    return compare_exchange_strong(expected, value, order);
  }

  HIPPORT_COMPAT T fetch_add(T value, Order order = strict) const { return add(value, order, std::is_integral<T>()); }
  HIPPORT_COMPAT T fetch_sub(T value, Order order = strict) const { return fetch_add(static_cast<T>(-value), order); }
  HIPPORT_COMPAT T fetch_and(T value, Order order = strict) const { return Access::fetch_and(address(), value, order); }
  HIPPORT_COMPAT T fetch_or(T value, Order order = strict) const { return Access::fetch_or(address(), value, order); }
  HIPPORT_COMPAT T fetch_xor(T value, Order order = strict) const { return Access::fetch_xor(address(), value, order); }
  HIPPORT_COMPAT T fetch_min(T value, Order order = strict) const {
    T old = load(std::memory_order_relaxed);
    while (!compare_exchange_weak(old, value < old ? value : old, order)) {
    }
    return old;
  }
  HIPPORT_COMPAT T fetch_max(T value, Order order = strict) const {
    T old = load(std::memory_order_relaxed);
    while (!compare_exchange_weak(old, old < value ? value : old, order)) {
    }
    return old;
  }

  HIPPORT_COMPAT T operator=(T value) const {
    store(value);
    return value;
  }
  HIPPORT_COMPAT operator T() const { return load(); }
  HIPPORT_COMPAT T operator++() const { return fetch_add(T(1)) + T(1); }
  HIPPORT_COMPAT T operator++(int) const { return fetch_add(T(1)); }
  HIPPORT_COMPAT T operator--() const { return fetch_sub(T(1)) - T(1); }
  HIPPORT_COMPAT T operator--(int) const { return fetch_sub(T(1)); }
  HIPPORT_COMPAT T operator+=(T value) const { return fetch_add(value) + value; }
  HIPPORT_COMPAT T operator-=(T value) const { return fetch_sub(value) - value; }
  HIPPORT_COMPAT T operator&=(T value) const { return fetch_and(value) & value; }
  HIPPORT_COMPAT T operator|=(T value) const { return fetch_or(value) | value; }
  HIPPORT_COMPAT T operator^=(T value) const { return fetch_xor(value) ^ value; }

 private:
  HIPPORT_COMPAT T* address() const { return static_cast<const Self*>(this)->address(); }
  HIPPORT_COMPAT Word* word() const { return reinterpret_cast<Word*>(address()); }
  HIPPORT_COMPAT static Word as_word(T value) { return bits<Bits>(value); }

  HIPPORT_COMPAT T add(T value, Order order, std::true_type) const {
    return Access::fetch_add(address(), value, order);
  }
  HIPPORT_COMPAT T add(T value, Order order, std::false_type) const {
    T old = load(std::memory_order_relaxed);
    while (!compare_exchange_weak(old, static_cast<T>(old + value), order)) {
    }
    return old;
  }
};

}  // namespace compat
}  // namespace hipport

namespace cuda {

// Atomic access to an object that is not itself atomic.
template <typename T, thread_scope Scope = thread_scope_system>
class atomic_ref : public hipport::compat::AtomicMembers<atomic_ref<T, Scope>, T, Scope> {
  typedef hipport::compat::AtomicMembers<atomic_ref<T, Scope>, T, Scope> Members;

 public:
  HIPPORT_COMPAT explicit atomic_ref(T& object) : address_(&object) {}
  atomic_ref(const atomic_ref&) = default;
  using Members::operator=;
  HIPPORT_COMPAT T* address() const { return address_; }

 private:
  T* address_;
};

template <typename T, thread_scope Scope = thread_scope_system>
class atomic : public hipport::compat::AtomicMembers<atomic<T, Scope>, T, Scope> {
  typedef hipport::compat::AtomicMembers<atomic<T, Scope>, T, Scope> Members;

 public:
  atomic() = default;
  HIPPORT_COMPAT constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  // Not const: the copy would otherwise be as good a choice, because any value makes an atomic.
  HIPPORT_COMPAT T operator=(T value) { return Members::operator=(value); }
  HIPPORT_COMPAT T* address() const { return &value_; }

 private:
  alignas(sizeof(T)) mutable T value_;
};

// A fence of the scope, at least as strong as the requested order.
HIPPORT_COMPAT_DEVICE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed || scope == thread_scope_thread) return;
  if (scope == thread_scope_block) {
    __threadfence_block();
  } else if (scope == thread_scope_device) {
    __threadfence();
  } else {
    __threadfence_system();
  }
}

namespace std {

template <typename T>
using atomic = ::cuda::atomic<T>;
template <typename T>
using atomic_ref = ::cuda::atomic_ref<T>;

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

}  // namespace std
}  // namespace cuda

#endif

#endif

#endif
