// SPDX-License-Identifier: MIT
// Sums, differences and products that the compiler does not fuse: `__fmul_rn`, `__dadd_rn`, `__hsub_rn` and so on.
//
// HIP defines them as plain operators, which amdclang++ fuses into multiply-adds: `__fadd_rn(__fmul_rn(a, b), c)` is then
// rounded once. CUDA rounds each, which is what these functions are for. -ffp-contract=fast fuses them nevertheless.
#ifndef HIPPORT_COMPAT_UNFUSED_H
#define HIPPORT_COMPAT_UNFUSED_H

#include "core.h"
#include "device_compiler.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hipport {
namespace compat {

HIPPORT_COMPAT_FORWARD(fadd_rn)
HIPPORT_COMPAT_FORWARD(fsub_rn)
HIPPORT_COMPAT_FORWARD(fmul_rn)
HIPPORT_COMPAT_FORWARD(dadd_rn)
HIPPORT_COMPAT_FORWARD(dsub_rn)
HIPPORT_COMPAT_FORWARD(dmul_rn)
HIPPORT_COMPAT_FORWARD(hadd_rn)
HIPPORT_COMPAT_FORWARD(hsub_rn)
HIPPORT_COMPAT_FORWARD(hmul_rn)
HIPPORT_COMPAT_FORWARD(hadd2_rn)
HIPPORT_COMPAT_FORWARD(hsub2_rn)
HIPPORT_COMPAT_FORWARD(hmul2_rn)

}  // namespace compat
}  // namespace hipport

#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_fp16.h>

#if defined(__clang__)
#define HIPPORT_COMPAT_UNFUSED _Pragma("clang fp contract(off)")
#else
#define HIPPORT_COMPAT_UNFUSED  // g++ for the CPU target gets -ffp-contract=off
#endif

namespace hipport {
namespace compat {

#define HIPPORT_COMPAT_OF(T, name, operation)   \
  HIPPORT_COMPAT_DEVICE T name##_rn(T a, T b) { \
    HIPPORT_COMPAT_UNFUSED                      \
    return a operation b;                       \
  }
HIPPORT_COMPAT_OF(float, fadd, +)
HIPPORT_COMPAT_OF(float, fsub, -)
HIPPORT_COMPAT_OF(float, fmul, *)
HIPPORT_COMPAT_OF(double, dadd, +)
HIPPORT_COMPAT_OF(double, dsub, -)
HIPPORT_COMPAT_OF(double, dmul, *)
#undef HIPPORT_COMPAT_OF

// HIP's own functions round bfloat16 numbers each time.
#define HIPPORT_COMPAT_OF(name)                 \
  template <typename T>                         \
  HIPPORT_COMPAT_DEVICE T name##_rn(T a, T b) { \
    return __##name(a, b);                      \
  }
HIPPORT_COMPAT_OF(hadd)
HIPPORT_COMPAT_OF(hsub)
HIPPORT_COMPAT_OF(hmul)
HIPPORT_COMPAT_OF(hadd2)
HIPPORT_COMPAT_OF(hsub2)
HIPPORT_COMPAT_OF(hmul2)
#undef HIPPORT_COMPAT_OF

#if defined(HIPPORT_COMPAT_DEVICE_COMPILER) && !defined(__HIPPORT_CPU__)
#define HIPPORT_COMPAT_OF(name, operation)                                                                     \
  HIPPORT_COMPAT_DEVICE __half name##_rn(__half a, __half b) {                                                 \
    HIPPORT_COMPAT_UNFUSED                                                                                     \
    const __half_raw x = a, y = b;                                                                             \
    __half_raw result;                                                                                         \
    result.data = x.data operation y.data;                                                                     \
    return result;                                                                                             \
  }                                                                                                            \
  HIPPORT_COMPAT_DEVICE __half2 name##2_rn(__half2 a, __half2 b) {                                             \
    return __halves2half2(name##_rn(__low2half(a), __low2half(b)), name##_rn(__high2half(a), __high2half(b))); \
  }
HIPPORT_COMPAT_OF(hadd, +)
HIPPORT_COMPAT_OF(hsub, -)
HIPPORT_COMPAT_OF(hmul, *)
#undef HIPPORT_COMPAT_OF
#endif
#undef HIPPORT_COMPAT_UNFUSED

}  // namespace compat
}  // namespace hipport

#endif

#endif
