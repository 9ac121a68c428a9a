// Attention of neighbouring tokens over the cached keys and values before and among them: tiled, with online softmax,
// on matrix units. Scores stay in registers; as weights of the values they go through shared memory, which gives them
// the order of an operand.
#ifndef HIPPORT_LLM_PREFILL_ATTENTION_CUH
#define HIPPORT_LLM_PREFILL_ATTENTION_CUH

#include "matrix_unit.cuh"
#include "prefill_epilogues.cuh"

namespace hipport_llm {

// A block takes a head and 64 tokens, 16 for each unit; keys come 32 or 64 at a time. (Where there are more than four units,
// the rest only help to load.)
constexpr int kBlockQueries = 64;
constexpr int kBlockKeys = Unit::kKeys;

// Shared memory of a block.
template <int HeadWidth>
struct AttentionRoom {
  static constexpr int kKeys = kBlockQueries * HeadWidth * 2;
  static constexpr int kValues = kKeys + kBlockKeys * HeadWidth * 2;
  static constexpr int kWeights = kValues + HeadWidth * Panels::kRowBytes;
  static constexpr int kBytes = kWeights + kBlockQueries * Panels::kRowBytes;
  static_assert(kBlockKeys <= Panels::kColumns, "keys are the columns of one panel");

  __device__ explicit AttentionRoom(uint8_t* shared)
      : queries(shared, kBlockQueries),
        keys(shared + kKeys, kBlockKeys),
        values(shared + kValues, HeadWidth),
        weights(shared + kWeights, kBlockQueries) {}

  Panels queries;  // [token][dimension]
  Panels keys;     // [key][dimension]
  Panels values;   // [dimension][key]
  Panels weights;  // [token][key]
};

// kBlockKeys keys and values from `first` on, of `length`. Those beyond repeat the last one; they are not looked at.
template <int HeadWidth>
__device__ __forceinline__ void load_keys(const AttentionRoom<HeadWidth>& room, const CachedHead<HeadWidth>& cached,
                                          int first, int length) {
  constexpr int eighths = HeadWidth / 8;
  for (int i = threadIdx.x; i < kBlockKeys * eighths; i += kUnitThreads) {
    const int key = i / eighths, eighth = i % eighths;
    room.keys.store(key, eighth, load_cached<HeadWidth>(cached.key(min(first + key, length - 1)), eighth * 8));
  }
  // Pairs of values change places with dimensions.
  for (int i = threadIdx.x; i < kBlockKeys / 2 * eighths; i += kUnitThreads) {
    const int key = i % (kBlockKeys / 2) * 2, eighth = i / (kBlockKeys / 2);
    const Eight even = load_cached<HeadWidth>(cached.value(min(first + key, length - 1)), eighth * 8);
    const Eight odd = load_cached<HeadWidth>(cached.value(min(first + key + 1, length - 1)), eighth * 8);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      room.values.store_at(eighth * 8 + 2 * j, key, lows_of(even.pair(j), odd.pair(j)));
      room.values.store_at(eighth * 8 + 2 * j + 1, key, highs_of(even.pair(j), odd.pair(j)));
    }
  }
}

// 16 tokens of a unit.
template <int HeadWidth>
class UnitAttention {
 public:
  // `own` is the number of the unit's first token in the block, `position` its position.
  __device__ __forceinline__ UnitAttention(const AttentionRoom<HeadWidth>& room, int own, int position)
      : room_(room), lane_(threadIdx.x % Unit::kLanes), own_(own), position_(position) {
#pragma unroll
    for (int i = 0; i < Unit::kColumns; ++i) largest_[i] = -INFINITY;
  }

  // Scores of kBlockKeys keys from `first` on, as weights into shared memory.
  __device__ __forceinline__ void score(int first) {
    float scores[tiles][2 * Unit::kPairs];
#pragma unroll
    for (int tile = 0; tile < tiles; tile += at_once) score_tiles(tile, first, scores + tile);
#pragma unroll
    for (int slot = 0; slot < Unit::kColumns; ++slot) rescale(slot, scores);
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile)
#pragma unroll
      for (int i = 0; i < 2 * Unit::kPairs; ++i) {
        const int pair = i % Unit::kPairs, slot = pair % Unit::kColumns;
        const float weight = exp2f(scores[tile][i] - largest_[slot]);
        sums_[slot] += weight;
        room_.weights.store_at(own_ + Unit::column(lane_, pair), tile * 16 + row(i), number_of(weight));
      }
  }

  // Adds the values with these weights.
  __device__ __forceinline__ void add_values() {
    constexpr int blocks = kBlockKeys / 32;
    typename Unit::Columns weights[blocks];
#pragma unroll
    for (int block = 0; block < blocks; ++block)
      weights[block] = typename Unit::Columns(room_.weights, own_, block, lane_);
#pragma unroll
    for (int tile = 0; tile < HeadWidth / 16; ++tile) {
      keep_order();
      typename Unit::Sums sums;
#pragma unroll
      for (int block = 0; block < blocks; ++block)
        Unit::multiply_add(sums, typename Unit::Rows(room_.values, tile * 16, block, lane_), weights[block]);
      const auto results = Unit::finish(sums, lane_);
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        low_[tile][i] = fmaf(low_[tile][i], factors_[i % Unit::kColumns], results.low[i]);
        high_[tile][i] = fmaf(high_[tile][i], factors_[i % Unit::kColumns], results.high[i]);
      }
    }
  }

  // `to` is the place of the unit's first token, of `count`.
  __device__ __forceinline__ void write(Number* to, int64_t stride, int count) const {
    float scales[Unit::kColumns];
#pragma unroll
    for (int slot = 0; slot < Unit::kColumns; ++slot)
      scales[slot] = 1.0f / combine_columns(sums_[slot], [](float a, float b) { return a + b; });
#pragma unroll
    for (int tile = 0; tile < HeadWidth / 16; ++tile)
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        const int token = Unit::column(lane_, i), dimension = tile * 16 + Unit::row(lane_, i);
        if (token >= count) continue;
        to[token * stride + dimension] = number_of(low_[tile][i] * scales[i % Unit::kColumns]);
        to[token * stride + dimension + 8] = number_of(high_[tile][i] * scales[i % Unit::kColumns]);
      }
  }

 private:
  static constexpr int tiles = kBlockKeys / 16, at_once = Unit::kTilesAtOnce;

  // The row of a tile that a lane's result i has: first the pairs' low rows, then the high ones.
  __device__ int row(int i) const { return Unit::row(lane_, i % Unit::kPairs) + i / Unit::kPairs * 8; }

  // Some tiles of 16 keys, for which the queries are loaded once.
  __device__ __forceinline__ void score_tiles(int tile, int first, float (*scores)[2 * Unit::kPairs]) const {
    typename Unit::Sums sums[at_once];
#pragma unroll
    for (int block = 0; block < HeadWidth / 32; ++block) {
      keep_order();
      const typename Unit::Columns queries(room_.queries, own_, block, lane_);
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        Unit::multiply_add(sums[i], typename Unit::Rows(room_.keys, (tile + i) * 16, block, lane_), queries);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) mask(sums[i], first + (tile + i) * 16, scores[i]);
  }

  // The scores of 16 keys from `first` on, of which those after a token's own are out of its sight.
  __device__ __forceinline__ void mask(const typename Unit::Sums& sums, int first,
                                       float (&scores)[2 * Unit::kPairs]) const {
    const auto results = Unit::finish(sums, lane_);
    // Exponentials are of base 2: 1.4427 is its logarithm of e.
    const float scale = rsqrtf(static_cast<float>(HeadWidth)) * 1.44269504f;
#pragma unroll
    for (int i = 0; i < 2 * Unit::kPairs; ++i) {
      const int pair = i % Unit::kPairs, ahead = position_ + Unit::column(lane_, pair) - first - row(i);
      scores[i] = ahead >= 0 ? (i < Unit::kPairs ? results.low[pair] : results.high[pair]) * scale : -INFINITY;
    }
  }

  // Takes new scores of a column into account. The first ones, of position 0 on, are never all out of sight.
  __device__ __forceinline__ void rescale(int slot, const float (&scores)[tiles][2 * Unit::kPairs]) {
    float larger = largest_[slot];
#pragma unroll
    for (int tile = 0; tile < tiles; ++tile)
#pragma unroll
      for (int i = slot; i < 2 * Unit::kPairs; i += Unit::kColumns) larger = fmaxf(larger, scores[tile][i]);
    larger = combine_columns(larger, [](float a, float b) { return fmaxf(a, b); });
    factors_[slot] = exp2f(largest_[slot] - larger);
    sums_[slot] *= factors_[slot];
    largest_[slot] = larger;
  }

  const AttentionRoom<HeadWidth>& room_;
  int lane_, own_, position_;
  float largest_[Unit::kColumns], sums_[Unit::kColumns] = {}, factors_[Unit::kColumns];
  float low_[HeadWidth / 16][Unit::kPairs] = {}, high_[HeadWidth / 16][Unit::kPairs] = {};
};

// Blocks: (head, 64 tokens). Queries and output: [token][head][dimension], with memory for whole blocks of tokens.
template <int HeadWidth>
__global__ void __launch_bounds__(kUnitThreads)
    prefill_attention_kernel(Shape shape, Cache cache, Piece piece, int layer, const Number* queries, Number* to) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[AttentionRoom<HeadWidth>::kBytes];
#endif
  const AttentionRoom<HeadWidth> room(shared);
  const int head = blockIdx.x, token = blockIdx.y * kBlockQueries, width = shape.query_width();
  const Number* own = queries + static_cast<int64_t>(token) * width + head * HeadWidth;
  for (int i = threadIdx.x; i < kBlockQueries * HeadWidth / 8; i += kUnitThreads)
    room.queries.store(i / (HeadWidth / 8), i % (HeadWidth / 8),
                       load8(own + static_cast<int64_t>(i / (HeadWidth / 8)) * width + i % (HeadWidth / 8) * 8));
  __syncthreads();
  const int first = threadIdx.x / Unit::kLanes * 16, length = piece.first + min(token + kBlockQueries, piece.count);
  const CachedHead<HeadWidth> cached(cache, piece.pages(0), layer, shape.kv_heads, head / (shape.heads / shape.kv_heads));
  const bool works = first < kBlockQueries;
  UnitAttention<HeadWidth> unit(room, works ? first : 0, piece.first + token + first);
#pragma unroll 1
  for (int key = 0; key < length; key += kBlockKeys) {
    load_keys(room, cached, key, length);
    __syncthreads();
    if (works) unit.score(key);
    __syncthreads();
    if (works) unit.add_values();
    __syncthreads();
  }
  if (works)
    unit.write(to + static_cast<int64_t>(token + first) * width + head * HeadWidth, width, piece.count - token - first);
}

}  // namespace hipport_llm

#endif
