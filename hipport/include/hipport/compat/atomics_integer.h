// SPDX-License-Identifier: MIT
// Overloads of CUDA's atomic functions for integers that HIP's lack: bit operations on `long long`, minimum and maximum
// of it in older releases, and compare-and-swap of 16 bits.
#ifndef HIPPORT_COMPAT_ATOMICS_INTEGER_H
#define HIPPORT_COMPAT_ATOMICS_INTEGER_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

#define HIPPORT_COMPAT_BITS(name, operation, suffix, scope)                           \
  HIPPORT_COMPAT_DEVICE long long name##suffix(long long* address, long long value) { \
    return __hip_atomic_fetch_##operation(address, value, __ATOMIC_RELAXED, scope);   \
  }
HIPPORT_COMPAT_BITS(atomicAnd, and, , __HIP_MEMORY_SCOPE_AGENT)
HIPPORT_COMPAT_BITS(atomicOr, or, , __HIP_MEMORY_SCOPE_AGENT)
HIPPORT_COMPAT_BITS(atomicXor, xor, , __HIP_MEMORY_SCOPE_AGENT)
HIPPORT_COMPAT_BITS(atomicAnd, and, _system, __HIP_MEMORY_SCOPE_SYSTEM)
HIPPORT_COMPAT_BITS(atomicOr, or, _system, __HIP_MEMORY_SCOPE_SYSTEM)
HIPPORT_COMPAT_BITS(atomicXor, xor, _system, __HIP_MEMORY_SCOPE_SYSTEM)
#if HIPPORT_COMPAT_HIP_BEFORE(5, 5)
HIPPORT_COMPAT_BITS(atomicMin, min, , __HIP_MEMORY_SCOPE_AGENT)
HIPPORT_COMPAT_BITS(atomicMax, max, , __HIP_MEMORY_SCOPE_AGENT)
HIPPORT_COMPAT_BITS(atomicMin, min, _system, __HIP_MEMORY_SCOPE_SYSTEM)
HIPPORT_COMPAT_BITS(atomicMax, max, _system, __HIP_MEMORY_SCOPE_SYSTEM)
#endif
#undef HIPPORT_COMPAT_BITS

HIPPORT_COMPAT_DEVICE unsigned short atomicCAS(unsigned short* address, unsigned short compare, unsigned short value) {
  __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return compare;
}
HIPPORT_COMPAT_DEVICE unsigned short atomicCAS_system(unsigned short* address, unsigned short compare,
                                                      unsigned short value) {
  __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_SYSTEM);
  return compare;
}

#endif

#endif

#endif
