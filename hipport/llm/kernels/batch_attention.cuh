// Attention of one token for each of many sequences. Warps take equal shares of the positions (attention_shares.cuh); the
// last warp to finish a head combines the results of its parts.
#ifndef HIPPORT_LLM_BATCH_ATTENTION_CUH
#define HIPPORT_LLM_BATCH_ATTENTION_CUH

#include "attention_shares.cuh"
#include "combine_splits.cuh"
#include "decode_attention.cuh"
#include "early_start.cuh"
#include "last_block.cuh"

namespace hipport_llm {

// Buffers for the results of a head's parts, which the last warp combines.
struct SplitMeansPlaces {
  Number* means;       // [tokens][heads][kMostParts][head width], each part normalized
  float2* weights;     // [tokens][heads][kMostParts]: maximum and sum of exponentials
  unsigned* arrivals;  // [tokens][heads], 0 before and after
};

// What the kernels are given.
struct BatchAttention {
  Shape shape;
  Cache cache;
  BatchTokens tokens;
  int count;  // of tokens
  int layer;
  const Number* queries;  // [token][head][dimension]
  SplitMeansPlaces split;
  Number* to;  // like queries
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

// Writes the mean of the values, by the lanes of a warp's first group.
template <int HeadWidth>
__device__ __forceinline__ void store_mean(const Softmax& softmax, Number* to) {
  if (threadIdx.x % kLanes >= HeadGroup<HeadWidth>::lanes || !has_dimensions<HeadWidth>()) return;
  const float scale = softmax.sum > 0.0f ? 1.0f / softmax.sum : 0.0f;
  Eight mean;
#pragma unroll
  for (int i = 0; i < 4; ++i) mean.set(i, pair_of(softmax.values[2 * i] * scale, softmax.values[2 * i + 1] * scale));
  store8(to + own_dimension<HeadWidth>(), mean);
}

// Combines the means of the parts of some heads, beginning with head `first`. Called by a warp, which has loads for all
// heads in flight.
template <int HeadWidth, int Heads>
__device__ __forceinline__ void combine_parts(const SplitMeansPlaces& split, int64_t first, int parts, Number* to) {
  for (int dimension = threadIdx.x % kLanes * 4; dimension < HeadWidth; dimension += 4 * kLanes) {
    Mean means[Heads];
#pragma unroll 4
    for (int part = 0; part < parts; ++part) {
#pragma unroll
      for (int i = 0; i < Heads; ++i) {
        const int64_t at = (first + i) * kMostParts + part;
        means[i].add(__ldcg(split.weights + at),
                     __ldcg(reinterpret_cast<const uint2*>(split.means + at * HeadWidth + dimension)));
      }
    }
#pragma unroll
    for (int i = 0; i < Heads; ++i) means[i].store(to + (first + i) * HeadWidth + dimension);
  }
}

// Attention of heads with the same keys and values over the positions from `first` to before `last`, by a warp: adds to
// its threads' shares of the softmaxes. The next positions are loaded while these are added.
template <int HeadWidth, int Heads>
__device__ __forceinline__ void attend_together(const CachedHead<HeadWidth>& cached, const Eight (&queries)[Heads],
                                                int first, int last, Softmax (&softmaxes)[Heads]) {
  using OfWarp = Positions<HeadWidth, kLanes>;
  OfWarp positions;
  positions.load(cached, first, last);
  for (int start = first; start < last; start += OfWarp::step) {
    OfWarp next;
    next.load(cached, min(start + OfWarp::step, last - 1), last);
#pragma unroll
    for (int i = 0; i < Heads; ++i) positions.add_to(softmaxes[i], queries[i], start, last);
    positions = next;
  }
}

// Attention of `Heads` heads with the same keys and values over a part of the positions. Called by a warp.
template <int HeadWidth, int Heads, typename Sight>
__device__ __forceinline__ void attend_part(const BatchAttention& given, const AttentionPart& part,
                                            const Sight& sight) {
  const int first_head = part.row * Heads, unit = part.token * given.shape.heads + first_head;
  const CachedHead<HeadWidth> cached(given.cache, given.tokens.pages(part.token), given.layer, given.shape.kv_heads,
                                     kv_head_of(given.shape, first_head));
  const bool takes_sink = part.number == 0 && threadIdx.x % kLanes < HeadGroup<HeadWidth>::lanes;
  Eight queries[Heads];
  Softmax softmaxes[Heads];
#pragma unroll
  for (int i = 0; i < Heads; ++i) {
    queries[i] = own_query<HeadWidth>(given.queries + static_cast<int64_t>(unit + i) * HeadWidth);
    softmaxes[i] = before_positions(sight, first_head + i, takes_sink);
  }
  attend_together<HeadWidth>(cached, queries, part.first, part.last, softmaxes);
#pragma unroll
  for (int i = 0; i < Heads; ++i) {
    const int64_t head = unit + i, split = head * kMostParts + part.number;
    add_groups<HeadWidth>(softmaxes[i]);
    store_mean<HeadWidth>(softmaxes[i],
                          part.of == 1 ? given.to + head * HeadWidth : given.split.means + split * HeadWidth);
    if (part.of > 1 && threadIdx.x % kLanes == 0)
      given.split.weights[split] = make_float2(softmaxes[i].largest, softmaxes[i].sum);
  }
  if (part.of > 1 && last_warp_to_arrive(given.split.arrivals + unit, part.of))
    combine_parts<HeadWidth, Heads>(given.split, unit, part.of, given.to);
}

template <int HeadWidth, int Heads, typename Sight>
__device__ __forceinline__ void batch_attention(const BatchAttention& given, const Sight& sight) {
  const AttentionShares shares(given.tokens, given.count, given.shape.heads / Heads, sight);
  await_previous_kernel();
  const int warp = blockIdx.x * (kThreads / kLanes) + threadIdx.x / kLanes;
  for (int at = shares.begin(warp); at < shares.end(warp);) {
    const AttentionPart part = shares.part(warp, at);
    attend_part<HeadWidth, Heads>(given, part, sight);
    at += part.last - part.first;
  }
}

// As many blocks as run at the same time. Keys and values are loaded once for `Heads` heads.
template <int HeadWidth, int Heads>
__global__ void __launch_bounds__(kThreads) batch_attention_kernel(BatchAttention given) {
  batch_attention<HeadWidth, Heads>(given, WholeSight{});
}
template <int HeadWidth, int Heads>
__global__ void __launch_bounds__(kThreads) limited_batch_attention_kernel(BatchAttention given, LimitedSight sight) {
  batch_attention<HeadWidth, Heads>(given, sight);
}

}  // namespace hipport_llm

#endif
