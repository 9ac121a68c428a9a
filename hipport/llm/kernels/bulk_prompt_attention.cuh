// Attention of a chunk of a prompt over the cached keys and values of 16 bits, on the matrix units of Hopper's warp groups.
#ifndef HIPPORT_LLM_BULK_PROMPT_ATTENTION_CUH
#define HIPPORT_LLM_BULK_PROMPT_ATTENTION_CUH

#include "bulk_attention.cuh"
#include "prompt_chunk.h"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// Queries and the cache as tensor copies see them: [token][head][dimension], and all vectors of a layer's pages.
struct PromptMaps {
  CUtensorMap queries, cache;
};

// Tiles of a head's keys and values in pages, of which a copy takes one. Pages after `last_page` repeat it; what they have
// is hidden.
template <int HeadWidth>
class CachedTiles {
 public:
  using Room = BulkAttentionRoom<HeadWidth>;

  __device__ CachedTiles(const CUtensorMap& cache, const int* pages, int last_page, int kv_heads, int head)
      : cache_(cache), pages_(pages), last_page_(last_page), kv_heads_(kv_heads), head_(head) {}

  __device__ __forceinline__ void find(int first) {
#pragma unroll
    for (int i = 0; i < kPages; ++i) found_[i] = pages_[min(first / kPageTokens + i, last_page_)];
  }
  __device__ __forceinline__ void keys(uint8_t* to, uint64_t* full) const { copy(0, to, full); }
  __device__ __forceinline__ void values(uint8_t* to, uint64_t* full) const { copy(1, to, full); }

 private:
  static constexpr int kPages = Room::kKeys / kPageTokens, kPageBytes = kPageTokens * Panels::kRowBytes;

  __device__ __forceinline__ void copy(int kind, uint8_t* to, uint64_t* full) const {
#pragma unroll
    for (int i = 0; i < kPages * Room::kPanels; ++i) {
      const int page = i / Room::kPanels, panel = i % Room::kPanels;
      const int vector = ((found_[page] * 2 + kind) * kv_heads_ + head_) * kPageTokens;
      copy_head_tile(to + panel * Room::kKeyPanel + page * kPageBytes, cache_, {panel * 64, 0, vector, 0}, full);
    }
  }

  const CUtensorMap& cache_;
  const int* pages_;
  int last_page_, kv_heads_, head_;
  int found_[kPages];
};

// Grid: (head, blocks of BulkAttentionRoom::kQueries tokens). Output: [token][head]
// [dimension].
template <int HeadWidth, typename Sight>
__global__ void __launch_bounds__(BulkAttentionRoom<HeadWidth>::kThreads, 1)
    bulk_attention_kernel(const __grid_constant__ PromptMaps maps, Shape shape, PromptChunk chunk, Sight sight,
                          Number* to) {
  extern __shared__ __align__(1024) uint8_t dynamic[];
  using Room = BulkAttentionRoom<HeadWidth>;
  Room& room = *reinterpret_cast<Room*>(dynamic);
  if (threadIdx.x == 0) room.init();
  __syncthreads();
  // The last tokens see most keys: they begin.
  const int head = blockIdx.x, token = (gridDim.y - 1 - blockIdx.y) * Room::kQueries;
  const int last = chunk.first + chunk.count - 1, begin = sight.first(chunk.first + token) / Room::kKeys * Room::kKeys;
  const int end = min(chunk.first + token + Room::kQueries, last + 1);
  if (threadIdx.x >= Room::kAttending) {
    shrink_registers<Room::kCopyingRegisters>();
    if (threadIdx.x > Room::kAttending) return;
    copy_queries<HeadWidth>(room, maps.queries, head, token, 0);
    CachedTiles<HeadWidth> tiles(maps.cache, chunk.pages(0), last / kPageTokens, shape.kv_heads,
                                 kv_head_of(shape, head));
    copy_tiles(room, begin, end, tiles);
    return;
  }
  grow_registers<Room::kAttendingRegisters>();
  const int own = token + threadIdx.x / 128 * Room::kGroupQueries, position = chunk.first + own;
  BulkAttention<HeadWidth, Sight> attention(room, {begin, end, position + 1, last}, position,
                                            rsqrtf(static_cast<float>(HeadWidth)) * kLog2OfE);
  if constexpr (Sight::kLimited) attention.limit(sight, head);
  attention.attend();
  const int width = shape.query_width();
  Number* out = to + static_cast<int64_t>(own) * width + head * HeadWidth;
  attention.write([&](int i, int dimension, float low, float high) {
    if (own + i < chunk.count)
      *reinterpret_cast<Pair*>(out + static_cast<int64_t>(i) * width + dimension) = pair_of(low, high);
  });
}

}  // namespace hipport_llm

#endif

#endif
