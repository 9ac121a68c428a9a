// SPDX-License-Identifier: MIT
// Overloads of `__ldg` that HIP lacks before ROCm 7.0: for bfloat16 and for `ushort4`.
#ifndef HIPPORT_COMPAT_LDG_H
#define HIPPORT_COMPAT_LDG_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__) && HIPPORT_COMPAT_HIP_BEFORE(7, 0)

#include "bf16.h"

#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)
HIPPORT_COMPAT_DEVICE __nv_bfloat16 __ldg(const __nv_bfloat16* pointer) { return *pointer; }
HIPPORT_COMPAT_DEVICE __nv_bfloat162 __ldg(const __nv_bfloat162* pointer) { return *pointer; }
#else
HIPPORT_COMPAT_DEVICE __hip_bfloat16 __ldg(const __hip_bfloat16* pointer) { return *pointer; }
HIPPORT_COMPAT_DEVICE __hip_bfloat162 __ldg(const __hip_bfloat162* pointer) { return *pointer; }
#endif
HIPPORT_COMPAT_DEVICE ushort4 __ldg(const ushort4* pointer) { return *pointer; }

#endif

#endif

#endif
