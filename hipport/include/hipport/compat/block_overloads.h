// SPDX-License-Identifier: MIT
// CUDA's atomic functions for a block, under their own names, for files that overload them for types of theirs: a call
// may mean either, by the type of its address.
#ifndef HIPPORT_COMPAT_BLOCK_OVERLOADS_H
#define HIPPORT_COMPAT_BLOCK_OVERLOADS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)
#include "atomics_integer.h"
#include "atomics_vector.h"

#define HIPPORT_COMPAT_BLOCK(what, T) \
  HIPPORT_COMPAT_DEVICE T atomic##what##_block(T* address, T value) { return ::atomic##what(address, value); }
#define HIPPORT_COMPAT_CAS(T)                                               \
  HIPPORT_COMPAT_DEVICE T atomicCAS_block(T* address, T compare, T value) { \
    return ::atomicCAS(address, compare, value);                            \
  }
#define HIPPORT_COMPAT_BLOCKS(T) \
  HIPPORT_COMPAT_BLOCK(Add, T)   \
  HIPPORT_COMPAT_BLOCK(And, T)   \
  HIPPORT_COMPAT_BLOCK(Exch, T)  \
  HIPPORT_COMPAT_BLOCK(Max, T)   \
  HIPPORT_COMPAT_BLOCK(Min, T)   \
  HIPPORT_COMPAT_BLOCK(Or, T)    \
  HIPPORT_COMPAT_BLOCK(Xor, T)   \
  HIPPORT_COMPAT_CAS(T)
HIPPORT_COMPAT_BLOCKS(int)
HIPPORT_COMPAT_BLOCKS(unsigned)
HIPPORT_COMPAT_BLOCKS(unsigned long long)
HIPPORT_COMPAT_BLOCK(Max, long long)
HIPPORT_COMPAT_BLOCK(Min, long long)
HIPPORT_COMPAT_BLOCK(And, long long)
HIPPORT_COMPAT_BLOCK(Or, long long)
HIPPORT_COMPAT_BLOCK(Xor, long long)
HIPPORT_COMPAT_BLOCK(Sub, int)
HIPPORT_COMPAT_BLOCK(Sub, unsigned)
HIPPORT_COMPAT_BLOCK(Inc, unsigned)
HIPPORT_COMPAT_BLOCK(Dec, unsigned)
HIPPORT_COMPAT_BLOCK(Add, float)
HIPPORT_COMPAT_BLOCK(Add, double)
HIPPORT_COMPAT_BLOCK(Add, float2)
HIPPORT_COMPAT_BLOCK(Add, float4)
HIPPORT_COMPAT_BLOCK(Exch, float)
HIPPORT_COMPAT_CAS(unsigned short)
#undef HIPPORT_COMPAT_BLOCKS
#undef HIPPORT_COMPAT_CAS
#undef HIPPORT_COMPAT_BLOCK

#endif

#endif

#endif
