// What the NVIDIA unit and the plain unit share: 32 lanes, of which lane 4g + t has columns 8t .. 8t + 7 of rows g
// and g + 8. This is the order in which weights are packed.
#ifndef HIPPORT_LLM_MATRIX_UNIT_LANES_CUH
#define HIPPORT_LLM_MATRIX_UNIT_LANES_CUH

#include "packed_tiles.cuh"
#include "swizzled_panels.cuh"

namespace hipport_llm {

// 16 rows of 32 columns.
struct LaneRows {
  Eight low, high;  // of row g, of row g + 8

  LaneRows() = default;
  __device__ LaneRows(const Panels& from, int first, int block, int lane)
      : low(from.load(first + lane / 4, 4 * block ^ lane % 4)),
        high(from.load(first + lane / 4 + 8, 4 * block ^ lane % 4)) {}

  static constexpr int kHeld = 2;
  __device__ static int held_row(int lane, int i) { return lane / 4 + 8 * i; }
  __device__ static int held_eighth(int lane, int) { return lane % 4; }
  __device__ static LaneRows of(const Eight (&eighths)[kHeld]) {
    LaneRows rows;
    rows.low = eighths[0];
    rows.high = eighths[1];
    return rows;
  }
};

#if defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BF16

// A tile of weights, read when needed: bfloat16 is converted to float before multiplying, which takes the registers.
class LaneWeights {
 public:
  LaneWeights() = default;
  __device__ LaneWeights(const uint8_t* tile, int lane) : tile_(tile), lane_(lane) {}

  __device__ LaneRows block(int block) const {
    LaneRows rows;
    rows.low = Format::row(tile_, lane_ / 4, lane_ % 4, block);
    rows.high = Format::row(tile_, lane_ / 4 + 8, lane_ % 4, block);
    return rows;
  }

 private:
  const uint8_t* tile_;
  int lane_;
};

#else

// A tile of weights.
class LaneWeights {
 public:
  LaneWeights() = default;
  __device__ LaneWeights(const uint8_t* tile, int lane) : weights_(tile, lane) {}

  __device__ LaneRows block(int block) const {
    const Fragment first = weights_.first(block), second = weights_.second(block);
    LaneRows rows;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      rows.low.set(i, scaled(first.low[i], block, 0));
      rows.low.set(i + 2, scaled(second.low[i], block, 0));
      rows.high.set(i, scaled(first.high[i], block, 1));
      rows.high.set(i + 2, scaled(second.high[i], block, 1));
    }
    return rows;
  }

 private:
  __device__ Pair scaled(Pair weights, int block, int high) const {
    if constexpr (Format::kScaled)
      return times(weights, weights_.scale_pair(block / Format::kGroupBlocks, high));
    else
      return weights;
  }

  Format::Lane weights_;
};

#endif

}  // namespace hipport_llm

#endif
