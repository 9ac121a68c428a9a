// SPDX-License-Identifier: MIT
// `__ffs` and `__ffsll` of other types than int and long long, to which CUDA converts them. HIP has overloads for signed
// and unsigned numbers, between which such a call is ambiguous.
#ifndef HIPPORT_COMPAT_BIT_POSITIONS_H
#define HIPPORT_COMPAT_BIT_POSITIONS_H

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

template <typename T>
HIPPORT_COMPAT_DEVICE int __ffs(T value) {
  return static_cast<int>(__ffs(static_cast<int>(value)));
}
template <typename T>
HIPPORT_COMPAT_DEVICE int __ffsll(T value) {
  return static_cast<int>(__ffsll(static_cast<long long>(value)));
}

#endif

#endif
