// The numbers that weights are stored as in the formats of model files: eight neighboring ones of a row at a time, as
// floats.
//
// A plane holds the codes of all rows, [row][column]: 4, 8 or 16 bits each, the first column in the lowest bits. Codes of
// 5 and 6 bits have their higher bits in a second plane.
#ifndef HIPPORT_LLM_NATIVE_CODES_CUH
#define HIPPORT_LLM_NATIVE_CODES_CUH

#include "native_matrix.h"

namespace hipport_llm {

// Converts small integers to float without the conversion instruction, which runs at a fraction of the speed of others:
// `bits` in the fraction of 2^23, less 2^23 and `Zero`.
template <int Zero>
__device__ inline float small_float(uint32_t bits) {
  return __uint_as_float(bits | 0x4b000000u) - (8388608.0f + Zero);
}

template <typename T>
__device__ inline T load_eighth(const uint8_t* plane, int64_t eighth) {
  return reinterpret_cast<const T*>(plane)[eighth];
}

// q - Zero
template <int Zero>
struct FourBitCodes {
  static constexpr int kBits = 4, kHighBits = 0;

  __device__ static void load(const NativeMatrix& matrix, int64_t eighth, float (&codes)[8]) {
    const uint32_t word = load_eighth<uint32_t>(matrix.codes, eighth);
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<Zero>(word >> 4 * i & 15u);
  }
};

// Entry q of a table of 16 signed bytes, four in each word.
template <uint32_t First, uint32_t Second, uint32_t Third, uint32_t Fourth>
struct TableCodes {
  static constexpr int kBits = 4, kHighBits = 0;

  __device__ static void load(const NativeMatrix& matrix, int64_t eighth, float (&codes)[8]) {
    const uint32_t word = load_eighth<uint32_t>(matrix.codes, eighth);
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = entry(word >> 4 * i & 15u);
  }

 private:
  __device__ static float entry(uint32_t q) {
    const uint32_t low = q & 4u ? Second : First, high = q & 4u ? Fourth : Third;
    return small_float<128>(((q & 8u ? high : low) >> (q & 3u) * 8 & 255u) ^ 128u);
  }
};

// The tables of llama.cpp's IQ4_NL and IQ4_XS, and twice the values of FP4 (E2M1).
using NonlinearCodes = TableCodes<0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u>;
using Fp4Codes = TableCodes<0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu>;

// q - Zero, with the fifth bits in the second plane.
template <int Zero>
struct FiveBitCodes {
  static constexpr int kBits = 4, kHighBits = 1;

  __device__ static void load(const NativeMatrix& matrix, int64_t eighth, float (&codes)[8]) {
    const uint32_t word = load_eighth<uint32_t>(matrix.codes, eighth), high = load_eighth<uint8_t>(matrix.high, eighth);
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<Zero>((word >> 4 * i & 15u) | (high >> i & 1u) << 4);
  }
};

// q - 32, with the upper two bits in the second plane.
struct SixBitCodes {
  static constexpr int kBits = 4, kHighBits = 2;

  __device__ static void load(const NativeMatrix& matrix, int64_t eighth, float (&codes)[8]) {
    const uint32_t word = load_eighth<uint32_t>(matrix.codes, eighth),
                   high = load_eighth<uint16_t>(matrix.high, eighth);
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<32>((word >> 4 * i & 15u) | (high >> 2 * i & 3u) << 4);
  }
};

// Signed bytes.
struct ByteCodes {
  static constexpr int kBits = 8, kHighBits = 0;

  __device__ static void load(const NativeMatrix& matrix, int64_t eighth, float (&codes)[8]) {
    const uint2 words = load_eighth<uint2>(matrix.codes, eighth);
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<128>(((i < 4 ? words.x : words.y) >> i % 4 * 8 & 255u) ^ 128u);
  }
};

// FP8 (E4M3 without infinities; there must be no NaN). With the exponent's bits where a half has its lowest, the half's
// value is too small by 2^8.
struct Fp8Codes {
  static constexpr int kBits = 8, kHighBits = 0;

  __device__ static void load(const NativeMatrix& matrix, int64_t eighth, float (&codes)[8]) {
    const uint2 words = load_eighth<uint2>(matrix.codes, eighth);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const uint32_t byte = (i < 4 ? words.x : words.y) >> i % 4 * 8 & 255u;
      codes[i] = __low2float(as_half2((byte & 128u) << 8 | (byte & 127u) << 7)) * 256.0f;
    }
  }
};

// The type of the activations.
struct NumberCodes {
  static constexpr int kBits = 16, kHighBits = 0;

  __device__ static void load(const NativeMatrix& matrix, int64_t eighth, float (&codes)[8]) {
    const Eight eight = load8(reinterpret_cast<const Number*>(matrix.codes) + eighth * 8);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = floats_of(eight.pair(i));
      codes[2 * i] = pair.x;
      codes[2 * i + 1] = pair.y;
    }
  }
};

}  // namespace hipport_llm

#endif
