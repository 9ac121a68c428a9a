// Weights in the formats of model files as pairs of activations' type, for matrix units: of eight neighboring ones, pair
// i is the numbers i and i + 4, since masks take those out of a word together.
#ifndef HIPPORT_LLM_NATIVE_PAIRS_CUH
#define HIPPORT_LLM_NATIVE_PAIRS_CUH

#include "column_orders.cuh"
#include "native_formats.cuh"
#include "packed_tiles.cuh"

namespace hipport_llm {

#if HIPPORT_LLM_BF16

// What the codes of a group are multiplied with, and what is added.
struct PairScale {
  NativeScale own;

  PairScale() = default;
  __device__ PairScale(const NativeScale& own, float) : own(own) {}
};

template <typename Format>
__device__ __forceinline__ Eight native_pairs(const StoredCodes<typename Format::Codes, 4>& stored, int eighth,
                                              const PairScale& scale) {
  float weights[8];
  stored.decode(eighth, weights);
  Eight eight;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    weights[i] = Format::Scales::kMinimums ? fmaf(scale.own.scale, weights[i], -scale.own.minimum)
                                           : scale.own.scale * weights[i];
#pragma unroll
  for (int i = 0; i < 4; ++i) eight.set(i, pair_of(weights[i], weights[i + 4]));
  return eight;
}

#else

// Small integers in the fraction of 1024, as pairs, less 1024 and `Zero`: exact.
template <int Zero, uint32_t Mask>
__device__ inline Pair small_pair(uint32_t bits) {
  constexpr uint32_t less = 0x6400u + Zero;
  return __hsub2(above<Mask, 0x64006400u>(bits), as_pair(less | less << 16));
}

// Byte i of both words, as the lower bytes of halves; the upper ones are any.
__device__ inline uint32_t byte_pair(uint32_t first, uint32_t second, int i) {
  return __byte_perm(first, second, i | (4 + i) << 8);
}

// The codes of eight columns, exact, but for Fp8Codes, whose codes are 2^8 larger. `high` is their upper bits.
template <typename Codes>
struct CodePairs;

template <int Zero>
struct CodePairs<FourBitCodes<Zero>> {
  static constexpr float kUnit = 1.0f;
  __device__ static Pair at(const uint32_t (&words)[1], uint32_t, int i) {
    return small_pair<Zero, 0x000f000fu>(words[0] >> 4 * i);
  }
};

template <int Zero>
struct CodePairs<FiveBitCodes<Zero>> {
  static constexpr float kUnit = 1.0f;
  __device__ static Pair at(const uint32_t (&words)[1], uint32_t high, int i) {
    const uint32_t fifths = (high & 15u) << 4 | (high & 240u) << 16;
    return small_pair<Zero, 0x001f001fu>((words[0] >> 4 * i & 0x000f000fu) | (fifths >> i & 0x00100010u));
  }
};

template <>
struct CodePairs<SixBitCodes> {
  static constexpr float kUnit = 1.0f;
  __device__ static Pair at(const uint32_t (&words)[1], uint32_t high, int i) {
    const uint32_t upper = (high & 255u) << 4 | (high & 0xff00u) << 12;
    return small_pair<32, 0x003f003fu>((words[0] >> 4 * i & 0x000f000fu) | (upper >> 2 * i & 0x00300030u));
  }
};

template <>
struct CodePairs<ByteCodes> {
  static constexpr float kUnit = 1.0f;
  __device__ static Pair at(const uint32_t (&words)[2], uint32_t, int i) {
    return small_pair<128, 0x00ff00ffu>(byte_pair(words[0], words[1], i) ^ 0x00800080u);
  }
};

#if !defined(__HIP_PLATFORM_AMD__)
template <uint32_t First, uint32_t Second, uint32_t Third, uint32_t Fourth>
struct CodePairs<TableCodes<First, Second, Third, Fourth>> {
  static constexpr float kUnit = 1.0f;
  __device__ static Pair at(const uint32_t (&words)[1], uint32_t, int i) {
    return small_pair<128, 0x00ff00ffu>(byte_pair(entries(words[0]), entries(words[0] >> 16), i) ^ 0x00800080u);
  }

 private:
  // The entries for four codes, the lowest 16 bits.
  __device__ static uint32_t entries(uint32_t codes) {
    const uint32_t places = codes & 0x7777u, upper = __byte_perm(0x0000ff00u, 0u, codes >> 3 & 0x1111u);
    return (__byte_perm(First, Second, places) & ~upper) | (__byte_perm(Third, Fourth, places) & upper);
  }
};

#else

// Bytes of `low` (0 to 3) and `high` (4 to 7) by the four bytes of `places`. HIP computes __byte_perm in memory if its
// selectors are no constants.
__device__ inline uint32_t bytes_at(uint32_t low, uint32_t high, uint32_t places) {
#if defined(__AMDGCN__)
  return __builtin_amdgcn_perm(high, low, places);
#else
  return __byte_perm(low, high,
                     (places & 7u) | (places >> 4 & 0x70u) | (places >> 8 & 0x700u) | (places >> 12 & 0x7000u));
#endif
}

template <uint32_t First, uint32_t Second, uint32_t Third, uint32_t Fourth>
struct CodePairs<TableCodes<First, Second, Third, Fourth>> {
  static constexpr float kUnit = 1.0f;
  __device__ static Pair at(const uint32_t (&words)[1], uint32_t, int i) {
    return small_pair<128, 0x00ff00ffu>(entries(words[0] >> i % 2 * 4) >> i / 2 * 8 ^ 0x00800080u);
  }

 private:
  // The entries for every other code, the lower four bits of each byte.
  __device__ static uint32_t entries(uint32_t codes) {
    const uint32_t places = codes & 0x07070707u, upper = (codes >> 3 & 0x01010101u) * 255u;
    return (bytes_at(First, Second, places) & ~upper) | (bytes_at(Third, Fourth, places) & upper);
  }
};

#endif

template <>
struct CodePairs<Fp8Codes> {
  static constexpr float kUnit = 256.0f;
  __device__ static Pair at(const uint32_t (&words)[2], uint32_t, int i) {
    const uint32_t bytes = byte_pair(words[0], words[1], i);
    return as_pair((bytes & 0x00800080u) << 8 | (bytes & 0x007f007fu) << 7);
  }
};

template <>
struct CodePairs<NumberCodes> {
  static constexpr float kUnit = 1.0f;
  __device__ static Pair at(const uint32_t (&words)[4], uint32_t, int i) {
    const Pair low = as_pair(words[i / 2]), high = as_pair(words[i / 2 + 2]);
    return i % 2 == 0 ? lows_of(low, high) : highs_of(low, high);
  }
};

struct PairScale {
  Pair scale, minimum;

  PairScale() = default;
  __device__ PairScale(const NativeScale& own, float unit)
      : scale(pair_of(own.scale * unit, own.scale * unit)), minimum(pair_of(-own.minimum, -own.minimum)) {}
};

// Rounded twice: the scale, and the weight.
template <typename Format>
__device__ __forceinline__ Eight native_pairs(const StoredCodes<typename Format::Codes, 4>& stored, int eighth,
                                              const PairScale& scale) {
  const StoredCodes<typename Format::Codes, 1> own = stored.eighth(eighth);
  Eight eight;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Pair codes = CodePairs<typename Format::Codes>::at(own.low, own.high[0], i);
    if constexpr (Format::Scales::kScaleBytes == 0)
      eight.set(i, codes);
    else if constexpr (Format::Scales::kMinimums)
      eight.set(i, __hfma2(codes, scale.scale, scale.minimum));
    else
      eight.set(i, times(codes, scale.scale));
  }
  return eight;
}

#endif

template <typename Format>
__device__ constexpr float pair_unit() {
#if HIPPORT_LLM_BF16
  return 1.0f;
#else
  return CodePairs<typename Format::Codes>::kUnit;
#endif
}

}  // namespace hipport_llm

#endif
