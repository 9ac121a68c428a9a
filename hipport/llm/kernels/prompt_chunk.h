// What the kernels and the host code share for prompts: a chunk of a prompt, and the operands and block shapes of
// products.
#ifndef HIPPORT_LLM_PROMPT_CHUNK_H
#define HIPPORT_LLM_PROMPT_CHUNK_H

#include "numeric.cuh"

namespace hipport_llm {

// Consecutive tokens of one sequence.
struct PromptChunk {
  int first;       // position of the first
  int count;       // of tokens
  const int* own;  // pages of the sequence

  __device__ int position(int token) const { return first + token; }
  __device__ const int* pages(int) const { return own; }
};

// Activations: `stride` numbers from token to token; there is memory for whole blocks of tokens.
struct Activations {
  const Number* values;
  int stride;
};

// Rows of activations that are written one after the other.
struct PlainRows {
  Number* values;
  int stride;

  // Four columns of a token.
  __device__ void store(int token, int column, Pair first, Pair second) const {
    Pair* to = reinterpret_cast<Pair*>(values + static_cast<int64_t>(token) * stride + column);
    to[0] = first;
    to[1] = second;
  }
  // Eight columns.
  __device__ void store(int token, int column, const Eight& eight) const {
    store8(values + static_cast<int64_t>(token) * stride + column, eight);
  }
};

// The threads of a block of a product, and its share of the rows and tokens. Only the device code knows them.
struct BlockShape {
  int threads, row_tiles, tokens;
};

}  // namespace hipport_llm

#endif
