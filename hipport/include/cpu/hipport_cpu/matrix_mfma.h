// SPDX-License-Identifier: MIT
// __builtin_amdgcn_mfma_*: the matrix instructions of CDNA GPUs, for wavefronts of 64 lanes.
//
// Not emulated: sparse products (smfmac), fp8, xf32, and lane permutations of B (`blgp`). Sums are rounded once,
// whereas the hardware also rounds in between. Subnormal numbers are kept; gfx90a treats them as 0 in f16 and bf16.
#pragma once

#include "matrix.h"

namespace hipport::cpu {

// Products of `Size` x `Size` x `Depth` in `Blocks` blocks. The k are divided evenly: each lane holds `per_lane`
// consecutive ones.
template <typename Kind, int Size, int Depth, int Blocks>
struct Mfma {
  using Elements = Kind;
  static constexpr int size = Size, depth = Depth, blocks = Blocks;
  static constexpr int per_lane = Size * Depth * Blocks / 64;

  static Place left(int i, int k, int block) { return {i + Size * (block + Blocks * (k / per_lane)), k % per_lane}; }
  static Place right(int k, int j, int block) { return left(j, k, block); }
  // A lane holds four consecutive rows; the next four are in the following lanes, then in the next registers.
  static Place sum(int i, int j, int block) {
    if (Size == 4) return {4 * block + j, i};
    const int groups = 64 / Size;
    return {Size * (i / 4 % groups) + j, Size * Size / 64 * block + 4 * (i / (4 * groups)) + i % 4};
  }
};
// Sums of f64: consecutive rows are in different lanes.
template <int Size, int Blocks>
struct Mfma<OfDouble, Size, 4, Blocks> {
  using Elements = OfDouble;
  static constexpr int size = Size, depth = 4, blocks = Blocks;
  static Place left(int i, int k, int block) { return {i + Size * (block + Blocks * k), 0}; }
  static Place right(int k, int j, int block) { return left(j, k, block); }
  static Place sum(int i, int j, int block) { return {16 * (i % 4) + Size * block + j, i / 4}; }
};

inline void check_modifiers(const char* name, Site site, int shared_blocks, int shared_block, int lanes, int blocks) {
  const bool groups = shared_blocks >= 0 && shared_blocks < 5 && 1 << shared_blocks <= blocks;
  if (groups && shared_block >= 0 && shared_block < 1 << shared_blocks && lanes == 0) return;
  stop("%s at %s:%d: the CPU target does not emulate cbsz %d, abid %d, blgp %d", name, site.file, site.line,
       shared_blocks, shared_block, lanes);
}

template <typename Shape, typename Sum, typename In, typename Out>
Out mfma(const char* name, Site site, const In& a, const In& b, const Out& start, int cbsz, int abid, int blgp) {
  Out sums = start;
  check_modifiers(name, site, cbsz, abid, blgp, Shape::blocks);
  multiply(name, site, multiply_all<Shape, Sum>, {&a, &b, &sums, true, true, false, unsigned(cbsz), unsigned(abid)});
  return sums;
}

// Register types of the operands.
using F32x1 = float;
using F64x1 = double;
#if defined(HIPPORT_CPU_FLOAT16)
using F16x4 = PackedOf<HIPPORT_CPU_FLOAT16, 4>;
#endif
using Bf16x2 = PackedOf<short, 2>;
using Bf16x4 = PackedOf<short, 4>;
using I8x4 = int;
using I8x8 = long;

}  // namespace hipport::cpu

#define HIPPORT_MFMA(name, Sum, In, Kind, size, depth, blocks)                                                        \
  inline hipport::cpu::PackedOf<Sum, size * size * blocks / 64> __builtin_amdgcn_mfma_##name(                         \
      hipport::cpu::In a, hipport::cpu::In b, const hipport::cpu::PackedOf<Sum, size * size * blocks / 64>& sums,     \
      int cbsz, int abid, int blgp, HIPPORT_CALLER) {                                                                 \
    using namespace hipport::cpu;                                                                                     \
    return mfma<Mfma<Kind, size, depth, blocks>, Sum>("__builtin_amdgcn_mfma_" #name, HIPPORT_HERE, a, b, sums, cbsz, \
                                                      abid, blgp);                                                    \
  }

HIPPORT_MFMA(f32_32x32x1f32, float, F32x1, OfFloat, 32, 1, 2)
HIPPORT_MFMA(f32_16x16x1f32, float, F32x1, OfFloat, 16, 1, 4)
HIPPORT_MFMA(f32_4x4x1f32, float, F32x1, OfFloat, 4, 1, 16)
HIPPORT_MFMA(f32_32x32x2f32, float, F32x1, OfFloat, 32, 2, 1)
HIPPORT_MFMA(f32_16x16x4f32, float, F32x1, OfFloat, 16, 4, 1)

#if defined(HIPPORT_CPU_FLOAT16)
HIPPORT_MFMA(f32_32x32x4f16, float, F16x4, OfHalf, 32, 4, 2)
HIPPORT_MFMA(f32_16x16x4f16, float, F16x4, OfHalf, 16, 4, 4)
HIPPORT_MFMA(f32_4x4x4f16, float, F16x4, OfHalf, 4, 4, 16)
HIPPORT_MFMA(f32_32x32x8f16, float, F16x4, OfHalf, 32, 8, 1)
HIPPORT_MFMA(f32_16x16x16f16, float, F16x4, OfHalf, 16, 16, 1)
#endif

HIPPORT_MFMA(f32_32x32x2bf16, float, Bf16x2, OfBfloat16, 32, 2, 2)
HIPPORT_MFMA(f32_16x16x2bf16, float, Bf16x2, OfBfloat16, 16, 2, 4)
HIPPORT_MFMA(f32_4x4x2bf16, float, Bf16x2, OfBfloat16, 4, 2, 16)
HIPPORT_MFMA(f32_32x32x4bf16, float, Bf16x2, OfBfloat16, 32, 4, 1)
HIPPORT_MFMA(f32_16x16x8bf16, float, Bf16x2, OfBfloat16, 16, 8, 1)
HIPPORT_MFMA(f32_32x32x4bf16_1k, float, Bf16x4, OfBfloat16, 32, 4, 2)
HIPPORT_MFMA(f32_16x16x4bf16_1k, float, Bf16x4, OfBfloat16, 16, 4, 4)
HIPPORT_MFMA(f32_4x4x4bf16_1k, float, Bf16x4, OfBfloat16, 4, 4, 16)
HIPPORT_MFMA(f32_32x32x8bf16_1k, float, Bf16x4, OfBfloat16, 32, 8, 1)
HIPPORT_MFMA(f32_16x16x16bf16_1k, float, Bf16x4, OfBfloat16, 16, 16, 1)

HIPPORT_MFMA(i32_32x32x4i8, int, I8x4, OfInt8, 32, 4, 2)
HIPPORT_MFMA(i32_16x16x4i8, int, I8x4, OfInt8, 16, 4, 4)
HIPPORT_MFMA(i32_4x4x4i8, int, I8x4, OfInt8, 4, 4, 16)
HIPPORT_MFMA(i32_32x32x8i8, int, I8x4, OfInt8, 32, 8, 1)
HIPPORT_MFMA(i32_16x16x16i8, int, I8x4, OfInt8, 16, 16, 1)
HIPPORT_MFMA(i32_32x32x16_i8, int, I8x8, OfInt8, 32, 16, 1)
HIPPORT_MFMA(i32_16x16x32_i8, int, I8x8, OfInt8, 16, 32, 1)

HIPPORT_MFMA(f64_16x16x4f64, double, F64x1, OfDouble, 16, 4, 1)
HIPPORT_MFMA(f64_4x4x4f64, double, F64x1, OfDouble, 4, 4, 4)
#undef HIPPORT_MFMA
