// SPDX-License-Identifier: MIT
// Comparisons that are true if a number is NaN (`__hequ`, `__hltu2`): HIP's before 5.7 are false, and before 6.2 there
// are none of bfloat16 numbers.
#ifndef HIPPORT_COMPAT_HALF_COMPARISONS_H
#define HIPPORT_COMPAT_HALF_COMPARISONS_H

#include "half.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(hequ)
HIPPORT_COMPAT_FORWARD(hequ2)
HIPPORT_COMPAT_FORWARD(hneu)
HIPPORT_COMPAT_FORWARD(hneu2)
HIPPORT_COMPAT_FORWARD(hltu)
HIPPORT_COMPAT_FORWARD(hltu2)
HIPPORT_COMPAT_FORWARD(hleu)
HIPPORT_COMPAT_FORWARD(hleu2)
HIPPORT_COMPAT_FORWARD(hgtu)
HIPPORT_COMPAT_FORWARD(hgtu2)
HIPPORT_COMPAT_FORWARD(hgeu)
HIPPORT_COMPAT_FORWARD(hgeu2)

}  // namespace compat
}  // namespace hipport

#endif

#endif
