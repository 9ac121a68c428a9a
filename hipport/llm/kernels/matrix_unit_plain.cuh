// Products without a matrix unit: each lane multiplies its part of the rows with all 16 columns, then four lanes add
// up.
#ifndef HIPPORT_LLM_MATRIX_UNIT_PLAIN_CUH
#define HIPPORT_LLM_MATRIX_UNIT_PLAIN_CUH

#include "matrix_unit_lanes.cuh"

namespace hipport_llm {

struct PlainUnit {
  static constexpr int kLanes = 32;
  static constexpr int kRowTiles = 2, kColumnTiles = 1;
  static constexpr int kMediumRows = 2, kMediumColumns = 1;
  static constexpr int kTilesAtOnce = 1, kKeys = 32;
  static constexpr int kPairs = 4, kColumns = 4, kColumnDistance = 4;
  static constexpr bool kSpread = true;

  using Weights = LaneWeights;
  using Rows = LaneRows;

  // Columns stay in shared memory, because a lane needs all of them.
  struct Columns {
    Panels from = {nullptr, 0};
    int first = 0, eighth = 0;

    Columns() = default;
    __device__ Columns(const Panels& panels, int first, int block, int lane)
        : from(panels), first(first), eighth(4 * block ^ lane % 4) {}
  };

  using PanelRows = Rows;
  using PanelColumns = Columns;

  struct Sums {
    float low[16] = {}, high[16] = {};
  };
  struct Finished {
    float low[kPairs] = {}, high[kPairs] = {};
  };

  __device__ static int row(int lane, int) { return lane / 4; }
  __device__ static int column(int lane, int pair) { return lane % 4 * 4 + pair; }

  __device__ static void multiply_add(Sums& sums, const Rows& a, const Columns& b) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (i % kLoadsAtOnce == 0) keep_order();
      const Eight x = b.from.load(b.first + i, b.eighth);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sums.low[i] = dot2(a.low.pair(j), x.pair(j), sums.low[i]);
        sums.high[i] = dot2(a.high.pair(j), x.pair(j), sums.high[i]);
      }
    }
  }

  __device__ static Finished finish(const Sums& sums, int lane) {
    Finished finished;
    add_lanes(sums.low, finished.low, lane);
    add_lanes(sums.high, finished.high, lane);
    return finished;
  }

 private:
  static constexpr int kLoadsAtOnce = HIPPORT_LLM_BF16 ? 1 : 2;  // as registers allow

  // The sums of four lanes: lane t gets columns 4t .. 4t + 3.
  __device__ static void add_lanes(const float (&from)[16], float (&to)[4], int lane) {
    const bool right = (lane & 2) != 0, odd = (lane & 1) != 0;
    float half[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) half[i] = exchange(from[i], from[i + 8], right, 2);
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = exchange(half[i], half[i + 4], odd, 1);
  }

  // Adds one of two sums of this lane to that of the lane at `distance`, which gets the other.
  __device__ static float exchange(float first, float second, bool takes_second, int distance) {
    const float other = __shfl_xor_sync(kAllLanes, takes_second ? first : second, distance, kLanes);
    return (takes_second ? second : first) + other;
  }
};

}  // namespace hipport_llm

#endif
