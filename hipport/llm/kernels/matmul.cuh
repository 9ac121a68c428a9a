// A packed matrix times many tokens, on matrix units: a block makes the product of some rows and some tokens.
#ifndef HIPPORT_LLM_MATMUL_CUH
#define HIPPORT_LLM_MATMUL_CUH

#include "stages.cuh"

namespace hipport_llm {

// How a block's warps divide its part of the product: `Across` of them next to each other, each with `RowTiles` x 16
// rows and `ColumnTiles` x 16 tokens.
template <int RowTiles, int ColumnTiles, int Across>
struct Division {
  static constexpr int kRowTiles = RowTiles, kColumnTiles = ColumnTiles, kAcross = Across;
  static constexpr int kBlockRowTiles = kUnits / Across * RowTiles;
  static constexpr int kBlockTokens = Across * ColumnTiles * 16;
  using Own = Stage<kBlockRowTiles, kBlockTokens>;
  static constexpr int kSharedBytes = Own::kCount * Own::kBytes;
};

// For many tokens, and for up to 32.
using Large = Division<Unit::kRowTiles, Unit::kColumnTiles, 2>;
using Small = Division<2, 2, 1>;

// A warp's part of a product.
template <typename Own>
class WarpProduct {
 public:
  __device__ WarpProduct()
      : lane_(threadIdx.x % Unit::kLanes),
        row_(threadIdx.x / Unit::kLanes / Own::kAcross * Own::kRowTiles),
        token_(threadIdx.x / Unit::kLanes % Own::kAcross * Own::kColumnTiles * 16) {}

  __device__ __forceinline__ void add(const uint8_t* stage) {
    const Panels tokens(const_cast<uint8_t*>(stage) + Own::Own::kWeightBytes, Own::kBlockTokens);
#pragma unroll
    for (int tile = 0; tile < Own::Own::kTiles; ++tile) add_tile(stage + tile * kTileBytes, tokens, tile);
  }

  // Gives `write(row tile, row of 0..7, token, result, result 8 rows further on)` what belongs to the block's part.
  template <typename Write>
  __device__ __forceinline__ void write(const Write& write) const {
#pragma unroll
    for (int r = 0; r < Own::kRowTiles; ++r)
#pragma unroll
      for (int c = 0; c < Own::kColumnTiles; ++c) {
        const auto results = Unit::finish(sums_[r][c], lane_);
#pragma unroll
        for (int i = 0; i < Unit::kPairs; ++i)
          write(row_ + r, Unit::row(lane_, i), token_ + c * 16 + Unit::column(lane_, i), results.low[i],
                results.high[i]);
      }
  }

 private:
  // `tile` of each row of tiles of a stage.
  __device__ __forceinline__ void add_tile(const uint8_t* tiles, const Panels& tokens, int tile) {
    typename Unit::Weights weights[Own::kRowTiles];
#pragma unroll
    for (int r = 0; r < Own::kRowTiles; ++r)
      weights[r] = typename Unit::Weights(tiles + (row_ + r) * Own::Own::kRowBytes, lane_);
#pragma unroll
    for (int block = 0; block < Format::kBlocks; ++block) {
      typename Unit::Rows rows[Own::kRowTiles];
#pragma unroll
      for (int r = 0; r < Own::kRowTiles; ++r) rows[r] = weights[r].block(block);
#pragma unroll
      for (int c = 0; c < Own::kColumnTiles; ++c) {
        const typename Unit::Columns columns(tokens, token_ + c * 16, tile * Format::kBlocks + block, lane_);
#pragma unroll
        for (int r = 0; r < Own::kRowTiles; ++r) Unit::multiply_add(sums_[r][c], rows[r], columns);
      }
    }
  }

  int lane_, row_, token_;
  typename Unit::Sums sums_[Own::kRowTiles][Own::kColumnTiles];
};

// Tells the host how blocks divide products.
__global__ void block_shapes_kernel(BlockShape* large, BlockShape* small) {
  *large = {kUnitThreads, Large::kBlockRowTiles, Large::kBlockTokens};
  *small = {kUnitThreads, Small::kBlockRowTiles, Small::kBlockTokens};
}

// Blocks: (tokens, rows). `Epilogue` is called as write() above, with rows of tiles and tokens counted from the first.
template <typename Own, typename Epilogue>
__global__ void __launch_bounds__(kUnitThreads)
    matmul_kernel(Matrix matrix, Activations activations, int tokens, Epilogue epilogue) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[Own::kSharedBytes];
#endif
  const int first_row = blockIdx.y * Own::kBlockRowTiles, first_token = blockIdx.x * Own::kBlockTokens;
  if (first_row >= matrix.row_tiles || first_token >= tokens) return;
  const Pieces<Own::kBlockRowTiles, Own::kBlockTokens> pieces(matrix, first_row, activations, first_token);
  const int count = (matrix.column_tiles + Own::Own::kTiles - 1) / Own::Own::kTiles;
  Stages<Own::kBlockRowTiles, Own::kBlockTokens> stages(shared, pieces, count);
  WarpProduct<Own> product;
#pragma unroll 1
  for (int i = 0; i < count; ++i) product.add(stages.next(i));
  product.write([&](int row_tile, int row, int token, float low, float high) {
    if (first_row + row_tile < matrix.row_tiles && first_token + token < tokens)
      epilogue(first_row + row_tile, row, first_token + token, low, high);
  });
}

}  // namespace hipport_llm

#endif
