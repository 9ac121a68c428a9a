// Attention on the matrix units of Hopper's warp groups. One warp copies tiles of keys and values; the others compute the
// scores of a tile while the values of the tile before are added, and its weights while both go on. Scores stay in
// registers, where they become weights.
#ifndef HIPPORT_LLM_BULK_ATTENTION_CUH
#define HIPPORT_LLM_BULK_ATTENTION_CUH

#include "decode_attention.cuh"
#include "sight.cuh"
#include "swizzled_panels.cuh"
#include "tensor_copies.cuh"
#include "tiled_attention.cuh"
#include "warpgroup_unit.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// The exponential of base 2 without the instructions for numbers below 2^-126, which count as 0.
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// A block takes a head and 64 queries for each of two warp groups, which share tiles of 128 keys and of their values. All
// are in panels of 64 dimensions, [panel][row][64]. A third group copies, with one thread, and leaves its registers to the
// others. (Smaller tiles, a third attending group, and groups that take turns at the units are slower on an H200.)
template <int HeadWidth>
struct BulkAttentionRoom {
  static constexpr int kGroups = 2, kGroupQueries = 64, kQueries = kGroups * kGroupQueries, kKeys = 128;
  static constexpr int kAttending = kGroups * 128, kThreads = kAttending + 128;
  static constexpr int kAttendingRegisters = 240, kCopyingRegisters = 24;
  static constexpr int kPanels = HeadWidth / 64, kStages = kPanels == 1 ? 3 : 2;
  static constexpr int kQueryPanel = kGroupQueries * Panels::kRowBytes, kKeyPanel = kKeys * Panels::kRowBytes;
  static constexpr int kQueryBytes = kPanels * kQueryPanel, kTileBytes = kPanels * kKeyPanel;

  alignas(1024) uint8_t queries[kGroups][kQueryBytes];
  uint8_t keys[kStages][kTileBytes], values[kStages][kTileBytes];
  uint64_t queries_full, keys_full[kStages], values_full[kStages], keys_empty[kStages], values_empty[kStages];

  // Called by one thread.
  __device__ void init() {
    init_barrier(&queries_full, 1);
    for (int i = 0; i < kStages; ++i) {
      init_barrier(&keys_full[i], 1);
      init_barrier(&values_full[i], 1);
      init_barrier(&keys_empty[i], kGroups);
      init_barrier(&values_empty[i], kGroups);
    }
    publish_barriers();
  }
};

// Called by one thread: begins to copy the queries of a block, from `first` on.
template <int HeadWidth>
__device__ __forceinline__ void copy_queries(BulkAttentionRoom<HeadWidth>& room, const CUtensorMap& map, int head,
                                             int first, int sequence) {
  using Room = BulkAttentionRoom<HeadWidth>;
  expect_bytes(&room.queries_full, Room::kGroups * Room::kQueryBytes);
#pragma unroll
  for (int group = 0; group < Room::kGroups; ++group)
#pragma unroll
    for (int panel = 0; panel < Room::kPanels; ++panel)
      copy_head_tile(room.queries[group] + panel * Room::kQueryPanel, map,
                     {panel * 64, head, first + group * Room::kGroupQueries, sequence}, &room.queries_full);
}

// Called by one thread: copies tiles of keys and values from `begin` to `end`. tiles.find(first) looks up where the tile
// from `first` on is, tiles.keys(to, full) and tiles.values(to, full) begin to copy it.
template <int HeadWidth, typename Tiles>
__device__ __forceinline__ void copy_tiles(BulkAttentionRoom<HeadWidth>& room, int begin, int end, Tiles& tiles) {
  using Room = BulkAttentionRoom<HeadWidth>;
  RingPlace turn(Room::kStages, 0);
  tiles.find(begin);
#pragma unroll 1
  for (int first = begin, i = 0; first < end; first += Room::kKeys, ++i) {
    const int stage = turn.stage();
    if (i >= Room::kStages) wait(&room.keys_empty[stage], turn.parity() ^ 1);
    expect_bytes(&room.keys_full[stage], Room::kTileBytes);
    tiles.keys(room.keys[stage], &room.keys_full[stage]);
    if (i >= Room::kStages) wait(&room.values_empty[stage], turn.parity() ^ 1);
    expect_bytes(&room.values_full[stage], Room::kTileBytes);
    tiles.values(room.values[stage], &room.values_full[stage]);
    if (first + Room::kKeys < end) tiles.find(first + Room::kKeys);
    turn.advance(1);
  }
}

// The keys that the queries of a block see: tiles from `begin` to `end`, of which a warp group's queries all see those
// before `plain`. No query sees keys after `last`, whose values are no numbers.
struct SeenKeys {
  int begin, end, plain, last;
};

// 64 queries of a warp group, of which a lane has two: rows of its warp's 16.
template <int HeadWidth, typename Sight>
class BulkAttention {
 public:
  using Room = BulkAttentionRoom<HeadWidth>;
  static constexpr int kKeys = Room::kKeys;
  using Scores = WarpgroupUnit<kKeys>;
  using Values = WarpgroupUnit<HeadWidth>;

  // `position`: that of the group's first query, which sees keys up to its own position. Exponentials are of base 2:
  // `scale` of the scores is that, too.
  __device__ __forceinline__ BulkAttention(Room& room, const SeenKeys& seen, int position, float scale)
      : room_(room),
        seen_(seen),
        queries_(describe(shared_address(room.queries[group()]))),
        position_(position + threadIdx.x % 128 / kLanes * 16 + Scores::row(threadIdx.x % kLanes)),
        scale_(scale) {
#pragma unroll
    for (float& value : means_.values) value = 0.0f;
  }

  // For limited sights, before anything is attended. Where all keys of a tile are hidden, scores are compared with the
  // sink's, which is not infinite.
  __device__ __forceinline__ void limit(const Sight& sight, int head) {
    reach_ = sight.reach();
    sink_ = sight.sink(head) * kLog2OfE;
    largest_[0] = largest_[1] = sink_;
  }

  // Called by the threads of the group.
  __device__ __forceinline__ void attend() {
    wait(&room_.queries_full, 0);
    RingPlace keys(Room::kStages, 0), values = keys;
    int first = seen_.begin;
    if (first >= seen_.end) return;
    typename Scores::Sums scores;
    begin_scores(keys, scores);
    Scores::template await<0>(scores);
    release(room_.keys_empty, keys);
    float factors[2];
    weigh(first, scores, factors);
    pack(scores);
#pragma unroll 1
    for (first += kKeys; first < seen_.end; first += kKeys) {
      typename Scores::Sums next;
      begin_scores(keys, next);
      begin_values(values, first - kKeys);
      Scores::template await<1>(next);
      release(room_.keys_empty, keys);
      weigh(first, next, factors);
      Values::template await<0>(means_);
      release(room_.values_empty, values);
      rescale(factors);
      pack(next);
    }
    begin_values(values, first - kKeys);
    Values::template await<0>(means_);
  }

  // Calls `put(query, dimension, low, high)` with the results of two dimensions, queries counted from the group's first.
  template <typename Put>
  __device__ __forceinline__ void write(const Put& put) const {
    const int lane = threadIdx.x % kLanes, query = threadIdx.x % 128 / kLanes * 16 + Values::row(lane);
    const float low = inverse(0), high = inverse(1);
#pragma unroll
    for (int i = 0; i < HeadWidth / 8; ++i) {
      const float* four = means_.values + 4 * i;
      const int dimension = 8 * i + lane % 4 * 2;
      put(query, dimension, four[0] * low, four[1] * low);
      put(query + 8, dimension, four[2] * high, four[3] * high);
    }
  }

 private:
  __device__ static int group() { return threadIdx.x / 128; }

  __device__ __forceinline__ static void release(uint64_t* empty, RingPlace& turn) {
    if (threadIdx.x % 128 == 0) arrive(&empty[turn.stage()]);
    turn.advance(1);
  }

  __device__ __forceinline__ void begin_scores(const RingPlace& turn, typename Scores::Sums& scores) const {
    wait(&room_.keys_full[turn.stage()], turn.parity());
    const uint64_t keys = describe(shared_address(room_.keys[turn.stage()]));
    Scores::begin();
#pragma unroll
    for (int i = 0; i < HeadWidth / 16; ++i)
      Scores::add16(scores, i > 0, queries_ + i / 4 * (Room::kQueryPanel / 16) + i % 4 * 2,
                    keys + i / 4 * (Room::kKeyPanel / 16) + i % 4 * 2);
    Scores::commit();
  }

  __device__ __forceinline__ void begin_values(const RingPlace& turn, int first) {
    wait(&room_.values_full[turn.stage()], turn.parity());
    if (first + kKeys > seen_.last + 1) clear_values(room_.values[turn.stage()], seen_.last + 1 - first);
    const uint64_t values = describe_turned(shared_address(room_.values[turn.stage()]), Room::kKeyPanel);
    Values::begin();
#pragma unroll
    for (int i = 0; i < kKeys / 16; ++i)
      Values::template add16<true>(means_, true, weights_[i], values + i * (16 * Panels::kRowBytes / 16));
    Values::commit();
  }

  // Clears values from row `count` on: their weights are 0, but they may be no numbers. Each group does so for itself.
  __device__ __forceinline__ void clear_values(uint8_t* values, int count) const {
    constexpr int pieces = Panels::kRowBytes / 16;
#pragma unroll
    for (int panel = 0; panel < Room::kPanels; ++panel)
      for (int i = count * pieces + threadIdx.x % 128; i < kKeys * pieces; i += 128)
        reinterpret_cast<uint4*>(values + panel * Room::kKeyPanel)[i] = make_uint4(0, 0, 0, 0);
    asm volatile("fence.proxy.async.shared::cta;\nbar.sync %0, 128;" ::"r"(1 + group()) : "memory");
  }

  // Hides what a query does not see.
  __device__ __forceinline__ void mask(int first, typename Scores::Sums& scores) const {
#pragma unroll
    for (int i = 0; i < kKeys / 2; ++i) {
      const int key = first + Scores::column(threadIdx.x % kLanes, i / 4 * 2 + i % 2);
      const int ahead = min(position_ + (i % 4 / 2) * 8, seen_.last) - key;
      if (ahead < 0 || (Sight::kLimited && ahead >= reach_)) scores.values[i] = -INFINITY;
    }
  }

  // Makes weights of scores. `factors`: by what that changes those before them.
  __device__ __forceinline__ void weigh(int first, typename Scores::Sums& scores, float (&factors)[2]) {
    if (Sight::kLimited || first + kKeys > seen_.plain) mask(first, scores);
#pragma unroll
    for (int slot = 0; slot < 2; ++slot) {
      float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
#pragma unroll
      for (int i = 0; i < kKeys / 4; ++i) most[i % 2] = fmaxf(most[i % 2], scores.values[i / 2 * 4 + slot * 2 + i % 2]);
      const float larger = fmaxf(
          largest_[slot], over_lanes(fmaxf(most[0], most[1]), [](float a, float b) { return fmaxf(a, b); }) * scale_);
      factors[slot] = fast_exp2(largest_[slot] - larger);
      largest_[slot] = larger;
#pragma unroll
      for (int i = 0; i < kKeys / 4; ++i) {
        float& score = scores.values[i / 2 * 4 + slot * 2 + i % 2];
        score = fast_exp2(fmaf(score, scale_, -larger));
        sum[i % 2] += score;
      }
      sums_[slot] = fmaf(sums_[slot], factors[slot], sum[0] + sum[1]);
    }
  }

  __device__ __forceinline__ void rescale(const float (&factors)[2]) {
#pragma unroll
    for (int i = 0; i < HeadWidth / 2; ++i) means_.values[i] *= factors[i / 2 % 2];
  }

  __device__ __forceinline__ void pack(const typename Scores::Sums& weights) {
#pragma unroll
    for (int i = 0; i < kKeys / 16; ++i) {
      Eight eight;
#pragma unroll
      for (int j = 0; j < 4; ++j)
        eight.set(j, pair_of(weights.values[8 * i + 2 * j], weights.values[8 * i + 2 * j + 1]));
      weights_[i] = eight.bits;
    }
  }

  __device__ __forceinline__ float inverse(int slot) const {
    float sum = over_lanes(sums_[slot], [](float a, float b) { return a + b; });
    if constexpr (Sight::kLimited) sum += sink_ > LimitedSight::kLeast ? fast_exp2(sink_ - largest_[slot]) : 0.0f;
    return sum > 0.0f ? 1.0f / sum : 0.0f;
  }

  // Combines what the four lanes of a row have.
  template <typename Combine>
  __device__ static float over_lanes(float value, const Combine& combine) {
#pragma unroll
    for (int distance = 1; distance < 4; distance *= 2)
      value = combine(value, __shfl_xor_sync(kAllLanes, value, distance, kLanes));
    return value;
  }

  Room& room_;
  SeenKeys seen_;
  uint64_t queries_;
  int position_;  // of the first of the lane's queries; the other is 8 further
  float scale_;
  int reach_ = INT_MAX;  // how many positions a query sees
  float sink_ = 0.0f;
  float largest_[2] = {-INFINITY, -INFINITY}, sums_[2] = {};
  uint4 weights_[kKeys / 16];  // of the tile whose values are added next
  typename Values::Sums means_;
};

}  // namespace hipport_llm

#endif

#endif
