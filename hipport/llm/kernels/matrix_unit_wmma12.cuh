// The matrix unit of RDNA 4 (WMMA), with wavefronts of 32: operands are spread over all lanes.
#ifndef HIPPORT_LLM_MATRIX_UNIT_WMMA12_CUH
#define HIPPORT_LLM_MATRIX_UNIT_WMMA12_CUH

#include "packed_tiles.cuh"
#include "swizzled_panels.cuh"

namespace hipport_llm {

typedef float Wmma12Sums __attribute__((vector_size(32)));

// sums + a * b, 16 deep.
#if HIPPORT_LLM_BF16
typedef short Wmma12Numbers __attribute__((vector_size(16)));
__device__ inline Wmma12Sums wmma12(const Wmma12Numbers& a, const Wmma12Numbers& b, const Wmma12Sums& sums) {
  return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, sums);
}
#else
typedef _Float16 Wmma12Numbers __attribute__((vector_size(16)));
__device__ inline Wmma12Sums wmma12(const Wmma12Numbers& a, const Wmma12Numbers& b, const Wmma12Sums& sums) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, sums);
}
#endif

// Lanes m and m + 16 have the columns of the row whose product is the unit's row m: the first and the second eight of
// each 16.
struct Wmma12Unit {
  static constexpr int kLanes = 32;
  static constexpr int kRowTiles = 2, kColumnTiles = kTileColumns <= Panels::kColumns ? 4 : 2;
  static constexpr int kMediumRows = 2, kMediumColumns = 2;
  static constexpr int kTilesAtOnce = 1, kKeys = 32;
  static constexpr int kPairs = 4, kColumns = 1, kColumnDistance = 16;
  static constexpr bool kSpread = false;

  struct Rows {
    Eight values[2];

    Rows() = default;
    __device__ Rows(const Panels& from, int first, int block, int lane) {
#pragma unroll
      for (int i = 0; i < 2; ++i) values[i] = from.load(first + own_row(lane), 4 * block ^ own_eighth(lane, i));
    }

    static constexpr int kHeld = 2;
    __device__ static int held_row(int lane, int) { return own_row(lane); }
    __device__ static int held_eighth(int lane, int i) { return own_eighth(lane, i); }
    __device__ static Rows of(const Eight (&eighths)[kHeld]) {
      Rows rows;
#pragma unroll
      for (int i = 0; i < kHeld; ++i) rows.values[i] = eighths[i];
      return rows;
    }
  };

  struct Columns {
    Eight values[2];

    Columns() = default;
    __device__ Columns(const Panels& from, int first, int block, int lane) {
#pragma unroll
      for (int i = 0; i < 2; ++i) values[i] = from.load(first + lane % 16, 4 * block ^ own_eighth(lane, i));
    }
  };

  class Weights {
   public:
    Weights() = default;
    __device__ Weights(const uint8_t* tile, int lane) : tile_(tile), lane_(lane) {}
    __device__ Rows block(int block) const {
      Rows rows;
#pragma unroll
      for (int i = 0; i < 2; ++i) rows.values[i] = Format::row(tile_, own_row(lane_), own_eighth(lane_, i), block);
      return rows;
    }

   private:
    const uint8_t* tile_;
    int lane_;
  };

  using PanelRows = Rows;
  using PanelColumns = Columns;

  struct Sums {
    Wmma12Sums values = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  };
  struct Finished {
    float low[kPairs], high[kPairs];
  };

  __device__ static int row(int lane, int pair) { return lane / 16 * 4 + pair; }
  __device__ static int column(int lane, int) { return lane % 16; }

  __device__ static void multiply_add(Sums& sums, const Rows& a, const Columns& b) {
    Wmma12Numbers left[2], right[2];
    __builtin_memcpy(left, a.values, sizeof(left));
    __builtin_memcpy(right, b.values, sizeof(right));
    for (int i = 0; i < 2; ++i) sums.values = wmma12(left[i], right[i], sums.values);
  }

  __device__ static Finished finish(const Sums& sums, int) {
    Finished finished;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      finished.low[i] = sums.values[i];
      finished.high[i] = sums.values[i + kPairs];
    }
    return finished;
  }

 private:
  // The unit gives rows 8t .. 8t + 7 of the product to lanes 16t .. 16t + 15. They are the tile's rows 4t .. 4t + 3 and
  // those 8 further on, so that a lane has pairs of rows.
  __device__ static int own_row(int lane) { return lane % 16 / 8 * 4 + lane % 4 + lane % 8 / 4 * 8; }
  __device__ static int own_eighth(int lane, int i) { return 2 * i + lane / 16; }
};

}  // namespace hipport_llm

#endif
