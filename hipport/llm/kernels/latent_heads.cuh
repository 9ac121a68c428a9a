// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): a product makes a short latent vector of each token, and a
// second one makes the keys and values of all heads from it. Each head's key ends with dimensions that are rotated,
// which all heads share. Heads are expanded, and cached like those of other models: padded with zeros to the width of
// heads that the engine was built for.
#ifndef HIPPORT_LLM_LATENT_HEADS_CUH
#define HIPPORT_LLM_LATENT_HEADS_CUH

#include "early_start.cuh"
#include "kv_cache.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

// The widths of latent attention. `rank` is 0 for models without it.
struct LatentWidths {
  int query_rank;     // of the latent vector of queries; 0: queries have none
  int rank;           // of that of keys and values
  int nope, rope;     // dimensions of a head's queries and keys that are not rotated, and those behind them that are
  int value;          // dimensions of a head's values
  bool interleaved;   // neighboring dimensions are rotated together, else those half of `rope` apart
  float query_scale;  // of queries, besides that for the width of heads

  __host__ __device__ int query() const { return nope + rope; }
  // Rows of the product with the residual stream: queries or their latent vector, the latent vector, the rotated key.
  __host__ __device__ int first_rows(int heads) const {
    return (query_rank > 0 ? query_rank : heads * query()) + rank + rope;
  }
  __host__ __device__ int expanded(int heads) const { return heads * (nope + value); }
};

constexpr int kLatentThreads = 256;
// Of their normalizations, whatever that of the residual stream is.
constexpr float kLatentEpsilon = 1e-6f;

// A latent vector: numbers `first` .. of a row.
struct LatentNorm {
  int first, width;
  const Number* weights;
  Number* to;  // [token][width]
};

struct LatentNorms {
  LatentNorm of[2];
};

// RMSNorm of the latent vectors of a row. Grid: (tokens, latent vectors).
template <int Threads>
__global__ void __launch_bounds__(Threads) normalize_latents_kernel(const float* rows, int stride, LatentNorms norms) {
  __shared__ float sums[Threads / kLanes];
  await_previous_kernel();
  const LatentNorm norm = norms.of[blockIdx.y];
  const int token = blockIdx.x;
  const float* from = rows + static_cast<int64_t>(token) * stride + norm.first;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < norm.width; i += Threads) squares = fmaf(from[i], from[i], squares);
  squares = sum_lanes<kLanes>(squares);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = squares;
  __syncthreads();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < Threads / kLanes; ++i) all += sums[i];
  const float scale = rsqrtf(all / static_cast<float>(norm.width) + kLatentEpsilon);
  Number* to = norm.to + static_cast<int64_t>(token) * norm.width;
  for (int i = threadIdx.x; i < norm.width; i += Threads)
    to[i] = number_of(from[i] * scale * float_of(norm.weights[i]));
}

// What the products have made, in float.
struct LatentRows {
  const float* queries;   // [token][query_stride], those of heads one behind the other
  const float* key;       // [token][key_stride]: the rotated dimensions of keys
  const float* expanded;  // [token][head][nope, then value]
  int query_stride, key_stride;
};

// Dimension `i` of `width` rotated ones of a vector.
__device__ __forceinline__ float rotated(const float* vector, int i, int width, bool interleaved, const float2* rope) {
  const int half = width / 2, pair = interleaved ? i / 2 : i % half;
  const int other = interleaved ? i ^ 1 : i < half ? i + half : i - half;
  const bool low = interleaved ? i % 2 == 0 : i < half;
  return vector[i] * rope[pair].x + (low ? -vector[other] : vector[other]) * rope[pair].y;
}

// Writes the queries, [token][head][HeadWidth], and keys and values to the cache, or with an 8-bit cache to `fresh`:
// [token][key or value][head][HeadWidth]. A thread has a dimension of a head. Grid: (dimensions, tokens).
template <int HeadWidth, typename Places>
__global__ void __launch_bounds__(kLatentThreads)
    latent_heads_kernel(LatentWidths widths, int heads, LatentRows from, Cache cache, Places tokens, int layer,
                        const float2* rope, Number* queries, Number* fresh) {
  await_previous_kernel();
  const int at = blockIdx.x * kLatentThreads + threadIdx.x, token = blockIdx.y;
  const int head = at / HeadWidth, dimension = at % HeadWidth, position = tokens.position(token);
  if (head >= heads || position < 0) return;
  const float2* rotation = rope + static_cast<int64_t>(position) * (HeadWidth / 2);
  const float* query = from.queries + static_cast<int64_t>(token) * from.query_stride + head * widths.query();
  const float* expanded = from.expanded + (static_cast<int64_t>(token) * heads + head) * (widths.nope + widths.value);
  const int turned = dimension - widths.nope;
  float q = 0.0f, k = 0.0f;
  if (turned < 0) {
    q = query[dimension];
    k = expanded[dimension];
  } else if (turned < widths.rope) {
    const float* shared = from.key + static_cast<int64_t>(token) * from.key_stride;
    q = rotated(query + widths.nope, turned, widths.rope, widths.interleaved, rotation);
    k = rotated(shared, turned, widths.rope, widths.interleaved, rotation);
  }
  const float v = dimension < widths.value ? expanded[widths.nope + dimension] : 0.0f;
  queries[(static_cast<int64_t>(token) * heads + head) * HeadWidth + dimension] = number_of(q * widths.query_scale);
#if HIPPORT_LLM_INT8_CACHE
  Number* keys = fresh + (static_cast<int64_t>(token) * 2 * heads + head) * HeadWidth + dimension;
  keys[0] = number_of(k);
  keys[heads * HeadWidth] = number_of(v);
#else
  const CachedHead<HeadWidth> own(cache, tokens.pages(token), layer, heads, head);
  own.key(position)[dimension] = number_of(k);
  own.value(position)[dimension] = number_of(v);
#endif
}

// Leaves out what values are padded with: [token][head][HeadWidth] becomes [token][head][value]. A thread has eight
// dimensions. Grid: (eighths, tokens).
template <int HeadWidth>
__global__ void __launch_bounds__(kLatentThreads)
    narrow_heads_kernel(const Number* from, int heads, int value, Number* to) {
  await_previous_kernel();
  const int at = blockIdx.x * kLatentThreads + threadIdx.x, token = blockIdx.y, eighths = value / 8;
  const int head = at / eighths, eighth = at % eighths;
  if (head >= heads) return;
  const int64_t row = static_cast<int64_t>(token) * heads + head;
  reinterpret_cast<uint4*>(to + row * value)[eighth] = reinterpret_cast<const uint4*>(from + row * HeadWidth)[eighth];
}

}  // namespace hipport_llm

#endif
