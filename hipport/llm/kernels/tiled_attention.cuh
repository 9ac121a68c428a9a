// Attention of a block of tokens over tiles of keys and values, with online softmax, on matrix units. Scores stay in
// registers; as weights of the values they pass through shared memory, which brings them into the order of an
// operand.
#ifndef HIPPORT_LLM_TILED_ATTENTION_CUH
#define HIPPORT_LLM_TILED_ATTENTION_CUH

#include <limits.h>

#include "matrix_unit.cuh"
#include "sight.cuh"

namespace hipport_llm {

// A block takes a head and 64 tokens, 16 for each unit; keys are loaded 32 or 64 at a time. (With more than four units,
// the others only help to load.)
constexpr int kBlockQueries = 64;
constexpr int kBlockKeys = Unit::kKeys;
// exp(x) = 2^(x * kLog2OfE)
constexpr float kLog2OfE = 1.44269504f;

// Shared memory of a block. For heads wider than 128, which need more of it, a block takes fewer tokens, and values
// take the place of the keys. Two units then share a token: each has half of its dimensions, for which there would not be
// enough registers otherwise.
template <int HeadWidth>
struct AttentionRoom {
  static constexpr bool kWide = HeadWidth > 128;
  static constexpr int kParts = kWide ? 2 : 1, kQueries = kBlockQueries / kParts;
  // Bytes of a key, in whole panels; and its eighths, in whole blocks of a product.
  static constexpr int kPanelBytes = (HeadWidth + 63) / 64 * Panels::kRowBytes, kEighths = (HeadWidth + 31) / 32 * 4;
  static constexpr int kKeyBytes = kBlockKeys * kPanelBytes, kValueBytes = HeadWidth * Panels::kRowBytes;
  static constexpr int kKeys = kQueries * kPanelBytes;
  static constexpr int kValues = kWide ? kKeys : kKeys + kKeyBytes;
  static constexpr int kWeights = kWide && kKeyBytes > kValueBytes ? kKeys + kKeyBytes : kValues + kValueBytes;
  static constexpr int kBytes = kWeights + kQueries * Panels::kRowBytes;
  static_assert(kBlockKeys <= Panels::kColumns, "keys are the columns of one panel");

  __device__ explicit AttentionRoom(uint8_t* shared)
      : queries(shared, kQueries),
        keys(shared + kKeys, kBlockKeys),
        values(shared + kValues, HeadWidth),
        weights(shared + kWeights, kQueries) {}

  Panels queries;  // [token][dimension]
  Panels keys;     // [key][dimension]
  Panels values;   // [dimension][key]
  Panels weights;  // [token][key]
};

// Loads `count` rows of a panel: `row(i, eighth)` returns eight dimensions of one. Those beyond the head become zero.
template <int HeadWidth, typename Row>
__device__ __forceinline__ void load_rows(const Panels& panels, int count, const Row& row) {
  constexpr int eighths = AttentionRoom<HeadWidth>::kEighths;
  for (int i = threadIdx.x; i < count * eighths; i += kUnitThreads) {
    const int eighth = i % eighths;
    if (HeadWidth % 32 != 0 && eighth >= HeadWidth / 8)
      panels.store(i / eighths, eighth, {make_uint4(0, 0, 0, 0)});
    else
      panels.store(i / eighths, eighth, row(i / eighths, eighth));
  }
}

// Loads kBlockKeys values, transposed, in pairs: `value(i, eighth)` returns eight dimensions of one.
template <int HeadWidth, typename Value>
__device__ __forceinline__ void load_values(const AttentionRoom<HeadWidth>& room, const Value& value) {
  constexpr int eighths = HeadWidth / 8;
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

// Loads kBlockKeys keys and values: `key(i, eighth)` and `value(i, eighth)` return eight dimensions of one. Called by
// all threads.
template <int HeadWidth, typename Key, typename Value>
__device__ __forceinline__ void load_keys(const AttentionRoom<HeadWidth>& room, const Key& key, const Value& value) {
  load_rows<HeadWidth>(room.keys, kBlockKeys, key);
  load_values(room, value);
}

// Loads the queries of the block: `query(i, eighth)` returns eight dimensions of one.
template <int HeadWidth, typename Query>
__device__ __forceinline__ void load_queries(const AttentionRoom<HeadWidth>& room, const Query& query) {
  load_rows<HeadWidth>(room.queries, AttentionRoom<HeadWidth>::kQueries, query);
}

// 16 tokens of a unit.
template <int HeadWidth, typename Sight = WholeSight>
class UnitAttention {
 public:
  // `own` is the number of the unit's first token in the block, `position` its position: a token sees keys up to its
  // own position, and to `last`. Exponentials are of base 2: `scale` of the scores is that, too. `part` is the unit's
  // part of the dimensions.
  __device__ __forceinline__ UnitAttention(const AttentionRoom<HeadWidth>& room, int own, int position, float scale,
                                           int last = INT_MAX, int part = 0)
      : room_(room),
        lane_(threadIdx.x % Unit::kLanes),
        own_(own),
        position_(position),
        last_(last),
        first_(part * kTiles * 16),
        scale_(scale) {
#pragma unroll
    for (int i = 0; i < Unit::kColumns; ++i) largest_[i] = -INFINITY;
  }

  // For limited sights, before the first scores. Where all keys of a tile are hidden, scores are compared with the
  // sink's, which is not infinite.
  __device__ __forceinline__ void limit(const Sight& sight, int head) {
    reach_ = sight.reach();
    sink_ = sight.sink(head) * kLog2OfE;
#pragma unroll
    for (int i = 0; i < Unit::kColumns; ++i) largest_[i] = sink_;
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
        if (Room::kParts == 1 || first_ == 0)
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
    for (int tile = 0; tile < kTiles; ++tile) {
      keep_order();
      typename Unit::Sums sums;
#pragma unroll
      for (int block = 0; block < blocks; ++block)
        Unit::multiply_add(sums, typename Unit::PanelRows(room_.values, first_ + tile * 16, block, lane_),
                           weights[block]);
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
      float sum = combine_columns(sums_[slot], [](float a, float b) { return a + b; });
      if constexpr (Sight::kLimited) sum += sink_ > LimitedSight::kLeast ? exp2f(sink_ - largest_[slot]) : 0.0f;
      scales[slot] = sum > 0.0f ? 1.0f / sum : 0.0f;
    }
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        const int token = Unit::column(lane_, i), dimension = first_ + tile * 16 + Unit::row(lane_, i);
        put(token, dimension, low_[tile][i] * scales[i % Unit::kColumns]);
        put(token, dimension + 8, high_[tile][i] * scales[i % Unit::kColumns]);
      }
  }

 private:
  using Room = AttentionRoom<HeadWidth>;
  static constexpr int tiles = kBlockKeys / 16, at_once = Unit::kTilesAtOnce;
  static constexpr int kTiles = HeadWidth / 16 / Room::kParts;  // of its part of the dimensions

  // The row of a tile that a lane's result i has: first the pairs' low rows, then the high ones.
  __device__ int row(int i) const { return Unit::row(lane_, i % Unit::kPairs) + i / Unit::kPairs * 8; }

  // Some tiles of 16 keys, for which the queries are loaded once.
  __device__ __forceinline__ void score_tiles(int tile, int first, float (*scores)[2 * Unit::kPairs]) const {
    typename Unit::Sums sums[at_once];
#pragma unroll
    for (int block = 0; block < AttentionRoom<HeadWidth>::kEighths / 4; ++block) {
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
      const bool seen = ahead >= 0 && (!Sight::kLimited || ahead < reach_);
      scores[i] = seen ? (i < Unit::kPairs ? results.low[pair] : results.high[pair]) * scale_ : -INFINITY;
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
  int lane_, own_, position_, last_, first_;  // first_: of its dimensions
  float scale_;
  int reach_ = INT_MAX;  // how many positions a token sees
  float sink_ = 0.0f;
  float largest_[Unit::kColumns], sums_[Unit::kColumns] = {}, factors_[Unit::kColumns];
  float low_[kTiles][Unit::kPairs] = {}, high_[kTiles][Unit::kPairs] = {};
};

// Attention of a block's tokens over keys from `begin` to `end`, kBlockKeys at a time, which `load(first)` loads into
// shared memory after the queries. `unit` is this thread's, which only helps to load unless it `works`.
template <typename UnitOf, typename Load>
__device__ __forceinline__ void attend_keys(UnitOf& unit, bool works, int end, const Load& load, int begin = 0) {
#pragma unroll 1
  for (int first = begin; first < end; first += kBlockKeys) {
    load(first);
    __syncthreads();
    if (works) unit.score(first);
    __syncthreads();
    if (works) unit.add_values();
    __syncthreads();
  }
}

// The same where values take the place of keys: `load_keys(first)`, and once these are not needed any more,
// `load_values(first)`.
template <typename UnitOf, typename LoadKeys, typename LoadValues>
__device__ __forceinline__ void attend_keys_in_turn(UnitOf& unit, bool works, int begin, int end,
                                                    const LoadKeys& load_keys, const LoadValues& load_values) {
#pragma unroll 1
  for (int first = begin; first < end; first += kBlockKeys) {
    load_keys(first);
    __syncthreads();
    if (works) unit.score(first);
    __syncthreads();
    load_values(first);
    __syncthreads();
    if (works) unit.add_values();
    __syncthreads();
  }
}

}  // namespace hipport_llm

#endif
