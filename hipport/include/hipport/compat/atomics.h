// SPDX-License-Identifier: MIT
// `atomicInc_system` and `atomicDec_system`.
#ifndef HIPPORT_COMPAT_ATOMICS_H
#define HIPPORT_COMPAT_ATOMICS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

namespace hipport {
namespace compat {

// Replace the value with `change(value)` atomically; return the old value.
template <typename Change>
HIPPORT_COMPAT_DEVICE unsigned update_system(unsigned* address, Change change) {
  unsigned old = __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  while (!__hip_atomic_compare_exchange_strong(address, &old, change(old), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_SYSTEM)) {
  }
  return old;
}

struct Increment {
  unsigned most;
  HIPPORT_COMPAT_DEVICE unsigned operator()(unsigned old) const { return old >= most ? 0u : old + 1u; }
};
struct Decrement {
  unsigned most;
  HIPPORT_COMPAT_DEVICE unsigned operator()(unsigned old) const { return old == 0u || old > most ? most : old - 1u; }
};

}  // namespace compat
}  // namespace hipport

HIPPORT_COMPAT_DEVICE unsigned atomicInc_system(unsigned* address, unsigned most) {
  return hipport::compat::update_system(address, hipport::compat::Increment{most});
}
HIPPORT_COMPAT_DEVICE unsigned atomicDec_system(unsigned* address, unsigned most) {
  return hipport::compat::update_system(address, hipport::compat::Decrement{most});
}

#endif

#endif

#endif
