// SPDX-License-Identifier: MIT
// `__brkpt`: a trap for debuggers, after which the program goes on without one.
#ifndef HIPPORT_COMPAT_BREAKPOINT_H
#define HIPPORT_COMPAT_BREAKPOINT_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#if defined(__HIPPORT_CPU__)
#include <signal.h>
#endif

HIPPORT_COMPAT_DEVICE void __brkpt() {
#if defined(HIPPORT_COMPAT_AMDGPU)
  __builtin_debugtrap();
#elif defined(__HIPPORT_CPU__)
  raise(SIGTRAP);
#endif
}

#endif

#endif
