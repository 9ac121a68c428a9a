// Tile GEMM on the matrix units of Hopper's warp groups, with both operands in shared memory. The interface is TileGemm's.
#ifndef HIPPORT_LLM_WARPGROUP_GEMM_CUH
#define HIPPORT_LLM_WARPGROUP_GEMM_CUH

#include "../kernels/bulk_copies.cuh"
#include "../kernels/warpgroup_unit.cuh"
#include "tile_gemm.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// Rows of 64 columns in shared memory, as describe() says.
class GroupPanel {
 public:
  __device__ explicit GroupPanel(uint8_t* bytes) : bytes_(bytes) {}
  __device__ uint4* at(int row, int eighth) const {
    return reinterpret_cast<uint4*>(bytes_ + row * Panels::kRowBytes + swizzled(row, eighth));
  }

 private:
  uint8_t* bytes_;
};

// Each warp group has 64 rows of the tile.
template <int Threads, int Rows, int Columns>
class WarpgroupGemm {
 public:
  using Own = WarpgroupUnit<Columns>;
  static_assert(Rows == Threads / Own::kThreads * 64, "64 rows for each warp group");
  static constexpr int depth = Panels::kColumns, left_bytes = Rows * Panels::kRowBytes;
  static constexpr int stage_bytes = left_bytes + Columns * Panels::kRowBytes;
  // Stages are filled while the units use one and may still use the one before.
  static constexpr int stages = stage_bytes > 32768 ? 4 : 6, ahead = stages - 2;
  using Left = Transfer<Threads, Rows, depth>;
  using Right = Transfer<Threads, Columns, depth>;

  // From row to row of sums: so that lanes with neighboring rows store to other banks.
  static constexpr int sum_stride = Columns + 8;

  union alignas(1024) Shared {
    uint8_t tiles[stages][stage_bytes];
    float sums[Threads / kLanes][16 * sum_stride];
  };

  // The tile whose first row and column these are, `all` deep.
  template <typename LeftView, typename RightView>
  __device__ __forceinline__ void multiply(const Source<LeftView>& left, const Source<RightView>& right, int row,
                                           int column, int all, Shared& shared) {
    const auto copy = [&](int stage) {
      uint8_t* to = shared.tiles[stage % stages];
      if (stage * depth < all) {
        Left::copy(left, row, stage * depth, GroupPanel(to));
        Right::copy(right, column, stage * depth, GroupPanel(to + left_bytes));
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int stage = 0; stage < ahead; ++stage) copy(stage);
#pragma unroll 1
    for (int stage = 0; stage * depth < all; ++stage) {
      asm volatile("cp.async.wait_group %0;\nfence.proxy.async.shared::cta;" ::"n"(ahead - 1) : "memory");
      __syncthreads();
      const uint32_t tiles = shared_address(shared.tiles[stage % stages]);
      const uint64_t rows = describe(tiles + threadIdx.x / Own::kThreads * (64 * Panels::kRowBytes));
      const uint64_t columns = describe(tiles + left_bytes);
      Own::begin();
#pragma unroll
      for (int step = 0; step < depth / 16; ++step)
        Own::add16(sums_, stage > 0 || step > 0, rows + 2 * step, columns + 2 * step);
      Own::commit();
      copy(stage + ahead);
      Own::template await<1>();
    }
    Own::template await<0>();
    __syncthreads();
  }

  // A warp's sums go through shared memory, and a loop takes whole rows of them: unrolled over registers, the epilogue is
  // so much code, which every block runs once, that most of its time is spent on fetching it.
  template <typename Epilogue>
  __device__ __forceinline__ void finish(const Epilogue& epilogue, int row, int column, Extent extent, Shared& shared) {
    constexpr int lanes = Columns / 8, rows_at_once = kLanes / lanes, at_once = 4;
    const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    float* sums = shared.sums[warp];
    store_sums(sums, lane);
    __syncwarp();
    const int first_row = lane / lanes, own_column = lane % lanes * 8;
    const int count = min(8, extent.columns - column - own_column);
    if (count <= 0) return;
#pragma unroll 1
    for (int first = first_row; first < 16; first += at_once * rows_at_once) {
      typename Epilogue::Look looks[at_once];
      const auto at = [&](int i) { return row + warp * 16 + first + i * rows_at_once; };
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (at(i) < extent.rows) looks[i] = epilogue.look(at(i), column + own_column, count);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (at(i) >= extent.rows) break;
        float values[8];
#pragma unroll
        for (int j = 0; j < 8; ++j) values[j] = sums[(first + i * rows_at_once) * sum_stride + own_column + j];
        epilogue(values, at(i), column + own_column, count, looks[i]);
      }
    }
  }

 private:
  __device__ __forceinline__ void store_sums(float* to, int lane) const {
#pragma unroll
    for (int i = 0; i < Own::kPairs; i += 2) {
      float* at = to + Own::row(lane) * sum_stride + Own::column(lane, i);
      *reinterpret_cast<float2*>(at) = make_float2(Own::low(sums_, i), Own::low(sums_, i + 1));
      *reinterpret_cast<float2*>(at + 8 * sum_stride) = make_float2(Own::high(sums_, i), Own::high(sums_, i + 1));
    }
  }

  typename Own::Sums sums_;
};

}  // namespace hipport_llm

#endif

#endif
