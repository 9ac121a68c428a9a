// SPDX-License-Identifier: MIT
// nvcc's atomic functions with a memory order and a scope: `__nv_atomic_fetch_add(p, 1, __NV_ATOMIC_RELAXED)` and the like.
#ifndef HIPPORT_COMPAT_NV_ATOMIC_H
#define HIPPORT_COMPAT_NV_ATOMIC_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "cuda_atomic.h"

#if defined(HIPPORT_COMPAT_HIP)

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

namespace hipport {
namespace compat {

HIPPORT_COMPAT_DEVICE cuda::memory_order nv_order(int order) {
  return order == __NV_ATOMIC_RELAXED   ? cuda::memory_order_relaxed
         : order == __NV_ATOMIC_CONSUME ? cuda::memory_order_consume
         : order == __NV_ATOMIC_ACQUIRE ? cuda::memory_order_acquire
         : order == __NV_ATOMIC_RELEASE ? cuda::memory_order_release
         : order == __NV_ATOMIC_ACQ_REL ? cuda::memory_order_acq_rel
                                        : cuda::memory_order_seq_cst;
}

}  // namespace compat
}  // namespace hipport

// Call a member of an atomic reference to `*p` with the scope, which is a constant in CUDA. AMD GPUs have no clusters, so
// that a block is one.
#define HIPPORT_COMPAT_NV_REF(name) cuda::atomic_ref<Plain, cuda::thread_scope_##name>(const_cast<Plain&>(*p))
#define HIPPORT_COMPAT_NV(call)                                              \
  (scope == __NV_THREAD_SCOPE_THREAD    ? HIPPORT_COMPAT_NV_REF(thread).call \
   : scope <= __NV_THREAD_SCOPE_CLUSTER ? HIPPORT_COMPAT_NV_REF(block).call  \
   : scope == __NV_THREAD_SCOPE_DEVICE  ? HIPPORT_COMPAT_NV_REF(device).call \
                                        : HIPPORT_COMPAT_NV_REF(system).call)
#define HIPPORT_COMPAT_NV_DEVICE                                                               \
  template <typename T, typename Plain = typename std::remove_cv<T>::type, typename V = Plain> \
  HIPPORT_COMPAT_DEVICE

HIPPORT_COMPAT_NV_DEVICE Plain __nv_atomic_load_n(T* p, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return HIPPORT_COMPAT_NV(load(hipport::compat::nv_order(order)));
}
HIPPORT_COMPAT_NV_DEVICE void __nv_atomic_load(T* p, V* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_load_n(p, order, scope);
}
HIPPORT_COMPAT_NV_DEVICE void __nv_atomic_store_n(T* p, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  HIPPORT_COMPAT_NV(store(static_cast<Plain>(value), hipport::compat::nv_order(order)));
}
HIPPORT_COMPAT_NV_DEVICE void __nv_atomic_store(T* p, V* value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(p, *value, order, scope);
}
HIPPORT_COMPAT_NV_DEVICE Plain __nv_atomic_exchange_n(T* p, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return HIPPORT_COMPAT_NV(exchange(static_cast<Plain>(value), hipport::compat::nv_order(order)));
}
HIPPORT_COMPAT_NV_DEVICE void __nv_atomic_exchange(T* p, V* value, V* result, int order,
                                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_exchange_n(p, *value, order, scope);
}
// AMD GPUs have no weak exchange, which may fail without reason.
HIPPORT_COMPAT_NV_DEVICE bool __nv_atomic_compare_exchange_n(T* p, Plain* expected, V value, bool, int success,
                                                             int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return HIPPORT_COMPAT_NV(compare_exchange_strong(
      *expected, static_cast<Plain>(value), hipport::compat::nv_order(success), hipport::compat::nv_order(failure)));
}
HIPPORT_COMPAT_NV_DEVICE bool __nv_atomic_compare_exchange(T* p, Plain* expected, V* value, bool weak, int success,
                                                           int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(p, expected, *value, weak, success, failure, scope);
}

#define HIPPORT_COMPAT_NV_FETCH(name)                                                                                \
  HIPPORT_COMPAT_NV_DEVICE Plain __nv_atomic_fetch_##name(T* p, V value, int order,                                  \
                                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {                    \
    return HIPPORT_COMPAT_NV(fetch_##name(static_cast<Plain>(value), hipport::compat::nv_order(order)));             \
  }                                                                                                                  \
  HIPPORT_COMPAT_NV_DEVICE void __nv_atomic_##name(T* p, V value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
    __nv_atomic_fetch_##name(p, value, order, scope);                                                                \
  }
HIPPORT_COMPAT_NV_FETCH(add)
HIPPORT_COMPAT_NV_FETCH(sub)
HIPPORT_COMPAT_NV_FETCH(and)
HIPPORT_COMPAT_NV_FETCH(or)
HIPPORT_COMPAT_NV_FETCH(xor)
HIPPORT_COMPAT_NV_FETCH(min)
HIPPORT_COMPAT_NV_FETCH(max)
#undef HIPPORT_COMPAT_NV_FETCH
#undef HIPPORT_COMPAT_NV_DEVICE
#undef HIPPORT_COMPAT_NV
#undef HIPPORT_COMPAT_NV_REF

HIPPORT_COMPAT_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  cuda::atomic_thread_fence(hipport::compat::nv_order(order),
                            scope == __NV_THREAD_SCOPE_THREAD    ? cuda::thread_scope_thread
                            : scope <= __NV_THREAD_SCOPE_CLUSTER ? cuda::thread_scope_block
                            : scope == __NV_THREAD_SCOPE_DEVICE  ? cuda::thread_scope_device
                                                                 : cuda::thread_scope_system);
}

#endif

#endif

#endif
