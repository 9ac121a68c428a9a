// Combines the splits of decode attention: the results of several blocks, each for some positions of one head.
#ifndef HIPPORT_LLM_COMBINE_SPLITS_CUH
#define HIPPORT_LLM_COMBINE_SPLITS_CUH

#include "mailbox.cuh"

namespace hipport_llm {

// The splits' means and their weights, for four columns.
template <int Splits>
struct SplitMeans {
  uint2 means[Splits];
  float2 weights[Splits];  // maximum and sum of exponentials

  __device__ __forceinline__ void load(const Shape& shape, const Scratch& scratch, int token, int column, int first) {
    const int64_t unit = static_cast<int64_t>(token * shape.heads + column / shape.head_width) * scratch.splits + first;
    const Number* from = scratch.attention + unit * shape.head_width + column % shape.head_width;
#pragma unroll
    for (int i = 0; i < Splits; ++i) {
      weights[i] = make_float2(-INFINITY, 0.0f);
      means[i] = make_uint2(0, 0);
      if (first + i < scratch.splits) {
        weights[i] = __ldcg(scratch.attention_sum + unit + i);
        means[i] = __ldcg(reinterpret_cast<const uint2*>(from + i * shape.head_width));
      }
    }
  }
};

// The combined mean of four columns; splits are added one by one.
struct Mean {
  float most = -INFINITY, sum = 0.0f;
  float4 values = {0.0f, 0.0f, 0.0f, 0.0f};

  __device__ __forceinline__ void add(float2 weight, uint2 bits) {
    if (weight.y == 0.0f) return;
    const float larger = fmaxf(most, weight.x), old = __expf(most - larger), own = weight.y * __expf(weight.x - larger);
    const float2 left = floats_of(as_pair(bits.x)), right = floats_of(as_pair(bits.y));
    most = larger;
    sum = fmaf(sum, old, own);
    values = make_float4(fmaf(values.x, old, left.x * own), fmaf(values.y, old, left.y * own),
                         fmaf(values.z, old, right.x * own), fmaf(values.w, old, right.y * own));
  }

  __device__ __forceinline__ void store(Number* to) const {
    const float scale = 1.0f / sum;
    reinterpret_cast<Pair*>(to)[0] = pair_of(values.x * scale, values.y * scale);
    reinterpret_cast<Pair*>(to)[1] = pair_of(values.z * scale, values.w * scale);
  }
  // The same to four columns of a token's row.
  template <typename To>
  __device__ __forceinline__ void store(const To& to, int token, int column) const {
    const float scale = 1.0f / sum;
    to.store(token, column, pair_of(values.x * scale, values.y * scale), pair_of(values.z * scale, values.w * scale));
  }
};

// Loads the attention of all tokens into shared memory, combining the splits. Loads are issued before their use,
// because each access takes a microsecond.
__device__ __forceinline__ void load_combined_attention(const Shape& shape, const Scratch& scratch, int count,
                                                        Number* vectors, int stride) {
  constexpr int rounds = 4, splits = 4;
  const int quarter = shape.query_width() / 4, all = count * quarter;
  for (int start = thread_index(); start < all; start += rounds * kThreads) {
    Mean means[rounds];
    for (int first = 0; first < scratch.splits; first += splits) {
      SplitMeans<splits> parts[rounds];
#pragma unroll
      for (int i = 0; i < rounds; ++i) {
        const int at = min(start + i * kThreads, all - 1);
        parts[i].load(shape, scratch, at / quarter, at % quarter * 4, first);
      }
#pragma unroll
      for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int j = 0; j < splits; ++j) means[i].add(parts[i].weights[j], parts[i].means[j]);
    }
    const int own = opaque(start);
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const int at = own + i * kThreads;
      if (at < all) means[i].store(vectors + at / quarter * stride + at % quarter * 4);
    }
  }
  block_sync();
}

// The packets of a posted split: its means, then its maximum and its sum of exponentials.
template <int HeadWidth>
struct PostedSplit {
  static constexpr int packets = HeadWidth / 2 + 2;

  // Called by all threads that hold a dimension: posts `mean` of dimension `i`.
  __device__ static void post_mean(Packet* to, unsigned number, int i, float mean) {
    const float other = __shfl_xor_sync(kAllLanes, mean, 1, kLanes);
    if (i % 2 == 0) post(to + i / 2, bits_of(pair_of(mean, other)), number);
  }
  __device__ static void post_total(Packet* to, unsigned number, float2 total) {
    post(to + HeadWidth / 2, __float_as_uint(total.x), number);
    post(to + HeadWidth / 2 + 1, __float_as_uint(total.y), number);
  }
};

// Waits for the splits of a head and posts their combined mean. Called by a warp, with four dimensions per lane.
template <int HeadWidth>
__device__ __forceinline__ void combine_posted_splits(const Packet* parts, int splits, Packet* to, unsigned number) {
  constexpr int quarters = HeadWidth / 4, step = PostedSplit<HeadWidth>::packets / 2;
  const int lane = thread_index() % kLanes, count = lane < quarters ? splits * step : 0;
  uint2 means[kMaxSplits], totals[kMaxSplits];
  receive(parts, number, lane, step, count, means);
  receive(parts, number, quarters, step, count, totals);
  if (lane >= quarters) return;
  Mean mean;
  const int there = opaque(splits);
#pragma unroll
  for (int i = 0; i < kMaxSplits; ++i)
    if (i < there) mean.add(make_float2(__uint_as_float(totals[i].x), __uint_as_float(totals[i].y)), means[i]);
  Pair pairs[2];
  mean.store(reinterpret_cast<Number*>(pairs));
  post(to + 2 * lane, bits_of(pairs[0]), number);
  post(to + 2 * lane + 1, bits_of(pairs[1]), number);
}

}  // namespace hipport_llm

#endif
