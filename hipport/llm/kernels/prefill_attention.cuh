// Attention of a chunk of a prompt over the cached keys and values: those before it, and its own.
#ifndef HIPPORT_LLM_PREFILL_ATTENTION_CUH
#define HIPPORT_LLM_PREFILL_ATTENTION_CUH

#include "matmul_epilogues.cuh"
#include "tiled_attention.cuh"

namespace hipport_llm {

// Grid: (head, 64 tokens). Queries and output: [token][head][dimension], with memory for whole blocks of tokens.
template <int HeadWidth>
__global__ void __launch_bounds__(kUnitThreads) prefill_attention_kernel(Shape shape, Cache cache, PromptChunk chunk,
                                                                         int layer, const Number* queries, Number* to) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[AttentionRoom<HeadWidth>::kBytes];
#endif
  const AttentionRoom<HeadWidth> room(shared);
  const int head = blockIdx.x, token = blockIdx.y * kBlockQueries, width = shape.query_width();
  const Number* own = queries + static_cast<int64_t>(token) * width + head * HeadWidth;
  load_queries(room, [&](int i, int eighth) { return load8(own + static_cast<int64_t>(i) * width + eighth * 8); });
  const int first = threadIdx.x / Unit::kLanes * 16, length = chunk.first + min(token + kBlockQueries, chunk.count);
  const CachedHead<HeadWidth> cached(cache, chunk.pages(0), layer, shape.kv_heads, kv_head_of(shape, head));
  const bool works = first < kBlockQueries;
  UnitAttention<HeadWidth> unit(room, works ? first : 0, chunk.first + token + first,
                                rsqrtf(static_cast<float>(HeadWidth)) * kLog2OfE);
  // Keys beyond the last repeat it; they are masked.
  attend_keys(unit, works, length, [&](int key) {
    const auto position = [&](int i) { return min(key + i, length - 1); };
    load_keys(
        room, [&](int i, int eighth) { return load_cached<HeadWidth>(cached.key(position(i)), eighth * 8); },
        [&](int i, int eighth) { return load_cached<HeadWidth>(cached.value(position(i)), eighth * 8); });
  });
  Number* out = to + static_cast<int64_t>(token + first) * width + head * HeadWidth;
  const int count = works ? chunk.count - token - first : 0;
  unit.write([&](int i, int dimension, float value) {
    if (i < count) out[static_cast<int64_t>(i) * width + dimension] = number_of(value);
  });
}

}  // namespace hipport_llm

#endif
