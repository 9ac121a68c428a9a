// SPDX-License-Identifier: MIT
// `__fsqrt_rn` and `__frsqrt_rn`, which CUDA rounds correctly: HIP's are approximate instructions (v_sqrt_f32, v_rsq_f32).
//
// Results in double, rounded once more, are the nearest floats: compared with exact integers for all floats in [1, 4),
// which have all fractions and both kinds of exponents.
#ifndef HIPPORT_COMPAT_ROOTS_H
#define HIPPORT_COMPAT_ROOTS_H

#include "core.h"

#include <math.h>

namespace hipport {
namespace compat {

#if defined(HIPPORT_COMPAT_CUDA)

HIPPORT_COMPAT_FORWARD(fsqrt_rn)
HIPPORT_COMPAT_FORWARD(frsqrt_rn)

#else

HIPPORT_COMPAT float fsqrt_rn(float x) { return static_cast<float>(::sqrt(static_cast<double>(x))); }
HIPPORT_COMPAT float frsqrt_rn(float x) { return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x))); }

#endif

}  // namespace compat
}  // namespace hipport

#endif
