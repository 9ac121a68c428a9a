// Multiplies matrices in a format of a model file with many tokens on the matrix units of Hopper's warp groups: all tokens
// with the same matrices, or the tokens of mixtures of experts, sorted by expert, each with those of their expert.
#ifndef HIPPORT_LLM_WARPGROUP_NATIVE_CUH
#define HIPPORT_LLM_WARPGROUP_NATIVE_CUH

#include "expert_products.cuh"
#include "native_matmul.cuh"
#include "warpgroup_pipeline.cuh"

namespace hipport_llm {

// The pairs of tokens and experts in their order, where some places are empty.
struct SortedPairs {
  PairVectors vectors;
  const int* pairs;

  __device__ int stride() const { return vectors.activations.stride; }
  __device__ const Number* at(int place) const { return pairs[place] < 0 ? nullptr : vectors.of(pairs[place]); }
};

// Matrices of one format that one launch multiplies with, one below the other: of each, `rows` rows for each expert, or all.
struct GroupParts {
  static constexpr int kMost = NativeParts::kMost;
  NativeMatrix matrices[kMost];
  int rows[kMost];
  int count;

  __host__ __device__ int blocks_of(int i, int block_rows) const { return (rows[i] + block_rows - 1) / block_rows; }
  __host__ int blocks(int block_rows) const {
    int all = 0;
    for (int i = 0; i < count; ++i) all += blocks_of(i, block_rows);
    return all;
  }
};

// The matrix of a block, its rows for each expert, the block's first of them, and what is above them in the results.
struct GroupPart {
  NativeMatrix matrix;
  int rows, first, above;

  __device__ GroupPart(const GroupParts& parts, int block, int block_rows)
      : matrix(parts.matrices[0]), rows(parts.rows[0]), above(0) {
#pragma unroll
    for (int i = 1; i < GroupParts::kMost; ++i) {
      const int passed = parts.blocks_of(i - 1, block_rows);
      if (i >= parts.count || block < passed) break;
      block -= passed;
      above += rows;
      matrix = parts.matrices[i];
      rows = parts.rows[i];
    }
    first = block * block_rows;
  }
};

// What a product multiplies with: `count` tokens, or the pairs of `order`.
struct GroupTokens {
  ArrangedTokens arranged;
  int count;
  ExpertOrder order;  // or null
  bool first = true;  // of the products with these tokens that run side by side

  // Whether they are the pairs of `order`, which the kernel before may have written.
  __device__ bool are_sorted() const { return order.tiles != nullptr; }
  // The places that a block has, and the matrices of which expert.
  __device__ ExpertTile tile(int block, int places) const {
    return are_sorted() ? order.tiles[block] : ExpertTile{0, block * places, min(places, count - block * places)};
  }
  // Which token or pair is at a place.
  __device__ int at(int place) const { return are_sorted() ? order.pairs[place] : place; }
};

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

// How blocks divide a product, by the places of a tile. Many places, or weights of 16 bits, take the registers of another
// block.
template <typename Format, int Places>
using NativeGroups = WarpgroupDivision<2, Places,
                                       (Places > 64 || Format::Codes::kBits > 8 ? 1
                                        : Places > 16                           ? 2
                                                                                : 3),
                                       1, kNativeColumns>;

// A warp's 16 rows, from row `first` of a matrix and stage `stage` on.
template <typename Format>
class NativeGroupWeights {
 public:
  using Stage = NativeRows<Format>;
  struct Scales {
    PairScale of[LaneRows::kHeld];
  };

  // Rows from `end` on repeat the one before; their results are not used.
  __device__ NativeGroupWeights(const NativeMatrix& matrix, int first, int end, int stage)
      : matrix_(matrix), lane_(threadIdx.x % kLanes), stage_(stage) {
#pragma unroll
    for (int i = 0; i < LaneRows::kHeld; ++i)
      rows_[i] = NativeRow(matrix, min(first + LaneRows::held_row(lane_, i), end - 1));
  }

  __device__ __forceinline__ Stage load(int i) const {
    Stage stage;
    stage.load(rows_, matrix_, stage_ + i, lane_);
    return stage;
  }
  __device__ __forceinline__ LaneRows block(const Stage& stage, int block, Scales& scales) const {
    stage.set_scales(block, matrix_, scales.of);
    return stage.block(block, scales.of);
  }

 private:
  const NativeMatrix& matrix_;
  int lane_, stage_;
  NativeRow rows_[LaneRows::kHeld];
};

// Grid: (tiles of tokens, rows, splits of the columns).
template <typename Format, typename Division>
__global__ void __launch_bounds__(Division::kThreads, Division::kResident)
    native_groups_kernel(GroupParts parts, GroupTokens tokens, NativeSums out) {
  extern __shared__ __align__(1024) uint8_t ring[];
  using Own = typename Division::Unit;
  const auto barriers = init_ring<Division>(ring);
  const GroupPart part(parts, blockIdx.y, Division::kRows);
  const StageRange stages(part.matrix.columns, blockIdx.z, gridDim.z);
  if (tokens.are_sorted()) await_previous_kernel();
  const ExpertTile tile = tokens.tile(blockIdx.x, Division::kTokens);
  if (tile.count == 0) return;
  const int lane = threadIdx.x % kLanes, row = part.first + static_cast<int>(threadIdx.x) / kLanes * 16;
  const int expert = tile.expert * part.rows;
  const NativeGroupWeights<Format> weights(part.matrix, expert + row, expert + part.rows, stages.first);
  StagesAhead<NativeGroupWeights<Format>> ahead(weights, stages.end - stages.first);
  const SideBySide products(tokens.first);
  products.begin();
  typename Own::Sums sums;
  multiply_stages<Division>({ring, barriers, tokens.arranged, tile.first, stages.first}, ahead, sums);
#pragma unroll
  for (int i = 0; i < Own::kPairs; ++i) {
    const int place = Own::column(lane, i), own = row + Own::row(lane);
    if (place >= tile.count) continue;
    float* to = out.at(blockIdx.z, tokens.at(tile.first + place), part.above + own);
    if (own < part.rows) to[0] = Own::low(sums, i);
    if (own + 8 < part.rows) to[8] = Own::high(sums, i);
  }
  products.end();
}

#endif

}  // namespace hipport_llm

#endif
