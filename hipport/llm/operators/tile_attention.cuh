// GEMM, softmax and GEMM in one kernel, for batches and heads: softmax(scale * queries keys^T) values. A block has some
// queries and goes through the keys; scores are in shared memory for as long as a tile of them is used.
#ifndef HIPPORT_LLM_TILE_ATTENTION_CUH
#define HIPPORT_LLM_TILE_ATTENTION_CUH

#include "reduction.cuh"
#include "tile_gemm.cuh"

namespace hipport_llm {

// A head of one sequence.
struct AttentionHead {
  Source<Bounded> queries, keys, values;
  Store out;
  int query_count, key_count, width;
  float scale;
  bool causal;  // a query sees keys up to its own position
};

template <int Threads, int Width>
class TileAttention {
 public:
  static constexpr int queries = Threads / 2, keys = Width == 64 ? 64 : 32;

 private:
  static constexpr int units = Threads / TileUnit::lanes, strips = queries / kUnitTile / units;
  static constexpr int key_tiles = keys / kUnitTile, width_tiles = Width / kUnitTile;
  using QueryTile = Transfer<Threads, queries, Width>;
  using KeyTile = Transfer<Threads, keys, Width>;
  using ValueTile = TurningTransfer<Threads, Width, keys>;

  // Scores of 16 queries; then, in the same rows, their exponentials in half precision.
  static constexpr int score_stride = keys + 4, likely_stride = 2 * score_stride;
  static constexpr int lanes_a_row = TileUnit::lanes / kUnitTile, own = keys / lanes_a_row;

 public:
  struct alignas(16) Shared {
    __half queries[QueryTile::elements], keys[KeyTile::elements], values[ValueTile::elements];
    float scores[units][kUnitTile * score_stride];
    float factors[units][kUnitTile];
  };

  __device__ __forceinline__ TileAttention(const AttentionHead& head, Shared& shared)
      : head_(head),
        shared_(shared),
        scores_(shared.scores[unit_of_thread()]),
        factors_(shared.factors[unit_of_thread()]),
        lane_(lane_of_unit()) {
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) largest_[strip] = -INFINITY;
  }

  __device__ __forceinline__ void run(int first_query) {
    const int end = head_.causal ? min(head_.key_count, first_query + queries) : head_.key_count;
    QueryTile::move(head_.queries, first_query, shared_.queries);
    for (int first = 0; first < end; first += keys) {
      __syncthreads();
      KeyTile::move(head_.keys, first, shared_.keys);
      ValueTile::move(head_.values, first, shared_.values);
      __syncthreads();
#pragma unroll
      for (int strip = 0; strip < strips; ++strip) attend(strip, first_query, first);
    }
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) finish(strip, first_query);
  }

 private:
  __device__ int strip_row(int strip) const { return (unit_of_thread() * strips + strip) * kUnitTile; }

  // One tile of keys and values.
  __device__ __forceinline__ void attend(int strip, int first_query, int first_key) {
    score(strip);
    __syncwarp();
    soften(strip, first_query, first_key);
    __syncwarp();
    mix(strip);
    __syncwarp();
  }

  __device__ __forceinline__ void score(int strip) {
    const __half* mine = shared_.queries + strip_row(strip) * QueryTile::stride;
    TileUnit::Sums sums[key_tiles];
#pragma unroll 1
    for (int k = 0; k < Width; k += TileUnit::kDepth) {
      const TileUnit::A a = TileUnit::load_a(mine + k, QueryTile::stride, lane_);
#pragma unroll
      for (int j = 0; j < key_tiles; ++j)
        TileUnit::multiply_add(
            sums[j], a, TileUnit::load_b(shared_.keys + j * kUnitTile * KeyTile::stride + k, KeyTile::stride, lane_));
    }
#pragma unroll
    for (int j = 0; j < key_tiles; ++j)
      TileUnit::each(sums[j], lane_, [&](int row, int column, float& value) {
        scores_[row * score_stride + j * kUnitTile + column] = value * head_.scale;
      });
  }

  // The online softmax (Milakov and Gimelshein 2018): a few lanes for each row.
  __device__ __forceinline__ void soften(int strip, int first_query, int first_key) {
    const int row = lane_ / lanes_a_row, part = lane_ % lanes_a_row;
    const int query = first_query + strip_row(strip) + row;
    const int end = head_.causal ? min(head_.key_count, query + 1) : head_.key_count;
    float values[own], most = largest_[strip];
#pragma unroll
    for (int i = 0; i < own; ++i) {
      const int column = this->column(i, part);
      values[i] = first_key + column < end ? scores_[row * score_stride + column] : -INFINITY;
      most = fmaxf(most, values[i]);
    }
    most = reduce_lanes<lanes_a_row>(most, Max());
    const float factor = __expf(largest_[strip] - most);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < own; ++i) sum += values[i] = __expf(values[i] - most);
    sum_[strip] = fmaf(sum_[strip], factor, reduce_lanes<lanes_a_row>(sum, Sum()));
    largest_[strip] = most;
    if (part == 0) factors_[row] = factor;
    __syncwarp();
    __half* likely = reinterpret_cast<__half*>(scores_) + row * likely_stride;
#pragma unroll
    for (int i = 0; i < own; i += 2)
      *reinterpret_cast<__half2*>(likely + column(i, part)) = __floats2half2_rn(values[i], values[i + 1]);
  }

  // Lanes of a row take four columns in turn.
  __device__ static int column(int i, int part) { return i / 4 * 4 * lanes_a_row + part * 4 + i % 4; }

  __device__ __forceinline__ void mix(int strip) {
#pragma unroll
    for (int j = 0; j < width_tiles; ++j)
      TileUnit::each(sums_[strip][j], lane_, [&](int row, int, float& value) { value *= factors_[row]; });
#pragma unroll 1
    for (int k = 0; k < keys; k += TileUnit::kDepth) {
      const TileUnit::A a =
          TileUnit::load_a(reinterpret_cast<const __half*>(scores_) + k, likely_stride, lane_);
#pragma unroll
      for (int j = 0; j < width_tiles; ++j)
        TileUnit::multiply_add(
            sums_[strip][j], a,
            TileUnit::load_b(shared_.values + j * kUnitTile * ValueTile::stride + k, ValueTile::stride, lane_));
    }
  }

  __device__ __forceinline__ void finish(int strip, int first_query) {
    if (lane_ % lanes_a_row == 0) factors_[lane_ / lanes_a_row] = sum_[strip] > 0.0f ? 1.0f / sum_[strip] : 0.0f;
    __syncwarp();
#pragma unroll
    for (int j = 0; j < width_tiles; ++j)
      by_rows(sums_[strip][j], scores_, [&](float(&values)[8], int row, int column) {
        Multiply{factors_[row]}(values, row, column, 8);
        const int query = first_query + strip_row(strip) + row, at = j * kUnitTile + column;
        const int count = min(8, head_.width - at);
        if (query < head_.query_count && count > 0) head_.out(values, query, at, count);
      });
  }

  const AttentionHead& head_;
  Shared& shared_;
  float *scores_, *factors_;
  int lane_;
  float largest_[strips], sum_[strips] = {};
  TileUnit::Sums sums_[strips][width_tiles];
};

}  // namespace hipport_llm

#endif
