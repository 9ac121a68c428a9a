// SPDX-License-Identifier: MIT
// __builtin_amdgcn_wmma_*: the matrix instructions of RDNA GPUs, for wavefronts of 32 lanes, with 32-bit sums. Names
// with `_gfx12` are those of RDNA 4, the others of RDNA 3.
#pragma once

#include "matrix.h"

namespace hipport::cpu {

// gfx11: lanes 16 to 31 repeat A and B of lanes 0 to 15; odd rows of the sums are in lanes 16 to 31.
template <typename Kind>
struct Wmma {
  using Elements = Kind;
  static constexpr int size = 16, depth = 16, blocks = 1;
  static constexpr bool repeated = true;
  static Place left(int i, int k, int) { return {i, k}; }
  static Place right(int k, int j, int) { return {j, k}; }
  static Place sum(int i, int j, int) { return {16 * (i % 2) + j, i / 2}; }
};

// gfx12: each half of the lanes holds half of the k, in runs of `Run` consecutive ones.
template <typename Kind, int Depth, int Run>
struct Wmma12 {
  using Elements = Kind;
  static constexpr int size = 16, depth = Depth, blocks = 1;
  static constexpr bool repeated = false;
  static Place left(int i, int k, int) { return {16 * (k / Run % 2) + i, k / (2 * Run) * Run + k % Run}; }
  static Place right(int k, int j, int) { return left(j, k, 0); }
  static Place sum(int i, int j, int) { return {16 * (i / 8) + j, i % 8}; }
};

// If the upper lanes do not repeat the lower ones, the result is undefined on hardware: stop the program.
template <size_t Bytes>
void check_repeated(const Wave& wave, LaneMask group) {
  each_lane(group & group >> 16 & 0xffff, [&](unsigned lane) {
    const Operands& lower = operands_of(wave, group, int(lane));
    const Operands& upper = operands_of(wave, group, int(lane) + 16);
    if (std::memcmp(lower.left, upper.left, Bytes) == 0 && std::memcmp(lower.right, upper.right, Bytes) == 0) return;
    const LaneCall& call = wave.calls[lane];
    stop("%s at %s:%d: lane %u does not repeat A and B of lane %u", call.name, call.site.file, call.site.line,
         lane + 16, lane);
  });
}

template <typename Shape, typename Sum, size_t Bytes>
void multiply_repeated(const Wave& wave, LaneMask group) {
  check_repeated<Bytes>(wave, group);
  multiply_all<Shape, Sum>(wave, group);
}

template <typename Shape, typename Sum, typename In, typename Out>
Out wmma(const char* name, Site site, const In& a, const In& b, const Out& start, bool a_signed = true,
         bool b_signed = true, bool clamp = false) {
  Out sums = start;
  const Combine combine = Shape::repeated ? multiply_repeated<Shape, Sum, sizeof(In)> : multiply_all<Shape, Sum>;
  multiply(name, site, combine, {&a, &b, &sums, a_signed, b_signed, clamp, 0, 0});
  return sums;
}

// Register types of operands and sums.
#if defined(HIPPORT_CPU_FLOAT16)
using F16x16 = PackedOf<HIPPORT_CPU_FLOAT16, 16>;
using F16x8 = PackedOf<HIPPORT_CPU_FLOAT16, 8>;
#endif
using Bf16x16 = PackedOf<short, 16>;
using Bf16x8 = PackedOf<short, 8>;
using I32x4 = PackedOf<int, 4>;
using I32x2 = PackedOf<int, 2>;
using I32x1 = int;
using F32x8 = PackedOf<float, 8>;
using I32x8 = PackedOf<int, 8>;

}  // namespace hipport::cpu

#define HIPPORT_WMMA(name, In, ...)                                                                             \
  inline hipport::cpu::F32x8 __builtin_amdgcn_wmma_##name(const hipport::cpu::In& a, const hipport::cpu::In& b, \
                                                          const hipport::cpu::F32x8& sums, HIPPORT_CALLER) {    \
    using namespace hipport::cpu;                                                                               \
    return wmma<__VA_ARGS__, float>("__builtin_amdgcn_wmma_" #name, HIPPORT_HERE, a, b, sums);                  \
  }
#define HIPPORT_WMMA_INTEGER(name, In, ...)                                                                           \
  inline hipport::cpu::I32x8 __builtin_amdgcn_wmma_##name(bool a_signed, const hipport::cpu::In& a, bool b_signed,    \
                                                          const hipport::cpu::In& b, const hipport::cpu::I32x8& sums, \
                                                          bool clamp, HIPPORT_CALLER) {                               \
    using namespace hipport::cpu;                                                                                     \
    return wmma<__VA_ARGS__, int>("__builtin_amdgcn_wmma_" #name, HIPPORT_HERE, a, b, sums, a_signed, b_signed,       \
                                  clamp);                                                                             \
  }

#if defined(HIPPORT_CPU_FLOAT16)
HIPPORT_WMMA(f32_16x16x16_f16_w32, F16x16, Wmma<OfHalf>)
HIPPORT_WMMA(f32_16x16x16_f16_w32_gfx12, F16x8, Wmma12<OfHalf, 16, 4>)
#endif
HIPPORT_WMMA(f32_16x16x16_bf16_w32, Bf16x16, Wmma<OfBfloat16>)
HIPPORT_WMMA(f32_16x16x16_bf16_w32_gfx12, Bf16x8, Wmma12<OfBfloat16, 16, 4>)
HIPPORT_WMMA_INTEGER(i32_16x16x16_iu8_w32, I32x4, Wmma<OfInteger<8>>)
HIPPORT_WMMA_INTEGER(i32_16x16x16_iu8_w32_gfx12, I32x2, Wmma12<OfInteger<8>, 16, 8>)
HIPPORT_WMMA_INTEGER(i32_16x16x16_iu4_w32, I32x2, Wmma<OfInteger<4>>)
HIPPORT_WMMA_INTEGER(i32_16x16x16_iu4_w32_gfx12, I32x1, Wmma12<OfInteger<4>, 16, 8>)
HIPPORT_WMMA_INTEGER(i32_16x16x32_iu4_w32_gfx12, I32x2, Wmma12<OfInteger<4>, 32, 16>)
#undef HIPPORT_WMMA
#undef HIPPORT_WMMA_INTEGER
