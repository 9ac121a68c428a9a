// Attention of one token for each of many sequences. Warps take equal shares of the positions (attention_shares.cuh), or
// with few sequences the warps of a block together; the last to finish a head combines the results of its parts.
#ifndef HIPPORT_LLM_BATCH_ATTENTION_CUH
#define HIPPORT_LLM_BATCH_ATTENTION_CUH

#include "arranged_tokens.cuh"
#include "attention_shares.cuh"
#include "combine_splits.cuh"
#include "decode_attention.cuh"
#include "early_start.cuh"
#include "last_block.cuh"
#include "prompt_chunk.h"

namespace hipport_llm {

// Buffers for the results of a head's parts, which the last to finish combines.
struct SplitMeansPlaces {
  Number* means;       // [tokens][heads][kMostParts][head width], each part normalized
  float2* weights;     // [tokens][heads][kMostParts]: maximum and sum of exponentials
  unsigned* arrivals;  // [tokens][heads], 0 before and after
};

// What the kernels are given. `To` is PlainRows or ArrangedTokens.
template <typename To>
struct BatchAttention {
  Shape shape;
  Cache cache;
  BatchTokens tokens;
  int count;  // of tokens
  int layer;
  const Number* queries;  // [token][head][dimension]
  SplitMeansPlaces split;
  To to;  // rows of all heads
};

// What a thread has before it sees a position: the sink, which the first group of a head's first part has.
__device__ __forceinline__ Softmax before_positions(const WholeSight&, int, bool) { return {}; }
__device__ __forceinline__ Softmax before_positions(const LimitedSight& sight, int head, bool takes) {
  Softmax softmax;
  if (!takes || sight.sinks == nullptr) return softmax;
  softmax.largest = sight.sink(head);
  softmax.sum = 1.0f;
  return softmax;
}

// Adds up the softmaxes of a warp's groups; all of them get the sum.
template <int HeadWidth>
__device__ __forceinline__ void add_groups(Softmax& softmax) {
#pragma unroll
  for (int distance = HeadGroup<HeadWidth>::lanes; distance < kLanes; distance *= 2) {
    Softmax other;
    other.largest = __shfl_xor_sync(kAllLanes, softmax.largest, distance, kLanes);
    other.sum = __shfl_xor_sync(kAllLanes, softmax.sum, distance, kLanes);
#pragma unroll
    for (int i = 0; i < 8; ++i) other.values[i] = __shfl_xor_sync(kAllLanes, softmax.values[i], distance, kLanes);
    softmax.add(other);
  }
}

// Writes the mean of the values to the columns of a token's row from `first` on, by the lanes of a warp's first group.
template <int HeadWidth, typename To>
__device__ __forceinline__ void store_mean(const Softmax& softmax, const To& to, int token, int first) {
  if (threadIdx.x % kLanes >= HeadGroup<HeadWidth>::lanes || !has_dimensions<HeadWidth>()) return;
  const float scale = softmax.sum > 0.0f ? 1.0f / softmax.sum : 0.0f;
  Eight mean;
#pragma unroll
  for (int i = 0; i < 4; ++i) mean.set(i, pair_of(softmax.values[2 * i] * scale, softmax.values[2 * i + 1] * scale));
  to.store(token, first + own_dimension<HeadWidth>(), mean);
}

// Combines the means of the parts of some of a token's heads, beginning with head `first`. Called by a warp, which has loads
// for all heads in flight.
template <int HeadWidth, int Heads, typename To>
__device__ __forceinline__ void combine_parts(const BatchAttention<To>& given, int token, int first, int parts) {
  const int64_t unit = static_cast<int64_t>(token) * given.shape.heads + first;
  for (int dimension = threadIdx.x % kLanes * 4; dimension < HeadWidth; dimension += 4 * kLanes) {
    Mean means[Heads];
#pragma unroll 4
    for (int part = 0; part < parts; ++part) {
#pragma unroll
      for (int i = 0; i < Heads; ++i) {
        const int64_t at = (unit + i) * kMostParts + part;
        means[i].add(__ldcg(given.split.weights + at),
                     __ldcg(reinterpret_cast<const uint2*>(given.split.means + at * HeadWidth + dimension)));
      }
    }
#pragma unroll
    for (int i = 0; i < Heads; ++i) means[i].store(given.to, token, (first + i) * HeadWidth + dimension);
  }
}

// Where the warps of a block leave their softmaxes to the first of them.
template <int HeadWidth, int Heads, int Warps>
class SoftmaxRoom {
 public:
  // Adds up what the groups of each warp have added up; the first warp gets the sums.
  __device__ __forceinline__ void add_warps(Softmax (&softmaxes)[Heads]) {
    const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    __syncthreads();  // the sums of the part before have been read
#pragma unroll
    for (int i = 0; i < Heads; ++i)
      if (warp > 0 && lane < kOwn) store(softmaxes[i], floats_[warp - 1][i], lane);
    __syncthreads();
    if (warp > 0 || lane >= kOwn) return;
#pragma unroll
    for (int i = 0; i < Heads; ++i)
#pragma unroll
      for (int other = 0; other < Warps - 1; ++other) softmaxes[i].add(load(floats_[other][i], lane));
  }

 private:
  static constexpr int kOwn = HeadGroup<HeadWidth>::lanes;
  using Floats = float[10][kOwn];

  __device__ __forceinline__ static void store(const Softmax& softmax, Floats& to, int lane) {
    to[0][lane] = softmax.largest;
    to[1][lane] = softmax.sum;
#pragma unroll
    for (int i = 0; i < 8; ++i) to[2 + i][lane] = softmax.values[i];
  }
  __device__ __forceinline__ static Softmax load(const Floats& from, int lane) {
    Softmax softmax;
    softmax.largest = from[0][lane];
    softmax.sum = from[1][lane];
#pragma unroll
    for (int i = 0; i < 8; ++i) softmax.values[i] = from[2 + i][lane];
    return softmax;
  }

  Floats floats_[Warps - 1][Heads];
};

// A warp that takes parts by itself needs none.
template <int HeadWidth, int Heads>
class SoftmaxRoom<HeadWidth, Heads, 1> {
 public:
  __device__ __forceinline__ void add_warps(Softmax (&)[Heads]) {}
};

// Keys and values that a warp loads at once.
template <int HeadWidth>
using WarpPositions = Positions<HeadWidth, kLanes>;

// Where a warp begins in a part that some warps of a block take together.
template <int HeadWidth, int Warps>
__device__ __forceinline__ int own_first(const AttentionPart& part) {
  return part.first + (Warps == 1 ? 0 : static_cast<int>(threadIdx.x) / kLanes * WarpPositions<HeadWidth>::step);
}

// Attention of heads with the same keys and values over positions from `first` to before `last`, by one of `Warps` warps:
// adds to its threads' shares of the softmaxes. The next positions are loaded while these are added; `positions` are the
// first.
template <int HeadWidth, int Heads, int Warps>
__device__ __forceinline__ void attend_together(const CachedHead<HeadWidth>& cached, const Eight (&queries)[Heads],
                                                int first, int last, WarpPositions<HeadWidth>& positions,
                                                Softmax (&softmaxes)[Heads]) {
  constexpr int step = Warps * WarpPositions<HeadWidth>::step;
  for (int start = first; start < last; start += step) {
    WarpPositions<HeadWidth> next;
    next.load(cached, min(start + step, last - 1), last);
#pragma unroll
    for (int i = 0; i < Heads; ++i) positions.add_to(softmaxes[i], queries[i], start, last);
    positions = next;
  }
}

// The keys and values that `Heads` heads have in common.
template <int HeadWidth, int Heads, typename To>
__device__ __forceinline__ CachedHead<HeadWidth> cached_of(const BatchAttention<To>& given, const AttentionPart& part) {
  return {given.cache, given.tokens.pages(part.token), given.layer, given.shape.kv_heads,
          kv_head_of(given.shape, part.row * Heads)};
}

// Loads the first positions of a part before the kernel ahead has ended, unless it may still write one of them. Returns
// whether it did.
template <int HeadWidth, int Heads, int Warps, typename To>
__device__ __forceinline__ bool load_early(const BatchAttention<To>& given, const AttentionPart& part,
                                           WarpPositions<HeadWidth>& positions) {
#if HIPPORT_LLM_EARLY_START
  const int first = own_first<HeadWidth, Warps>(part);
  const bool written = min(first + WarpPositions<HeadWidth>::step, part.last) <= given.tokens.position(part.token);
  if (written) positions.load(cached_of<HeadWidth, Heads>(given, part), first, part.last);
  return written;
#else
  return false;
#endif
}

// Attention of `Heads` heads with the same keys and values over a part of the positions, the first of which may have been
// loaded. Called by a warp, or by all of a block.
template <int HeadWidth, int Heads, int Warps, typename To, typename Sight>
__device__ __forceinline__ void attend_part(const BatchAttention<To>& given, const AttentionPart& part,
                                            const Sight& sight, WarpPositions<HeadWidth>& positions, bool loaded,
                                            SoftmaxRoom<HeadWidth, Heads, Warps>& room) {
  const int first_head = part.row * Heads, unit = part.token * given.shape.heads + first_head;
  const CachedHead<HeadWidth> cached = cached_of<HeadWidth, Heads>(given, part);
  const int first = own_first<HeadWidth, Warps>(part);
  if (!loaded) positions.load(cached, first, part.last);
  const int thread = threadIdx.x % (Warps * kLanes);
  const bool takes_sink = part.number == 0 && thread < HeadGroup<HeadWidth>::lanes;
  Eight queries[Heads];
  Softmax softmaxes[Heads];
#pragma unroll
  for (int i = 0; i < Heads; ++i) {
    queries[i] = own_query<HeadWidth>(given.queries + static_cast<int64_t>(unit + i) * HeadWidth);
    softmaxes[i] = before_positions(sight, first_head + i, takes_sink);
  }
  attend_together<HeadWidth, Heads, Warps>(cached, queries, first, part.last, positions, softmaxes);
#pragma unroll
  for (int i = 0; i < Heads; ++i) add_groups<HeadWidth>(softmaxes[i]);
  room.add_warps(softmaxes);
  if (thread >= kLanes) return;
#pragma unroll
  for (int i = 0; i < Heads; ++i) {
    const int64_t head = unit + i, split = head * kMostParts + part.number;
    if (part.of == 1) {
      store_mean<HeadWidth>(softmaxes[i], given.to, part.token, (first_head + i) * HeadWidth);
      continue;
    }
    store_mean<HeadWidth>(softmaxes[i], PlainRows{given.split.means + split * HeadWidth, 0}, 0, 0);
    if (threadIdx.x % kLanes == 0) given.split.weights[split] = make_float2(softmaxes[i].largest, softmaxes[i].sum);
  }
  if (part.of > 1 && last_warp_to_arrive(given.split.arrivals + unit, part.of))
    combine_parts<HeadWidth, Heads>(given, part.token, first_head, part.of);
}

template <int HeadWidth, int Heads, int Warps, typename To, typename Sight>
__device__ __forceinline__ void batch_attention(const BatchAttention<To>& given, const Sight& sight) {
  __shared__ SoftmaxRoom<HeadWidth, Heads, Warps> room;
  constexpr int takers = kThreads / kLanes / Warps;
  const AttentionShares shares(given.tokens, given.count, given.shape.heads / Heads, gridDim.x * takers,
                               Warps == 1 ? kLeastPositions : kLeastOfBlock, sight);
  const int taker = blockIdx.x * takers + threadIdx.x / (Warps * kLanes);
  int at = shares.begin(taker);
  const int end = shares.end(taker);
  AttentionPart part;
  WarpPositions<HeadWidth> positions;
  bool loaded = false;
  if (at < end) {
    part = shares.part(taker, at);
    loaded = load_early<HeadWidth, Heads, Warps>(given, part, positions);
  }
  await_previous_kernel();
  while (at < end) {
    attend_part<HeadWidth, Heads, Warps>(given, part, sight, positions, loaded, room);
    at = shares.after(at, part);
    loaded = false;
    if (at < end) part = shares.part(taker, at);
  }
}

// As many blocks as run at the same time. Keys and values are loaded once for `Heads` heads; `Warps` warps, one or all of a
// block, take a part together.
template <int HeadWidth, int Heads, int Warps, typename To>
__global__ void __launch_bounds__(kThreads) batch_attention_kernel(BatchAttention<To> given) {
  batch_attention<HeadWidth, Heads, Warps>(given, WholeSight{});
}
template <int HeadWidth, int Heads, int Warps, typename To>
__global__ void __launch_bounds__(kThreads)
    limited_batch_attention_kernel(BatchAttention<To> given, LimitedSight sight) {
  batch_attention<HeadWidth, Heads, Warps>(given, sight);
}

}  // namespace hipport_llm

#endif
