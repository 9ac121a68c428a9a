// SPDX-License-Identifier: MIT
// `CUctxCreateParams`, a parameter of cuCtxCreate since CUDA 13 that hipCtxCreate lacks.
#ifndef HIPPORT_COMPAT_CONTEXT_H
#define HIPPORT_COMPAT_CONTEXT_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

// HIP's contexts can be neither limited to some of the processors nor created for graphics. The structure has no
// members, so that code that requests this does not compile.
struct CUctxCreateParams_st {};
typedef struct CUctxCreateParams_st CUctxCreateParams;

#endif

#endif
