// Shared by the matrix instructions of AMD GPUs: which ones exist, and moving fragments to their layouts.
//
// All of them compute the transposed product: columns of PTX's B are rows of their A, rows of PTX's A are columns of
// their B. Lane t of 32 thus holds row t % 16 of PTX's A, and gets that row's products with columns 4 * (t / 16) to 4 *
// (t / 16) + 3. Data stays within the warp of 32 lanes.
//
// HIPPORT_PTX_MFMA is 1 for CDNA. HIPPORT_PTX_WMMA is 11 for RDNA 3 and 12 for RDNA 4, with wavefronts of 32 lanes. On
// the CPU target, -DHIPPORT_PTX_MATRIX_INSTRUCTIONS=11 or 12 selects those of RDNA 3 or 4 or, with wavefronts of 64
// lanes, those of CDNA. -DHIPPORT_PTX_NO_MATRIX_INSTRUCTIONS disables them on all targets.
#ifndef HIPPORT_PTX_MATRIX_UNIT_H
#define HIPPORT_PTX_MATRIX_UNIT_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

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

// The matrix unit for elements A and B; NoUnit if there is none.
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

// Return the registers of an operand. The cast of a vector of words keeps the bits: through memory, compilers would
// split the operand or leave it in memory.
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

// Read the words of lanes 4g + first and 4g + first + 1 for row t % 16; rows from 8 on are in register `upper`. A lane
// can offer only one register at a time, so rows from 8 on read their two words in the opposite order.
HIPPORT_PTX_DEVICE void read_row(uint32_t lower, uint32_t upper, uint32_t first, uint32_t* words) {
  const uint32_t lane = laneid(), swapped = (lane >> 3) & 1, from = 4 * (lane & 7) + first;
  const bool odd = (lane & 1) != 0;
  const uint32_t one = read_lane(odd ? upper : lower, from + swapped, 0xffffffffu);
  const uint32_t other = read_lane(odd ? lower : upper, from + 1 - swapped, 0xffffffffu);
  words[0] = swapped ? other : one;
  words[1] = swapped ? one : other;
}

// Add the products, which lanes hold by row, to PTX's sums: rows g and g + 8, columns 2q and 2q + 1.
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

#endif
