// SPDX-License-Identifier: MIT
// `__saturatef`, which is 0 for NaN in CUDA: HIP's returns NaN.
#ifndef HIPPORT_COMPAT_SATURATE_H
#define HIPPORT_COMPAT_SATURATE_H

#include "core.h"

#include <math.h>

namespace hipport {
namespace compat {

#if defined(HIPPORT_COMPAT_CUDA)

HIPPORT_COMPAT_FORWARD(saturatef)

#else

HIPPORT_COMPAT float saturatef(float x) { return ::fminf(::fmaxf(x, 0.0f), 1.0f); }

#endif

}  // namespace compat
}  // namespace hipport

#endif
