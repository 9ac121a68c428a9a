// SPDX-License-Identifier: MIT
// `__double2bfloat16`, which HIP rounds to float first.
#ifndef HIPPORT_COMPAT_BF16_DOUBLE_H
#define HIPPORT_COMPAT_BF16_DOUBLE_H

#include "bf16.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(double2bfloat16)

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

namespace hipport {
namespace compat {

HIPPORT_COMPAT __nv_bfloat16 double2bfloat16(double x) { return bits<__nv_bfloat16>(to_bfloat16(x)); }

}  // namespace compat
}  // namespace hipport

#endif

#endif
