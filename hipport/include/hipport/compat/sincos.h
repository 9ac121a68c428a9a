// SPDX-License-Identifier: MIT
// `sincos` of a float into floats, which CUDA has as an overload and HIP only as `sincosf`.
#ifndef HIPPORT_COMPAT_SINCOS_H
#define HIPPORT_COMPAT_SINCOS_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

HIPPORT_COMPAT void sincos(float value, float* sine, float* cosine) { sincosf(value, sine, cosine); }

#endif

#endif

#endif
