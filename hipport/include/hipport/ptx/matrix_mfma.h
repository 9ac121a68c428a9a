// mma by CDNA's MFMA instructions, which multiply 4x4 matrices in 16 blocks of 4 lanes: 8 blocks for each of the two
// warps of a wavefront.
//
// Block 4s + p of a warp multiplies rows 4p to 4p + 3 of PTX's A by columns 4s to 4s + 3 of B. Blocks are independent,
// and therefore the two warps are, too: what one holds in its registers, even NaN, does not affect the other. The four
// blocks with the same columns share B: in step q all use the B of block q among them, which holds the k of PTX's lanes
// 4g + q.
#ifndef HIPPORT_PTX_MATRIX_MFMA_H
#define HIPPORT_PTX_MATRIX_MFMA_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "matrix_unit.h"

#if defined(HIPPORT_PTX_MFMA)

namespace hipport {
namespace ptx {

// `count`: registers per lane and instruction. The instruction computes one of four steps.
#define HIPPORT_PTX_MFMA_UNIT(name, count, Sum, instruction, ...)                                            \
  struct name {                                                                                              \
    static const int registers = count;                                                                      \
    typedef Sum Element;                                                                                     \
    typedef Side<Sum, 4>::Type Sums;                                                                         \
    template <int Step>                                                                                      \
    HIPPORT_PTX_DEVICE static Sums multiply(const uint32_t* columns, const uint32_t* rows, Sums sums) {      \
      typedef __VA_ARGS__ In;                                                                                \
      return __builtin_amdgcn_mfma_##instruction(operand<In>(columns), operand<In>(rows), sums, 2, Step, 0); \
    }                                                                                                        \
  };
HIPPORT_PTX_MFMA_UNIT(MfmaF16, 2, float, f32_4x4x4f16, Side<_Float16, 4>::Type)
HIPPORT_PTX_MFMA_UNIT(MfmaF32, 1, float, f32_4x4x1f32, float)
HIPPORT_PTX_MFMA_UNIT(MfmaS8, 1, int32_t, i32_4x4x4i8, int32_t)
#if defined(__gfx908__)
HIPPORT_PTX_MFMA_UNIT(MfmaBF16, 1, float, f32_4x4x2bf16, Side<short, 2>::Type)
#else
HIPPORT_PTX_MFMA_UNIT(MfmaBF16, 2, float, f32_4x4x4bf16_1k, Side<short, 4>::Type)
#endif
#undef HIPPORT_PTX_MFMA_UNIT
// tf32 by f32 instructions, with the bits that tf32 has.
struct MfmaTF32 : MfmaF32 {
  template <int Step>
  HIPPORT_PTX_DEVICE static Sums multiply(const uint32_t* columns, const uint32_t* rows, Sums sums) {
    const uint32_t column = *columns & TF32::mask, row = *rows & TF32::mask;
    return MfmaF32::multiply<Step>(&column, &row, sums);
  }
};

template <>
struct MatrixUnit<F16, F16> {
  typedef MfmaF16 Type;
};
template <>
struct MatrixUnit<BF16, BF16> {
  typedef MfmaBF16 Type;
};
template <>
struct MatrixUnit<TF32, TF32> {
  typedef MfmaTF32 Type;
};
template <>
struct MatrixUnit<S8, S8> {
  typedef MfmaS8 Type;
};

// An MFMA instruction writes its result in all lanes, including those that are elsewhere in the program and hold other
// values in these registers. A program whose warps reach every mma in pairs can skip the test with
// HIPPORT_PTX_WHOLE_WAVEFRONTS.
HIPPORT_PTX_DEVICE bool whole_wavefront() {
#if defined(HIPPORT_PTX_WHOLE_WAVEFRONTS)
  return true;
#else
  return __ballot(1) == ~0ull;
#endif
}

// Return whether the product was computed; it is not if lanes of the wavefront are missing.
template <int Halves, typename Unit, typename Sum>
HIPPORT_PTX_DEVICE bool multiply_by_unit(Unit, const Vec<uint32_t, 2 * Halves>& a, const Vec<uint32_t, Halves>& b,
                                         Sum (&sums)[4]) {
  if (!whole_wavefront()) return false;
  const uint32_t lane = laneid(), column = (lane >> 4) * 4 + (lane & 3), step = (lane >> 2) & 3;
  uint32_t rows[4][2] = {}, columns[2] = {};
  HIPPORT_PTX_UNROLL
  for (int half = 0; half < Halves; ++half) {
    uint32_t words[4];
    read_row(a[2 * half], a[2 * half + 1], 0, words);
    read_row(a[2 * half], a[2 * half + 1], 2, words + 2);
    HIPPORT_PTX_UNROLL
    for (int q = 0; q < 4; ++q) rows[q][half] = words[q];
    columns[half] = read_lane(b[half], 4 * column + step, 0xffffffffu);
  }
  typename Unit::Sums products = {};
  HIPPORT_PTX_UNROLL
  for (int half = 0; half < Halves; half += Unit::registers) {
    products = Unit::template multiply<0>(columns + half, rows[0] + half, products);
    products = Unit::template multiply<1>(columns + half, rows[1] + half, products);
    products = Unit::template multiply<2>(columns + half, rows[2] + half, products);
    products = Unit::template multiply<3>(columns + half, rows[3] + half, products);
  }
  add_products<typename Unit::Element>(products, sums);
  return true;
}

}  // namespace ptx
}  // namespace hipport

#endif
#endif

#endif
