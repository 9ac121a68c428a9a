// Number types: 16-bit activations (half or bfloat16) and 32-bit sums.
#ifndef HIPPORT_LLM_NUMERIC_CUH
#define HIPPORT_LLM_NUMERIC_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#if !defined(HIPPORT_LLM_BF16)
#define HIPPORT_LLM_BF16 0
#endif

namespace hipport_llm {

// Lanes that work together. Shuffles are given this width, so that a wavefront of 64 holds two groups.
constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ inline __half2 as_half2(uint32_t bits) { return *reinterpret_cast<const __half2*>(&bits); }

// Activations, and pairs of them: half precision, or with HIPPORT_LLM_BF16 bfloat16, the upper half of a float.
#if HIPPORT_LLM_BF16

// Both operands of a matrix multiplication, as PTX calls them.
#define HIPPORT_LLM_PTX_TYPE "bf16.bf16"

struct Number {
  uint16_t bits;
};
struct Pair {
  uint32_t bits;
};

__device__ inline Pair as_pair(uint32_t bits) { return {bits}; }
__device__ inline float float_of(Number x) { return __uint_as_float(static_cast<uint32_t>(x.bits) << 16); }
__device__ inline float2 floats_of(Pair x) {
  return make_float2(__uint_as_float(x.bits << 16), __uint_as_float(x.bits & 0xffff0000u));
}

// The nearest; of two the even one.
__device__ inline uint32_t rounded_bits(float x) {
  const uint32_t bits = __float_as_uint(x);
  return isnan(x) ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}
__device__ inline Pair pair_of(float x, float y) {
#if !defined(__HIP_PLATFORM_AMD__)
  Pair pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair.bits) : "f"(y), "f"(x));
  return pair;
#else
  return {rounded_bits(x) | rounded_bits(y) << 16};
#endif
}
__device__ inline Number number_of(float x) { return {static_cast<uint16_t>(pair_of(x, 0.0f).bits)}; }

__device__ inline Pair times(Pair a, Pair b) {
#if !defined(__HIP_PLATFORM_AMD__)
  Pair product;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(product.bits) : "r"(a.bits), "r"(b.bits), "r"(0x80008000u));
  return product;
#else
  const float2 x = floats_of(a), y = floats_of(b);
  return pair_of(x.x * y.x, x.y * y.y);
#endif
}
__device__ inline Pair lows_of(Pair a, Pair b) { return {(a.bits & 0xffffu) | b.bits << 16}; }
__device__ inline Pair highs_of(Pair a, Pair b) { return {a.bits >> 16 | (b.bits & 0xffff0000u)}; }
__device__ inline Pair pair_of_numbers(Number a, Number b) { return {a.bits | static_cast<uint32_t>(b.bits) << 16}; }

#else

#define HIPPORT_LLM_PTX_TYPE "f16.f16"

using Number = __half;
using Pair = __half2;

__device__ inline Pair as_pair(uint32_t bits) { return as_half2(bits); }
__device__ inline float float_of(Number x) { return __half2float(x); }
__device__ inline float2 floats_of(Pair x) { return __half22float2(x); }
__device__ inline Pair pair_of(float x, float y) { return __floats2half2_rn(x, y); }
__device__ inline Number number_of(float x) { return __float2half(x); }
__device__ inline Pair times(Pair a, Pair b) { return __hmul2(a, b); }
__device__ inline Pair lows_of(Pair a, Pair b) { return __lows2half2(a, b); }
__device__ inline Pair highs_of(Pair a, Pair b) { return __highs2half2(a, b); }
__device__ inline Pair pair_of_numbers(Number a, Number b) { return __halves2half2(a, b); }

#endif

// Eight activations, loaded and stored as 16 bytes.
struct Eight {
  uint4 bits;

  __device__ Pair pair(int i) const { return reinterpret_cast<const Pair*>(&bits)[i]; }
  __device__ void set(int i, Pair value) { reinterpret_cast<Pair*>(&bits)[i] = value; }
};

__device__ inline Eight load8(const Number* from) { return {*reinterpret_cast<const uint4*>(from)}; }
__device__ inline void store8(Number* to, const Eight& eight) { *reinterpret_cast<uint4*>(to) = eight.bits; }

// AMD GPUs that multiply pairs of halves faster by dot products than by converting them: those of CDNA convert each half
// by an instruction of its own. (RDNA 3 takes halves as operands of single products.)
#if defined(__gfx1030__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || \
    defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
#define HIPPORT_LLM_DOT2 1
#else
#define HIPPORT_LLM_DOT2 0
#endif

// sum + a.x * b.x + a.y * b.y with products and sums in float.
__device__ inline float dot2(float2 a, float2 b, float sum) { return fmaf(a.y, b.y, fmaf(a.x, b.x, sum)); }
__device__ inline float dot2(Pair a, Pair b, float sum) {
#if HIPPORT_LLM_DOT2 && !HIPPORT_LLM_BF16
  typedef _Float16 Halves __attribute__((ext_vector_type(2)));
  return __builtin_amdgcn_fdot2(__builtin_bit_cast(Halves, a), __builtin_bit_cast(Halves, b), sum, false);
#else
  return dot2(floats_of(a), floats_of(b), sum);
#endif
}

#if defined(__AMDGCN__)

// Orders of the lanes in which an instruction can read an operand (DPP), without the way through the LDS that shuffles
// take: neighbors and pairs of each four exchanged, and eight or sixteen lanes in reverse.
constexpr int kNeighbors = 0xb1, kPairs = 0x4e, kReversedEight = 0x141, kReversedSixteen = 0x140;

template <int Order>
__device__ inline float add_reordered(float value) {
  return value + __int_as_float(__builtin_amdgcn_update_dpp(0, __float_as_int(value), Order, 0xf, 0xf, true));
}

// The sum over `Width` neighboring lanes, in each of them. Lanes that are the reverse of each other have the same sums, so
// that each order halves what is different, as a shuffle over half the lanes does.
template <int Width>
__device__ inline float sum_lanes(float value) {
#pragma unroll
  for (int distance = Width / 2; distance > 8; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance, kLanes);
  if constexpr (Width >= 16) value = add_reordered<kReversedSixteen>(value);
  if constexpr (Width >= 8) value = add_reordered<kReversedEight>(value);
  if constexpr (Width >= 4) value = add_reordered<kPairs>(value);
  if constexpr (Width >= 2) value = add_reordered<kNeighbors>(value);
  return value;
}

#else

// The sum over `Width` neighboring lanes, in each of them.
template <int Width>
__device__ inline float sum_lanes(float value) {
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance, kLanes);
  return value;
}

#endif

// Larger floats have larger keys. NaN has the smallest.
__device__ inline unsigned key_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return isnan(x) ? 0u : bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// x * sigmoid(x)
__device__ inline float silu(float x) { return x / (1.0f + __expf(-x)); }

}  // namespace hipport_llm

#endif
