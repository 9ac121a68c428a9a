// Launches the attention of a chunk of a prompt on the matrix units of Hopper's warp groups.
#ifndef HIPPORT_LLM_BULK_ATTENTION_LAUNCH_H
#define HIPPORT_LLM_BULK_ATTENTION_LAUNCH_H

#include <limits>

#include "../kernels/bulk_prompt_attention.cuh"
#include "tensor_maps.h"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// Queries and output: [token][head][dimension]. Keys and values are in 16 bits. Raises `EngineError`.
template <int HeadWidth, typename Sight>
void launch_bulk_attention(const Shape& shape, const Cache& cache, const PromptChunk& chunk, int layer,
                           const Number* queries, const Sight& sight, Number* to, cudaStream_t stream) {
  using Room = BulkAttentionRoom<HeadWidth>;
  // Only vectors of pages are asked for; how many there are is not known here.
  constexpr int64_t vectors = std::numeric_limits<int32_t>::max();
  const PromptMaps maps = {
      head_map(queries, 1, chunk.count, shape.heads, HeadWidth, shape.query_width(), Room::kGroupQueries),
      head_map(cache.pages + layer * cache.layer_stride, 1, vectors, 1, HeadWidth, HeadWidth, kPageTokens)};
  const auto kernel = &bulk_attention_kernel<HeadWidth, Sight>;
  const dim3 blocks(shape.heads, (chunk.count + Room::kQueries - 1) / Room::kQueries);
  kernel<<<blocks, Room::kThreads, dynamic_bytes(kernel, sizeof(Room)), stream>>>(maps, shape, chunk, sight, to);
}

}  // namespace hipport_llm

#endif

#endif
