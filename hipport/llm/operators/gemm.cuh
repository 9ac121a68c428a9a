// A product of two views, a tile for each block.
#ifndef HIPPORT_LLM_GEMM_CUH
#define HIPPORT_LLM_GEMM_CUH

#include <type_traits>

#include "../engine/device.h"
#include "bulk_gemm.cuh"
#include "tile_gemm.cuh"
#include "warpgroup_gemm.cuh"

namespace hipport_llm {

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

template <int Threads, int Rows, int Columns>
using BlockGemm = WarpgroupGemm<Threads, Rows, Columns>;

#else

template <int Threads, int Rows, int Columns>
using BlockGemm = TileGemm<Threads, Rows, Columns>;

#endif

template <int Threads, int Rows, int Columns, typename LeftView, typename RightView, typename Epilogue>
__global__ void __launch_bounds__(Threads)
    gemm_kernel(Source<LeftView> left, Source<RightView> right, Extent extent, int depth, Epilogue epilogue) {
  using Gemm = BlockGemm<Threads, Rows, Columns>;
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(1024) uint8_t dynamic[];
  typename Gemm::Shared& shared = *reinterpret_cast<typename Gemm::Shared*>(dynamic);
#else
  __shared__ typename Gemm::Shared shared;
#endif
  const int row = blockIdx.y * Rows, column = blockIdx.x * Columns;
  Gemm gemm;
  gemm.multiply(left, right, row, column, depth, shared);
  gemm.finish(epilogue, row, column, extent, shared);
}

// The blocks of a product.
template <int Rows, int Columns>
dim3 gemm_blocks(Extent extent) {
  return dim3((extent.columns + Columns - 1) / Columns, (extent.rows + Rows - 1) / Rows);
}

template <int Threads, int Rows, int Columns, typename LeftView, typename RightView, typename Epilogue>
void launch_tiles(const Source<LeftView>& left, const Source<RightView>& right, Extent extent, int depth,
                  const Epilogue& epilogue, cudaStream_t stream) {
  const auto kernel = &gemm_kernel<Threads, Rows, Columns, LeftView, RightView, Epilogue>;
  const int bytes = dynamic_bytes(kernel, sizeof(typename BlockGemm<Threads, Rows, Columns>::Shared));
  kernel<<<gemm_blocks<Rows, Columns>(extent), Threads, bytes, stream>>>(left, right, extent, depth, epilogue);
}

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

// The tile of a block: eight rows of tiles at a time, so that blocks which run together read few different tiles.
struct TileOrder {
  int row_tiles, column_tiles;

  __device__ int2 tile(int block) const {
    constexpr int at_once = 8;
    const int group = block / (at_once * column_tiles), own = block % (at_once * column_tiles);
    const int rows = min(at_once, row_tiles - group * at_once);
    return make_int2(group * at_once + own % rows, own / rows);
  }
};

template <typename Epilogue>
__global__ void __launch_bounds__(BulkGemm::kThreads, BulkGemm::kResident)
    bulk_gemm_kernel(const __grid_constant__ BulkOperands of, TileOrder order, Extent extent, Epilogue epilogue) {
  extern __shared__ __align__(1024) uint8_t dynamic[];
  const int2 tile = order.tile(blockIdx.x);
  const int row = tile.x * BulkGemm::kRows, column = tile.y * BulkGemm::kColumns;
  BulkGemm(*reinterpret_cast<BulkGemm::Shared*>(dynamic))
      .run(of, row, column,
           [&](const BulkGemm::Sums& sums, float* room) { sums.finish(epilogue, row, column, extent, room); });
}

template <typename Epilogue>
void launch_bulk_gemm(const Source<Bounded>& left, const Source<Bounded>& right, Extent extent, int depth,
                      const Epilogue& epilogue, cudaStream_t stream) {
  const auto map = [](const Source<Bounded>& of, int tile_rows) {
    const auto& rows = of.view.maps;
    return tile_map(of.data, rows.first.transform.length, rows.rest.first.transform.length, of.view.below.strides[0],
                    tile_rows);
  };
  const dim3 tiles = gemm_blocks<BulkGemm::kRows, BulkGemm::kColumns>(extent);
  const TileOrder order = {static_cast<int>(tiles.y), static_cast<int>(tiles.x)};
  const auto kernel = &bulk_gemm_kernel<Epilogue>;
  const int bytes = dynamic_bytes(kernel, sizeof(BulkGemm::Shared));
  kernel<<<tiles.x * tiles.y, BulkGemm::kThreads, bytes, stream>>>(
      BulkOperands{map(left, BulkGemm::kRows), map(right, BulkGemm::kColumns), depth}, order, extent, epilogue);
}

#endif

template <int Threads, int Tile, typename LeftView, typename RightView, typename Epilogue>
void launch_gemm(const Source<LeftView>& left, const Source<RightView>& right, Extent extent, int depth,
                 const Epilogue& epilogue, cudaStream_t stream) {
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS
  if constexpr (Tile == 128 && std::is_same_v<LeftView, Bounded> && std::is_same_v<RightView, Bounded>)
    if (left.by_eight && right.by_eight) return launch_bulk_gemm(left, right, extent, depth, epilogue, stream);
  // Wide tiles read least, if there are enough of them.
  if constexpr (Tile == 128) {
    const dim3 wide = gemm_blocks<Tile, 2 * Tile>(extent);
    if (static_cast<int>(wide.x * wide.y) >= processors())
      return launch_tiles<Threads, Tile, 2 * Tile>(left, right, extent, depth, epilogue, stream);
  }
#endif
  launch_tiles<Threads, Tile, Tile>(left, right, extent, depth, epilogue, stream);
}

}  // namespace hipport_llm

#endif
