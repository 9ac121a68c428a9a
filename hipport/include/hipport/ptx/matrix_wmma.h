// mma by RDNA's WMMA instructions, which multiply 16x16 matrices in wavefronts of 32 lanes. Half of the product is
// unused.
#ifndef HIPPORT_PTX_MATRIX_WMMA_H
#define HIPPORT_PTX_MATRIX_WMMA_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "matrix_unit.h"

#if defined(HIPPORT_PTX_WMMA)

namespace hipport {
namespace ptx {

// gfx11: both halves of the lanes hold all k, and odd rows of the product are in the upper half.
// gfx12: the lower half holds the k of PTX's lanes 4g and 4g + 1 and rows 0 to 7 of the product, the upper half the
// rest.
#if HIPPORT_PTX_WMMA == 11
static const int wmma_lanes = 4;
HIPPORT_PTX_DEVICE uint32_t wmma_first_lane() { return 0; }
HIPPORT_PTX_DEVICE uint32_t wmma_column() { return 4 * (laneid() & 1) + ((laneid() >> 1) & 3); }
#define HIPPORT_PTX_WMMA_INSTRUCTION(name) __builtin_amdgcn_wmma_##name##_w32
#define HIPPORT_PTX_WMMA_I4 i32_16x16x16_iu4
#else
static const int wmma_lanes = 2;
HIPPORT_PTX_DEVICE uint32_t wmma_first_lane() { return 2 * (laneid() >> 4); }
HIPPORT_PTX_DEVICE uint32_t wmma_column() { return 4 * ((laneid() >> 3) & 1) + (laneid() & 3); }
#define HIPPORT_PTX_WMMA_INSTRUCTION(name) __builtin_amdgcn_wmma_##name##_w32_gfx12
#define HIPPORT_PTX_WMMA_I4 i32_16x16x32_iu4
#endif

// `count`: registers per lane and instruction.
#define HIPPORT_PTX_WMMA_UNIT(name, count, instruction, ...)                                            \
  struct name {                                                                                         \
    static const int registers = count;                                                                 \
    typedef float Element;                                                                              \
    typedef Side<float, 8>::Type Sums;                                                                  \
    HIPPORT_PTX_DEVICE static Sums multiply(const uint32_t* columns, const uint32_t* rows, Sums sums) { \
      typedef __VA_ARGS__ In;                                                                           \
      return HIPPORT_PTX_WMMA_INSTRUCTION(instruction)(operand<In>(columns), operand<In>(rows), sums);  \
    }                                                                                                   \
  };
#define HIPPORT_PTX_WMMA_INTEGER_UNIT(name, count, instruction)                                         \
  template <bool RowsSigned, bool ColumnsSigned>                                                        \
  struct name {                                                                                         \
    static const int registers = count;                                                                 \
    typedef int32_t Element;                                                                            \
    typedef Side<int32_t, 8>::Type Sums;                                                                \
    HIPPORT_PTX_DEVICE static Sums multiply(const uint32_t* columns, const uint32_t* rows, Sums sums) { \
      typedef Side<int32_t, count>::Type In;                                                            \
      return HIPPORT_PTX_WMMA_INSTRUCTION(instruction)(ColumnsSigned, operand<In>(columns), RowsSigned, \
                                                       operand<In>(rows), sums, false);                 \
    }                                                                                                   \
  };
HIPPORT_PTX_WMMA_UNIT(WmmaF16, 2 * wmma_lanes, f32_16x16x16_f16, Side<_Float16, 4 * wmma_lanes>::Type)
HIPPORT_PTX_WMMA_UNIT(WmmaBF16, 2 * wmma_lanes, f32_16x16x16_bf16, Side<short, 4 * wmma_lanes>::Type)
HIPPORT_PTX_WMMA_INTEGER_UNIT(WmmaI8, wmma_lanes, i32_16x16x16_iu8)
HIPPORT_PTX_WMMA_INTEGER_UNIT(WmmaI4, 2, HIPPORT_PTX_WMMA_I4)
#undef HIPPORT_PTX_WMMA_UNIT
#undef HIPPORT_PTX_WMMA_INTEGER_UNIT
#undef HIPPORT_PTX_WMMA_INSTRUCTION
#undef HIPPORT_PTX_WMMA_I4

template <>
struct MatrixUnit<F16, F16> {
  typedef WmmaF16 Type;
};
template <>
struct MatrixUnit<BF16, BF16> {
  typedef WmmaBF16 Type;
};
template <bool RowsSigned, bool ColumnsSigned>
struct MatrixUnit<Byte<RowsSigned>, Byte<ColumnsSigned>> {
  typedef WmmaI8<RowsSigned, ColumnsSigned> Type;
};
template <bool RowsSigned, bool ColumnsSigned>
struct MatrixUnit<Nibble<RowsSigned>, Nibble<ColumnsSigned>> {
  typedef WmmaI4<RowsSigned, ColumnsSigned> Type;
};

template <int Halves, typename Unit, typename Sum>
HIPPORT_PTX_DEVICE bool multiply_by_unit(Unit, const Vec<uint32_t, 2 * Halves>& a, const Vec<uint32_t, Halves>& b,
                                         Sum (&sums)[4]) {
  const uint32_t first = wmma_first_lane(), column = wmma_column();
  const int used = Halves * wmma_lanes;
  uint32_t rows[2 * wmma_lanes] = {}, columns[2 * wmma_lanes] = {};
  HIPPORT_PTX_UNROLL
  for (int word = 0; word < used; word += 2) {
    const int half = word / wmma_lanes;
    const uint32_t lane = first + uint32_t(word % wmma_lanes);
    read_row(a[2 * half], a[2 * half + 1], lane, rows + word);
    columns[word] = read_lane(b[half], 4 * column + lane, 0xffffffffu);
    columns[word + 1] = read_lane(b[half], 4 * column + lane + 1, 0xffffffffu);
  }
  typename Unit::Sums products = {};
  HIPPORT_PTX_UNROLL
  for (int word = 0; word < used; word += Unit::registers) {
    products = Unit::multiply(columns + word, rows + word, products);
  }
  add_products<typename Unit::Element>(products, sums);
  return true;
}

}  // namespace ptx
}  // namespace hipport

#endif
#endif

#endif
