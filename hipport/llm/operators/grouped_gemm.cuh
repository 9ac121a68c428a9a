// Grouped GEMM: rows that are sorted by group, as the tokens of a mixture of experts are by expert, times a matrix of
// their group. The host does not need to know how many rows a group has.
#ifndef HIPPORT_LLM_GROUPED_GEMM_CUH
#define HIPPORT_LLM_GROUPED_GEMM_CUH

#include <algorithm>

#include "gemm.cuh"

namespace hipport_llm {

// `starts` [groups + 1]: the first row of each group, and the number of rows. `left` [rows][depth]; `right`
// [groups][columns][depth].
struct Groups {
  const int* starts;
  int groups, columns, depth;
  const __half *left, *right;

  __device__ Source<Bounded> left_until(int end) const { return {bounded(end, depth, depth), left, depth % 8 == 0}; }
  __device__ Source<Bounded> right_of(int group) const {
    return {bounded(columns, depth, depth), right + static_cast<int64_t>(group) * columns * depth, depth % 8 == 0};
  }
};

// The rows of a tile: from `first` to the end of their group.
struct GroupRows {
  int group, first, end;
};

// Returns the rows of a tile, which are counted through all groups; the group is `groups` if there is no such tile.
template <int Rows>
__device__ GroupRows rows_of_tile(const Groups& all, int tile) {
  int start = all.starts[0];
  for (int group = 0; group < all.groups; ++group) {
    const int end = all.starts[group + 1], tiles = (end - start + Rows - 1) / Rows;
    if (tile < tiles) return {group, start + tile * Rows, end};
    tile -= tiles;
    start = end;
  }
  return {all.groups, 0, 0};
}

// A tile for each block. epilogue(group) returns what is done with the sums of a group.
template <int Threads, int Rows, int Columns, typename Epilogue>
__global__ void __launch_bounds__(Threads) grouped_gemm_kernel(Groups all, Epilogue epilogue) {
  using Gemm = BlockGemm<Threads, Rows, Columns>;
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(1024) uint8_t dynamic[];
  typename Gemm::Shared& shared = *reinterpret_cast<typename Gemm::Shared*>(dynamic);
#else
  __shared__ typename Gemm::Shared shared;
#endif
  const GroupRows rows = rows_of_tile<Rows>(all, blockIdx.y);
  if (rows.group == all.groups) return;
  const int column = blockIdx.x * Columns;
  Gemm gemm;
  gemm.multiply(all.left_until(rows.end), all.right_of(rows.group), rows.first, column, all.depth, shared);
  gemm.finish(epilogue(rows.group), rows.first, column, Extent{rows.end, all.columns}, shared);
}

template <int Threads, int Rows, int Columns, typename Epilogue>
void launch_grouped_tiles(const Groups& all, int row_tiles, const Epilogue& epilogue, cudaStream_t stream) {
  const auto kernel = &grouped_gemm_kernel<Threads, Rows, Columns, Epilogue>;
  const dim3 grid((all.columns + Columns - 1) / Columns, row_tiles);
  const int bytes = dynamic_bytes(kernel, sizeof(typename BlockGemm<Threads, Rows, Columns>::Shared));
  kernel<<<grid, Threads, bytes, stream>>>(all, epilogue);
}

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

// The same by tensor copies, which take a tile's rows from the next group where its own ends; those are not stored.
template <typename Epilogue>
__global__ void __launch_bounds__(BulkGemm::kThreads, BulkGemm::kResident)
    grouped_bulk_gemm_kernel(const __grid_constant__ BulkOperands of, Groups all, Epilogue epilogue) {
  extern __shared__ __align__(1024) uint8_t dynamic[];
  const GroupRows rows = rows_of_tile<BulkGemm::kRows>(all, blockIdx.y);
  if (rows.group == all.groups) return;
  const int column = blockIdx.x * BulkGemm::kColumns;
  BulkGemm(*reinterpret_cast<BulkGemm::Shared*>(dynamic))
      .run(of, rows.first, rows.group * all.columns + column, [&](const BulkGemm::Sums& sums, float* room) {
        sums.finish(epilogue(rows.group), rows.first, column, Extent{rows.end, all.columns}, room);
      });
}

template <typename Epilogue>
void launch_grouped_bulk_gemm(const Groups& all, int rows, int row_tiles, const Epilogue& epilogue,
                              cudaStream_t stream) {
  const auto kernel = &grouped_bulk_gemm_kernel<Epilogue>;
  const int bytes = dynamic_bytes(kernel, sizeof(BulkGemm::Shared));
  const int64_t right_rows = static_cast<int64_t>(all.groups) * all.columns;
  const dim3 grid((all.columns + BulkGemm::kColumns - 1) / BulkGemm::kColumns, row_tiles);
  kernel<<<grid, BulkGemm::kThreads, bytes, stream>>>(
      BulkOperands{tile_map(all.left, rows, all.depth, all.depth, BulkGemm::kRows),
                   tile_map(all.right, right_rows, all.depth, all.depth, BulkGemm::kColumns), all.depth},
      all, epilogue);
}

#endif

// `rows`: those of all groups together.
template <int Threads, int Tile, typename Epilogue>
void launch_grouped_gemm(const Groups& all, int rows, const Epilogue& epilogue, cudaStream_t stream) {
  // Each group may end with a tile that is not full.
  const int most_tiles = rows / Tile + std::min(rows, all.groups);
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS
  if constexpr (Tile == 128) {
    if (all.depth % 8 == 0) return launch_grouped_bulk_gemm(all, rows, most_tiles, epilogue, stream);
    if ((all.columns + 2 * Tile - 1) / (2 * Tile) * (rows / Tile) >= processors())
      return launch_grouped_tiles<Threads, Tile, 2 * Tile>(all, most_tiles, epilogue, stream);
  }
#endif
  launch_grouped_tiles<Threads, Tile, Tile>(all, most_tiles, epilogue, stream);
}

}  // namespace hipport_llm

#endif
