// RMSNorm of each head's queries and keys, then RoPE: for models that normalize them (Qwen3).
#ifndef HIPPORT_LLM_HEAD_NORM_CUH
#define HIPPORT_LLM_HEAD_NORM_CUH

#include "early_start.cuh"
#include "kv_cache.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

constexpr int kHeadNormThreads = 256;

// Weights of the two normalizations, [head width] each; null for models without.
struct HeadNorms {
  const Number* queries;
  const Number* keys;
};

__host__ __device__ inline HeadNorms head_norms(const Model& model, int layer) {
  if (!model.head_norms()) return {nullptr, nullptr};
  return {reinterpret_cast<const Number*>(model.at(layer, model.offsets.query_norm)),
          reinterpret_cast<const Number*>(model.at(layer, model.offsets.key_norm))};
}

// Queries and keys as the product has left them: [token][head][dimension], and in the cache. With an 8-bit cache the
// keys are still in `fresh`: [token][key or value][head][dimension].
struct UnrotatedHeads {
  Number* queries;
  Cache cache;
  Number* fresh;
};

// Blocks of normalize_heads_kernel for `count` tokens: a warp for each head.
inline int normalize_heads_blocks(const Shape& shape, int count) {
  constexpr int at_once = kHeadNormThreads / kLanes;
  return (count * (shape.heads + shape.kv_heads) + at_once - 1) / at_once;
}

template <int HeadWidth, typename Places>
__device__ __forceinline__ Number* unrotated_head(const Shape& shape, const UnrotatedHeads& from, const Places& tokens,
                                                  int layer, int token, int head) {
  if (head < shape.heads) return from.queries + (static_cast<int64_t>(token) * shape.heads + head) * HeadWidth;
  const int key = head - shape.heads;
#if HIPPORT_LLM_INT8_CACHE
  return from.fresh + (static_cast<int64_t>(token) * 2 * shape.kv_heads + key) * HeadWidth;
#else
  const CachedHead<HeadWidth> cached(from.cache, tokens.pages(token), layer, shape.kv_heads, key);
  return cached.key(tokens.position(token));
#endif
}

// Normalizes and rotates in place. A lane has dimensions lane, lane + 32, ... of the lower half and their pairs.
template <int HeadWidth, typename Places>
__global__ void __launch_bounds__(kHeadNormThreads)
    normalize_heads_kernel(Shape shape, UnrotatedHeads from, Places tokens, int count, int layer, HeadNorms norms,
                           const float2* rope) {
  await_previous_kernel();
  constexpr int half = HeadWidth / 2, rounds = (half + kLanes - 1) / kLanes;
  const int heads = shape.heads + shape.kv_heads, lane = threadIdx.x % kLanes;
  const int unit = (blockIdx.x * kHeadNormThreads + threadIdx.x) / kLanes, token = unit / heads, head = unit % heads;
  if (token >= count || tokens.position(token) < 0) return;
  Number* vector = unrotated_head<HeadWidth>(shape, from, tokens, layer, token, head);
  const Number* weights = head < shape.heads ? norms.queries : norms.keys;
  float low[rounds], high[rounds], squares = 0.0f;
#pragma unroll
  for (int i = 0; i < rounds; ++i) {
    const int at = lane + i * kLanes;
    low[i] = at < half ? float_of(vector[at]) : 0.0f;
    high[i] = at < half ? float_of(vector[at + half]) : 0.0f;
    squares = fmaf(low[i], low[i], fmaf(high[i], high[i], squares));
  }
  const float scale = rsqrtf(sum_lanes<kLanes>(squares) / static_cast<float>(HeadWidth) + shape.epsilon);
#pragma unroll
  for (int i = 0; i < rounds; ++i) {
    const int at = lane + i * kLanes;
    if (at >= half) break;
    const float2 rotation = rope[static_cast<int64_t>(tokens.position(token)) * half + at];
    const float x = low[i] * scale * float_of(weights[at]), y = high[i] * scale * float_of(weights[at + half]);
    vector[at] = number_of(x * rotation.x - y * rotation.y);
    vector[at + half] = number_of(y * rotation.x + x * rotation.y);
  }
}

}  // namespace hipport_llm

#endif
