// SPDX-License-Identifier: MIT
// Functions of CUDA for bfloat16 that HIP has for half only, in all or in some releases.
//
// They are templates, so that HIP's own functions are preferred where it has them.
#ifndef HIPPORT_COMPAT_BF16_FUNCTIONS_H
#define HIPPORT_COMPAT_BF16_FUNCTIONS_H

#include "bf16.h"
#include "core.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

namespace hipport {
namespace compat {

#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)
typedef __nv_bfloat16 Bfloat;
typedef __nv_bfloat162 Bfloat2;
#else
typedef __hip_bfloat16 Bfloat;
typedef __hip_bfloat162 Bfloat2;
#endif

// Has a member only where T is the type.
template <typename T, typename Type>
struct Only {};
template <typename T>
struct Only<T, T> {
  typedef int number;
};

HIPPORT_COMPAT_DEVICE Bfloat2 bf16_pair(float low, float high) {
  return __halves2bfloat162(__float2bfloat16(low), __float2bfloat16(high));
}
HIPPORT_COMPAT_DEVICE float bf16_low(Bfloat2 a) { return __bfloat162float(__low2bfloat16(a)); }
HIPPORT_COMPAT_DEVICE float bf16_high(Bfloat2 a) { return __bfloat162float(__high2bfloat16(a)); }

}  // namespace compat
}  // namespace hipport

#define HIPPORT_COMPAT_ONE \
  template <typename T, typename hipport::compat::Only<T, hipport::compat::Bfloat>::number = 0> HIPPORT_COMPAT_DEVICE
#define HIPPORT_COMPAT_TWO \
  template <typename T, typename hipport::compat::Only<T, hipport::compat::Bfloat2>::number = 0> HIPPORT_COMPAT_DEVICE

#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)

#define HIPPORT_COMPAT_EQ(x, y) ((x) == (y))
#define HIPPORT_COMPAT_LT(x, y) ((x) < (y))
#define HIPPORT_COMPAT_LE(x, y) ((x) <= (y))
#define HIPPORT_COMPAT_GT(x, y) ((x) > (y))
#define HIPPORT_COMPAT_GE(x, y) ((x) >= (y))
#define HIPPORT_COMPAT_PAIRS(suffix, condition)                                          \
  HIPPORT_COMPAT_TWO bool __hb##suffix##2(T a, T b) {                                    \
    using namespace hipport::compat;                                                     \
    return condition(bf16_low(a), bf16_low(b)) && condition(bf16_high(a), bf16_high(b)); \
  }
#define HIPPORT_COMPAT_ORDERED(suffix, condition)                                                 \
  HIPPORT_COMPAT_TWO T __h##suffix##2(T a, T b) {                                                 \
    using namespace hipport::compat;                                                              \
    return bf16_pair(condition(bf16_low(a), bf16_low(b)), condition(bf16_high(a), bf16_high(b))); \
  }                                                                                               \
  HIPPORT_COMPAT_PAIRS(suffix, condition)
HIPPORT_COMPAT_ORDERED(eq, HIPPORT_COMPAT_EQ)
HIPPORT_COMPAT_ORDERED(lt, HIPPORT_COMPAT_LT)
HIPPORT_COMPAT_ORDERED(le, HIPPORT_COMPAT_LE)
HIPPORT_COMPAT_ORDERED(gt, HIPPORT_COMPAT_GT)
HIPPORT_COMPAT_ORDERED(ge, HIPPORT_COMPAT_GE)
#undef HIPPORT_COMPAT_ORDERED
#undef HIPPORT_COMPAT_PAIRS
#undef HIPPORT_COMPAT_EQ
#undef HIPPORT_COMPAT_LT
#undef HIPPORT_COMPAT_LE
#undef HIPPORT_COMPAT_GT
#undef HIPPORT_COMPAT_GE

HIPPORT_COMPAT_TWO T __lowhigh2highlow(T a) { return __halves2bfloat162(__high2bfloat16(a), __low2bfloat16(a)); }

#define HIPPORT_COMPAT_MATH(name, function)                                     \
  HIPPORT_COMPAT_TWO T h2##name(T a) {                                          \
    return hipport::compat::bf16_pair(function(hipport::compat::bf16_low(a)),   \
                                      function(hipport::compat::bf16_high(a))); \
  }
HIPPORT_COMPAT_MATH(ceil, ceilf)
HIPPORT_COMPAT_MATH(cos, cosf)
HIPPORT_COMPAT_MATH(exp, expf)
HIPPORT_COMPAT_MATH(exp10, exp10f)
HIPPORT_COMPAT_MATH(exp2, exp2f)
HIPPORT_COMPAT_MATH(floor, floorf)
HIPPORT_COMPAT_MATH(log, logf)
HIPPORT_COMPAT_MATH(log10, log10f)
HIPPORT_COMPAT_MATH(log2, log2f)
HIPPORT_COMPAT_MATH(rint, rintf)
HIPPORT_COMPAT_MATH(rsqrt, rsqrtf)
HIPPORT_COMPAT_MATH(sin, sinf)
HIPPORT_COMPAT_MATH(sqrt, sqrtf)
HIPPORT_COMPAT_MATH(trunc, truncf)
#undef HIPPORT_COMPAT_MATH
HIPPORT_COMPAT_ONE T hexp10(T a) { return __float2bfloat16(exp10f(__bfloat162float(a))); }
HIPPORT_COMPAT_ONE T hlog10(T a) { return __float2bfloat16(log10f(__bfloat162float(a))); }
HIPPORT_COMPAT_ONE T hrcp(T a) { return __float2bfloat16(1.0f / __bfloat162float(a)); }

#endif

#undef HIPPORT_COMPAT_ONE
#undef HIPPORT_COMPAT_TWO

#endif

#endif
