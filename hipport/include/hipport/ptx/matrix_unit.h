// What the matrix instructions of AMD GPUs share: which ones there are, and how fragments get to where they want them.
//
// All of them multiply transposed: a column of PTX's B is a row of their A, a row of PTX's A is a column of their B. So
// lane t of 32 has row t % 16 of PTX's A, and gets of that row the products with columns 4 * (t / 16) to
// 4 * (t / 16) + 3. Nothing leaves the warp of 32 lanes.
//
// HIPPORT_PTX_MFMA is 1 for CDNA. HIPPORT_PTX_WMMA is 11 for RDNA 3 and 12 for RDNA 4, with wavefronts of 32 lanes. On
// the CPU target -DHIPPORT_PTX_MATRIX_INSTRUCTIONS=11 or 12 takes those of that RDNA or, with wavefronts of 64
// lanes, those of CDNA. -DHIPPORT_PTX_NO_MATRIX_INSTRUCTIONS takes none anywhere.
#ifndef HIPPORT_PTX_MATRIX_UNIT_H
#define HIPPORT_PTX_MATRIX_UNIT_H

#include "lanes.h"
#include "matrix_elements.h"
#include "vec.h"

#if defined(HIPPORT_PTX_NO_MATRIX_INSTRUCTIONS)
#elif defined(__HIPPORT_CPU__)
#if defined(HIPPORT_PTX_MATRIX_INSTRUCTIONS) && HIPPORT_WAVE_SIZE == 64
#define HIPPORT_PTX_MFMA 1
#elif defined(HIPPORT_PTX_MATRIX_INSTRUCTIONS)
#define HIPPORT_PTX_WMMA HIPPORT_PTX_MATRIX_INSTRUCTIONS
#endif
#elif defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || \
    defined(__gfx942__) || defined(__gfx950__)
#define HIPPORT_PTX_MFMA 1
#elif defined(__AMDGCN_WAVEFRONT_SIZE__) && __AMDGCN_WAVEFRONT_SIZE__ == 64
#elif defined(__GFX11__) && __clang_major__ >= 17
#define HIPPORT_PTX_WMMA 11
#elif defined(__GFX12__) && !defined(__gfx1250__) && !defined(__gfx1251__)
#define HIPPORT_PTX_WMMA 12
#endif

namespace hipport {
namespace ptx {

// The unit for elements A and B, where there is one.
struct NoUnit {};
template <typename A, typename B>
struct MatrixUnit {
  typedef NoUnit Type;
};
template <int Halves, typename Sum>
HIPPORT_PTX_DEVICE bool multiply_by_unit(NoUnit, const Vec<uint32_t, 2 * Halves>&, const Vec<uint32_t, Halves>&,
                                         Sum (&)[4]) {
  return false;
}

#if defined(HIPPORT_PTX_MFMA) || defined(HIPPORT_PTX_WMMA)

template <typename T, int Count>
struct Side {
  typedef T Type __attribute__((vector_size(Count * sizeof(T))));
};

// The registers of an operand. By way of a vector of words, whose bits are kept by the cast: through memory, compilers
// would take them to pieces or keep them there.
template <typename To>
HIPPORT_PTX_DEVICE To operand(const uint32_t* words) {
  const int count = sizeof(To) / sizeof(uint32_t);
  typename Side<uint32_t, count>::Type side = {};
  HIPPORT_PTX_UNROLL
  for (int i = 0; i < count; ++i) side[i] = words[i];
  return (To)side;
}
template <>
HIPPORT_PTX_DEVICE float operand<float>(const uint32_t* words) {
  return bits<float>(*words);
}
template <>
HIPPORT_PTX_DEVICE int32_t operand<int32_t>(const uint32_t* words) {
  return int32_t(*words);
}

// What lanes 4g + first and 4g + first + 1 hold of row t % 16, of rows from 8 on in register `upper`. As a lane offers
// one register at a time, those rows take theirs in the other order.
HIPPORT_PTX_DEVICE void read_row(uint32_t lower, uint32_t upper, uint32_t first, uint32_t* words) {
  const uint32_t lane = laneid(), swapped = (lane >> 3) & 1, from = 4 * (lane & 7) + first;
  const bool odd = (lane & 1) != 0;
  const uint32_t one = read_lane(odd ? upper : lower, from + swapped, 0xffffffffu);
  const uint32_t other = read_lane(odd ? lower : upper, from + 1 - swapped, 0xffffffffu);
  words[0] = swapped ? other : one;
  words[1] = swapped ? one : other;
}

// Adds what lanes have of their row to the sums of PTX: rows g and g + 8, columns 2q and 2q + 1.
template <typename Element, typename Products, typename Sum>
HIPPORT_PTX_DEVICE void add_products(const Products& products, Sum (&sums)[4]) {
  const uint32_t lane = laneid(), from = 8 * (lane & 2) + (lane >> 2), right = lane & 1;
  const bool upper = (lane & 8) != 0;
  HIPPORT_PTX_UNROLL
  for (int column = 0; column < 2; ++column) {
    const Element low = products[column], high = products[2 + column];
    const uint32_t one = read_lane(bits<uint32_t>(upper ? high : low), from + 8 * right, 0xffffffffu);
    const uint32_t other = read_lane(bits<uint32_t>(upper ? low : high), from + 8 * (1 - right), 0xffffffffu);
    sums[column] += bits<Element>(right ? other : one);
    sums[2 + column] += bits<Element>(right ? one : other);
  }
}
#endif

}  // namespace ptx
}  // namespace hipport

#endif
