// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): a product makes a short latent vector of each token, from
// which the keys and values of all heads follow. Each head's key ends with dimensions that are rotated, which all heads
// share. The cache has the latent vector and the rotated dimensions. Keys and values are never made: queries are
// multiplied with what would make the keys (head_products.cuh), so that their products with the latent vectors are the
// scores (latent_attention.cuh), and means of the latent vectors with what would make the values.
#ifndef HIPPORT_LLM_LATENT_HEADS_CUH
#define HIPPORT_LLM_LATENT_HEADS_CUH

#include "early_start.cuh"
#include "latent_cache.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

// The widest latent vectors and rotated parts that there is shared memory for.
constexpr int kMostRank = 512, kMostRope = 64;

// The widths of latent attention. `rank` is 0 for models without it.
struct LatentWidths {
  int query_rank;     // of the latent vector of queries; 0: queries have none
  int rank;           // of that of keys and values
  int nope, rope;     // dimensions of a head's queries and keys that are not rotated, and those behind them that are
  int value;          // dimensions of a head's values
  bool interleaved;   // neighboring dimensions are rotated together, else those half of `rope` apart
  float query_scale;  // of queries, besides that for the width of heads

  __host__ __device__ int query() const { return nope + rope; }
  // What the cache has of a position.
  __host__ __device__ int cached() const { return rank + rope; }
  // Rows of the product with the residual stream: queries or their latent vector, the latent vector, the rotated key.
  __host__ __device__ int first_rows(int heads) const {
    return (query_rank > 0 ? query_rank : heads * query()) + cached();
  }
  // Rows of the matrix that keys and values would be made with.
  __host__ __device__ int expanded(int heads) const { return heads * (nope + value); }
};

constexpr int kLatentThreads = 256;
// Of their normalizations, whatever that of the residual stream is.
constexpr float kLatentEpsilon = 1e-6f;

// The factor by which RMSNorm scales a vector. Called by all threads of a block.
template <int Threads>
__device__ __forceinline__ float norm_scale(const float* from, int width) {
  __shared__ float sums[Threads / kLanes];
  float squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += Threads) squares = fmaf(from[i], from[i], squares);
  squares = sum_lanes<kLanes>(squares);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = squares;
  __syncthreads();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < Threads / kLanes; ++i) all += sums[i];
  return rsqrtf(all / static_cast<float>(width) + kLatentEpsilon);
}

// RMSNorm of the latent vectors of queries: the first `width` numbers of rows become [token][width]. Grid: tokens.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    normalize_latents_kernel(const float* rows, int stride, int width, const Number* weights, Number* to) {
  await_previous_kernel();
  const float* from = rows + static_cast<int64_t>(blockIdx.x) * stride;
  Number* own = to + static_cast<int64_t>(blockIdx.x) * width;
  const float scale = norm_scale<Threads>(from, width);
  for (int i = threadIdx.x; i < width; i += Threads) own[i] = number_of(from[i] * scale * float_of(weights[i]));
}

// Dimension `i` of `width` rotated ones of a vector.
__device__ __forceinline__ float rotated(const float* vector, int i, int width, bool interleaved, const float2* rope) {
  const int half = width / 2, pair = interleaved ? i / 2 : i % half;
  const int other = interleaved ? i ^ 1 : i < half ? i + half : i - half;
  const bool low = interleaved ? i % 2 == 0 : i < half;
  return vector[i] * rope[pair].x + (low ? -vector[other] : vector[other]) * rope[pair].y;
}

// RoPE's table, [position][stride].
struct Rotations {
  const float2* table;
  int stride;

  __device__ const float2* at(int position) const { return table + static_cast<int64_t>(position) * stride; }
};

// Writes the normalized latent vectors and the rotated keys to the cache. Both are in rows, [token][stride], one behind the
// other.
template <typename Places>
struct CacheLatents {
  LatentWidths widths;
  const float* rows;
  int stride;
  const Number* weights;  // of the normalization
  Cache cache;
  Places tokens;
  int layer;
  Rotations rotations;

  // Called by all threads of a block.
  template <int Threads>
  __device__ __forceinline__ void write(int token) const {
    const int position = tokens.position(token), width = widths.cached();
    if (position < 0) return;
    const float* from = rows + static_cast<int64_t>(token) * stride;
    const float scale = norm_scale<Threads>(from, widths.rank);
    CacheUnit* to = CachedLatents(cache, tokens.pages(token), layer, width).at(position);
    for (int first = 0; first < width; first += Threads) {
      const int i = first + static_cast<int>(threadIdx.x);
      float value = 0.0f;
      if (i < widths.rank)
        value = from[i] * scale * float_of(weights[i]);
      else if (i < width)
        value = rotated(from + widths.rank, i - widths.rank, widths.rope, widths.interleaved, rotations.at(position));
      store_latent(to, i, width, value, i < width);
    }
    // The room of the sums is used again for the next token.
    __syncthreads();
  }
};

}  // namespace hipport_llm

#endif
