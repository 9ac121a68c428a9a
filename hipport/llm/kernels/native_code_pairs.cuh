// Codes of the formats of model files as pairs that need no subtraction: sums of their products are corrected by the sums of
// the vector (native_vector.cuh).
#ifndef HIPPORT_LLM_NATIVE_CODE_PAIRS_CUH
#define HIPPORT_LLM_NATIVE_CODE_PAIRS_CUH

#include "native_pairs.cuh"

namespace hipport_llm {

// What pairs hold instead of their codes: code * unit + bias.
struct PairForm {
  float bias, unit;
};

// The pairs of eight codes: of codes i and i + 4 each. Even pairs have one form, odd ones another or the same.
template <typename Codes>
struct UnitPairs {
  static constexpr PairForm kEven = {0.0f, 1.0f}, kOdd = {0.0f, 1.0f};

  __device__ static void decode(const StoredCodes<Codes, 1>& stored, Pair (&pairs)[4]) {
#if HIPPORT_LLM_BF16
    float codes[8];
    stored.decode(0, codes);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = pair_of(codes[i], codes[i + 4]);
#else
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = CodePairs<Codes>::at(stored.low, stored.high[0], i);
#endif
  }
};

// Codes of 4 to 6 bits in the fraction of 1024 or, with bfloat16, of 128. In that of 1024, odd pairs stay where they are in
// a word, in sixteens.
template <int Zero>
struct SmallUnitPairs {
#if HIPPORT_LLM_BF16
  static constexpr bool kSixteens = false;
  static constexpr uint32_t kBase = 0x43004300u;
  static constexpr PairForm kEven = {128.0f + Zero, 1.0f}, kOdd = kEven;
#else
  static constexpr bool kSixteens = true;
  static constexpr uint32_t kBase = 0x64006400u;
  static constexpr PairForm kEven = {1024.0f + Zero, 1.0f}, kOdd = {1024.0f + 16 * Zero, 16.0f};
#endif

  // `Upper` is the place of the bits above the lower four; `upper` has those of all pairs, pair i's `i * Bits` further up.
  template <uint32_t Upper, int Bits>
  __device__ static void decode(uint32_t word, uint32_t upper, Pair (&pairs)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool sixteens = kSixteens && i % 2 == 1;
      pairs[i] =
          sixteens ? above<0x000f000fu << 4, kBase>(word >> 4 * (i - 1)) : above<0x000f000fu, kBase>(word >> 4 * i);
      if constexpr (Upper == 0) continue;
      const int down = i * Bits - (sixteens ? 4 : 0);
      const uint32_t moved = down >= 0 ? upper >> down : upper << -down;
      pairs[i] = as_pair(bits_of(pairs[i]) | (moved & (sixteens ? Upper << 4 : Upper)));
    }
  }

 private:
  __device__ static uint32_t bits_of(Pair pair) { return *reinterpret_cast<const uint32_t*>(&pair); }
};

template <int Zero>
struct UnitPairs<FourBitCodes<Zero>> : SmallUnitPairs<Zero> {
  __device__ static void decode(const StoredCodes<FourBitCodes<Zero>, 1>& stored, Pair (&pairs)[4]) {
    SmallUnitPairs<Zero>::template decode<0, 0>(stored.low[0], 0, pairs);
  }
};

template <int Zero>
struct UnitPairs<FiveBitCodes<Zero>> : SmallUnitPairs<Zero> {
  __device__ static void decode(const StoredCodes<FiveBitCodes<Zero>, 1>& stored, Pair (&pairs)[4]) {
    const uint32_t high = stored.high[0], upper = (high & 15u) << 4 | (high & 240u) << 16;
    SmallUnitPairs<Zero>::template decode<0x00100010u, 1>(stored.low[0], upper, pairs);
  }
};

template <>
struct UnitPairs<SixBitCodes> : SmallUnitPairs<32> {
  __device__ static void decode(const StoredCodes<SixBitCodes, 1>& stored, Pair (&pairs)[4]) {
    const uint32_t high = stored.high[0], upper = (high & 255u) << 4 | (high & 0xff00u) << 12;
    SmallUnitPairs<32>::decode<0x00300030u, 2>(stored.low[0], upper, pairs);
  }
};

#if !HIPPORT_LLM_BF16

template <>
struct UnitPairs<ByteCodes> {
  static constexpr PairForm kEven = {1024.0f + 128, 1.0f}, kOdd = kEven;

  __device__ static void decode(const StoredCodes<ByteCodes, 1>& stored, Pair (&pairs)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      pairs[i] = as_pair((byte_pair(stored.low[0], stored.low[1], i) & 0x00ff00ffu) ^ 0x64806480u);
  }
};

#endif

}  // namespace hipport_llm

#endif
