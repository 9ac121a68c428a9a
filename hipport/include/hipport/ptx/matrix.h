// PTX's mma: matrix fragments, exchanged between the lanes of a warp in the layouts of the PTX manual.
//
// Lane 4g + q holds rows g and g + 8 of A and of the sums, and column g of B. A register holds E adjacent elements (1
// of tf32, 2 of f16 and bf16, 4 of s8, 8 of s4), those of k = E * q + i; the next register holds those of k + 4E.
#ifndef HIPPORT_PTX_MATRIX_H
#define HIPPORT_PTX_MATRIX_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "lanes.h"
#include "matrix_elements.h"
#include "matrix_mfma.h"
#include "matrix_nvidia.h"
#include "matrix_wmma.h"
#include "memory.h"

namespace hipport {
namespace ptx {

HIPPORT_PTX float multiply_add(float a, float b, float c) { return ::fmaf(a, b, c); }
HIPPORT_PTX int64_t multiply_add(int32_t a, int32_t b, int64_t c) { return c + int64_t(a) * b; }

// Where matrix instructions exist, this is the rarely used fallback: keep it short.
#if defined(HIPPORT_PTX_MFMA) && defined(__clang__)
#define HIPPORT_PTX_KEEP_LOOP _Pragma("unroll 1")
#else
#define HIPPORT_PTX_KEEP_LOOP
#endif

// Compute the four sums of this lane (rows g and g + 8, columns 2q and 2q + 1) with ordinary arithmetic.
template <typename A, typename B, int Halves, typename Sum>
HIPPORT_PTX_DEVICE void multiply_in_lanes(const Vec<uint32_t, 2 * Halves>& a, const Vec<uint32_t, Halves>& b,
                                          Sum (&sums)[4]) {
  const uint32_t row = laneid() >> 2, column = 2 * (laneid() & 3);
  HIPPORT_PTX_UNROLL
  for (int half = 0; half < Halves; ++half) {
    HIPPORT_PTX_KEEP_LOOP
    for (uint32_t q = 0; q < 4; ++q) {
      const uint32_t upper = read_lane(a[2 * half], 4 * row + q, 0xffffffffu);
      const uint32_t lower = read_lane(a[2 * half + 1], 4 * row + q, 0xffffffffu);
      const uint32_t left = read_lane(b[half], 4 * column + q, 0xffffffffu);
      const uint32_t right = read_lane(b[half], 4 * (column + 1) + q, 0xffffffffu);
      for (int i = 0; i < A::per_register; ++i) {
        sums[0] = multiply_add(A::get(upper, i), B::get(left, i), sums[0]);
        sums[1] = multiply_add(A::get(upper, i), B::get(right, i), sums[1]);
        sums[2] = multiply_add(A::get(lower, i), B::get(left, i), sums[2]);
        sums[3] = multiply_add(A::get(lower, i), B::get(right, i), sums[3]);
      }
    }
  }
}

#undef HIPPORT_PTX_KEEP_LOOP

// The same, with matrix instructions if the target has them for these elements.
template <typename A, typename B, int Halves, typename Sum>
HIPPORT_PTX_DEVICE void multiply(const Vec<uint32_t, 2 * Halves>& a, const Vec<uint32_t, Halves>& b, Sum (&sums)[4]) {
  if (!multiply_by_unit<Halves>(typename MatrixUnit<A, B>::Type(), a, b, sums)) {
    multiply_in_lanes<A, B, Halves>(a, b, sums);
  }
}

template <typename A, typename B, int Halves>
HIPPORT_PTX_DEVICE Vec<float, 4> mma(Vec<uint32_t, 2 * Halves> a, Vec<uint32_t, Halves> b, Vec<float, 4> c) {
  float sums[4] = {c[0], c[1], c[2], c[3]};
  multiply<A, B, Halves>(a, b, sums);
  return vec<float>(sums[0], sums[1], sums[2], sums[3]);
}
// f16 sums: two per register, rounded at the end.
template <typename A, typename B, int Halves>
HIPPORT_PTX_DEVICE Vec<uint32_t, 2> mma(Vec<uint32_t, 2 * Halves> a, Vec<uint32_t, Halves> b, Vec<uint32_t, 2> c) {
  float sums[4] = {F16::get(c[0], 0), F16::get(c[0], 1), F16::get(c[1], 0), F16::get(c[1], 1)};
  multiply<A, B, Halves>(a, b, sums);
  return vec<uint32_t>(to_f16x2<rn>(sums[1], sums[0]), to_f16x2<rn>(sums[3], sums[2]));
}
// Integer sums wrap around, or saturate with `Finite`.
template <typename A, typename B, int Halves, bool Finite = false>
HIPPORT_PTX_DEVICE Vec<int32_t, 4> mma(Vec<uint32_t, 2 * Halves> a, Vec<uint32_t, Halves> b, Vec<int32_t, 4> c) {
  int64_t sums[4] = {c[0], c[1], c[2], c[3]};
  multiply<A, B, Halves>(a, b, sums);
  Vec<int32_t, 4> result;
  for (int i = 0; i < 4; ++i) {
    int64_t sum = sums[i];
    if (Finite && sum > 0x7fffffffll) sum = 0x7fffffffll;
    if (Finite && sum < -0x80000000ll) sum = -0x80000000ll;
    result[i] = int32_t(uint32_t(uint64_t(sum)));
  }
  return result;
}

// m8n8k4 of f64: lane 4g + q holds A at row g, column q; B at row q, column g; and the sums at row g, columns 2q and 2q
// + 1.
HIPPORT_PTX_DEVICE Vec<double, 2> mma_f64(double a, double b, Vec<double, 2> c) {
  const uint32_t row = laneid() >> 2, column = 2 * (laneid() & 3);
  for (uint32_t k = 0; k < 4; ++k) {
    const double left = bits<double>(read_lane(bits<uint64_t>(a), 4 * row + k, 0xffffffffu));
    for (uint32_t j = 0; j < 2; ++j) {
      const double right = bits<double>(read_lane(bits<uint64_t>(b), 4 * (column + j) + k, 0xffffffffu));
      c[int(j)] = ::fma(left, right, c[int(j)]);
    }
  }
  return c;
}

// m8n8k4 of f16: lanes 4p to 4p + 3 and those sixteen further, a quad pair, multiply matrices of their own. The upper
// lanes hold rows 4 to 7 of A and columns 4 to 7 of B. `Along`: a lane holds one row of A, or column of B; else it holds
// the elements of one k.
template <bool Along>
HIPPORT_PTX_DEVICE float quad_pair_element(const Vec<uint32_t, 2>& factor, uint32_t line, uint32_t k) {
  const uint32_t first = (laneid() & 12) + 4 * (line & 4), inner = line & 3;
  const uint32_t lane = first + (Along ? inner : k), i = Along ? k : inner;
  const uint32_t low = read_lane(factor[0], lane, 0xffffffffu), high = read_lane(factor[1], lane, 0xffffffffu);
  return F16::get(i < 2 ? low : high, int(i & 1));
}
template <bool AlongA, bool AlongB>
HIPPORT_PTX_DEVICE float quad_pair_sum(const Vec<uint32_t, 2>& a, const Vec<uint32_t, 2>& b, uint32_t row,
                                       uint32_t column, float sum) {
  for (uint32_t k = 0; k < 4; ++k) {
    sum = multiply_add(quad_pair_element<AlongA>(a, row, k), quad_pair_element<AlongB>(b, column, k), sum);
  }
  return sum;
}
// f32 sums: those of a lane are in two rows and four columns.
template <bool AlongA, bool AlongB>
HIPPORT_PTX_DEVICE Vec<float, 8> mma_quad_pairs(Vec<uint32_t, 2> a, Vec<uint32_t, 2> b, Vec<float, 8> c) {
  const uint32_t lane = laneid();
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t row = (lane & 1) + (i & 2) + (lane & 16) / 4, column = (i & 4) + (lane & 2) + (i & 1);
    c[int(i)] = quad_pair_sum<AlongA, AlongB>(a, b, row, column, c[int(i)]);
  }
  return c;
}
// f16 sums: one row for each lane, rounded at the end.
template <bool AlongA, bool AlongB>
HIPPORT_PTX_DEVICE Vec<uint32_t, 4> mma_quad_pairs(Vec<uint32_t, 2> a, Vec<uint32_t, 2> b, Vec<uint32_t, 4> c) {
  const uint32_t row = (laneid() & 3) + (laneid() & 16) / 4;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t two = c[int(i)];
    const float even = quad_pair_sum<AlongA, AlongB>(a, b, row, 2 * i, F16::get(two, 0));
    const float odd = quad_pair_sum<AlongA, AlongB>(a, b, row, 2 * i + 1, F16::get(two, 1));
    c[int(i)] = to_f16x2<rn>(odd, even);
  }
  return c;
}

// Load `Count` 8x8 matrices of 16-bit elements; lane 8m + r has the address of row r of matrix m. Lane 4g + q gets
// elements 2q and 2q + 1 of row g, or of column g if transposed.
template <int Count, bool Transposed>
HIPPORT_PTX_DEVICE Vec<uint32_t, Count> ldmatrix(uint32_t address) {
  const uint32_t group = laneid() >> 2, pair = 2 * (laneid() & 3);
  Vec<uint32_t, Count> result;
  for (int m = 0; m < Count; ++m) {
    const uint32_t first = 8 * uint32_t(m);
    if (Transposed) {
      const uint32_t low = read_lane(address, first + pair, 0xffffffffu);
      const uint32_t high = read_lane(address, first + pair + 1, 0xffffffffu);
      result[m] = *shared_pointer<const uint16_t>(low + 2 * group) |
                  (uint32_t(*shared_pointer<const uint16_t>(high + 2 * group)) << 16);
    } else {
      const uint32_t row = read_lane(address, first + group, 0xffffffffu);
      result[m] = *shared_pointer<const uint32_t>(row + 2 * pair);
    }
  }
  return result;
}
template <int Count, bool Transposed>
HIPPORT_PTX_DEVICE void stmatrix(uint32_t address, Vec<uint32_t, Count> tiles) {
  const uint32_t group = laneid() >> 2, pair = 2 * (laneid() & 3);
  for (int m = 0; m < Count; ++m) {
    const uint32_t first = 8 * uint32_t(m);
    if (Transposed) {
      const uint32_t low = read_lane(address, first + pair, 0xffffffffu);
      const uint32_t high = read_lane(address, first + pair + 1, 0xffffffffu);
      *shared_pointer<uint16_t>(low + 2 * group) = uint16_t(tiles[m]);
      *shared_pointer<uint16_t>(high + 2 * group) = uint16_t(tiles[m] >> 16);
    } else {
      const uint32_t row = read_lane(address, first + group, 0xffffffffu);
      *shared_pointer<uint32_t>(row + 2 * pair) = tiles[m];
    }
  }
}

// Transpose an 8x8 matrix of 16-bit elements in the layout of ldmatrix.
HIPPORT_PTX_DEVICE uint32_t movmatrix(uint32_t a) {
  const uint32_t group = laneid() >> 2, pair = 2 * (laneid() & 3);
  const uint32_t low = read_lane(a, 4 * pair + group / 2, 0xffffffffu);
  const uint32_t high = read_lane(a, 4 * (pair + 1) + group / 2, 0xffffffffu);
  const uint32_t shift = 16 * (group & 1);
  return ((low >> shift) & 0xffff) | ((high >> shift) << 16);
}

}  // namespace ptx
}  // namespace hipport

#endif

#endif
