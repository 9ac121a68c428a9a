// Attention over cached latent vectors on matrix units: all heads have the same keys, and the first dimensions of a key are
// its value. A block takes 16 heads of a token and a part of the positions, a page at a time. Online softmax.
#ifndef HIPPORT_LLM_LATENT_ATTENTION_CUH
#define HIPPORT_LLM_LATENT_ATTENTION_CUH

#include "latent_heads.cuh"
#include "tiled_attention.cuh"

namespace hipport_llm {

constexpr int kLatentHeads = 16;
// The most blocks that share the positions of a token.
constexpr int kMostLatentParts = 128;
// The least pages of a part, for each of which its results must be combined with others.
constexpr int kLeastPages = 2;

// How the positions of a token are divided: into up to `most` parts of whole pages.
struct LatentParts {
  int most;

  __device__ int positions(int length) const {
    const int pages = (length + kPageTokens - 1) / kPageTokens;
    return max((pages + most - 1) / most, kLeastPages) * kPageTokens;
  }
  __device__ int count(int length) const {
    const int each = positions(length);
    return (length + each - 1) / each;
  }
};

// The results of the parts: means of latent vectors, and their weights.
struct LatentMeans {
  LatentParts parts;
  Number* means;    // [token][head][part][rank], each part normalized
  float2* weights;  // [token][head][part]: maximum of the scores and sum of exponentials

  __device__ int64_t at(int token, int heads, int head, int part) const {
    return (static_cast<int64_t>(token) * heads + head) * parts.most + part;
  }
};

// What the kernel is given.
struct LatentGiven {
  LatentWidths widths;
  int heads, layer;
  Cache cache;
  const Number* queries;  // [token][head][cached]
  float scale;            // of scores, for exponentials of base 2
  LatentMeans to;
};

// Shared memory of a block. Two units share the dimensions of a score, and add their sums there.
struct LatentRoom {
  static constexpr int kKeys = kPageTokens, kHalves = 2;
  static constexpr int kPanelColumns = (kMostRank + kMostRope + 63) / 64 * 64;
  static constexpr int kScoreStride = kKeys + 4;  // without bank conflicts
  static constexpr int kQueries = kKeys * kPanelColumns * 2;
  static constexpr int kWeights = kQueries + kLatentHeads * kPanelColumns * 2;
  static constexpr int kScores = kWeights + kLatentHeads * Panels::kRowBytes;
  static constexpr int kFactors = kScores + kHalves * kLatentHeads * kScoreStride * 4;
  static constexpr int kBytes = kFactors + kLatentHeads * 4;

  __device__ explicit LatentRoom(uint8_t* shared)
      : keys(shared, kKeys),
        queries(shared + kQueries, kLatentHeads),
        weights(shared + kWeights, kLatentHeads),
        scores(reinterpret_cast<float*>(shared + kScores)),
        factors(reinterpret_cast<float*>(shared + kFactors)) {}

  __device__ float* scores_of(int half, int head) const { return scores + (half * kLatentHeads + head) * kScoreStride; }

  Panels keys;     // [position][dimension]
  Panels queries;  // [head][dimension]
  Panels weights;  // [head][position]
  float* scores;   // [half][head][position]
  float* factors;  // [head]: by which what has been added is scaled
};

// Loads rows of a panel: `row(i, eighth)` returns eight dimensions of one. Neighboring threads have neighboring eighths.
// Dimensions from `width` on become zeros, up to a whole block of a product.
template <int Count, typename Row>
__device__ __forceinline__ void load_wide_rows(const Panels& panels, int width, const Row& row) {
  constexpr int threads = kUnitThreads / Count, at_once = 6;
  const int own = threadIdx.x / threads, eighths = (width + 31) / 32 * 4;
  for (int first = threadIdx.x % threads; first < eighths; first += at_once * threads) {
    Eight values[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int eighth = first + i * threads;
      values[i] = eighth < width / 8 ? row(own, eighth) : Eight{make_uint4(0, 0, 0, 0)};
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (first + i * threads < eighths) panels.store(own, first + i * threads, values[i]);
  }
}

// Each unit adds up half of the dimensions of 16 positions' scores.
__device__ __forceinline__ void score_latents(const LatentRoom& room, int width) {
  constexpr int tiles = LatentRoom::kKeys / 16;
  const int unit = threadIdx.x / Unit::kLanes, lane = threadIdx.x % Unit::kLanes;
  const int tile = unit % tiles, half = unit / tiles;
  if (half >= LatentRoom::kHalves) return;
  typename Unit::Sums sums;
#pragma unroll 1
  for (int block = half; block < (width + 31) / 32; block += LatentRoom::kHalves)
    Unit::multiply_add(sums, typename Unit::PanelRows(room.keys, tile * 16, block, lane),
                       typename Unit::PanelColumns(room.queries, 0, block, lane));
  const auto results = Unit::finish(sums, lane);
#pragma unroll
  for (int i = 0; i < Unit::kPairs; ++i) {
    float* to = room.scores_of(half, Unit::column(lane, i)) + tile * 16 + Unit::row(lane, i);
    to[0] = results.low[i];
    to[8] = results.high[i];
  }
}

// The softmax of a head, computed by eight threads with four positions of a page each.
class LatentSoftmax {
 public:
  static constexpr int kThreads = kLatentHeads * 8;
  static_assert(kThreads <= kUnitThreads && LatentRoom::kKeys == 32, "four positions each");

  // Turns scores of `count` positions into weights.
  __device__ __forceinline__ void add(const LatentRoom& room, int count, float scale) {
    if (threadIdx.x >= kThreads) return;
    const int head = threadIdx.x / 8, first = threadIdx.x % 8 * 4;
    const float4 left = *reinterpret_cast<const float4*>(room.scores_of(0, head) + first);
    const float4 right = *reinterpret_cast<const float4*>(room.scores_of(1, head) + first);
    float scores[4] = {left.x + right.x, left.y + right.y, left.z + right.z, left.w + right.w}, larger = largest_;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      scores[i] = first + i < count ? scores[i] * scale : -INFINITY;
      larger = fmaxf(larger, scores[i]);
    }
    larger = over_head(larger, [](float a, float b) { return fmaxf(a, b); });
    const float factor = exp2f(largest_ - larger);
    largest_ = larger;
    sum_ *= factor;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      scores[i] = exp2f(scores[i] - larger);
      sum_ += scores[i];
    }
    room.weights.store_at(head, first, pair_of(scores[0], scores[1]));
    room.weights.store_at(head, first + 2, pair_of(scores[2], scores[3]));
    if (first == 0) room.factors[head] = factor;
  }

  // Tells all threads by what the means are to be scaled; `put(head, maximum and sum)` is called once for each head.
  template <typename Put>
  __device__ __forceinline__ void finish(const LatentRoom& room, const Put& put) {
    if (threadIdx.x >= kThreads) return;
    const float sum = over_head(sum_, [](float a, float b) { return a + b; });
    if (threadIdx.x % 8 != 0) return;
    room.factors[threadIdx.x / 8] = 1.0f / sum;
    put(static_cast<int>(threadIdx.x) / 8, make_float2(largest_ / kLog2OfE, sum));
  }

 private:
  template <typename Combine>
  __device__ __forceinline__ static float over_head(float value, const Combine& combine) {
#pragma unroll
    for (int distance = 1; distance < 8; distance *= 2)
      value = combine(value, __shfl_xor_sync(kAllLanes, value, distance, kLanes));
    return value;
  }

  float largest_ = -INFINITY, sum_ = 0.0f;
};

// A unit's dimensions of the weighted sums of latent vectors, for all heads of the block.
class LatentSums {
 public:
  __device__ __forceinline__ void add(const LatentRoom& room, int rank) {
    // Otherwise addresses are computed before the loop over positions, and take the registers.
    const int thread = opaque(threadIdx.x), lane = thread % Unit::kLanes, own = thread / Unit::kLanes * 16;
    const typename Unit::PanelColumns weights(room.weights, 0, 0, lane);
    float factors[Unit::kColumns];
#pragma unroll
    for (int i = 0; i < Unit::kColumns; ++i) factors[i] = room.factors[Unit::column(lane, i)];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      // With a break, AMD's compilers load all tiles before they multiply.
      if (tile * kWidth >= rank) continue;
      keep_order();
      typename Unit::Sums sums;
      Unit::multiply_add(sums, turned_rows(room.keys.from(tile * kPanels), own, lane), weights);
      const auto results = Unit::finish(sums, lane);
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        low_[tile][i] = fmaf(low_[tile][i], factors[i % Unit::kColumns], results.low[i]);
        high_[tile][i] = fmaf(high_[tile][i], factors[i % Unit::kColumns], results.high[i]);
      }
    }
  }

  // Calls `put(head, dimension, value)`.
  template <typename Put>
  __device__ __forceinline__ void write(const LatentRoom& room, int rank, const Put& put) const {
    const int lane = threadIdx.x % Unit::kLanes, own = threadIdx.x / Unit::kLanes * 16;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      if (tile * kWidth + own >= rank) break;
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        const int head = Unit::column(lane, i), dimension = tile * kWidth + own + Unit::row(lane, i);
        put(head, dimension, low_[tile][i] * room.factors[head]);
        put(head, dimension + 8, high_[tile][i] * room.factors[head]);
      }
    }
  }

 private:
  // Each time, the units have the dimensions of whole panels. What some have beyond the last dimension is not written.
  static constexpr int kWidth = kUnits * 16, kTiles = kMostRank / kWidth, kPanels = kWidth / Panels::kColumns;
  static_assert(kWidth % Panels::kColumns == 0, "whole panels");

  float low_[kTiles][Unit::kPairs] = {}, high_[kTiles][Unit::kPairs] = {};
};

template <typename Places>
__device__ __forceinline__ void latent_attention(uint8_t* shared, const LatentGiven& given, const Places& tokens) {
  const LatentRoom room(shared);
  const int part = blockIdx.x, first_head = blockIdx.y * kLatentHeads, token = blockIdx.z;
  const int width = given.widths.cached(), rank = given.widths.rank;
  await_previous_kernel();
  const int length = tokens.position(token) + 1, each = given.to.parts.positions(length);
  const int first = part * each, last = min(first + each, length);
  if (first >= last) return;
  const Number* own = given.queries + (static_cast<int64_t>(token) * given.heads + first_head) * width;
  load_wide_rows<kLatentHeads>(room.queries, width, [&](int i, int eighth) {
    return first_head + i < given.heads ? load8(own + i * width + eighth * 8) : Eight{make_uint4(0, 0, 0, 0)};
  });
  const CachedLatents cached(given.cache, tokens.pages(token), given.layer, width);
  LatentSoftmax softmax;
  LatentSums sums;
#pragma unroll 1
  for (int start = first; start < last; start += LatentRoom::kKeys) {
    const CacheUnit* page = cached.at(start);
    const int count = last - start, units = cached_units(width);
    // What is behind the last position may not be numbers.
    load_wide_rows<LatentRoom::kKeys>(room.keys, width, [&](int i, int eighth) {
      return i < count ? load_latent(page + i * units, eighth, width) : Eight{make_uint4(0, 0, 0, 0)};
    });
    __syncthreads();
    score_latents(room, width);
    __syncthreads();
    softmax.add(room, count, given.scale);
    __syncthreads();
    sums.add(room, rank);
    __syncthreads();
  }
  const int64_t to = given.to.at(token, given.heads, first_head, part);
  const int64_t next = given.to.parts.most;  // from a head to the next
  softmax.finish(room, [&](int head, float2 weight) {
    if (first_head + head < given.heads) given.to.weights[to + head * next] = weight;
  });
  __syncthreads();
  sums.write(room, rank, [&](int head, int dimension, float value) {
    if (first_head + head < given.heads) given.to.means[(to + head * next) * rank + dimension] = number_of(value);
  });
}

// Grid: (parts, blocks of 16 heads, tokens).
template <typename Places>
__global__ void __launch_bounds__(kUnitThreads) latent_attention_kernel(LatentGiven given, Places tokens) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[LatentRoom::kBytes];
#endif
  latent_attention(shared, given, tokens);
}

}  // namespace hipport_llm

#endif
