// The matrix unit of RDNA 3 (WMMA), with wavefronts of 32.
#ifndef HIPPORT_LLM_MATRIX_UNIT_WMMA_CUH
#define HIPPORT_LLM_MATRIX_UNIT_WMMA_CUH

#include "packed_tiles.cuh"
#include "swizzled_panels.cuh"

namespace hipport_llm {

typedef float WmmaSums __attribute__((vector_size(32)));

// sums + a * b, 16 deep.
#if HIPPORT_LLM_BF16
typedef short WmmaNumbers __attribute__((vector_size(32)));
__device__ inline WmmaSums wmma(const WmmaNumbers& a, const WmmaNumbers& b, const WmmaSums& sums) {
  return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, sums);
}
#else
typedef _Float16 WmmaNumbers __attribute__((vector_size(32)));
__device__ inline WmmaSums wmma(const WmmaNumbers& a, const WmmaNumbers& b, const WmmaSums& sums) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, sums);
}
#endif

// Lanes m and m + 16 both have all columns of row m.
struct WmmaUnit {
  static constexpr int kLanes = 32;
  static constexpr int kRowTiles = 2, kColumnTiles = kTileColumns <= Panels::kColumns ? 4 : 2;
  static constexpr int kMediumRows = 2, kMediumColumns = 2;
  static constexpr int kTilesAtOnce = 1, kKeys = 32;
  static constexpr int kPairs = 4, kColumns = 1, kColumnDistance = 16;
  static constexpr bool kSpread = false;

  struct Rows {
    Eight values[4];

    Rows() = default;
    __device__ Rows(const Panels& from, int first, int block, int lane) {
#pragma unroll
      for (int i = 0; i < 4; ++i) values[i] = from.load(first + lane % 16, 4 * block ^ i);
    }

    static constexpr int kHeld = 4;
    __device__ static int held_row(int lane, int) { return lane % 16; }
    __device__ static int held_eighth(int, int i) { return i; }
    __device__ static Rows of(const Eight (&eighths)[kHeld]) {
      Rows rows;
#pragma unroll
      for (int i = 0; i < kHeld; ++i) rows.values[i] = eighths[i];
      return rows;
    }
  };
  using Columns = Rows;

  class Weights {
   public:
    Weights() = default;
    __device__ Weights(const uint8_t* tile, int lane) : tile_(tile), row_(lane % 16) {}
    __device__ Rows block(int block) const {
      Rows rows;
#pragma unroll
      for (int i = 0; i < 4; ++i) rows.values[i] = Format::row(tile_, row_, i, block);
      return rows;
    }

   private:
    const uint8_t* tile_;
    int row_;
  };

  using PanelRows = Rows;
  using PanelColumns = Columns;

  struct Sums {
    WmmaSums values = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  };
  struct Finished {
    float low[kPairs], high[kPairs];
  };

  __device__ static int row(int lane, int pair) { return 2 * pair + lane / 16; }
  __device__ static int column(int lane, int) { return lane % 16; }

  __device__ static void multiply_add(Sums& sums, const Rows& a, const Columns& b) {
    WmmaNumbers left[2], right[2];
    __builtin_memcpy(left, a.values, sizeof(left));
    __builtin_memcpy(right, b.values, sizeof(right));
    for (int i = 0; i < 2; ++i) sums.values = wmma(left[i], right[i], sums.values);
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
};

}  // namespace hipport_llm

#endif
