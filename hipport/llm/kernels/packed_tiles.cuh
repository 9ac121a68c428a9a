// Matrices packed into tiles, in the order in which the lanes of a warp use them: the formats of weights.
//
// A tile is 16 rows of some blocks of 32 weights. Lane 4g + t has the weights 8t .. 8t + 7 of rows g and g + 8 of
// each block: two A fragments of an m16n8k16 matrix multiplication. A matrix is stored tile by tile, one row of
// tiles after the other.
//
// A format defines the size of a tile (kTileColumns, kTileBytes) and the tiles of a stage (weight_stream.cuh), about
// 4 KB; how many blocks share a scale (kGroupBlocks), if there are scales; and what a lane loads of a tile (Lane).
#ifndef HIPPORT_LLM_PACKED_TILES_CUH
#define HIPPORT_LLM_PACKED_TILES_CUH

#include "global_bytes.cuh"
#include "numeric.cuh"

namespace hipport_llm {

constexpr int kTileRows = 16;
constexpr int kBlockColumns = 32;

// Pairs of weights: row g and row g + 8, twice.
struct Fragment {
  Pair low[2];   // of row g
  Pair high[2];  // of row g + 8
};

// Converts 4-bit numbers to activations by inserting them into the fraction of `Bias`: (word & Mask) | Bias, in one
// instruction if the target has one.
template <uint32_t Mask, uint32_t Bias>
__device__ inline Pair above(uint32_t word) {
#if !defined(__HIP_PLATFORM_AMD__)
  uint32_t bits;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(bits) : "r"(word), "n"(Mask), "r"(Bias));
  return as_pair(bits);
#elif defined(__GFX9__)
  // Of two constants one has to be in a vector register, which the compiler avoids by two instructions.
  uint32_t bits;
  asm("v_and_or_b32 %0, %1, %2, %3" : "=v"(bits) : "v"(word), "s"(Mask), "v"(Bias));
  return as_pair(bits);
#else
  return as_pair((word & Mask) | Bias);
#endif
}

#if HIPPORT_LLM_BF16

// Returns q - 8 for the lowest 4 bits of each half of a word. 0x4300 is 128, whose fraction has 7 bits.
__device__ inline Pair centered(uint32_t word) {
  const Pair biased = above<0x000f000fu, 0x43004300u>(word);
#if !defined(__HIP_PLATFORM_AMD__)
  Pair pair;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(pair.bits) : "r"(biased.bits), "r"(0x3f803f80u), "r"(0xc308c308u));
  return pair;
#else
  const float2 floats = floats_of(biased);
  return as_pair(__float_as_uint(floats.x - 136.0f) >> 16 | __float_as_uint(floats.y - 136.0f));
#endif
}

// A scale, twice.
__device__ inline Pair pair_of_scale(__half2 scale) { return pair_of(__low2float(scale), __high2float(scale)); }

// Weights, not yet scaled.
__device__ inline Fragment unpack(uint32_t word) {
  return {{centered(word), centered(word >> 8)}, {centered(word >> 4), centered(word >> 12)}};
}

#else

// Returns q - 8 for the lowest 4 bits of each half of a word. 0x6400 is 1024.
__device__ inline Pair centered(uint32_t word) {
  return __hsub2(above<0x000f000fu, 0x64006400u>(word), as_pair(0x64086408u));
}

// A scale, twice.
__device__ inline Pair pair_of_scale(__half2 scale) { return scale; }

// Weights, not yet scaled. In the fraction of 1024 the lowest bits count ones, those four higher count sixteens.
// (Subtracting the 1024 from the sums instead saves instructions here, but needs more where the vectors are loaded: no
// faster on an H200.)
__device__ inline Fragment unpack(uint32_t word) {
  const Pair sixteenth = as_pair(0x2c002c00u), shift = as_pair(0xd480d480u);
  const uint32_t next = word >> 8;
  Fragment pairs;
  pairs.low[0] = centered(word);
  pairs.high[0] = __hfma2(above<0x00f000f0u, 0x64006400u>(word), sixteenth, shift);
  pairs.low[1] = centered(next);
  pairs.high[1] = __hfma2(above<0x00f000f0u, 0x64006400u>(next), sixteenth, shift);
  return pairs;
}

#endif

// 4-bit weights (q - 8) * scale, `Group` weights of a row with one scale in half precision.
//
// A tile is pieces of 64 columns, then its scales. A piece is 512 bytes. A lane has 16 of them: words 0 and 1 are the
// weights of its first block, words 2 and 3 those of its second. A word holds four weights w + 0..3, as
//   bits  0.. 3  row g     w + 0      bits 16..19  row g     w + 1
//   bits  4.. 7  row g + 8 w + 0      bits 20..23  row g + 8 w + 1
//   bits  8..11  row g     w + 2      bits 24..27  row g     w + 3
//   bits 12..15  row g + 8 w + 2      bits 28..31  row g + 8 w + 3
// so that masks and one shift yield pairs of half-precision numbers. The scales are [g][row g, row g + 8][group].
template <int Group>
struct Q4 {
  static constexpr int kTileColumns = Group < 64 ? 64 : Group;
  static constexpr int kStageTiles = 512 / kTileColumns;
  static constexpr int kBlocks = kTileColumns / kBlockColumns;
  static constexpr int kGroups = kTileColumns / Group;
  static constexpr int kGroupBlocks = kBlocks / kGroups;
  static constexpr bool kScaled = true;
  static constexpr int kWeightBytes = kTileRows * kTileColumns / 2;
  static constexpr int kTileBytes = kWeightBytes + kTileRows * kGroups * 2;

  class Lane {
   public:
    Lane() = default;
    // `Bytes`: const uint8_t* or GlobalBytes.
    template <typename Bytes>
    __device__ Lane(Bytes tile, int lane) {
#pragma unroll
      for (int i = 0; i < kBlocks / 2; ++i) pieces_[i] = read_bytes<uint4>(tile + i * 512 + lane * 16);
      const Bytes scales = tile + kWeightBytes + lane / 4 * kGroups * 4;
      if constexpr (kGroups == 2)
        scales_ = read_bytes<uint2>(scales);
      else
        scales_ = make_uint2(read_bytes<uint32_t>(scales), 0);
    }

    // The weights of a block, not yet scaled: 0..3 and 4..7 of the lane.
    __device__ Fragment first(int block) const {
      return unpack(block % 2 == 0 ? pieces_[block / 2].x : pieces_[block / 2].z);
    }
    __device__ Fragment second(int block) const {
      return unpack(block % 2 == 0 ? pieces_[block / 2].y : pieces_[block / 2].w);
    }
    // The scales of rows g and g + 8.
    __device__ float2 scales(int group) const {
      return make_float2(__low2float(scale(group, 0)), __low2float(scale(group, 1)));
    }
    // The scale of row g, or with `high` 1 of row g + 8, twice.
    __device__ Pair scale_pair(int group, int high) const { return pair_of_scale(scale(group, high)); }

   private:
    __device__ __half2 scale(int group, int high) const {
      const __half2 both = as_half2(kGroups == 2 && high == 1 ? scales_.y : scales_.x);
      return (kGroups == 2 ? group : high) == 0 ? __low2half2(both) : __high2half2(both);
    }

    uint4 pieces_[kBlocks / 2];
    uint2 scales_;  // two groups: of row g and of row g + 8; one group: of both rows
  };

  // The scaled weights 8t .. 8t + 7 of a row of a block.
  __device__ static Eight row(const uint8_t* tile, int row, int t, int block) {
    const int piece = block / 2 * 512 + (row % 8 * 4 + t) * 16 + block % 2 * 8;
    const uint2 words = *reinterpret_cast<const uint2*>(tile + piece);
    const __half* scales = reinterpret_cast<const __half*>(tile + kWeightBytes) + (row % 8 * 2 + row / 8) * kGroups;
    const Pair scale = pair_of_scale(__half2half2(scales[block / kGroupBlocks]));
    Eight eight;
    set_pairs(eight, 0, words.x >> row / 8 * 4, scale);
    set_pairs(eight, 2, words.y >> row / 8 * 4, scale);
    return eight;
  }

 private:
  __device__ static void set_pairs(Eight& eight, int i, uint32_t word, Pair scale) {
    eight.set(i, times(centered(word), scale));
    eight.set(i + 1, times(centered(word >> 8), scale));
  }
};

// Weights in 16 bits. A block is 1024 bytes: a lane has 16 of row g in the first half, 16 of row g + 8 in the second.
struct SixteenBits {
  static constexpr int kTileColumns = 64;
  static constexpr int kStageTiles = 2;
  static constexpr int kBlocks = kTileColumns / kBlockColumns;
  static constexpr int kGroups = 1;
  static constexpr int kGroupBlocks = kBlocks;
  static constexpr bool kScaled = false;
  static constexpr int kTileBytes = kTileRows * kTileColumns * 2;

  class Lane {
   public:
    Lane() = default;
    template <typename Bytes>
    __device__ Lane(Bytes tile, int lane) {
#pragma unroll
      for (int i = 0; i < 2 * kBlocks; ++i) rows_[i] = read_bytes<uint4>(tile + i * 512 + lane * 16);
    }

    __device__ Fragment first(int block) const {
      const uint4 low = rows_[2 * block], high = rows_[2 * block + 1];
      return {{as_pair(low.x), as_pair(low.y)}, {as_pair(high.x), as_pair(high.y)}};
    }
    __device__ Fragment second(int block) const {
      const uint4 low = rows_[2 * block], high = rows_[2 * block + 1];
      return {{as_pair(low.z), as_pair(low.w)}, {as_pair(high.z), as_pair(high.w)}};
    }
    __device__ float2 scales(int) const { return make_float2(1.0f, 1.0f); }
    __device__ Pair scale_pair(int, int) const { return pair_of(1.0f, 1.0f); }

   private:
    uint4 rows_[2 * kBlocks];
  };

  __device__ static Eight row(const uint8_t* tile, int row, int t, int block) {
    return {*reinterpret_cast<const uint4*>(tile + block * 1024 + row / 8 * 512 + (row % 8 * 4 + t) * 16)};
  }
};

// The format of this build: the size of groups of 4-bit weights, or 0 for 16 bits.
#if !defined(HIPPORT_LLM_GROUP)
#define HIPPORT_LLM_GROUP 32
#endif
#if HIPPORT_LLM_GROUP == 0
using Format = SixteenBits;
#else
using Format = Q4<HIPPORT_LLM_GROUP>;
#endif
constexpr int kTileColumns = Format::kTileColumns;
constexpr int kTileBytes = Format::kTileBytes;

}  // namespace hipport_llm

#endif
