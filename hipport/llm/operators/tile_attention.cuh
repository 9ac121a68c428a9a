// GEMM, softmax and GEMM in one kernel, for batches and heads: softmax(scale * queries keys^T) values. A block has some
// queries and goes through the keys; scores are nowhere but in registers.
#ifndef HIPPORT_LLM_TILE_ATTENTION_CUH
#define HIPPORT_LLM_TILE_ATTENTION_CUH

#include "../kernels/tiled_attention.cuh"
#include "../kernels/warpgroup_attention.cuh"
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

// Begins to copy a tile of rows from `first` on.
template <int HeadWidth>
__device__ __forceinline__ void copy_rows(uint8_t* to, const Source<Bounded>& rows, int first) {
  if (rows.by_eight)
    copy_tile<HeadWidth>(to,
                         [&](int row, int eighth, uint4* piece) { rows.copy_eight(first + row, eighth * 8, piece); });
  else
    copy_tile<HeadWidth>(to,
                         [&](int row, int eighth, uint4* piece) { *piece = rows.eight(first + row, eighth * 8).bits; });
}

// The same on the units of warp groups: GroupAttentionRoom<HeadWidth>::kQueries queries, by its threads.
template <int HeadWidth>
__device__ __forceinline__ void attend_group_tile(const AttentionHead& head, uint8_t* ring, int first_query) {
  using Room = GroupAttentionRoom<HeadWidth>;
  const int group = threadIdx.x / 128, query = first_query + group * Room::kRows, last = head.key_count - 1;
#pragma unroll
  for (int i = 0; i < Room::kGroups; ++i)
    copy_rows<HeadWidth>(ring + i * Room::kTileBytes, head.queries, first_query + i * Room::kRows);
  GroupAttention<HeadWidth, WholeSight> attention(ring + group * Room::kTileBytes, head.causal ? query : last,
                                                  head.scale * kLog2OfE, last);
  const int most = head.causal ? min(query, last) : last;  // the last key that all of the group's queries see
  attend_tiles<HeadWidth>(
      attention, ring, 0, head.causal ? min(head.key_count, first_query + Room::kQueries) : head.key_count,
      [&](uint8_t* keys, uint8_t* values, int first) {
        copy_rows<HeadWidth>(keys, head.keys, first);
        copy_rows<HeadWidth>(values, head.values, first);
      },
      [&](int first) { return !head.causal || first < query + Room::kRows; },
      [&](int first) { return first + Room::kRows > most + 1; });
  attention.write([&](int i, int column, float low, float high) {
    if (query + i >= head.query_count) return;
    if (column < head.width) head.out.one(low, query + i, column);
    if (column + 1 < head.width) head.out.one(high, query + i, column + 1);
  });
}

#endif

}  // namespace hipport_llm

#endif
