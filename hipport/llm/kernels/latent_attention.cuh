// Attention over cached latent vectors on matrix units: all heads have the same keys, and the first dimensions of a key are
// its value. A block takes 16 heads of a token, or of several of a prompt, and a part of the positions, a page at a time.
// Online softmax.
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
  float2* weights;  // [token][head][part]: maximum of the scores and sum of exponentials, both of base 2

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

#if !defined(__HIP_PLATFORM_AMD__)
// How many tokens of a prompt share a block, and what it has loaded of the positions. AMD's GPUs have the shared memory for
// one.
constexpr int kLatentTokens = 2;
#endif

// Shared memory of a block: the vectors of a page, and what each of `Tokens` tokens has of its own. Two units share the
// dimensions of a score, and add their sums there.
template <int Tokens>
struct LatentRoom {
  static constexpr int kKeys = kPageTokens, kHalves = 2;
  static constexpr int kPanelColumns = (kMostRank + kMostRope + 63) / 64 * 64;
  static constexpr int kScoreStride = kKeys + 4;  // without bank conflicts
  static constexpr int kKeyBytes = kKeys * kPanelColumns * 2;
  static constexpr int kWeights = kLatentHeads * kPanelColumns * 2;
  static constexpr int kScores = kWeights + kLatentHeads * Panels::kRowBytes;
  static constexpr int kFactors = kScores + kHalves * kLatentHeads * kScoreStride * 4;
  static constexpr int kTokenBytes = kFactors + kLatentHeads * 8;

  static constexpr int kBytes = kKeyBytes + Tokens * kTokenBytes;

  // Threads of a token are numbered from 0.
  __device__ static unsigned thread() { return Tokens == 1 ? threadIdx.x : threadIdx.x % kUnitThreads; }

  __device__ LatentRoom(uint8_t* shared, int token)
      : keys(shared, kKeys),
        queries(shared + kKeyBytes + token * kTokenBytes, kLatentHeads),
        weights(shared + kKeyBytes + token * kTokenBytes + kWeights, kLatentHeads),
        scores(reinterpret_cast<float*>(shared + kKeyBytes + token * kTokenBytes + kScores)),
        factors(reinterpret_cast<float*>(shared + kKeyBytes + token * kTokenBytes + kFactors)) {}

  __device__ float* scores_of(int half, int head) const { return scores + (half * kLatentHeads + head) * kScoreStride; }

  Panels keys;     // [position][dimension]
  Panels queries;  // [head][dimension]
  Panels weights;  // [head][position]
  float* scores;   // [half][head][position]
  float* factors;  // [head]: by which what has been added is scaled
};

// Loads rows of a panel by `Threads` threads: `row(i, eighth)` returns eight dimensions of one. Neighboring threads have
// neighboring eighths. Dimensions from `width` on become zeros, up to a whole block of a product.
template <int Count, int Threads, typename Row>
__device__ __forceinline__ void load_wide_rows(const Panels& panels, unsigned thread, int width, const Row& row) {
  constexpr int threads = Threads / Count, at_once = 6;
  const int own = thread / threads, eighths = (width + 31) / 32 * 4;
  for (int first = thread % threads; first < eighths; first += at_once * threads) {
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
template <typename Room>
__device__ __forceinline__ void score_latents(const Room& room, int width) {
  constexpr int tiles = Room::kKeys / 16;
  const int unit = Room::thread() / Unit::kLanes, lane = threadIdx.x % Unit::kLanes;
  const int tile = unit % tiles, half = unit / tiles;
  if (half >= Room::kHalves) return;
  typename Unit::Sums sums;
#pragma unroll 1
  for (int block = half; block < (width + 31) / 32; block += Room::kHalves)
    Unit::multiply_add(sums, typename Unit::PanelRows(room.keys, tile * 16, block, lane),
                       typename Unit::PanelColumns(room.queries, 0, block, lane));
  const auto results = Unit::finish(sums, lane);
#pragma unroll
  for (int i = 0; i < Unit::kPairs; ++i) {
    float* to = room.scores_of(half, Unit::column(lane, i)) + tile * 16 + Unit::row(lane, i);
    to[0] = in_vector_register(results.low[i]);
    to[8] = in_vector_register(results.high[i]);
  }
}

// The softmax of a head, computed by eight threads with four positions of a page each.
template <typename Room>
class LatentSoftmax {
 public:
  static constexpr int kThreads = kLatentHeads * 8;
  static_assert(kThreads <= kUnitThreads && Room::kKeys == 32, "four positions each");

  // Turns scores of `count` positions into weights.
  __device__ __forceinline__ void add(const Room& room, int count, float scale) {
    const int head = Room::thread() / 8, first = Room::thread() % 8 * 4;
    if (head >= kLatentHeads) return;
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
  __device__ __forceinline__ void finish(const Room& room, const Put& put) {
    const int head = Room::thread() / 8;
    if (head >= kLatentHeads) return;
    const float sum = over_head(sum_, [](float a, float b) { return a + b; });
    if (threadIdx.x % 8 != 0) return;
    room.factors[head] = 1.0f / sum;
    put(head, make_float2(largest_, sum));
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
template <typename Room>
class LatentSums {
 public:
  __device__ __forceinline__ void add(const Room& room, int rank) {
    // Otherwise addresses are computed before the loop over positions, and take the registers.
    const int thread = opaque(Room::thread()), lane = thread % Unit::kLanes, own = thread / Unit::kLanes * 16;
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
  __device__ __forceinline__ void write(const Room& room, int rank, const Put& put) const {
    const int lane = threadIdx.x % Unit::kLanes, own = Room::thread() / Unit::kLanes * 16;
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

// If a block has several tokens, they are neighbors in a sequence, and no other block has positions of them.
template <int Tokens, typename Places>
__device__ __forceinline__ void latent_attention(uint8_t* shared, const LatentGiven& given, const Places& tokens,
                                                 int count) {
  // Told to be the same in a warp: otherwise addresses and conditions are computed by each thread, which costs 3 us.
  const int own = Tokens == 1 ? 0 : __shfl_sync(kAllLanes, static_cast<int>(threadIdx.x) / kUnitThreads, 0);
  const int token = blockIdx.z * Tokens + own;
  using Room = LatentRoom<Tokens>;
  const Room room(shared, own);
  const int part = blockIdx.x, first_head = blockIdx.y * kLatentHeads;
  const int width = given.widths.cached(), rank = given.widths.rank;
  await_previous_kernel();
  const int newest = min(static_cast<int>(blockIdx.z + 1) * Tokens, count) - 1;
  const int length = tokens.position(newest) + 1, each = given.to.parts.positions(length);
  const int first = part * each, last = min(first + each, length);
  if (first >= last) return;
  // The positions of the own token: those behind it are for the ones after it.
  const int end = Tokens == 1 ? last : token > newest ? 0 : last - (newest - token);
  const Number* queries = given.queries + (static_cast<int64_t>(token) * given.heads + first_head) * width;
  load_wide_rows<kLatentHeads, kUnitThreads>(room.queries, Room::thread(), width, [&](int i, int eighth) {
    const bool there = end > 0 && first_head + i < given.heads;
    return there ? load8(queries + i * width + eighth * 8) : Eight{make_uint4(0, 0, 0, 0)};
  });
  const CachedLatents cached(given.cache, tokens.pages(newest), given.layer, width);
  LatentSoftmax<Room> softmax;
  LatentSums<Room> sums;
#pragma unroll 1
  for (int start = first; start < last; start += Room::kKeys) {
    const CacheUnit* page = cached.at(start);
    const int there = last - start, units = cached_units(width);
    // What is behind the last position may not be numbers.
    load_wide_rows<Room::kKeys, Tokens * kUnitThreads>(room.keys, threadIdx.x, width, [&](int i, int eighth) {
      return i < there ? load_latent(page + i * units, eighth, width) : Eight{make_uint4(0, 0, 0, 0)};
    });
    const bool sees = Tokens == 1 || start < end;
    __syncthreads();
    if (sees) score_latents(room, width);
    __syncthreads();
    if (sees) softmax.add(room, end - start, given.scale);
    __syncthreads();
    if (sees) sums.add(room, rank);
    __syncthreads();
  }
  const int64_t to = given.to.at(token, given.heads, first_head, part);
  const int64_t next = given.to.parts.most;  // from a head to the next
  const int heads = end > 0 ? given.heads - first_head : 0;
  softmax.finish(room, [&](int head, float2 weight) {
    if (head < heads) given.to.weights[to + head * next] = weight;
  });
  __syncthreads();
  sums.write(room, rank, [&](int head, int dimension, float value) {
    if (head < heads) given.to.means[(to + head * next) * rank + dimension] = number_of(value);
  });
}

// Grid: (parts, blocks of 16 heads, tokens).
template <typename Places>
__global__ void __launch_bounds__(kUnitThreads) latent_attention_kernel(LatentGiven given, Places tokens, int count) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[LatentRoom<1>::kBytes];
#endif
  latent_attention<1>(shared, given, tokens, count);
}

#if !defined(__HIP_PLATFORM_AMD__)

// For prompts. Grid: (1, blocks of 16 heads, blocks of tokens). Two blocks have the registers of a multiprocessor.
template <typename Places>
__global__ void __launch_bounds__(kLatentTokens* kUnitThreads, 2)
    latent_prompt_kernel(LatentGiven given, Places tokens, int count) {
  extern __shared__ __align__(128) uint8_t shared[];
  latent_attention<kLatentTokens>(shared, given, tokens, count);
}

#endif

}  // namespace hipport_llm

#endif
