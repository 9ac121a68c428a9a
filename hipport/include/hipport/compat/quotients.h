// SPDX-License-Identifier: MIT
// `fdivide`, which CUDA has for device code. Its quotient of floats may be approximate; here it is exact.
#ifndef HIPPORT_COMPAT_QUOTIENTS_H
#define HIPPORT_COMPAT_QUOTIENTS_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

HIPPORT_COMPAT_DEVICE double fdivide(double x, double y) { return x / y; }
HIPPORT_COMPAT_DEVICE float fdivide(float x, float y) { return x / y; }

#endif

#endif
