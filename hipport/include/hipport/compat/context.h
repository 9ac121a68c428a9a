// SPDX-License-Identifier: MIT
// `CUctxCreateParams`, which cuCtxCreate takes from CUDA 13 on and hipCtxCreate does not.
#ifndef HIPPORT_COMPAT_CONTEXT_H
#define HIPPORT_COMPAT_CONTEXT_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

// Nothing can be asked for: contexts of HIP are neither bound to some of the processors nor made for graphics. It has no
// members, so that code that does ask does not compile.
struct CUctxCreateParams_st {};
typedef struct CUctxCreateParams_st CUctxCreateParams;

#endif

#endif
