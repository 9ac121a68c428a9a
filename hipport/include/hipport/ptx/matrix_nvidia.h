// mma by the instruction itself, on NVIDIA GPUs that have it for all these elements: sm_80 and later. Fragments already
// have its layout.
#ifndef HIPPORT_PTX_MATRIX_NVIDIA_H
#define HIPPORT_PTX_MATRIX_NVIDIA_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "matrix_unit.h"

#if defined(__CUDACC__) && !defined(__HIPPORT_CPU__) && !defined(HIPPORT_PTX_NO_MATRIX_INSTRUCTIONS)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

namespace hipport {
namespace ptx {

// The instruction for one register per row and column of A and B, and the one for two. Integer products start at zero,
// so that nothing wraps around before they are added to the sums.
#define HIPPORT_PTX_MMA(unit, letter, number, first, into, one, two, types)                                           \
  struct unit {};                                                                                                     \
  template <int Halves, typename Sum>                                                                                 \
  HIPPORT_PTX_DEVICE bool multiply_by_unit(unit, const Vec<uint32_t, 2 * Halves>& a, const Vec<uint32_t, Halves>& b,  \
                                           Sum(&sums)[4]) {                                                           \
    static_assert(Halves <= 2, "no instruction is longer");                                                           \
    number d[4] = {first(0), first(1), first(2), first(3)};                                                           \
    if (Halves == 1) {                                                                                                \
      asm volatile("mma.sync.aligned." one ".row.col." types " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"          \
                   : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3])                           \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                                                \
    } else {                                                                                                          \
      const int last = Halves - 1;                                                                                    \
      asm volatile("mma.sync.aligned." two ".row.col." types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                   : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3])                           \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2 * last]), "r"(a[2 * last + 1]), "r"(b[0]), "r"(b[last]));          \
    }                                                                                                                 \
    for (int i = 0; i < 4; ++i) sums[i] into d[i];                                                                    \
    return true;                                                                                                      \
  }
#define HIPPORT_PTX_MMA_SUM(i) sums[i]
#define HIPPORT_PTX_MMA_ZERO(i) 0
#define HIPPORT_PTX_MMA_FLOAT(unit, one, two, types) \
  HIPPORT_PTX_MMA(unit, "f", float, HIPPORT_PTX_MMA_SUM, =, one, two, types)
#define HIPPORT_PTX_MMA_INTEGER(unit, one, two, types) \
  HIPPORT_PTX_MMA(unit, "r", int32_t, HIPPORT_PTX_MMA_ZERO, +=, one, two, types)

HIPPORT_PTX_MMA_FLOAT(MmaF16, "m16n8k8", "m16n8k16", "f32.f16.f16.f32")
HIPPORT_PTX_MMA_FLOAT(MmaBF16, "m16n8k8", "m16n8k16", "f32.bf16.bf16.f32")
HIPPORT_PTX_MMA_FLOAT(MmaTF32, "m16n8k4", "m16n8k8", "f32.tf32.tf32.f32")
HIPPORT_PTX_MMA_INTEGER(MmaS8S8, "m16n8k16", "m16n8k32", "s32.s8.s8.s32")
HIPPORT_PTX_MMA_INTEGER(MmaS8U8, "m16n8k16", "m16n8k32", "s32.s8.u8.s32")
HIPPORT_PTX_MMA_INTEGER(MmaU8S8, "m16n8k16", "m16n8k32", "s32.u8.s8.s32")
HIPPORT_PTX_MMA_INTEGER(MmaU8U8, "m16n8k16", "m16n8k32", "s32.u8.u8.s32")

#define HIPPORT_PTX_MMA_FOR(a, b, unit) \
  template <>                           \
  struct MatrixUnit<a, b> {             \
    typedef unit Type;                  \
  };
HIPPORT_PTX_MMA_FOR(F16, F16, MmaF16)
HIPPORT_PTX_MMA_FOR(BF16, BF16, MmaBF16)
HIPPORT_PTX_MMA_FOR(TF32, TF32, MmaTF32)
HIPPORT_PTX_MMA_FOR(S8, S8, MmaS8S8)
HIPPORT_PTX_MMA_FOR(S8, U8, MmaS8U8)
HIPPORT_PTX_MMA_FOR(U8, S8, MmaU8S8)
HIPPORT_PTX_MMA_FOR(U8, U8, MmaU8U8)

#undef HIPPORT_PTX_MMA
#undef HIPPORT_PTX_MMA_SUM
#undef HIPPORT_PTX_MMA_ZERO
#undef HIPPORT_PTX_MMA_FLOAT
#undef HIPPORT_PTX_MMA_INTEGER
#undef HIPPORT_PTX_MMA_FOR

}  // namespace ptx
}  // namespace hipport

#endif
#endif

#endif

#endif
