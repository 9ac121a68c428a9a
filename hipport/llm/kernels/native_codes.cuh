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

// Loads 1, 2 or a multiple of 4 words at once, which are aligned accordingly.
template <int Count>
__device__ inline void load_words(const uint8_t* from, uint32_t (&words)[Count]) {
  const GlobalBytes bytes = (GlobalBytes)from;
  if constexpr (Count == 1) {
    words[0] = read_bytes<uint32_t>(bytes);
  } else if constexpr (Count == 2) {
    const uint2 both = read_bytes<uint2>(bytes);
    words[0] = both.x, words[1] = both.y;
  } else {
#pragma unroll
    for (int i = 0; i < Count / 4; ++i) {
      const uint4 four = read_bytes<uint4>(bytes + i * 16);
      words[4 * i] = four.x, words[4 * i + 1] = four.y, words[4 * i + 2] = four.z, words[4 * i + 3] = four.w;
    }
  }
}

// The codes of eight columns, or of 32 from a multiple of 32 on, as they are stored. `Codes::decode` turns an eighth's
// words and upper bits into floats.
template <typename Codes, int Eighths>
struct StoredCodes {
  static constexpr int kWords = Codes::kBits / 4, kHigh = Codes::kHighBits;
  static constexpr bool kWide = Eighths == 4;
  static_assert(kWide || Eighths == 1, "an eighth or four");

  uint32_t low[Eighths * kWords];
  uint32_t high[kWide && kHigh > 0 ? kHigh : 1];

  // From eighth `eighth` of a row on.
  __device__ void load(const NativeMatrix& matrix, const NativeRow& row, int eighth) {
    load_words(row.template quarter<Codes::kBits>(matrix.codes, eighth / 4) + eighth % 4 * Codes::kBits, low);
    const uint8_t* upper = row.template quarter<kHigh>(matrix.high, eighth / 4) + eighth % 4 * kHigh;
    if constexpr (kHigh == 0)
      high[0] = 0;
    else if constexpr (kWide)
      load_words(upper, high);
    else
      high[0] = kHigh == 1 ? read_bytes<uint8_t>((GlobalBytes)upper) : read_bytes<uint16_t>((GlobalBytes)upper);
  }

  __device__ void decode(int eighth, float (&codes)[8]) const {
    const StoredCodes<Codes, 1> own = this->eighth(eighth);
    Codes::decode(own.low, own.high[0], codes);
  }

  __device__ StoredCodes<Codes, 1> eighth(int i) const {
    StoredCodes<Codes, 1> own;
#pragma unroll
    for (int j = 0; j < kWords; ++j) own.low[j] = low[i * kWords + j];
    own.high[0] = upper(i);
    return own;
  }

  // The upper bits of an eighth's codes, below any others.
  __device__ uint32_t upper(int eighth) const {
    const int bit = eighth * 8 * kHigh;
    return high[bit / 32] >> bit % 32;
  }
};

// q - Zero
template <int Zero>
struct FourBitCodes {
  static constexpr int kBits = 4, kHighBits = 0;

  __device__ static void decode(const uint32_t (&words)[1], uint32_t, float (&codes)[8]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<Zero>(words[0] >> 4 * i & 15u);
  }
};

// Entry q of a table of 16 signed bytes, four in each word.
template <uint32_t First, uint32_t Second, uint32_t Third, uint32_t Fourth>
struct TableCodes {
  static constexpr int kBits = 4, kHighBits = 0;

  __device__ static void decode(const uint32_t (&words)[1], uint32_t, float (&codes)[8]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = entry(words[0] >> 4 * i & 15u);
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

  __device__ static void decode(const uint32_t (&words)[1], uint32_t high, float (&codes)[8]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<Zero>((words[0] >> 4 * i & 15u) | (high >> i & 1u) << 4);
  }
};

// q - 32, with the upper two bits in the second plane.
struct SixBitCodes {
  static constexpr int kBits = 4, kHighBits = 2;

  __device__ static void decode(const uint32_t (&words)[1], uint32_t high, float (&codes)[8]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<32>((words[0] >> 4 * i & 15u) | (high >> 2 * i & 3u) << 4);
  }
};

// Signed bytes.
struct ByteCodes {
  static constexpr int kBits = 8, kHighBits = 0;

  __device__ static void decode(const uint32_t (&words)[2], uint32_t, float (&codes)[8]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) codes[i] = small_float<128>((words[i / 4] >> i % 4 * 8 & 255u) ^ 128u);
  }
};

// FP8 (E4M3 without infinities; there must be no NaN). With the exponent's bits where a half has its lowest, the half's
// value is too small by 2^8.
struct Fp8Codes {
  static constexpr int kBits = 8, kHighBits = 0;

  __device__ static void decode(const uint32_t (&words)[2], uint32_t, float (&codes)[8]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const uint32_t byte = words[i / 4] >> i % 4 * 8 & 255u;
      codes[i] = __low2float(as_half2((byte & 128u) << 8 | (byte & 127u) << 7)) * 256.0f;
    }
  }
};

// The type of the activations.
struct NumberCodes {
  static constexpr int kBits = 16, kHighBits = 0;

  __device__ static void decode(const uint32_t (&words)[4], uint32_t, float (&codes)[8]) {
    const Eight eight = {make_uint4(words[0], words[1], words[2], words[3])};
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
