// Tile GEMM on the matrix units of Hopper's warp groups, with both operands in shared memory. The interface is TileGemm's.
#ifndef HIPPORT_LLM_WARPGROUP_GEMM_CUH
#define HIPPORT_LLM_WARPGROUP_GEMM_CUH

#include "../kernels/bulk_copies.cuh"
#include "group_sums.cuh"

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

  union alignas(1024) Shared {
    uint8_t tiles[stages][stage_bytes];
    float sums[Threads / kLanes][GroupSums<Columns>::kRoom];
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
      sums_.multiply_stage(stage > 0, rows, columns);
      copy(stage + ahead);
      Own::template await<1>();
    }
    Own::template await<0>();
    __syncthreads();
  }

  template <typename Epilogue>
  __device__ __forceinline__ void finish(const Epilogue& epilogue, int row, int column, Extent extent, Shared& shared) {
    sums_.finish(epilogue, row, column, extent, &shared.sums[0][0]);
  }

 private:
  GroupSums<Columns> sums_;
};

}  // namespace hipport_llm

#endif

#endif
