// Attention of neighboring tokens of a sequence over its keys and values in pages: causal, grouped queries.
//
// sizes: tokens, heads, key-value heads, head width (64 or 128), position of the first token, how many positions a token
// sees (0: all). buffers: queries [token][head][width], of which there is memory for a multiple of 64 tokens, as of out;
// pages [page][2][kv head][32][width]; page numbers of int; out; sinks [head], which may be null.
#include "../../engine/bulk_attention_launch.h"
#include "../../kernels/prefill_attention.cuh"
#include "../registry.h"
#include "../unit_launch.h"

namespace hipport_llm {

namespace {

struct Arguments {
  Shape shape;
  Cache cache;
  PromptChunk chunk;
  const __half* queries;
  __half* out;
  LimitedSight sight;

  explicit Arguments(const Launch& l)
      : shape{1, 0, 0, l.size(1), l.size(2), l.size(3), 0, 0, 0.0f},
        cache{l.buffer<__half>(1), 0, nullptr, 0},
        chunk{l.size(4), l.size(0), l.buffer<int>(2)},
        queries(l.buffer<__half>(0)),
        out(l.buffer<__half>(3)),
        sight{l.size(5), l.buffer<__half>(4)} {
    if (shape.head_width != 64 && shape.head_width != 128) throw EngineError("heads must be 64 or 128 wide");
    if (shape.heads % shape.kv_heads != 0) throw EngineError("heads must be a multiple of the key-value heads");
  }

  // Calls visit(sight) with the simplest that there is.
  template <typename Visit>
  void visit_sight(const Visit& visit) const {
    if (sight.window > 0 || sight.sinks != nullptr)
      visit(sight);
    else
      visit(WholeSight{});
  }
};

// A thread for each element of the result, which finds the scores twice.
template <int HeadWidth>
__global__ void alone_kernel(Arguments a) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, dimension = at % HeadWidth, heads = a.shape.heads;
  const int head = at / HeadWidth % heads, token = at / HeadWidth / heads;
  if (token >= a.chunk.count) return;
  const CachedHead<HeadWidth> cached(a.cache, a.chunk.pages(0), 0, a.shape.kv_heads, head / (heads / a.shape.kv_heads));
  const __half* query = a.queries + (at - dimension);
  const auto score = [&](int position) {
    float sum = 0.0f;
    for (int i = 0; i < HeadWidth; ++i) sum = fmaf(__half2float(query[i]), __half2float(cached.key(position)[i]), sum);
    return sum * rsqrtf(static_cast<float>(HeadWidth));
  };
  const int last = a.chunk.first + token, begin = a.sight.first(last);
  const float sink = a.sight.sink(head);
  float most = sink, mean = 0.0f;
  for (int i = begin; i <= last; ++i) most = fmaxf(most, score(i));
  float all = a.sight.sinks == nullptr ? 0.0f : __expf(sink - most);
  for (int i = begin; i <= last; ++i) {
    const float weight = __expf(score(i) - most);
    all += weight;
    mean = fmaf(weight, __half2float(cached.value(i)[dimension]), mean);
  }
  a.out[at] = __float2half(mean / all);
}

void alone(const Launch& launch) {
  const Arguments a(launch);
  const auto kernel = a.shape.head_width == 64 ? &alone_kernel<64> : &alone_kernel<128>;
  const int blocks = blocks_for(static_cast<int64_t>(a.chunk.count) * a.shape.query_width(), launch.block());
  kernel<<<blocks, launch.block(), 0, launch.stream()>>>(a);
}

template <int HeadWidth>
void attend(const Arguments& a, const Launch& launch) {
  const dim3 grid(a.shape.heads, blocks_for(a.chunk.count, kBlockQueries));
  a.visit_sight([&](auto sight) {
    const auto kernel = &prefill_attention_kernel<HeadWidth, decltype(sight)>;
    const int bytes = dynamic_bytes(kernel, AttentionRoom<HeadWidth>::kBytes);
    kernel<<<grid, unit_threads(), bytes, launch.stream()>>>(a.shape, a.cache, a.chunk, 0, a.queries, sight, a.out);
  });
}

void tiles(const Launch& launch) {
  const Arguments a(launch);
  a.shape.head_width == 64 ? attend<64>(a, launch) : attend<128>(a, launch);
}

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

template <int HeadWidth>
void attend_in_bulk(const Arguments& a, const Launch& launch) {
  a.visit_sight([&](auto sight) {
    launch_bulk_attention<HeadWidth>(a.shape, a.cache, a.chunk, 0, a.queries, sight, a.out, launch.stream());
  });
}

void bulk(const Launch& launch) {
  const Arguments a(launch);
  a.shape.head_width == 64 ? attend_in_bulk<64>(a, launch) : attend_in_bulk<128>(a, launch);
}

const Registered v3("prefill_attention", 3,
                    "Units of Hopper's warp groups; one warp copies; scores of the next keys are computed while values "
                    "are added.",
                    {BulkAttentionRoom<128>::kThreads}, bulk);

#endif

const Registered v1("prefill_attention", 1, "A thread for each element of the result, which computes scores twice.",
                    {64, 256}, alone);
const Registered v2("prefill_attention", 2, "As prompts have it: tiles of queries and keys on matrix units.",
                    {kFourWavefronts}, tiles);

}  // namespace

}  // namespace hipport_llm
