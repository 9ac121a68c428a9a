// Attention of single tokens over keys and values in pages: grouped queries, online softmax.
//
// sizes: tokens (up to 8), heads, key-value heads, head width (64 or 128), splits, pages, pages of a sequence. buffers:
// queries [token][head][width], pages [page][2][kv head][32][width], tables [token][pages of a sequence] of int,
// positions [token] of int (the last that a token sees), out [token][head][width], partial [token][head][split][width],
// sums [token][head][split] of two floats.
#include "../../kernels/combine_splits.cuh"
#include "../../kernels/decode_attention.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

static_assert(!HIPPORT_LLM_INT8_CACHE, "the harness is built for a cache of half precision");

struct Arguments {
  Shape shape;
  Cache cache;
  Scratch scratch = {};
  const int* positions;
  __half* out;
  int tokens;

  explicit Arguments(const Launch& l)
      : shape{1, 0, 0, l.size(1), l.size(2), l.size(3), 0, 0, 0.0f},
        cache{l.buffer<__half>(1), 0, l.buffer<int>(2), l.size(6)},
        positions(l.buffer<int>(3)),
        out(l.buffer<__half>(4)),
        tokens(l.size(0)) {
    scratch.queries = l.buffer<__half>(0);
    scratch.attention = l.buffer<__half>(5);
    scratch.attention_sum = l.buffer<float2>(6);
    scratch.splits = l.size(4);
    if (shape.head_width != 64 && shape.head_width != 128) throw EngineError("heads must be 64 or 128 wide");
    if (shape.heads % shape.kv_heads != 0) throw EngineError("heads must be a multiple of the key-value heads");
  }

  __device__ BlockState state() const {
    BlockState state = {};
    state.positions = const_cast<int*>(positions);
    state.pages = const_cast<int*>(cache.tables);
    return state;
  }
};

// A thread for each element of the result, which finds the scores twice.
template <int HeadWidth>
__global__ void alone_kernel(Arguments a) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, dimension = at % HeadWidth,
            head = at / HeadWidth % a.shape.heads;
  const int token = at / HeadWidth / a.shape.heads;
  if (token >= a.tokens) return;
  const CachedHead<HeadWidth> cached(a.cache, a.cache.tables + token * a.cache.pages_per_sequence, 0, a.shape.kv_heads,
                                     head / (a.shape.heads / a.shape.kv_heads));
  const __half* query = a.scratch.queries + (at - dimension);
  const auto score = [&](int position) {
    float sum = 0.0f;
    for (int i = 0; i < HeadWidth; ++i) sum = fmaf(__half2float(query[i]), __half2float(cached.key(position)[i]), sum);
    return sum * rsqrtf(static_cast<float>(HeadWidth));
  };
  float most = -INFINITY, all = 0.0f, mean = 0.0f;
  for (int i = 0; i <= a.positions[token]; ++i) most = fmaxf(most, score(i));
  for (int i = 0; i <= a.positions[token]; ++i) {
    const float weight = __expf(score(i) - most);
    all += weight;
    mean = fmaf(weight, __half2float(cached.value(i)[dimension]), mean);
  }
  a.out[at] = __float2half(mean / all);
}

template <int HeadWidth>
__global__ void __launch_bounds__(kThreads) split_kernel(Arguments a) {
  __shared__ float shared[HeadGroup<HeadWidth>::floats];
  decode_attention<HeadWidth>(a.shape, a.cache, a.state(), a.tokens, a.scratch, 0, shared);
}

// Puts the splits together.
__global__ void __launch_bounds__(kThreads) together_kernel(Arguments a) {
  load_combined_attention(a.shape, a.scratch, a.tokens, a.out, a.shape.query_width());
}

template <int HeadWidth>
void launch_alone(const Arguments& a, const Launch& launch) {
  alone_kernel<HeadWidth>
      <<<blocks_for(a.tokens * a.shape.query_width(), launch.block()), launch.block(), 0, launch.stream()>>>(a);
}

template <int HeadWidth>
void launch_split(const Arguments& a, const Launch& launch) {
  split_kernel<HeadWidth><<<a.tokens * a.shape.heads * a.scratch.splits, kThreads, 0, launch.stream()>>>(a);
  together_kernel<<<1, kThreads, 0, launch.stream()>>>(a);
}

void alone(const Launch& launch) {
  const Arguments a(launch);
  a.shape.head_width == 64 ? launch_alone<64>(a, launch) : launch_alone<128>(a, launch);
}

void as_in_a_step(const Launch& launch) {
  const Arguments a(launch);
  a.shape.head_width == 64 ? launch_split<64>(a, launch) : launch_split<128>(a, launch);
}

const Registered v1("decode_attention", 1, "A thread for each element of the result, which computes scores twice.",
                    {64, 256}, alone);
const Registered v2("decode_attention", 2,
                    "As a step does it: blocks share a head's positions, lanes 16 bytes of a key or value; then the "
                    "splits are put together.",
                    {kThreads}, as_in_a_step);

}  // namespace

}  // namespace hipport_llm
