// GEMM, softmax and GEMM in one kernel, for batches and heads: softmax(scale * queries keys^T) values. A block has some
// queries and goes through the keys; scores are nowhere but in registers.
#ifndef HIPPORT_LLM_TILE_ATTENTION_CUH
#define HIPPORT_LLM_TILE_ATTENTION_CUH

#include "../engine/tensor_maps.h"
#include "../kernels/bulk_attention.cuh"
#include "../kernels/tiled_attention.cuh"
#include "epilogue.cuh"
#include "transfer.cuh"

namespace hipport_llm {

// A head of one sequence.
struct AttentionHead {
  Source<Bounded> queries, keys, values;
  Store out;
  int query_count, key_count, width;
  float scale;
  bool causal;  // a query sees keys up to its own position
};

// Which head a block attends to, and what of it counts.
struct HeadTask {
  int sequence, head, query_count, key_count, width;
  float scale;
  bool causal;
  Store out;  // the head's
};

// A block's queries, from `first_query` on; heads are at most HeadWidth wide. By kUnitThreads threads.
template <int HeadWidth>
__device__ __forceinline__ void attend_tile(const AttentionHead& head, const AttentionRoom<HeadWidth>& room,
                                            int first_query) {
  load_queries(room, [&](int i, int eighth) { return head.queries.eight(first_query + i, eighth * 8); });
  const int own = threadIdx.x / Unit::kLanes * 16, query = first_query + own, last = head.key_count - 1;
  const bool works = own < kBlockQueries;
  UnitAttention<HeadWidth> unit(room, works ? own : 0, head.causal ? query : last, head.scale * kLog2OfE, last);
  attend_keys(unit, works, head.causal ? min(head.key_count, first_query + kBlockQueries) : head.key_count,
              [&](int first) {
                load_keys(
                    room, [&](int i, int eighth) { return head.keys.eight(first + i, eighth * 8); },
                    [&](int i, int eighth) { return head.values.eight(first + i, eighth * 8); });
              });
  const int count = works ? head.query_count - query : 0;
  unit.write([&](int i, int column, float value) {
    if (i < count && column < head.width) head.out.one(value, query + i, column);
  });
}

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

// Heads as tensor copies see them: queries in tiles of 64 positions.
struct AttentionMaps {
  CUtensorMap queries, keys, values;
};

// Tiles of a head's keys and values.
template <int HeadWidth>
struct HeadTiles {
  using Room = BulkAttentionRoom<HeadWidth>;
  const AttentionMaps& maps;
  int sequence, head;
  int found = 0;

  __device__ void find(int first) { found = first; }
  __device__ void keys(uint8_t* to, uint64_t* full) const { copy(maps.keys, to, full); }
  __device__ void values(uint8_t* to, uint64_t* full) const { copy(maps.values, to, full); }

  __device__ void copy(const CUtensorMap& map, uint8_t* to, uint64_t* full) const {
#pragma unroll
    for (int i = 0; i < Room::kPanels; ++i)
      copy_head_tile(to + i * Room::kKeyPanel, map, {i * 64, head, found, sequence}, full);
  }
};

// The same by tensor copies, BulkAttentionRoom<HeadWidth>::kQueries queries from `first_query` on, of heads whose width is
// even. By its threads.
template <int HeadWidth>
__device__ __forceinline__ void attend_bulk_tile(const AttentionMaps& maps, const HeadTask& task,
                                                 BulkAttentionRoom<HeadWidth>& room, int first_query) {
  using Room = BulkAttentionRoom<HeadWidth>;
  if (threadIdx.x == 0) room.init();
  __syncthreads();
  const auto until = [&](int end) { return task.causal ? min(task.key_count, end) : task.key_count; };
  const int end = until(first_query + Room::kQueries);
  if (threadIdx.x >= Room::kAttending) {
    shrink_registers<Room::kCopyingRegisters>();
    if (threadIdx.x > Room::kAttending) return;
    copy_queries<HeadWidth>(room, maps.queries, task.head, first_query, task.sequence);
    HeadTiles<HeadWidth> tiles = {maps, task.sequence, task.head};
    copy_tiles(room, 0, end, tiles);
    return;
  }
  grow_registers<Room::kAttendingRegisters>();
  const int query = first_query + threadIdx.x / 128 * Room::kGroupQueries, last = task.key_count - 1;
  BulkAttention<HeadWidth, WholeSight> attention(room, {0, end, until(query + 1), last}, task.causal ? query : last,
                                                 task.scale * kLog2OfE);
  attention.attend();
  attention.write([&](int i, int column, float low, float high) {
    if (query + i >= task.query_count || column >= task.width) return;
    *reinterpret_cast<__half2*>(task.out.matrix + (query + i) * task.out.stride + column) =
        __floats2half2_rn(low, high);
  });
}

#endif

}  // namespace hipport_llm

#endif
