// Rotary embedding of queries and keys, and keys and values into the pages of a sequence.
//
// sizes: tokens, heads, key-value heads, head width (64 or 128), position of the first token. numbers: RoPE's base.
// buffers: results of the product [token][row] of float, rows in the order of model.h; table [position][width / 2] of
// cosine and sine; page numbers of int; queries [token][head][width]; pages [page][2][kv head][32][width]; bias [row]
// may be null.
#include "../../kernels/matmul_epilogues.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct Arguments {
  Shape shape;
  Cache cache;
  PromptChunk chunk;
  const float* results;
  const float2* table;
  const __half* bias;
  __half* queries;
  float base;

  explicit Arguments(const Launch& l)
      : shape{1, 0, 0, l.size(1), l.size(2), l.size(3), 0, 0, 0.0f},
        cache{l.buffer<__half>(4), 0, nullptr, 0},
        chunk{l.size(4), l.size(0), l.buffer<int>(2)},
        results(l.buffer<float>(0)),
        table(l.buffer<float2>(1)),
        bias(l.buffer<__half>(5)),
        queries(l.buffer<__half>(3)),
        base(l.number(0)) {
    if (shape.head_width != 64 && shape.head_width != 128) throw EngineError("heads must be 64 or 128 wide");
  }

  // Of rows and those 8 further on.
  __host__ __device__ int pairs() const { return chunk.count * shape.qkv_rows() / 2; }
};

// Gives write(row tile, row, token, result, result 8 rows further on) what belongs to a thread.
template <typename Write>
__device__ void with_pair(const Arguments& a, const Write& write) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, rows = a.shape.qkv_rows();
  if (at >= a.pairs()) return;
  const int token = at / (rows / 2), pair = at % (rows / 2), row_tile = pair / 8, row = pair % 8;
  const float* from = a.results + static_cast<int64_t>(token) * rows + row_tile * kTileRows + row;
  write(row_tile, row, token, from[0], from[8]);
}

template <int HeadWidth>
__global__ void table_kernel(Arguments a) {
  const WriteQkv<HeadWidth, PromptChunk> write{a.shape, a.cache, a.chunk, 0, a.bias, a.table, a.queries, nullptr};
  with_pair(a, [&](int row_tile, int row, int token, float low, float high) {
    write(row_tile, row, token, low, high, write.look(row_tile, row, token));
  });
}

template <int HeadWidth>
__global__ void alone_kernel(Arguments a) {
  with_pair(a, [&](int row_tile, int row, int token, float low, float high) {
    const int head = row_tile / (HeadWidth / kTileRows), dimension = row_tile % (HeadWidth / kTileRows) * 8 + row;
    const int position = a.chunk.first + token, heads = a.shape.heads, kv_heads = a.shape.kv_heads;
    if (a.bias != nullptr) {
      low += __half2float(a.bias[row_tile * kTileRows + row]);
      high += __half2float(a.bias[row_tile * kTileRows + row + 8]);
    }
    const bool rotates = head < heads + kv_heads;
    const float angle = static_cast<float>(position) * powf(a.base, -2.0f * static_cast<float>(dimension) / HeadWidth);
    const float cosine = rotates ? cosf(angle) : 1.0f, sine = rotates ? sinf(angle) : 0.0f;
    const CachedHead<HeadWidth> cached(a.cache, a.chunk.pages(0), 0, kv_heads,
                                       (head + 2 * kv_heads * heads - heads) % kv_heads);
    __half* to = head < heads ? a.queries + token * a.shape.query_width() + head * HeadWidth
                 : rotates    ? cached.key(position)
                              : cached.value(position);
    to[dimension] = __float2half(low * cosine - high * sine);
    to[dimension + HeadWidth / 2] = __float2half(high * cosine + low * sine);
  });
}

void alone(const Launch& launch) {
  const Arguments a(launch);
  const auto kernel = a.shape.head_width == 64 ? &alone_kernel<64> : &alone_kernel<128>;
  kernel<<<blocks_for(a.pairs(), launch.block()), launch.block(), 0, launch.stream()>>>(a);
}

void with_table(const Launch& launch) {
  const Arguments a(launch);
  const auto kernel = a.shape.head_width == 64 ? &table_kernel<64> : &table_kernel<128>;
  kernel<<<blocks_for(a.pairs(), launch.block()), launch.block(), 0, launch.stream()>>>(a);
}

const Registered v1("rope_cache", 1, "A thread for each pair, which works out its cosine and sine.", {64, 256}, alone);
const Registered v2("rope_cache", 2, "As prompts have it: cosines and sines from a table that is made once.",
                    {64, 128, 256}, with_table);

}  // namespace

}  // namespace hipport_llm
