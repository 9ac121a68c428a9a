/* The engine's C interface: a model of the Llama family on one device.
 *
 * Functions return 0, or a code other than 0 after which hipport_llm_error() says what was wrong. An engine is used by
 * one thread at a time. */
#ifndef HIPPORT_LLM_H
#define HIPPORT_LLM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hipport_llm_engine hipport_llm_engine;

typedef struct {
  int32_t layers;
  int32_t width;      /* of the residual stream; a multiple of 64, at most 8192 */
  int32_t hidden;     /* of the feed-forward network; a multiple of 64 */
  int32_t heads;      /* of queries */
  int32_t kv_heads;   /* of keys and values; divides heads */
  int32_t head_width; /* 64 or 128 */
  int32_t vocabulary;
  int32_t max_positions; /* of a sequence */
  int32_t max_sequences; /* that have a cache at the same time */
  int32_t qkv_bias;      /* whether queries, keys and values have a bias */
  float epsilon;         /* of the normalizations */
  int32_t head_norms;    /* whether queries and keys are normalized in each head */
  int32_t max_tokens;    /* of one step: 1 to 64; more than stats' max_tokens are not taken */
  uint64_t native_bytes; /* of all matrices that hipport_llm_load_native() loads */
} hipport_llm_config;

typedef struct {
  float temperature;        /* 0: the most likely token */
  int32_t top_k;            /* 0: all */
  float top_p;              /* 1: all */
  float min_p;              /* 0: all */
  float repetition_penalty; /* 1: none */
  uint64_t seed;
} hipport_llm_sampling;

typedef struct {
  uint64_t device_bytes; /* that the engine holds */
  uint64_t token_bytes;  /* of weights that a step reads */
  uint64_t steps;
  double step_seconds; /* of all calls, on the device */
  int32_t blocks;      /* of the step's kernel */
  int32_t max_tokens;  /* of one step */
  char device[128];
} hipport_llm_stats;

/* Takes the device's memory for weights and caches. */
int hipport_llm_open(const hipport_llm_config* config, hipport_llm_engine** engine);
void hipport_llm_close(hipport_llm_engine* engine);
/* The last error of this engine, or of hipport_llm_open() for a null engine. */
const char* hipport_llm_error(const hipport_llm_engine* engine);

/* Loads a tensor, in the formats that the library was built for: `name` with the number of its layer, which is ignored
 * for those without one. `bytes` must be its size.
 *   packed tiles (hipport/llm/kernels/packed_tiles.cuh): qkv, out, gate_up, down of a layer; head
 *   activations (16 bits): attention_norm, mlp_norm [width], qkv_bias [qkv rows, in qkv's order], query_norm and
 *                   key_norm [head width] of a layer;
 *                   final_norm [width]; embedding [vocabulary][width]
 *   float: rope [max_positions][head_width / 2][2], cosines and sines */
int hipport_llm_load(hipport_llm_engine* engine, const char* name, int32_t layer, const void* data, size_t bytes);

/* In a library that was built for the formats of model files: loads a matrix (query, key, value, out, gate, up, down of a
 * layer; head) in the format with a number (hipport/llm/kernels/native_formats.cuh), with `group` columns for a scale.
 * `data` has the planes of codes, their upper bits, scales, minimums and factors, each padded to a multiple of 128
 * bytes. Rows are in the order of the model's file, with the dimensions of a head in halves for RoPE. */
int hipport_llm_load_native(hipport_llm_engine* engine, const char* name, int32_t layer, int32_t format, int32_t group,
                            const void* data, size_t bytes);

/* Writes the keys and values of `count` tokens of a sequence, from `position` on. `logits` may be null, or has room for
 * the last token's, [vocabulary]. */
int hipport_llm_prefill(hipport_llm_engine* engine, int32_t sequence, int32_t position, const int32_t* tokens,
                        int32_t count, float* logits);

/* One step for `count` tokens of different sequences (stats: max_tokens). `next` gets the sampled tokens, `logits` (or
 * null) the logits, [count][vocabulary]. `sampling` has an entry for each token. */
int hipport_llm_decode(hipport_llm_engine* engine, const int32_t* sequences, const int32_t* positions,
                       const int32_t* tokens, int32_t count, const hipport_llm_sampling* sampling, int32_t* next,
                       float* logits);

/* `count` greedy steps of one sequence, each continuing with the token of the one before, without waiting for the host.
 * `out` gets the tokens. */
int hipport_llm_generate(hipport_llm_engine* engine, int32_t sequence, int32_t position, int32_t token, int32_t count,
                         int32_t* out);

/* Forgets a sequence's cache and its tokens. */
int hipport_llm_reset(hipport_llm_engine* engine, int32_t sequence);
int hipport_llm_get_stats(hipport_llm_engine* engine, hipport_llm_stats* stats);
/* The device's bytes per second reading the weights, measured now. */
int hipport_llm_read_bandwidth(hipport_llm_engine* engine, double* bytes_per_second);

#ifdef __cplusplus
}
#endif

#endif
