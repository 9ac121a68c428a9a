// Products with a matrix of each head, for latent attention: queries become as wide as latent vectors, and means of latent
// vectors become the heads' outputs. The matrices have 16 bits.
#ifndef HIPPORT_LLM_HEAD_PRODUCTS_CUH
#define HIPPORT_LLM_HEAD_PRODUCTS_CUH

#include "latent_heads.cuh"
#include "native_unpack.cuh"

namespace hipport_llm {

// A matrix of each head, one behind the other, as tiles of 16-bit weights (packed_tiles.cuh).
struct HeadMatrices {
  uint8_t* tiles;
  int row_tiles, column_tiles;

  __host__ __device__ int64_t bytes(int heads) const {
    return static_cast<int64_t>(heads) * row_tiles * column_tiles * SixteenBits::kTileBytes;
  }
  __device__ uint8_t* tile(int head, int row_tile) const {
    return tiles + (static_cast<int64_t>(head) * row_tiles + row_tile) * column_tiles * SixteenBits::kTileBytes;
  }
  // Eight columns of a row.
  __device__ uint4* at(int head, int row, int eighth) const {
    return UnpackedTiles{tile(head, 0), 0, row_tiles, column_tiles}.at(row, eighth);
  }
};

// Makes both matrices of each head of the one of all heads, whose rows are those of keys and of values of one head after
// the other. That for queries is transposed; its columns are filled up with zeros. Grid: (eighths of both, heads).
__global__ void __launch_bounds__(kLatentThreads)
    divide_heads_kernel(LatentWidths widths, UnpackedTiles whole, HeadMatrices absorbing, HeadMatrices expanding) {
  const int head = blockIdx.y, above = head * (widths.nope + widths.value);
  const int turned = widths.rank * absorbing.column_tiles * 8, eighths = widths.rank / 8;
  const int at = blockIdx.x * kLatentThreads + threadIdx.x;
  if (at >= turned) {
    const int row = (at - turned) / eighths, eighth = (at - turned) % eighths;
    if (row < widths.value) *expanding.at(head, row, eighth) = *whole.at(above + widths.nope + row, eighth);
    return;
  }
  const int row = at % widths.rank, eighth = at / widths.rank;
  const auto number = [&](int column) {
    const bool there = column < widths.nope;
    return there ? reinterpret_cast<const Number*>(whole.at(above + column, row / 8))[row % 8] : number_of(0.0f);
  };
  Eight eight;
  Number* numbers = reinterpret_cast<Number*>(&eight);
#pragma unroll
  for (int i = 0; i < 8; ++i) numbers[i] = number(8 * eighth + i);
  *absorbing.at(head, row, eighth) = eight.bits;
}

constexpr int kHeadTokens = 16;

// Loads the columns of a block's tokens: `load(token, eighth)` returns eight of the first `columns`. What the panel has
// besides becomes zeros.
template <typename Load>
__device__ __forceinline__ void fill_tokens(const Panels& panels, int eighths, int count, int columns,
                                            const Load& load) {
  for (int i = threadIdx.x; i < kHeadTokens * eighths; i += kUnitThreads) {
    const int token = i / eighths, eighth = i % eighths;
    const bool there = token < count && eighth < columns / 8;
    panels.store(token, eighth, there ? load(token, eighth) : Eight{make_uint4(0, 0, 0, 0)});
  }
}

// Queries as wide as what the cache has of a position: a head's dimensions that are not rotated, multiplied with its
// matrix, and behind them the rotated ones.
template <typename Places>
struct AbsorbQueries {
  static constexpr int kBlocksAhead = 4;

  LatentWidths widths;
  const float* queries;  // [token][stride], those of heads one behind the other
  int stride, heads;
  Places tokens;
  Rotations rotations;
  Number* to;  // [token][head][cached]

  __device__ const float* query(int token, int head) const {
    return queries + static_cast<int64_t>(token) * stride + head * widths.query();
  }
  __device__ Number* row(int token, int head) const {
    return to + (static_cast<int64_t>(token) * heads + head) * widths.cached();
  }
  // The columns of a block's tokens.
  __device__ void fill(const Panels& panels, int eighths, int head, int first, int last) const {
    fill_tokens(panels, eighths, last - first, widths.nope, [&](int token, int eighth) {
      const float* from = query(first + token, head) + 8 * eighth;
      Eight eight;
#pragma unroll
      for (int i = 0; i < 4; ++i) eight.set(i, pair_of(from[2 * i], from[2 * i + 1]));
      return eight;
    });
  }
  __device__ void store(int token, int head, int dimension, float value) const {
    row(token, head)[dimension] = number_of(value);
  }
  // The rotated dimensions. Called once by a block for its tokens.
  __device__ void finish(int head, int first, int last) const {
    for (int i = threadIdx.x; i < (last - first) * widths.rope; i += kUnitThreads) {
      const int token = first + i / widths.rope, dimension = i % widths.rope, position = tokens.position(token);
      if (position < 0) continue;
      const float* from = query(token, head) + widths.nope;
      row(token, head)[widths.rank + dimension] =
          number_of(rotated(from, dimension, widths.rope, widths.interleaved, rotations.at(position)));
    }
  }
};

// The outputs of heads, [token][head][value].
struct HeadOutputs {
  LatentWidths widths;
  int heads;
  Number* to;

  __device__ void store(int token, int head, int dimension, float value) const {
    to[(static_cast<int64_t>(token) * heads + head) * widths.value + dimension] = number_of(value);
  }
  __device__ void finish(int, int, int) const {}
};

// Those of means of latent vectors, [token][head][rank].
struct ExpandMeans : HeadOutputs {
  static constexpr int kBlocksAhead = 4;

  const Number* means;

  __device__ void fill(const Panels& panels, int eighths, int head, int first, int last) const {
    fill_tokens(panels, eighths, last - first, widths.rank, [&](int token, int eighth) {
      return load8(means + (static_cast<int64_t>(first + token) * heads + head) * widths.rank + eighth * 8);
    });
  }
};

// A unit's weights of neighboring blocks of columns, loaded together.
template <int Blocks>
class WeightsAhead {
 public:
  // From `first` of all `blocks` on.
  __device__ __forceinline__ void load(const uint8_t* tiles, int first, int blocks, int lane) {
#pragma unroll
    for (int i = 0; i < Blocks; ++i)
      if (first + i < blocks)
        rows_[i] = typename Unit::Weights(tiles + (first + i) / kEach * SixteenBits::kTileBytes, lane)
                       .block((first + i) % kEach);
  }
  __device__ __forceinline__ void multiply_add(typename Unit::Sums& sums, const Panels& panels, int first, int blocks,
                                               int lane) const {
#pragma unroll
    for (int i = 0; i < Blocks; ++i)
      if (first + i < blocks) Unit::multiply_add(sums, rows_[i], typename Unit::Columns(panels, 0, first + i, lane));
  }

 private:
  static constexpr int kEach = SixteenBits::kTileColumns / kBlockColumns;

  typename Unit::Rows rows_[Blocks];
};

// A unit has 16 rows of a head's matrix, for 16 tokens. The first weights are loaded before the kernel ahead has ended.
// More of them at once take the registers of other blocks, of which prompts have many. Grid: (units' rows, heads, blocks of
// 16 tokens).
template <typename Operands>
__device__ __forceinline__ void multiply_heads(const Operands& operands, const HeadMatrices& matrices, int tokens) {
  __shared__ __align__(128) uint8_t shared[kHeadTokens * kMostRank * sizeof(Number)];
  const Panels panels(shared, kHeadTokens);
  const int head = blockIdx.y, first = blockIdx.z * kHeadTokens, last = min(first + kHeadTokens, tokens);
  const int lane = threadIdx.x % Unit::kLanes, row_tile = blockIdx.x * kUnits + threadIdx.x / Unit::kLanes;
  const int blocks =
      row_tile < matrices.row_tiles ? matrices.column_tiles * SixteenBits::kTileColumns / kBlockColumns : 0;
  const uint8_t* tiles = matrices.tile(head, row_tile);
  WeightsAhead<Operands::kBlocksAhead> weights;
  weights.load(tiles, 0, blocks, lane);
  await_previous_kernel();
  operands.fill(panels, matrices.column_tiles * 8, head, first, last);
  __syncthreads();
  if (blockIdx.x == 0) operands.finish(head, first, last);
  if (blocks == 0) return;
  typename Unit::Sums sums;
  weights.multiply_add(sums, panels, 0, blocks, lane);
#pragma unroll 1
  for (int i = Operands::kBlocksAhead; i < blocks; i += Operands::kBlocksAhead) {
    weights.load(tiles, i, blocks, lane);
    weights.multiply_add(sums, panels, i, blocks, lane);
  }
  const auto results = Unit::finish(sums, lane);
#pragma unroll
  for (int i = 0; i < Unit::kPairs; ++i) {
    const int token = first + Unit::column(lane, i), row = row_tile * kTileRows + Unit::row(lane, i);
    if (token >= last) continue;
    operands.store(token, head, row, results.low[i]);
    operands.store(token, head, row + 8, results.high[i]);
  }
}

// Makes queries of latent attention, and writes what the cache has of the tokens: blocks of one more head do.
// Grid: (units' rows, heads + 1, blocks of 16 tokens).
template <typename Places>
__global__ void __launch_bounds__(kUnitThreads)
    absorb_queries_kernel(AbsorbQueries<Places> queries, HeadMatrices matrices, CacheLatents<Places> latents,
                          int tokens) {
  if (static_cast<int>(blockIdx.y) < queries.heads) return multiply_heads(queries, matrices, tokens);
  await_previous_kernel();
  const int first = blockIdx.z * kHeadTokens, last = min(first + kHeadTokens, tokens);
  for (int token = first + blockIdx.x; token < last; token += gridDim.x) latents.template write<kUnitThreads>(token);
}

// Makes outputs of heads. Grid: as multiply_heads.
template <typename Operands>
__global__ void __launch_bounds__(kUnitThreads)
    expand_outputs_kernel(Operands operands, HeadMatrices matrices, int tokens) {
  multiply_heads(operands, matrices, tokens);
}

}  // namespace hipport_llm

#endif
