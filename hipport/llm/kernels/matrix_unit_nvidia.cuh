// The matrix unit of NVIDIA GPUs (PTX: mma.m16n8k16).
#ifndef HIPPORT_LLM_MATRIX_UNIT_NVIDIA_CUH
#define HIPPORT_LLM_MATRIX_UNIT_NVIDIA_CUH

#include "matrix_unit_lanes.cuh"

#if !defined(__HIP_PLATFORM_AMD__)

namespace hipport_llm {

struct NvidiaUnit {
  static constexpr int kLanes = 32;
  static constexpr int kRowTiles = 4, kColumnTiles = 4;
  static constexpr int kMediumRows = kTileColumns > Panels::kColumns ? 2 : 4, kMediumColumns = 4;
  static constexpr int kTilesAtOnce = 4, kKeys = 64;
  static constexpr int kPairs = 4, kColumns = 4, kColumnDistance = 4;
  static constexpr bool kSpread = false;

  using Weights = LaneWeights;
  using Rows = LaneRows;

  // 32 rows of 16 columns; the order of the 32 is that of Rows.
  struct Columns {
    Eight values[2];  // of column g, of column g + 8

    Columns() = default;
    __device__ Columns(const Panels& from, int first, int block, int lane) {
      values[0] = from.load(first + lane / 4, 4 * block ^ lane % 4);
      values[1] = from.load(first + lane / 4 + 8, 4 * block ^ lane % 4);
    }
  };

  // The same of eight columns, and their sums: half of the work where there are few tokens.
  struct HalfColumns {
    Eight values;

    HalfColumns() = default;
    __device__ HalfColumns(const Panels& from, int first, int block, int lane)
        : values(from.load(first + lane / 4, 4 * block ^ lane % 4)) {}
  };
  struct HalfSums {
    float low[2] = {}, high[2] = {};
  };
  static constexpr int kHalfPairs = 2;

  // Both operands as ldmatrix brings them: steps of 16 columns, four words of each.
  struct PanelRows {
    uint32_t words[2][4];

    PanelRows() = default;
    __device__ PanelRows(const Panels& from, int first, int block, int lane) {
#pragma unroll
      for (int i = 0; i < 2; ++i) load_matrices(words[i], from.at(first + lane % 16, 4 * block + 2 * i + lane / 16));
    }
    // Rows from `first` on of a matrix that is stored transposed.
    __device__ static PanelRows turned(const Panels& from, int first, int lane) {
      PanelRows rows;
#pragma unroll
      for (int i = 0; i < 2; ++i)
        load_turned_matrices(rows.words[i], from.at(16 * i + lane / 16 * 8 + lane % 8, first / 8 + lane / 8 % 2));
      return rows;
    }
  };
  struct PanelColumns {
    uint32_t words[2][4];

    PanelColumns() = default;
    __device__ PanelColumns(const Panels& from, int first, int block, int lane) {
#pragma unroll
      for (int i = 0; i < 2; ++i)
        load_matrices(words[i], from.at(first + lane / 16 * 8 + lane % 8, 4 * block + 2 * i + lane / 8 % 2));
    }
  };

  struct Sums {
    float low[4] = {}, high[4] = {};
  };
  using Finished = Sums;

  __device__ static int row(int lane, int) { return lane / 4; }
  __device__ static int column(int lane, int pair) { return pair / 2 * 8 + lane % 4 * 2 + pair % 2; }

  __device__ static void multiply_add(Sums& sums, const Rows& a, const Columns& b) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint4 &low = a.low.bits, &high = a.high.bits, &x = b.values[i].bits;
      step(&sums.low[2 * i], &sums.high[2 * i], low.x, high.x, low.y, high.y, x.x, x.y);
      step(&sums.low[2 * i], &sums.high[2 * i], low.z, high.z, low.w, high.w, x.z, x.w);
    }
  }

  __device__ static void multiply_add(HalfSums& sums, const Rows& a, const HalfColumns& b) {
    const uint4 &low = a.low.bits, &high = a.high.bits, &x = b.values.bits;
    step(sums.low, sums.high, low.x, high.x, low.y, high.y, x.x, x.y);
    step(sums.low, sums.high, low.z, high.z, low.w, high.w, x.z, x.w);
  }

  __device__ static void multiply_add(Sums& sums, const PanelRows& a, const PanelColumns& b) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        step(&sums.low[2 * j], &sums.high[2 * j], a.words[i][0], a.words[i][1], a.words[i][2], a.words[i][3],
             b.words[i][2 * j], b.words[i][2 * j + 1]);
  }

  __device__ static Finished finish(const Sums& sums, int) { return sums; }
  __device__ static HalfSums finish(const HalfSums& sums, int) { return sums; }

 private:
  // Four matrices of 8 x 8, each lane with the place of a row of one of them.
  __device__ static void load_matrices(uint32_t (&words)[4], const uint4* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
                 : "memory");
  }
  __device__ static void load_turned_matrices(uint32_t (&words)[4], const uint4* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
                 : "memory");
  }
  __device__ static void step(float* low, float* high, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
                              uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32." HIPPORT_LLM_PTX_TYPE
        ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(low[0]), "+f"(low[1]), "+f"(high[0]), "+f"(high[1])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
};

}  // namespace hipport_llm

#endif

#endif
