// What the kernels and the host code share: a model's shape, and where its weights and its KV cache are in memory.
#ifndef HIPPORT_LLM_MODEL_H
#define HIPPORT_LLM_MODEL_H

#include "numeric.cuh"

// Whether this build caches keys and values in 8 bits.
#if !defined(HIPPORT_LLM_INT8_CACHE)
#define HIPPORT_LLM_INT8_CACHE 0
#endif

// Whether this build runs models that differ from Llama in more than their sizes: without the persistent kernel, with
// matrices in planes (native_matrix.h), and for heads of one width only.
#if !defined(HIPPORT_LLM_GENERAL)
#define HIPPORT_LLM_GENERAL 0
#endif
#if !defined(HIPPORT_LLM_HEAD_WIDTH)
#define HIPPORT_LLM_HEAD_WIDTH 128
#endif

namespace hipport_llm {

constexpr bool kGeneral = HIPPORT_LLM_GENERAL != 0;

struct Shape {
  int layers;
  int width;       // of the residual stream; a multiple of 64
  int hidden;      // of the feed-forward network, padded to a multiple of 64
  int heads;       // of queries
  int kv_heads;    // of keys and values
  int head_width;  // 64 or 128, or HIPPORT_LLM_HEAD_WIDTH
  int vocabulary;
  int max_positions;
  float epsilon;  // of the normalizations

  __host__ __device__ int query_width() const { return heads * head_width; }
  __host__ __device__ int kv_width() const { return kv_heads * head_width; }
  __host__ __device__ int qkv_rows() const { return query_width() + 2 * kv_width(); }
};

// The offsets of a layer's weights in bytes from the layer's start, multiples of 128. Matrices are packed as tiles
// (packed_tiles.cuh), with their rows in this order:
//   qkv      queries, keys, values; within a head, dimensions i and i + half of its width are 8 rows apart
//            (RoPE's pairs)
//   gate_up  8 rows of gate, then the same 8 rows of up
struct LayerOffsets {
  int64_t qkv, out, gate_up, down;
  int64_t attention_norm, mlp_norm;  // [width] of half
  int64_t qkv_bias;                  // [qkv rows] of half in the order of qkv, or -1
  int64_t query_norm, key_norm;      // [head width] of half: of each head, before RoPE; or -1
  int64_t bytes;                     // from one layer to the next
};

// Keys and values in pages: [page][2][kv head][kPageTokens] of vectors (kv_cache.cuh) for each layer.
constexpr int kPageTokens = 32;

// The elements of the cache.
#if HIPPORT_LLM_INT8_CACHE
using CacheUnit = uint16_t;
#else
using CacheUnit = Number;
#endif

struct Cache {
  CacheUnit* pages;
  int64_t layer_stride;  // units from one layer's pages to the next
  const int* tables;     // [sequence][pages_per_sequence] -> page
  int pages_per_sequence;
};

// The tokens of one step. Several may belong to one sequence (a part of a prompt), in the order of their positions.
constexpr int kMaxTokens = 8;

struct Tokens {
  int count;
  const int* positions;  // [count]
  const int* sequences;  // [count] row of Cache::tables
  bool want_logits;
};

// The mailboxes through which the blocks of a step for one token pass vectors (mailbox.cuh): two elements in 64 bits.
struct Mailboxes {
  uint64_t* qkv;        // [qkv rows]
  uint64_t* parts;      // [heads][splits][head width + 4]: means, maximum and sum of exponentials
  uint64_t* attention;  // [query width]
  uint64_t* middle;     // [width]: the residual stream after the attention
  uint64_t* hidden;     // [hidden]
  uint64_t* residual;   // [width]: the residual stream before a layer
  unsigned first;       // sequence number of the step's first hand-over; each layer adds one
};

// The most blocks that share the positions of a head.
constexpr int kMaxSplits = 8;

// What a step reads and writes besides weights.
struct Scratch {
  float* residual;        // [tokens][width]
  Number* queries;        // [tokens][query width]
  Number* attention;      // [tokens][heads][splits][head width], each split normalized
  float2* attention_sum;  // [tokens][heads][splits]: maximum and sum of exponentials
  Number* hidden;         // [tokens][hidden]
  float* logits;          // [tokens][vocabulary]
  unsigned* arrivals;     // of the grid barrier: 0 before a step
  Mailboxes mailboxes;
  int splits;
};

// What sampling leaves for the next step.
struct NextTokens {
  int* tokens;     // [tokens]
  int* positions;  // [tokens]
  int* out;        // [steps][tokens]
  uint8_t* seen;   // [sequences][vocabulary]
  const Number* embedding;
};

struct StepMatrix;

struct Model {
  Shape shape;
  LayerOffsets offsets;
  const uint8_t* layers;
  const Number* final_norm;
  const uint8_t* head;                 // packed tiles, [vocabulary][width]
  const float2* rope;                  // [max positions][head width / 2]: cosine and sine
  const StepMatrix* native = nullptr;  // matrices in the formats of model files (native_rows.cuh)

  // Whether queries and keys are normalized (head_norm.cuh).
  __host__ __device__ bool head_norms() const { return offsets.query_norm >= 0; }

  __host__ __device__ const uint8_t* at(int layer, int64_t offset) const {
    return layers + layer * offsets.bytes + offset;
  }
};

}  // namespace hipport_llm

#endif
