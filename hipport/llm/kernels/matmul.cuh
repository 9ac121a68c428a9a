// A packed matrix times many tokens, on matrix units: a block makes the product of some rows and some tokens.
#ifndef HIPPORT_LLM_MATMUL_CUH
#define HIPPORT_LLM_MATMUL_CUH

#include <type_traits>

#include "stages.cuh"

namespace hipport_llm {

// How a block's warps divide its part of the product: each takes `RowTiles` x 16 rows and `ColumnTiles` x 16 tokens;
// `Across` of them lie next to each other, and `Deep` share what lies on top of each other: each sums over every
// `Deep`-th tile.
template <int RowTiles, int ColumnTiles, int Across, int Deep>
struct Division {
  static constexpr int kRowTiles = RowTiles, kColumnTiles = ColumnTiles, kAcross = Across, kDeep = Deep;
  static constexpr int kDown = kUnits / (Across * Deep);
  using Own = Stage<kDown * RowTiles, Across * ColumnTiles * 16, Deep>;
  // Sums of warps that share a part, for one row of tiles.
  static constexpr int kSumBytes = Deep == 1 ? 0 : kUnits * ColumnTiles * 16 * 16 * 4;
  static constexpr int kStageBytes = Own::kCount * Own::kBytes;
  static constexpr int kSharedBytes = kStageBytes > kSumBytes ? kStageBytes : kSumBytes;
};

// For many tokens, for half as many, for some, and for few.
using Large = Division<Unit::kRowTiles, Unit::kColumnTiles, 2, 1>;
using Half = Division<Unit::kRowTiles / 2, Unit::kColumnTiles, 2, 1>;
using Medium = Division<Unit::kMediumTiles, Unit::kMediumTiles, 1, 4>;
using Small = Division<2, 2, 1, 4>;

// A warp's part of a product.
template <typename Division>
class WarpProduct {
 public:
  using Own = typename Division::Own;

  __device__ WarpProduct() : lane_(threadIdx.x % Unit::kLanes) {
    const int unit = threadIdx.x / Unit::kLanes;
    deep_ = unit % Division::kDeep;
    token_ = unit / Division::kDeep % Division::kAcross * Division::kColumnTiles * 16;
    row_ = unit / Division::kDeep / Division::kAcross * Division::kRowTiles;
  }

  // Adds the products of a stage, in which `tiles` tiles of a row are the matrix's.
  __device__ __forceinline__ void add(const uint8_t* stage, int tiles) {
    if (deep_ >= tiles) return;
    const Panels tokens(const_cast<uint8_t*>(stage) + Own::kWeightBytes, Own::kTokens);
    typename Unit::Weights weights[Division::kRowTiles];
#pragma unroll
    for (int r = 0; r < Division::kRowTiles; ++r)
      weights[r] = typename Unit::Weights(stage + (row_ + r) * Own::kRowBytes + deep_ * kTileBytes, lane_);
#pragma unroll
    for (int block = 0; block < Format::kBlocks; ++block) {
      typename Unit::Rows rows[Division::kRowTiles];
#pragma unroll
      for (int r = 0; r < Division::kRowTiles; ++r) rows[r] = weights[r].block(block);
#pragma unroll
      for (int c = 0; c < Division::kColumnTiles; ++c) {
        const typename Unit::Columns columns(tokens, token_ + c * 16, deep_ * Format::kBlocks + block, lane_);
#pragma unroll
        for (int r = 0; r < Division::kRowTiles; ++r) Unit::multiply_add(sums_[r][c], rows[r], columns);
      }
    }
  }

  // Gives `out` the results. By all threads; `shared` is no longer used for anything else.
  template <typename Out>
  __device__ __forceinline__ void write(float* shared, const Out& out) const {
#pragma unroll
    for (int r = 0; r < Division::kRowTiles; ++r)
      if constexpr (Division::kDeep == 1)
        write_own(r, out);
      else
        write_shared(r, shared, out);
  }

 private:
  // Of a lane: results of rows of 0..7, and of those 8 further on.
  struct Results {
    float low[Unit::kPairs] = {}, high[Unit::kPairs] = {};
  };

  // What is there already comes for a whole row of tiles at once: each look into memory costs a microsecond.
  template <typename Out>
  __device__ __forceinline__ void write_own(int r, const Out& out) const {
    Results before[Division::kColumnTiles];
#pragma unroll
    for (int c = 0; c < Division::kColumnTiles; ++c) read_tile(r, c, before[c], out);
#pragma unroll
    for (int c = 0; c < Division::kColumnTiles; ++c) {
      const auto results = Unit::finish(sums_[r][c], lane_);
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        before[c].low[i] += results.low[i];
        before[c].high[i] += results.high[i];
      }
      write_tile(r, c, before[c], out);
    }
  }

  // The sums of warps that share a part.
  template <typename Out>
  __device__ __forceinline__ void write_shared(int r, float* shared, const Out& out) const {
    __syncthreads();
#pragma unroll
    for (int c = 0; c < Division::kColumnTiles; ++c) {
      const auto results = Unit::finish(sums_[r][c], lane_);
      keep(kept(shared, c, deep_), results.low, results.high);
    }
    __syncthreads();
    for (int c = deep_; c < Division::kColumnTiles; c += Division::kDeep) {
      Results results;
      read_tile(r, c, results, out);
#pragma unroll
      for (int deep = 0; deep < Division::kDeep; ++deep) add_kept(kept(shared, c, deep), results);
      write_tile(r, c, results, out);
    }
  }

  template <typename Out>
  __device__ __forceinline__ void read_tile(int r, int c, Results& results, const Out& out) const {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i)
      out.read(row_ + r, Unit::row(lane_, i), token_ + c * 16 + Unit::column(lane_, i), results.low[i],
               results.high[i]);
  }
  template <typename Out>
  __device__ __forceinline__ void write_tile(int r, int c, const Results& results, const Out& out) const {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i)
      out.write(row_ + r, Unit::row(lane_, i), token_ + c * 16 + Unit::column(lane_, i), results.low[i],
                results.high[i]);
  }

  // Where the warp that is `deep`th of those that share a part keeps a tile's sums: a number for each lane, and more.
  __device__ float* kept(float* shared, int c, int deep) const {
    const int unit = threadIdx.x / Unit::kLanes - deep_ + deep;
    return shared + (unit * Division::kColumnTiles + c) * 16 * 16 + lane_;
  }

  __device__ static void keep(float* to, const float (&low)[Unit::kPairs], const float (&high)[Unit::kPairs]) {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i) {
      to[2 * i * Unit::kLanes] = low[i];
      to[(2 * i + 1) * Unit::kLanes] = high[i];
    }
  }

  __device__ static void add_kept(const float* from, Results& results) {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i) {
      results.low[i] += from[2 * i * Unit::kLanes];
      results.high[i] += from[(2 * i + 1) * Unit::kLanes];
    }
  }

  int lane_, deep_, row_, token_;
  typename Unit::Sums sums_[Division::kRowTiles][Division::kColumnTiles];
};

template <typename Division>
__device__ BlockShape block_shape() {
  return {kUnitThreads, Division::Own::kRowTiles, Division::Own::kTokens};
}

// Tells the host how blocks divide products.
__global__ void block_shapes_kernel(BlockShapes* shapes) {
  *shapes = {block_shape<Large>(), block_shape<Half>(), block_shape<Medium>(), block_shape<Small>()};
}

// Whether what comes out is added to what is at the epilogue's place().
template <typename Epilogue, typename = void>
constexpr bool kAdds = false;
template <typename Epilogue>
constexpr bool kAdds<Epilogue, std::void_t<decltype(&Epilogue::place)>> = true;

// An epilogue, for the results of a block: those that the matrix and the tokens have.
template <typename Epilogue>
struct BlockOut {
  const Epilogue& epilogue;
  int first_row, rows, first_token, tokens;

  __device__ void read(int row_tile, int row, int token, float& low, float& high) const {
    if constexpr (kAdds<Epilogue>) {
      if (!has(row_tile, token)) return;
      const float* from = epilogue.place(first_row + row_tile, row, first_token + token);
      low = from[0];
      high = from[8];
    }
  }
  __device__ void write(int row_tile, int row, int token, float low, float high) const {
    if (has(row_tile, token)) epilogue(first_row + row_tile, row, first_token + token, low, high);
  }
  __device__ bool has(int row_tile, int token) const { return row_tile < rows && token < tokens; }
};

// Blocks: (tokens, rows). `Epilogue` is called with a row of tiles, a row of its first eight, a token, and the results
// of that row and of the one 8 further on.
template <typename Division, typename Epilogue>
__global__ void __launch_bounds__(kUnitThreads, 2)
    matmul_kernel(Matrix matrix, Activations activations, int tokens, Epilogue epilogue) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[Division::kSharedBytes];
#endif
  using Own = typename Division::Own;
  const int first_row = blockIdx.y * Own::kRowTiles, first_token = blockIdx.x * Own::kTokens;
  if (first_row >= matrix.row_tiles || first_token >= tokens) return;
  const Pieces<Own> pieces(matrix, first_row, activations, first_token);
  const int count = (matrix.column_tiles + Own::kTiles - 1) / Own::kTiles;
  Stages<Own> stages(shared, pieces, count);
  WarpProduct<Division> product;
#pragma unroll 1
  for (int i = 0; i < count; ++i) product.add(stages.next(i), matrix.column_tiles - i * Own::kTiles);
  product.write(reinterpret_cast<float*>(shared), BlockOut<Epilogue>{epilogue, first_row, matrix.row_tiles - first_row,
                                                                     first_token, tokens - first_token});
}

}  // namespace hipport_llm

#endif
