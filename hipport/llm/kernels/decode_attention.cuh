// Attention of single tokens over the KV cache, with the positions of a head split over blocks. Online softmax:
// scores are never written to memory.
#ifndef HIPPORT_LLM_DECODE_ATTENTION_CUH
#define HIPPORT_LLM_DECODE_ATTENTION_CUH

#include "block_state.cuh"
#include "kv_cache.cuh"

namespace hipport_llm {

// The smallest power of two that is not below `count`.
constexpr int power_of_two(int count) {
  int power = 1;
  while (power < count) power *= 2;
  return power;
}

// Eight dimensions for each lane: a group of lanes holds one key or value. Where their number is not a power of two, some
// lanes are beyond the head's end; they repeat its last dimensions.
template <int HeadWidth>
struct HeadGroup {
  static constexpr int lanes = power_of_two(HeadWidth / 8);
  static constexpr bool whole = lanes * 8 == HeadWidth;
  static constexpr int count = kThreads / lanes;
  // Shared memory, in floats, for combining the groups' results.
  static constexpr int floats = count * (HeadWidth + 2);
};

// The first of this thread's dimensions.
template <int HeadWidth>
__device__ __forceinline__ int own_dimension() {
  const int dimension = thread_index() % HeadGroup<HeadWidth>::lanes * 8;
  return HeadGroup<HeadWidth>::whole ? dimension : min(dimension, HeadWidth - 8);
}

// Whether this thread has dimensions of its own.
template <int HeadWidth>
__device__ __forceinline__ bool has_dimensions() {
  return HeadGroup<HeadWidth>::whole || thread_index() % HeadGroup<HeadWidth>::lanes * 8 < HeadWidth;
}

// Below all scores, but finite: so that the difference of two largest scores is never NaN.
constexpr float kBelowScores = -1e30f;

// A softmax in progress: the largest score, the sum of exponentials, the weighted sum of eight dimensions.
struct Softmax {
  float largest = kBelowScores, sum = 0.0f, values[8] = {};

  // Scores of -INFINITY have no weight.
  template <int Count, typename Value>
  __device__ __forceinline__ void add(const float (&scores)[Count], const Value (&added)[Count]) {
    float larger = largest;
#pragma unroll
    for (int i = 0; i < Count; ++i) larger = fmaxf(larger, scores[i]);
    rescale(larger);
#pragma unroll
    for (int i = 0; i < Count; ++i) add_weighted(__expf(scores[i] - largest), added[i]);
  }

  // Adds what another thread has for the same dimensions.
  __device__ __forceinline__ void add(const Softmax& other) {
    rescale(fmaxf(largest, other.largest));
    const float factor = __expf(other.largest - largest);
    sum = fmaf(other.sum, factor, sum);
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = fmaf(other.values[i], factor, values[i]);
  }

 private:
  __device__ __forceinline__ void rescale(float larger) {
    const float factor = __expf(largest - larger);
    largest = larger;
    sum *= factor;
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] *= factor;
  }

  template <typename Value>
  __device__ __forceinline__ void add_weighted(float weight, const Value& value) {
    sum += weight;
    weight *= value.scale();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = value.pair(i);
      values[2 * i] = fmaf(weight, pair.x, values[2 * i]);
      values[2 * i + 1] = fmaf(weight, pair.y, values[2 * i + 1]);
    }
  }
};

// The score of a key, computed by a group of lanes with eight dimensions each.
template <int HeadWidth, typename Key>
__device__ __forceinline__ float score_of(const Eight& query, const Key& key) {
  return sum_lanes<HeadGroup<HeadWidth>::lanes>(key.dot(query)) * rsqrtf(static_cast<float>(HeadWidth));
}

// Keys and values of some positions in registers, held by `Threads` consecutive threads of a block. Their group g has
// positions g, g + groups, ... after the start.
template <int HeadWidth, int Threads = kThreads>
struct Positions {
  static constexpr int at_once = 4, lanes = HeadGroup<HeadWidth>::lanes, groups = Threads / lanes;
  static constexpr int step = at_once * groups;

  // Positions from `last` on are replaced by the one before it, so that the lanes of a warp do not diverge. That one must
  // have been written: what it has may get no weight, but with none NaN is still NaN.
  // All pages are looked up before the first load, which would otherwise have to end before the next page is known: AMD's
  // GPUs wait for loads in their order.
  __device__ __forceinline__ void load(const CachedHead<HeadWidth>& cached, int start, int last) {
    const int dimension = own_dimension<HeadWidth>();
    const CacheUnit* at[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) at[i] = cached.key(min(own(start, i), last - 1));
#pragma unroll
    for (int i = 0; i < at_once; ++i) keys[i].load(at[i], dimension);
#pragma unroll
    for (int i = 0; i < at_once; ++i) values[i].load(cached.value_beside(at[i]), dimension);
  }

  __device__ __forceinline__ void add_to(Softmax& softmax, const Eight& query, int start, int last) const {
    float scores[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const float score = score_of<HeadWidth>(query, keys[i]);
      scores[i] = own(start, i) < last ? score : -INFINITY;
    }
    softmax.add(scores, values);
  }

  __device__ __forceinline__ static int own(int start, int i) {
    return start + i * groups + static_cast<int>(thread_index() % Threads) / lanes;
  }

  CachedEight<HeadWidth> keys[at_once], values[at_once];
};

// Combines the groups' softmaxes: calls `write(dimension, mean, maximum and sum of exponentials)` for each dimension,
// in whole warps.
template <int HeadWidth, typename Write>
__device__ __forceinline__ void combine(const Softmax& mine, float* shared, const Write& write) {
  constexpr int lanes = HeadGroup<HeadWidth>::lanes, groups = HeadGroup<HeadWidth>::count;
  static_assert(HeadWidth <= kThreads, "a thread writes one dimension");
#if defined(__HIP_PLATFORM_AMD__)
  constexpr int at_once = 4;  // more take registers from the step's kernel, which then spills scalar ones
#else
  constexpr int at_once = groups;
#endif
  const int group = thread_index() / lanes, dimension = thread_index() % lanes * 8;
  float* largest = shared + groups * HeadWidth;
  float* sum = largest + groups;
  if (has_dimensions<HeadWidth>()) {
#pragma unroll
    for (int i = 0; i < 8; ++i) shared[group * HeadWidth + dimension + i] = mine.values[i];
  }
  if (dimension == 0) {
    largest[group] = mine.largest;
    sum[group] = mine.sum;
  }
  block_sync();
  if (thread_index() < HeadWidth) {
    float most = kBelowScores, all = 0.0f, weighted = 0.0f;
#pragma unroll at_once
    for (int g = 0; g < groups; ++g) most = fmaxf(most, largest[g]);
#pragma unroll at_once
    for (int g = 0; g < groups; ++g) {
      const float factor = __expf(largest[g] - most);
      all = fmaf(sum[g], factor, all);
      weighted = fmaf(shared[g * HeadWidth + thread_index()], factor, weighted);
    }
    write(static_cast<int>(thread_index()), all > 0.0f ? weighted / all : 0.0f, make_float2(most, all));
  }
  block_sync();
}

// A block's share of the attention: positions from `first` to before `last` of a token's head.
struct Part {
  int token, head, first, last;

  __device__ Part(const Shape& shape, const BlockState& state, unsigned splits, unsigned unit) {
    const unsigned row = unit / splits, heads = shape.heads;
    token = row / heads;
    head = row % heads;
    const int length = state.positions[token] + 1, size = (length + splits - 1) / splits;
    first = min(static_cast<int>(unit % splits) * size, length);
    last = min(first + size, length);
  }
};

// The key-value head of a query head.
__device__ inline int kv_head_of(const Shape& shape, unsigned head) {
  return head / (static_cast<unsigned>(shape.heads) / static_cast<unsigned>(shape.kv_heads));
}

template <int HeadWidth>
__device__ CachedHead<HeadWidth> cached_head(const Shape& shape, const Cache& cache, const BlockState& state, int layer,
                                             const Part& part) {
  return CachedHead<HeadWidth>(cache, state.pages + part.token * cache.pages_per_sequence, layer, shape.kv_heads,
                               kv_head_of(shape, part.head));
}

// Prefetches the keys and values of the block's first share while the block computes something else.
template <int HeadWidth>
__device__ void prefetch_cache(const Shape& shape, const Cache& cache, const BlockState& state, int count,
                               const Scratch& scratch, int layer) {
  if (blockIdx.x >= count * shape.heads * scratch.splits) return;
  constexpr int lines = (cached_units(HeadWidth) + 63) / 64;
  const Part part(shape, state, scratch.splits, blockIdx.x);
  const CachedHead<HeadWidth> cached = cached_head<HeadWidth>(shape, cache, state, layer, part);
  const int line = thread_index() % lines * 64;
  for (int i = thread_index() / lines; i < 2 * (part.last - part.first); i += kThreads / lines)
    prefetch((i % 2 ? cached.value(part.first + i / 2) : cached.key(part.first + i / 2)) + line);
}

// This thread's dimensions of a query; zeros beyond the head's end.
template <int HeadWidth>
__device__ __forceinline__ Eight own_query(const Number* query) {
  const Eight own = load8(query + own_dimension<HeadWidth>());
  return has_dimensions<HeadWidth>() ? own : Eight{make_uint4(0, 0, 0, 0)};
}

// Attention of a token's head over the positions from `first` to before `last`; `write` is called as by `combine`.
template <int HeadWidth, typename Write>
__device__ __forceinline__ void attend(const CachedHead<HeadWidth>& cached, const Number* query, int first, int last,
                                       float* shared, const Write& write) {
  const Eight mine = own_query<HeadWidth>(query);
  Softmax softmax;
  for (int start = first; start < last; start += Positions<HeadWidth>::step) {
    Positions<HeadWidth> positions;
    positions.load(cached, start, last);
    positions.add_to(softmax, mine, start, last);
  }
  combine<HeadWidth>(softmax, shared, write);
}

// Attention of all tokens, heads and splits, distributed over the blocks.
template <int HeadWidth>
__device__ __forceinline__ void decode_attention(const Shape& shape, const Cache& cache, const BlockState& state,
                                                 int count, const Scratch& scratch, int layer, float* shared) {
  for (int unit = blockIdx.x; unit < count * shape.heads * scratch.splits; unit += gridDim.x) {
    const Part part(shape, state, scratch.splits, unit);
    const CachedHead<HeadWidth> cached = cached_head<HeadWidth>(shape, cache, state, layer, part);
    const Number* query = scratch.queries + part.token * shape.query_width() + part.head * HeadWidth;
    attend<HeadWidth>(cached, query, part.first, part.last, shared, [&](int i, float mean, float2 total) {
      scratch.attention[static_cast<int64_t>(unit) * HeadWidth + i] = number_of(mean);
      if (i == 0) scratch.attention_sum[unit] = total;
    });
  }
}

}  // namespace hipport_llm

#endif
