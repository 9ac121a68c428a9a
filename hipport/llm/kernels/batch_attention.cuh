// Attention of one token for each of many sequences. Blocks split the positions of a head; the last one to finish
// combines their results.
#ifndef HIPPORT_LLM_BATCH_ATTENTION_CUH
#define HIPPORT_LLM_BATCH_ATTENTION_CUH

#include "batch_tokens.h"
#include "combine_splits.cuh"
#include "decode_attention.cuh"
#include "early_start.cuh"
#include "last_block.cuh"
#include "sight.cuh"

namespace hipport_llm {

// Buffers for the partial results of a head's blocks, which the last one combines.
struct SplitMeansPlaces {
  Number* means;       // [tokens][heads][splits][head width], each split normalized
  float2* weights;     // [tokens][heads][splits]: maximum and sum of exponentials
  unsigned* arrivals;  // [tokens][heads], 0 before and after
};

// Combines the splits' means, four dimensions of a head in each thread.
template <int HeadWidth>
__device__ __forceinline__ void write_mean(const Number* means, const float2* weights, int splits, Number* to) {
  const int dimension = threadIdx.x * 4;
  if (dimension >= HeadWidth) return;
  Mean mean;
#pragma unroll 8
  for (int i = 0; i < splits; ++i)
    mean.add(__ldcg(weights + i), __ldcg(reinterpret_cast<const uint2*>(means + i * HeadWidth + dimension)));
  mean.store(to + dimension);
}

// What a thread has before it sees a position: the sink, which the first group of a head's first block has.
__device__ __forceinline__ Softmax before_positions(const WholeSight&, int, bool) { return {}; }
__device__ __forceinline__ Softmax before_positions(const LimitedSight& sight, int head, bool takes) {
  Softmax softmax;
  if (!takes || sight.sinks == nullptr) return softmax;
  softmax.largest = sight.sink(head);
  softmax.sum = 1.0f;
  return softmax;
}

template <int HeadWidth, typename Sight>
__device__ __forceinline__ void batch_attention(const Shape& shape, const Cache& cache, const BatchTokens& tokens,
                                                int layer, const Number* queries, const SplitMeansPlaces& split,
                                                const Sight& sight, Number* to) {
  __shared__ float shared[HeadGroup<HeadWidth>::floats];
  await_previous_kernel();
  const int head = blockIdx.y, token = blockIdx.z, splits = gridDim.x, length = tokens.position(token) + 1;
  if (length <= 0) return;
  const int start = sight.first(length - 1), size = (length - start + splits - 1) / splits;
  const int first = min(start + static_cast<int>(blockIdx.x) * size, length);
  const int last = min(first + size, length), unit = token * shape.heads + head;
  const CachedHead<HeadWidth> cached(cache, tokens.pages(token), layer, shape.kv_heads,
                                     head / (shape.heads / shape.kv_heads));
  Number* whole = to + static_cast<int64_t>(unit) * HeadWidth;
  Number* means = splits == 1 ? whole : split.means + static_cast<int64_t>(unit) * splits * HeadWidth;
  float2* weights = split.weights + unit * splits;
  attend<HeadWidth>(
      cached, queries + static_cast<int64_t>(unit) * HeadWidth, first, last, shared,
      [&](int i, float mean, float2 total) {
        means[blockIdx.x * HeadWidth + i] = number_of(mean);
        if (i == 0 && splits > 1) weights[blockIdx.x] = total;
      },
      before_positions(sight, head, blockIdx.x == 0 && threadIdx.x < HeadGroup<HeadWidth>::lanes));
  if (splits > 1 && last_to_arrive(split.arrivals + unit, splits)) write_mean<HeadWidth>(means, weights, splits, whole);
}

// Blocks: (splits, heads, tokens). Queries and output: [token][head][dimension].
template <int HeadWidth>
__global__ void __launch_bounds__(kThreads)
    batch_attention_kernel(Shape shape, Cache cache, BatchTokens tokens, int layer, const Number* queries,
                           SplitMeansPlaces split, Number* to) {
  batch_attention<HeadWidth>(shape, cache, tokens, layer, queries, split, WholeSight{}, to);
}
template <int HeadWidth>
__global__ void __launch_bounds__(kThreads)
    limited_batch_attention_kernel(Shape shape, Cache cache, BatchTokens tokens, int layer, const Number* queries,
                                   SplitMeansPlaces split, LimitedSight sight, Number* to) {
  batch_attention<HeadWidth>(shape, cache, tokens, layer, queries, split, sight, to);
}

}  // namespace hipport_llm

#endif
