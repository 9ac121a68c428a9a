// Epilogues of products of many tokens: bias, RoPE and the write to the KV cache; the residual addition; SwiGLU;
// logits.
//
// An epilogue is called with a row of tiles, a row of its first eight, a token, and the results of that row and of
// the row 8 below it. look() loads what it needs from memory beforehand, for many results at once, because each
// access takes a microsecond. Some take all rows of a row of tiles at once: look_at_eight(), write_eight().
#ifndef HIPPORT_LLM_MATMUL_EPILOGUES_CUH
#define HIPPORT_LLM_MATMUL_EPILOGUES_CUH

#include "activation.cuh"
#include "arranged_tokens.cuh"
#include "decode_attention.cuh"
#include "early_start.cuh"
#include "prompt_chunk.h"

namespace hipport_llm {

// Bias and RoPE for queries, keys and values; keys and values are written to the cache. `Places` has position(token),
// negative for unused slots, and pages(token), those of its sequence.
template <int HeadWidth, typename Places>
struct WriteQkv {
  Shape shape;
  Cache cache;
  Places tokens;
  int layer;
  const Number* bias;  // or null
  const float2* rope;  // or null: queries and keys are rotated later
  Number* queries;
  Number* fresh;  // with an 8-bit cache: keys and values before quantization, [token][key or value][head][dimension]

  struct Look {
    float2 rotation, bias;
    int page;
  };

  __device__ Look look(int row_tile, int row, int token) const {
    const int position = max(tokens.position(token), 0), first = row_tile * kTileRows + row;
    Look found = {{1.0f, 0.0f}, {0.0f, 0.0f}, tokens.pages(token)[position / kPageTokens]};
    if (rope != nullptr)
      found.rotation = rope[static_cast<int64_t>(position) * (HeadWidth / 2) + dimension_of(row_tile, row)];
    if (bias != nullptr) found.bias = make_float2(float_of(bias[first]), float_of(bias[first + 8]));
    return found;
  }

  __device__ void operator()(int row_tile, int row, int token, float low, float high, const Look& found) const {
    if (tokens.position(token) < 0) return;
    finish(row_tile, low, high, found);
    Number* to = place(row_tile, token, found.page);
    const int dimension = dimension_of(row_tile, row);
    to[dimension] = number_of(low);
    to[dimension + HeadWidth / 2] = number_of(high);
  }

  struct EightLook {
    Look rows[8];
  };

  __device__ EightLook look_at_eight(int row_tile, int token) const {
    EightLook found;
#pragma unroll
    for (int i = 0; i < 8; ++i) found.rows[i] = look(row_tile, i, token);
    return found;
  }

  __device__ void write_eight(int row_tile, int token, float (&low)[8], float (&high)[8],
                              const EightLook& found) const {
    if (tokens.position(token) < 0) return;
    Eight written[2];
#pragma unroll
    for (int i = 0; i < 8; ++i) finish(row_tile, low[i], high[i], found.rows[i]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      written[0].set(i, pair_of(low[2 * i], low[2 * i + 1]));
      written[1].set(i, pair_of(high[2 * i], high[2 * i + 1]));
    }
    Number* to = place(row_tile, token, found.rows[0].page) + dimension_of(row_tile, 0);
    store8(to, written[0]);
    store8(to + HeadWidth / 2, written[1]);
  }

 private:
  static constexpr int head_tiles = HeadWidth / kTileRows;

  // Adds the bias and rotates.
  __device__ void finish(int row_tile, float& low, float& high, const Look& found) const {
    low += found.bias.x;
    high += found.bias.y;
    if (row_tile / head_tiles >= shape.heads + shape.kv_heads) return;
    const float rotated = low * found.rotation.x - high * found.rotation.y;
    high = high * found.rotation.x + low * found.rotation.y;
    low = rotated;
  }

  // Where the head of a row of tiles is written.
  __device__ Number* place(int row_tile, int token, int page) const {
    const int head = row_tile / head_tiles;
    return head < shape.heads ? queries + static_cast<int64_t>(token) * shape.query_width() + head * HeadWidth
                              : made(head - shape.heads, token, page);
  }

  __device__ static int dimension_of(int row_tile, int row) { return row_tile % head_tiles * 8 + row; }

  // `head` counts keys, then values; `page` is the token's.
  __device__ Number* made(int head, int token, int page) const {
#if HIPPORT_LLM_INT8_CACHE
    return fresh + (static_cast<int64_t>(token) * 2 * shape.kv_heads + head) * HeadWidth;
#else
    const bool keys = head < shape.kv_heads;
    const CachedHead<HeadWidth> own(cache, &page, layer, shape.kv_heads, keys ? head : head - shape.kv_heads);
    const int in_page = tokens.position(token) % kPageTokens;
    return keys ? own.key(in_page) : own.value(in_page);
#endif
  }
};

#if HIPPORT_LLM_INT8_CACHE

constexpr int kQuantizeThreads = 256;

// Blocks of quantize_cache_kernel for `count` tokens.
inline int quantize_cache_blocks(const Shape& shape, int count) {
  return (count * shape.kv_width() + kQuantizeThreads - 1) / kQuantizeThreads;
}

// Quantizes `fresh` keys and values into the 8-bit cache, with eight lanes for 16 dimensions.
template <int HeadWidth, typename Places>
__global__ void __launch_bounds__(kQuantizeThreads)
    quantize_cache_kernel(Shape shape, Cache cache, Places tokens, int count, int layer, const Number* fresh) {
  await_previous_kernel();
  constexpr int parts = HeadWidth / 16;
  const int lane = threadIdx.x % 8, all = count * 2 * shape.kv_heads * parts;
  const int at = (blockIdx.x * kQuantizeThreads + threadIdx.x) / 8, part = min(at, all - 1);
  const int head = part / parts % (2 * shape.kv_heads), token = part / parts / (2 * shape.kv_heads);
  const CachedHead<HeadWidth> own(cache, tokens.pages(token), layer, shape.kv_heads, head % shape.kv_heads);
  const int kept = tokens.position(token), position = max(kept, 0), dimension = part % parts * 8 + lane;
  const Number* from = fresh + static_cast<int64_t>(part / parts) * HeadWidth + dimension;
  store_cached<HeadWidth>(head < shape.kv_heads ? own.key(position) : own.value(position), dimension, float_of(from[0]),
                          float_of(from[HeadWidth / 2]), at < all && kept >= 0);
}

#endif

struct AddResidual {
  float* residual;
  int width;

  struct Look {
    float low, high;
  };

  __device__ Look look(int row_tile, int row, int token) const {
    const float* from = place(row_tile, row, token);
    return {from[0], from[8]};
  }
  __device__ void operator()(int row_tile, int row, int token, float low, float high, const Look& before) const {
    store(row_tile, row, token, before.low + low, before.high + high);
  }
  __device__ void store(int row_tile, int row, int token, float low, float high) const {
    float* to = place(row_tile, row, token);
    to[0] = low;
    to[8] = high;
  }

 private:
  __device__ float* place(int row_tile, int row, int token) const {
    return residual + static_cast<int64_t>(token) * width + row_tile * kTileRows + row;
  }
};

// SwiGLU. Rows of gate and of up are 8 apart.
struct WriteHidden {
  Number* hidden;
  int width;

  __device__ void operator()(int row_tile, int row, int token, float gate, float up) const {
    hidden[static_cast<int64_t>(token) * width + row_tile * 8 + row] = number_of(silu(gate) * up);
  }
};

// The same in the order of a product on warp groups.
struct WriteArrangedHidden {
  ArrangedTokens hidden;

  __device__ void operator()(int row_tile, int row, int token, float gate, float up) const {
    *hidden.number(token, row_tile * 8 + row) = number_of(silu(gate) * up);
  }

  struct EightLook {};

  __device__ EightLook look_at_eight(int, int) const { return {}; }
  __device__ void write_eight(int row_tile, int token, const float (&gate)[8], const float (&up)[8],
                              const EightLook&) const {
    Eight written;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      written.set(i, pair_of(silu(gate[2 * i]) * up[2 * i], silu(gate[2 * i + 1]) * up[2 * i + 1]));
    hidden.store(token, row_tile * 8, written);
  }
};

// The same with another function of gate and up.
struct WriteActivated {
  Number* hidden;
  int width;
  Activation activation;

  __device__ void operator()(int row_tile, int row, int token, float gate, float up) const {
    hidden[static_cast<int64_t>(token) * width + row_tile * 8 + row] = number_of(activated(activation, gate, up));
  }
};

struct WriteLogits {
  float* logits;
  int vocabulary;

  __device__ void operator()(int row_tile, int row, int token, float low, float high) const {
    const int first = row_tile * kTileRows + row;
    float* to = logits + static_cast<int64_t>(token) * vocabulary + first;
    if (first < vocabulary) to[0] = low;
    if (first + 8 < vocabulary) to[8] = high;
  }
};

}  // namespace hipport_llm

#endif
