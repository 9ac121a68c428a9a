// Attention on the matrix units of Hopper's warp groups, over keys and values of 16 bits: of a chunk of a prompt, with those
// in pages. Scores stay in registers, where they are weights of the values. While a tile of keys is used, the next is
// copied.
#ifndef HIPPORT_LLM_WARPGROUP_ATTENTION_CUH
#define HIPPORT_LLM_WARPGROUP_ATTENTION_CUH

#include "bulk_copies.cuh"
#include "decode_attention.cuh"
#include "operand_pipeline.cuh"
#include "tiled_attention.cuh"
#include "warpgroup_unit.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// A block takes a head and 64 tokens for each warp group, which share tiles of 64 keys and values. All are in panels of
// 64 dimensions, [panel][row][64].
template <int HeadWidth>
struct GroupAttentionRoom {
  static constexpr int kGroups = 2, kRows = 64, kQueries = kGroups * kRows, kThreads = kGroups * 128;
  static constexpr int kPanels = HeadWidth / 64, kPanelBytes = kRows * Panels::kRowBytes;
  static constexpr int kTileBytes = kPanels * kPanelBytes;
  // Queries, and two stages of keys and values.
  static constexpr int kStages = kGroups * kTileBytes, kStageBytes = 2 * kTileBytes;
  static constexpr int kBytes = kStages + 2 * kStageBytes;

  // Where eight dimensions of a row of a tile are.
  __device__ static int place(int row, int eighth) {
    return eighth / 8 * kPanelBytes + row * Panels::kRowBytes + swizzled(row, eighth % 8);
  }
};

// Begins to copy a tile of 64 rows by the block's threads: copy(row, eighth, to) begins with eight dimensions of one.
template <int HeadWidth, typename Copy>
__device__ __forceinline__ void copy_tile(uint8_t* to, const Copy& copy) {
  using Room = GroupAttentionRoom<HeadWidth>;
  constexpr int eighths = HeadWidth / 8, rows_at_once = Room::kThreads / eighths;
  const int eighth = threadIdx.x % eighths;
#pragma unroll
  for (int i = threadIdx.x / eighths; i < Room::kRows; i += rows_at_once)
    copy(i, eighth, reinterpret_cast<uint4*>(to + Room::place(i, eighth)));
}

// 64 tokens of a warp group, of which a lane has two: rows of its warp's 16.
template <int HeadWidth, typename Sight>
class GroupAttention {
 public:
  using Room = GroupAttentionRoom<HeadWidth>;
  using Scores = WarpgroupUnit<64>;
  using Values = WarpgroupUnit<HeadWidth>;

  // `queries` are the group's in shared memory, `position` that of its first token: a token sees keys up to its own
  // position, and to `last`. Exponentials are of base 2: `scale` of the scores is that, too.
  __device__ __forceinline__ GroupAttention(const uint8_t* queries, int position, float scale, int last = INT_MAX)
      : queries_(describe(shared_address(queries))),
        position_(position + threadIdx.x % 128 / kLanes * 16 + Scores::row(threadIdx.x % kLanes)),
        last_(last),
        scale_(scale) {
#pragma unroll
    for (float& value : means_.values) value = 0.0f;
  }

  // For limited sights, before the first scores. Where all keys of a tile are hidden, scores are compared with the
  // sink's, which is not infinite.
  __device__ __forceinline__ void limit(const Sight& sight, int head) {
    reach_ = sight.reach();
    sink_ = sight.sink(head) * kLog2OfE;
    largest_[0] = largest_[1] = sink_;
  }

  // Adds the values of 64 keys from position `first` on. `masks`: whether some of them may be hidden.
  __device__ __forceinline__ void add(const uint8_t* keys, const uint8_t* values, int first, bool masks) {
    typename Scores::Sums scores;
    score(describe(shared_address(keys)), scores);
    if (masks) mask(first, scores);
    weigh(0, scores);
    weigh(1, scores);
    const uint64_t columns = describe_turned(shared_address(values), Room::kPanelBytes);
    uint4 weights[Room::kRows / 16];
#pragma unroll
    for (int i = 0; i < Room::kRows / 16; ++i) weights[i] = packed(scores.values + 8 * i);
    Values::begin();
#pragma unroll
    for (int i = 0; i < Room::kRows / 16; ++i)
      Values::template add16<true>(means_, true, weights[i], columns + i * (16 * Panels::kRowBytes / 16));
    Values::commit();
    Values::template await<0>();
  }

  // Calls `put(token, dimension, low, high)` with the results of two dimensions, tokens counted from the group's first.
  template <typename Put>
  __device__ __forceinline__ void write(const Put& put) const {
    const int lane = threadIdx.x % kLanes, token = threadIdx.x % 128 / kLanes * 16 + Values::row(lane);
    const float low = inverse(0), high = inverse(1);
#pragma unroll
    for (int i = 0; i < HeadWidth / 8; ++i) {
      const float* four = means_.values + 4 * i;
      const int dimension = 8 * i + lane % 4 * 2;
      put(token, dimension, four[0] * low, four[1] * low);
      put(token + 8, dimension, four[2] * high, four[3] * high);
    }
  }

 private:
  __device__ __forceinline__ void score(uint64_t keys, typename Scores::Sums& scores) const {
    Scores::begin();
#pragma unroll
    for (int i = 0; i < HeadWidth / 16; ++i) {
      const int step = i / 4 * (Room::kPanelBytes / 16) + i % 4 * 2;
      Scores::add16(scores, i > 0, queries_ + step, keys + step);
    }
    Scores::commit();
    Scores::template await<0>();
  }

  // Hides what a token does not see.
  __device__ __forceinline__ void mask(int first, typename Scores::Sums& scores) const {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int key = first + Scores::column(threadIdx.x % kLanes, i / 4 * 2 + i % 2);
      const int ahead = min(position_ + (i % 4 / 2) * 8, last_) - key;
      if (ahead < 0 || (Sight::kLimited && ahead >= reach_)) scores.values[i] = -INFINITY;
    }
  }

  // Makes weights of the scores of one of a lane's tokens, and rescales what has been added.
  __device__ __forceinline__ void weigh(int slot, typename Scores::Sums& scores) {
    float most = -INFINITY;
#pragma unroll
    for (int i = 0; i < 16; ++i) most = fmaxf(most, scores.values[i / 2 * 4 + slot * 2 + i % 2]);
    const float larger = fmaxf(largest_[slot], over_lanes(most, [](float a, float b) { return fmaxf(a, b); }) * scale_);
    const float factor = exp2f(largest_[slot] - larger);
    largest_[slot] = larger;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float& score = scores.values[i / 2 * 4 + slot * 2 + i % 2];
      score = exp2f(fmaf(score, scale_, -larger));
      sum += score;
    }
    sums_[slot] = fmaf(sums_[slot], factor, sum);
#pragma unroll
    for (int i = 0; i < HeadWidth / 4; ++i) means_.values[i / 2 * 4 + slot * 2 + i % 2] *= factor;
  }

  __device__ static uint4 packed(const float* weights) {
    Eight eight;
#pragma unroll
    for (int i = 0; i < 4; ++i) eight.set(i, pair_of(weights[2 * i], weights[2 * i + 1]));
    return eight.bits;
  }

  __device__ __forceinline__ float inverse(int slot) const {
    float sum = over_lanes(sums_[slot], [](float a, float b) { return a + b; });
    if constexpr (Sight::kLimited) sum += sink_ > LimitedSight::kLeast ? exp2f(sink_ - largest_[slot]) : 0.0f;
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

  uint64_t queries_;
  int position_;  // of the first of the lane's tokens; the other is 8 further
  int last_;
  float scale_;
  int reach_ = INT_MAX;  // how many positions a token sees
  float sink_ = 0.0f;
  float largest_[2] = {-INFINITY, -INFINITY}, sums_[2] = {};
  typename Values::Sums means_;
};

// Goes through tiles of keys from `begin` to `end`: `copy(keys, values, first)` begins to copy those from `first` on. Those
// which the group `sees` are added, with a mask if it `masks`. Called by all threads once queries are on their way.
template <int HeadWidth, typename Attention, typename Copy, typename Sees, typename Masks>
__device__ __forceinline__ void attend_tiles(Attention& attention, uint8_t* ring, int begin, int end, const Copy& copy,
                                             const Sees& sees, const Masks& masks) {
  using Room = GroupAttentionRoom<HeadWidth>;
  const auto begin_copy = [&](uint8_t* stage, int first) {
    copy(stage, stage + Room::kTileBytes, first);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  uint8_t* stage = ring + Room::kStages;
  uint8_t* other = stage + Room::kStageBytes;
  begin_copy(stage, begin);
#pragma unroll 1
  for (int first = begin; first < end; first += Room::kRows) {
    asm volatile("cp.async.wait_group 0;\nfence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (first + Room::kRows < end) begin_copy(other, first + Room::kRows);
    if (sees(first)) attention.add(stage, stage + Room::kTileBytes, first, masks(first));
    uint8_t* used = stage;
    stage = other;
    other = used;
  }
}

// Grid: (head, blocks of GroupAttentionRoom::kQueries tokens). Queries and output: [token][head][dimension].
template <int HeadWidth, typename Sight>
__global__ void __launch_bounds__(GroupAttentionRoom<HeadWidth>::kThreads, 2)
    warpgroup_attention_kernel(Shape shape, Cache cache, PromptChunk chunk, int layer, const Number* queries,
                               Sight sight, Number* to) {
  extern __shared__ __align__(1024) uint8_t ring[];
  using Room = GroupAttentionRoom<HeadWidth>;
  // The last tokens see most keys: they begin.
  const int head = blockIdx.x, token = (gridDim.y - 1 - blockIdx.y) * Room::kQueries, width = shape.query_width();
  const int group = threadIdx.x / 128, own = group * Room::kRows, last_token = chunk.count - 1;
  const Number* from = queries + head * HeadWidth;
#pragma unroll
  for (int i = 0; i < Room::kGroups; ++i)
    copy_tile<HeadWidth>(ring + i * Room::kTileBytes, [&](int row, int eighth, uint4* piece) {
      const int own_token = min(token + i * Room::kRows + row, last_token);
      copy_async(piece, from + static_cast<int64_t>(own_token) * width + eighth * 8);
    });
  const CachedHead<HeadWidth> cached(cache, chunk.pages(0), layer, shape.kv_heads, kv_head_of(shape, head));
  const int length = chunk.first + min(token + Room::kQueries, chunk.count);
  const int begin = sight.first(chunk.first + token) / Room::kRows * Room::kRows;
  const int position = chunk.first + token + own;
  GroupAttention<HeadWidth, Sight> attention(ring + group * Room::kTileBytes, position,
                                             rsqrtf(static_cast<float>(HeadWidth)) * kLog2OfE);
  if constexpr (Sight::kLimited) attention.limit(sight, head);
  // Keys beyond the last repeat it; they are hidden.
  attend_tiles<HeadWidth>(
      attention, ring, begin, length,
      [&](uint8_t* keys, uint8_t* values, int first) {
        copy_tile<HeadWidth>(keys, [&](int row, int eighth, uint4* piece) {
          copy_async(piece, cached.key(min(first + row, length - 1)) + eighth * 8);
        });
        copy_tile<HeadWidth>(values, [&](int row, int eighth, uint4* piece) {
          copy_async(piece, cached.value(min(first + row, length - 1)) + eighth * 8);
        });
      },
      [&](int first) { return first < position + Room::kRows; },
      [&](int first) { return Sight::kLimited || first + Room::kRows > position; });
  Number* out = to + static_cast<int64_t>(token + own) * width + head * HeadWidth;
  attention.write([&](int i, int dimension, float low, float high) {
    if (token + own + i <= last_token)
      *reinterpret_cast<Pair*>(out + static_cast<int64_t>(i) * width + dimension) = pair_of(low, high);
  });
}

}  // namespace hipport_llm

#endif

#endif
