// The matrix unit of CDNA (MFMA), with wavefronts of 64.
#ifndef HIPPORT_LLM_MATRIX_UNIT_MFMA_CUH
#define HIPPORT_LLM_MATRIX_UNIT_MFMA_CUH

#include "packed_tiles.cuh"
#include "swizzled_panels.cuh"

namespace hipport_llm {

typedef float MfmaSums __attribute__((vector_size(16)));

// sums + a * b, 16 deep.
#if HIPPORT_LLM_BF16
typedef short MfmaNumbers __attribute__((vector_size(8)));
__device__ inline MfmaSums mfma(const MfmaNumbers& a, const MfmaNumbers& b, const MfmaSums& sums) {
  return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, sums, 0, 0, 0);
}
#else
typedef _Float16 MfmaNumbers __attribute__((vector_size(8)));
__device__ inline MfmaSums mfma(const MfmaNumbers& a, const MfmaNumbers& b, const MfmaSums& sums) {
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, sums, 0, 0, 0);
}
#endif

// Lane 16t + m has eight columns of the row whose product is the unit's row m.
struct MfmaUnit {
  static constexpr int kLanes = 64;
  static constexpr int kRowTiles = 4, kColumnTiles = 4;
  static constexpr int kMediumRows = 4, kMediumColumns = 4;
  static constexpr int kTilesAtOnce = 4, kKeys = 64;
  static constexpr int kPairs = 2, kColumns = 1, kColumnDistance = 16;
  static constexpr bool kSpread = false;

  struct Rows {
    Eight values;

    Rows() = default;
    __device__ Rows(const Panels& from, int first, int block, int lane)
        : values(from.load(first + own_row(lane), 4 * block ^ lane / 16)) {}

    static constexpr int kHeld = 1;
    __device__ static int held_row(int lane, int) { return own_row(lane); }
    __device__ static int held_eighth(int lane, int) { return lane / 16; }
    __device__ static Rows of(const Eight (&eighths)[kHeld]) {
      Rows rows;
      rows.values = eighths[0];
      return rows;
    }
  };

  struct Columns {
    Eight values;

    Columns() = default;
    __device__ Columns(const Panels& from, int first, int block, int lane)
        : values(from.load(first + lane % 16, 4 * block ^ lane / 16)) {}
  };

  class Weights {
   public:
    Weights() = default;
    __device__ Weights(const uint8_t* tile, int lane) : tile_(tile), lane_(lane) {}
    __device__ Rows block(int block) const {
      Rows rows;
      rows.values = Format::row(tile_, own_row(lane_), lane_ / 16, block);
      return rows;
    }

   private:
    const uint8_t* tile_;
    int lane_;
  };

  using PanelRows = Rows;
  using PanelColumns = Columns;

  struct Sums {
    MfmaSums values = {0.0f, 0.0f, 0.0f, 0.0f};
  };
  struct Finished {
    float low[kPairs], high[kPairs];
  };

  __device__ static int row(int lane, int pair) { return lane / 16 * 2 + pair; }
  __device__ static int column(int lane, int) { return lane % 16; }

  __device__ static void multiply_add(Sums& sums, const Rows& a, const Columns& b) {
    MfmaNumbers left[2], right[2];
    __builtin_memcpy(left, &a.values, sizeof(left));
    __builtin_memcpy(right, &b.values, sizeof(right));
    for (int i = 0; i < 2; ++i) sums.values = mfma(left[i], right[i], sums.values);
  }

  __device__ static Finished finish(const Sums& sums, int) {
    return {{sums.values[0], sums.values[1]}, {sums.values[2], sums.values[3]}};
  }

 private:
  // The unit gives rows 4t .. 4t + 3 of the product to lanes 16t .. 16t + 15. They are the tile's rows 2t, 2t + 1 and
  // those 8 further on, so that a lane has pairs of rows.
  __device__ static int own_row(int lane) { return lane % 16 / 4 * 2 + lane % 2 + lane % 4 / 2 * 8; }
};

}  // namespace hipport_llm

#endif
