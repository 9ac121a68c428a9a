// Attention of a chunk of a prompt over the cached keys and values: those before it, and its own.
#ifndef HIPPORT_LLM_PREFILL_ATTENTION_CUH
#define HIPPORT_LLM_PREFILL_ATTENTION_CUH

#include "matmul_epilogues.cuh"
#include "tiled_attention.cuh"

namespace hipport_llm {

template <int HeadWidth, typename Sight>
__device__ __forceinline__ void prefill_attention(uint8_t* shared, const Shape& shape, const Cache& cache,
                                                  const PromptChunk& chunk, int layer, const Number* queries,
                                                  const Sight& sight, Number* to) {
  const AttentionRoom<HeadWidth> room(shared);
  constexpr int at_once = AttentionRoom<HeadWidth>::kQueries, parts = AttentionRoom<HeadWidth>::kParts;
  const int head = blockIdx.x, token = blockIdx.y * at_once, width = shape.query_width();
  const Number* own = queries + static_cast<int64_t>(token) * width + head * HeadWidth;
  load_queries(room, [&](int i, int eighth) { return load8(own + static_cast<int64_t>(i) * width + eighth * 8); });
  const int number = threadIdx.x / Unit::kLanes * 16, first = parts == 1 ? number : number % at_once;
  const int length = chunk.first + min(token + at_once, chunk.count);
  const CachedHead<HeadWidth> cached(cache, chunk.pages(0), layer, shape.kv_heads, kv_head_of(shape, head));
  const bool works = number < at_once * parts;
  UnitAttention<HeadWidth, Sight> unit(room, works ? first : 0, chunk.first + token + first,
                                       rsqrtf(static_cast<float>(HeadWidth)) * kLog2OfE, INT_MAX,
                                       parts == 1 ? 0 : number / at_once);
  if constexpr (Sight::kLimited) unit.limit(sight, head);
  const int begin = sight.first(chunk.first + token) / kBlockKeys * kBlockKeys;
  // Keys beyond the last repeat it; they are masked.
  const auto keys_from = [&](int first_key) {
    return [&, first_key](int i, int eighth) {
      return load_cached<HeadWidth>(cached.key(min(first_key + i, length - 1)), eighth * 8);
    };
  };
  const auto values_from = [&](int first_key) {
    return [&, first_key](int i, int eighth) {
      return load_cached<HeadWidth>(cached.value(min(first_key + i, length - 1)), eighth * 8);
    };
  };
  if constexpr (AttentionRoom<HeadWidth>::kWide)
    attend_keys_in_turn(
        unit, works, begin, length, [&](int key) { load_rows<HeadWidth>(room.keys, kBlockKeys, keys_from(key)); },
        [&](int key) { load_values(room, values_from(key)); });
  else
    attend_keys(unit, works, length, [&](int key) { load_keys(room, keys_from(key), values_from(key)); }, begin);
  Number* out = to + static_cast<int64_t>(token + first) * width + head * HeadWidth;
  const int count = works ? chunk.count - token - first : 0;
  unit.write([&](int i, int dimension, float value) {
    if (i < count) out[static_cast<int64_t>(i) * width + dimension] = number_of(value);
  });
}

// Grid: (head, blocks of AttentionRoom::kQueries tokens). Queries and output: [token][head][dimension], with memory for
// whole blocks of tokens.
template <int HeadWidth, typename Sight>
__global__ void __launch_bounds__(kUnitThreads)
    prefill_attention_kernel(Shape shape, Cache cache, PromptChunk chunk, int layer, const Number* queries, Sight sight,
                             Number* to) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[AttentionRoom<HeadWidth>::kBytes];
#endif
  prefill_attention<HeadWidth>(shared, shape, cache, chunk, layer, queries, sight, to);
}

}  // namespace hipport_llm

#endif
