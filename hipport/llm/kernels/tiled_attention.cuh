// Attention of a block of tokens over tiles of keys and values, with online softmax, on matrix units. Scores stay in
// registers; as weights of the values they pass through shared memory, which brings them into the order of an
// operand.
#ifndef HIPPORT_LLM_TILED_ATTENTION_CUH
#define HIPPORT_LLM_TILED_ATTENTION_CUH

#include <limits.h>

#include "matrix_unit.cuh"

namespace hipport_llm {

// A block takes a head and 64 tokens, 16 for each unit; keys are loaded 32 or 64 at a time. (With more than four units,
// the others only help to load.)
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

// Loads kBlockKeys keys and values: `key(i, eighth)` and `value(i, eighth)` return eight dimensions of one. Called by
// all threads.
template <int HeadWidth, typename Key, typename Value>
__device__ __forceinline__ void load_keys(const AttentionRoom<HeadWidth>& room, const Key& key, const Value& value) {
  constexpr int eighths = HeadWidth / 8;
  for (int i = threadIdx.x; i < kBlockKeys * eighths; i += kUnitThreads)
    room.keys.store(i / eighths, i % eighths, key(i / eighths, i % eighths));
  // Transposes values, in pairs.
  for (int i = threadIdx.x; i < kBlockKeys / 2 * eighths; i += kUnitThreads) {
    const int first = i % (kBlockKeys / 2) * 2, eighth = i / (kBlockKeys / 2);
    const Eight even = value(first, eighth), odd = value(first + 1, eighth);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      room.values.store_at(eighth * 8 + 2 * j, first, lows_of(even.pair(j), odd.pair(j)));
      room.values.store_at(eighth * 8 + 2 * j + 1, first, highs_of(even.pair(j), odd.pair(j)));
    }
  }
}

// Loads the queries of the block: `query(i, eighth)` returns eight dimensions of one.
template <int HeadWidth, typename Query>
__device__ __forceinline__ void load_queries(const AttentionRoom<HeadWidth>& room, const Query& query) {
  constexpr int eighths = HeadWidth / 8;
  for (int i = threadIdx.x; i < kBlockQueries * eighths; i += kUnitThreads)
    room.queries.store(i / eighths, i % eighths, query(i / eighths, i % eighths));
}

// 16 tokens of a unit.
template <int HeadWidth>
class UnitAttention {
 public:
  // `own` is the number of the unit's first token in the block, `position` its position: a token sees keys up to its
  // own position, and to `last`. Exponentials are of base 2: `scale` of the scores is that, too.
  __device__ __forceinline__ UnitAttention(const AttentionRoom<HeadWidth>& room, int own, int position, float scale,
                                           int last = INT_MAX)
      : room_(room), lane_(threadIdx.x % Unit::kLanes), own_(own), position_(position), last_(last), scale_(scale) {
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

  // Adds the values, weighted with what score() stored.
  __device__ __forceinline__ void add_values() {
    constexpr int blocks = kBlockKeys / 32;
    typename Unit::PanelColumns weights[blocks];
#pragma unroll
    for (int block = 0; block < blocks; ++block)
      weights[block] = typename Unit::PanelColumns(room_.weights, own_, block, lane_);
#pragma unroll
    for (int tile = 0; tile < HeadWidth / 16; ++tile) {
      keep_order();
      typename Unit::Sums sums;
#pragma unroll
      for (int block = 0; block < blocks; ++block)
        Unit::multiply_add(sums, typename Unit::PanelRows(room_.values, tile * 16, block, lane_), weights[block]);
      const auto results = Unit::finish(sums, lane_);
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        low_[tile][i] = fmaf(low_[tile][i], factors_[i % Unit::kColumns], results.low[i]);
        high_[tile][i] = fmaf(high_[tile][i], factors_[i % Unit::kColumns], results.high[i]);
      }
    }
  }

  // Calls `put(token, dimension, value)` for the results, with tokens counted from the unit's first.
  template <typename Put>
  __device__ __forceinline__ void write(const Put& put) const {
    float scales[Unit::kColumns];
#pragma unroll
    for (int slot = 0; slot < Unit::kColumns; ++slot) {
      const float sum = combine_columns(sums_[slot], [](float a, float b) { return a + b; });
      scales[slot] = sum > 0.0f ? 1.0f / sum : 0.0f;
    }
#pragma unroll
    for (int tile = 0; tile < HeadWidth / 16; ++tile)
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        const int token = Unit::column(lane_, i), dimension = tile * 16 + Unit::row(lane_, i);
        put(token, dimension, low_[tile][i] * scales[i % Unit::kColumns]);
        put(token, dimension + 8, high_[tile][i] * scales[i % Unit::kColumns]);
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
      const typename Unit::PanelColumns queries(room_.queries, own_, block, lane_);
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        Unit::multiply_add(sums[i], typename Unit::PanelRows(room_.keys, (tile + i) * 16, block, lane_), queries);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) mask(sums[i], first + (tile + i) * 16, scores[i]);
  }

  // The scores of 16 keys from `first` on; those that a token does not see become -inf.
  __device__ __forceinline__ void mask(const typename Unit::Sums& sums, int first,
                                       float (&scores)[2 * Unit::kPairs]) const {
    const auto results = Unit::finish(sums, lane_);
#pragma unroll
    for (int i = 0; i < 2 * Unit::kPairs; ++i) {
      const int pair = i % Unit::kPairs, ahead = min(position_ + Unit::column(lane_, pair), last_) - first - row(i);
      scores[i] = ahead >= 0 ? (i < Unit::kPairs ? results.low[pair] : results.high[pair]) * scale_ : -INFINITY;
    }
  }

  // Updates the maximum and sum of a column for new scores. The first ones, from key 0 on, are never all masked.
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
  int lane_, own_, position_, last_;
  float scale_;
  float largest_[Unit::kColumns], sums_[Unit::kColumns] = {}, factors_[Unit::kColumns];
  float low_[HeadWidth / 16][Unit::kPairs] = {}, high_[HeadWidth / 16][Unit::kPairs] = {};
};

// Attention of a block's tokens over keys from 0 to `end`, kBlockKeys at a time, which `load(first)` loads into shared
// memory after the queries. `unit` is this thread's, which only helps to load unless it `works`.
template <int HeadWidth, typename Load>
__device__ __forceinline__ void attend_keys(UnitAttention<HeadWidth>& unit, bool works, int end, const Load& load) {
#pragma unroll 1
  for (int first = 0; first < end; first += kBlockKeys) {
    load(first);
    __syncthreads();
    if (works) unit.score(first);
    __syncthreads();
    if (works) unit.add_values();
    __syncthreads();
  }
}

// exp(x) = 2^(x * kLog2OfE)
constexpr float kLog2OfE = 1.44269504f;

}  // namespace hipport_llm

#endif
