// Matrices with 4-bit weights, packed into tiles in the order in which lanes of a warp use them.
//
// A tile is 16 rows of 64 weights: 512 bytes of weights, then 64 bytes of scales. Weights are (q - 8) * scale, one
// scale for 32 weights of a row. Lane 4g + t has 16 bytes: words 0 and 1 belong to weights 0..31 of rows g and g + 8,
// words 2 and 3 to weights 32..63. Word j holds weights w = 32 (j / 2) + 8 t + 4 (j % 2) + 0..3, as
//   bits  0.. 3  row g     w + 0      bits 16..19  row g     w + 1
//   bits  4.. 7  row g + 8 w + 0      bits 20..23  row g + 8 w + 1
//   bits  8..11  row g     w + 2      bits 24..27  row g     w + 3
//   bits 12..15  row g + 8 w + 2      bits 28..31  row g + 8 w + 3
// so that masks and one shift give pairs of half precision numbers, which are the A fragment of an m16n8k16 matrix
// multiplication. The scales are [g][row g of 0..31, of 32..63, row g + 8 of 0..31, of 32..63].
//
// A matrix is its tiles, row of tiles after row of tiles.
#ifndef HIPPORT_LLM_TILES_CUH
#define HIPPORT_LLM_TILES_CUH

#include "numeric.cuh"

namespace hipport_llm {

constexpr int kTileRows = 16;
constexpr int kTileColumns = 64;
constexpr int kTileWeightBytes = 512;
constexpr int kTileBytes = kTileWeightBytes + 64;

// Pairs of weights: row g and row g + 8, twice.
struct Fragment {
  __half2 low[2];   // of row g
  __half2 high[2];  // of row g + 8
};

// (word & Mask) | 0x64006400, in one instruction where there is one. 0x6400 is 1024 in half precision; the lowest bits
// of its fraction count ones, those four higher count sixteens.
template <uint32_t Mask>
__device__ inline __half2 above_1024(uint32_t word) {
#if !defined(__HIP_PLATFORM_AMD__)
  uint32_t bits;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(bits) : "r"(word), "n"(Mask), "r"(0x64006400u));
  return as_half2(bits);
#else
  return as_half2((word & Mask) | 0x64006400u);
#endif
}

// Weights but for the scale: q - 8. (To leave the 1024 in and to take it from the sums instead saves instructions here
// and costs them where the vectors come in: no faster on an H200.)
__device__ inline Fragment unpack(uint32_t word) {
  const __half2 centre = as_half2(0x64086408u), sixteenth = as_half2(0x2c002c00u), shift = as_half2(0xd480d480u);
  const uint32_t next = word >> 8;
  Fragment pairs;
  pairs.low[0] = __hsub2(above_1024<0x000f000fu>(word), centre);
  pairs.high[0] = __hfma2(above_1024<0x00f000f0u>(word), sixteenth, shift);
  pairs.low[1] = __hsub2(above_1024<0x000f000fu>(next), centre);
  pairs.high[1] = __hfma2(above_1024<0x00f000f0u>(next), sixteenth, shift);
  return pairs;
}

// The four scales that a lane needs: row g and row g + 8 for the first and the second 32 weights.
struct Scales {
  float low[2], high[2];
};

__device__ inline Scales load_scales(const uint8_t* tile, int lane) {
  const uint2 bits = *reinterpret_cast<const uint2*>(tile + kTileWeightBytes + (lane / 4) * 8);
  const float2 low = __half22float2(as_half2(bits.x)), high = __half22float2(as_half2(bits.y));
  return {{low.x, low.y}, {high.x, high.y}};
}

}  // namespace hipport_llm

#endif
