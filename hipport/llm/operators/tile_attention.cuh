// GEMM, softmax and GEMM in one kernel, for batches and heads: softmax(scale * queries keys^T) values. A block has some
// queries and goes through the keys; scores are nowhere but in registers.
#ifndef HIPPORT_LLM_TILE_ATTENTION_CUH
#define HIPPORT_LLM_TILE_ATTENTION_CUH

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

}  // namespace hipport_llm

#endif
