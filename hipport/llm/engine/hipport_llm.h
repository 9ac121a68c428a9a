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
  int32_t head_width; /* 64 or 128; in a general build the width that it was built for */
  int32_t vocabulary;
  int32_t max_positions; /* of a sequence */
  int32_t max_sequences; /* that have a cache at the same time */
  int32_t qkv_bias;      /* whether queries, keys and values have a bias */
  float epsilon;         /* of the normalizations */
  int32_t head_norms;    /* whether queries and keys are normalized in each head */
  int32_t max_tokens;    /* of one step: 1 to 64; more than stats' max_tokens are not taken */
  uint64_t native_bytes; /* of all matrices that hipport_llm_load_native() loads */
  /* For each layer, how many positions a token sees, its own included; 0: all up to its own. May be null, for all
   * layers. It is only read by hipport_llm_open(). */
  const int32_t* windows;
  /* Only in a general build (HIPPORT_LLM_GENERAL); 0 otherwise. */
  int32_t local_rope;     /* whether layers with a window have a RoPE table of their own */
  int32_t out_bias;       /* whether the attention's output has a bias */
  int32_t post_norms;     /* whether results are normalized before they are added to the residual stream */
  int32_t sinks;          /* whether each head has a score beside those of the positions */
  int32_t activation;     /* 0: SwiGLU, 1: GeGLU with tanh, 2: gpt-oss's clamped SwiGLU */
  int32_t experts;        /* 0: dense; at most 512. `hidden` is of an expert */
  int32_t experts_chosen; /* for each token */
  int32_t experts_of_all; /* whether their weights are a softmax over all experts; else over the chosen ones */
  int32_t expert_biases;  /* whether router and experts have biases */
  /* How experts are chosen: 0: by logits; 1: by a softmax over all; 2: by sigmoids. What follows is for 1 and 2. */
  int32_t expert_scores;
  int32_t expert_groups;        /* neighboring experts; at most 64. 1 or 0: all are one group */
  int32_t expert_groups_chosen; /* for each token, which takes no other experts */
  int32_t expert_group_best;    /* 1 or 2: how many of a group's scores decide on it together */
  int32_t expert_normalized;    /* whether weights are divided by their sum */
  int32_t expert_choice_bias;   /* whether a bias is added to scores for the choice */
  float expert_scale;           /* of weights */
  /* For each layer of a mixture of experts, whether it is dense; may be null, for none. Only read like `windows`. */
  const int32_t* dense;
  int32_t dense_hidden;  /* of those layers; a multiple of 64 */
  int32_t shared_hidden; /* of experts that all tokens take, beside the others; a multiple of 64. 0: none */
  int32_t shared_gate;   /* whether their results are weighted with a sigmoid */
  /* Latent attention: keys and values of all heads are made from one vector of each token; 0: none. kv_heads is heads. */
  int32_t latent_rank;      /* the width of that vector; a multiple of 64 */
  int32_t query_rank;       /* of that from which queries are made; 0: from the residual stream */
  int32_t nope_width;       /* dimensions of a head's queries and keys that are not rotated, */
  int32_t rope_width;       /* those behind them that are, */
  int32_t value_width;      /* and of a head's values; multiples of 16, padded to head_width */
  int32_t rope_interleaved; /* whether neighboring dimensions are rotated together */
  float query_scale;        /* of queries, besides that for head_width */
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
  uint64_t token_bytes;  /* of weights that a step for one token reads: of experts, the chosen ones */
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
 *                   key_norm [head width], post_attention_norm, post_mlp_norm, out_bias [width], sinks [heads],
 *                   router_bias [experts], gate_up_bias [experts][2 * hidden] and down_bias [experts][width],
 *                   shared_gating [width], query_latent_norm and latent_norm [rank] of a layer;
 *                   final_norm [width]; embedding [vocabulary][width]
 *   float: rope and local_rope [max_positions][head_width / 2][2], cosines and sines (with latent attention the first
 *          rope_width / 2 of a position are used); choice_bias [experts] of a layer */
int hipport_llm_load(hipport_llm_engine* engine, const char* name, int32_t layer, const void* data, size_t bytes);

/* In a library that was built for the formats of model files: loads a matrix (query, key, value, out, gate, up, down of a
 * layer; instead of key and value latent, with the rotated key, and latent_heads; query_latent; router, expert_gate,
 * expert_up, expert_down with those of all experts one below the other; shared_gate, shared_up, shared_down; head) in the format with a number (hipport/llm/kernels/native_formats.cuh), with `group` columns for a scale.
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

/* Changes of a step's logits before tokens are sampled, and which logits are returned. `starts` null: no changes. */
typedef struct {
  const int32_t* starts;     /* [count + 1]: where the entries of each token begin */
  const int32_t* tokens;     /* of an entry; each at most once for one token of the step */
  const float* values;       /* of an entry, added to the token's logit */
  const int32_t* mask_rows;  /* [count]: of the token's mask, or -1 */
  const uint32_t* masks;     /* [mask_count][(vocabulary + 31) / 32]: a bit for each token that may be sampled */
  const int32_t* logit_rows; /* [logit_count]: the tokens of the step whose logits are returned */
  int32_t mask_count;
  int32_t logit_count;
} hipport_llm_step_options;

/* hipport_llm_decode() with options. `logits` gets those of the tokens `logit_rows`, before the changes. Several tokens
 * may be of one sequence, in the order of their positions. */
int hipport_llm_decode_with(hipport_llm_engine* engine, const int32_t* sequences, const int32_t* positions,
                            const int32_t* tokens, int32_t count, const hipport_llm_sampling* sampling,
                            const hipport_llm_step_options* options, int32_t* next, float* logits);

/* hipport_llm_prefill() that returns the last layer's normalized output, [count][width] in the type of activations. */
int hipport_llm_hidden(hipport_llm_engine* engine, int32_t sequence, int32_t position, const int32_t* tokens,
                       int32_t count, void* hidden);

/* Gives an empty sequence the pages of the cache that have the first of these tokens, from whatever sequence they are.
 * `reused` gets the number of positions, from which on the sequence is continued. */
int hipport_llm_reuse(hipport_llm_engine* engine, int32_t sequence, const int32_t* tokens, int32_t count,
                      int32_t* reused);

/* `count` greedy steps of one sequence, each continuing with the token of the one before, without waiting for the host.
 * `out` gets the tokens. */
int hipport_llm_generate(hipport_llm_engine* engine, int32_t sequence, int32_t position, int32_t token, int32_t count,
                         int32_t* out);

/* Forgets a sequence's tokens, and gives up its pages of the cache. */
int hipport_llm_reset(hipport_llm_engine* engine, int32_t sequence);
int hipport_llm_get_stats(hipport_llm_engine* engine, hipport_llm_stats* stats);
/* The device's bytes per second reading the weights, measured now. */
int hipport_llm_read_bandwidth(hipport_llm_engine* engine, double* bytes_per_second);

#ifdef __cplusplus
}
#endif

#endif
