// SPDX-License-Identifier: MIT
// `cub::FpLimits` of bfloat16 in the types that translations use; hipCUB has those of `hip_bfloat16`.
#ifndef HIPPORT_COMPAT_CUB_LIMITS_H
#define HIPPORT_COMPAT_CUB_LIMITS_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)
#include "bf16.h"
#else
#include <hip/hip_bf16.h>
#endif

namespace hipcub {

#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)
typedef __nv_bfloat16 hipport_bfloat16;
#else
typedef __hip_bfloat16 hipport_bfloat16;
#endif

template <>
struct FpLimits<hipport_bfloat16> {
  static __host__ __device__ hipport_bfloat16 Max() {
    return hipport::compat::bits<hipport_bfloat16>(uint16_t(0x7f7f));
  }
  static __host__ __device__ hipport_bfloat16 Lowest() {
    return hipport::compat::bits<hipport_bfloat16>(uint16_t(0xff7f));
  }
};

}  // namespace hipcub

#endif

#endif
