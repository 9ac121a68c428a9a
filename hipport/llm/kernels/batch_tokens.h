// What the kernels and the host code share for batched steps: one token for each of many sequences.
#ifndef HIPPORT_LLM_BATCH_TOKENS_H
#define HIPPORT_LLM_BATCH_TOKENS_H

#include "model.h"

namespace hipport_llm {

// The tokens of a step, each the newest of its sequence. Unused slots have a negative position; nothing is stored for
// them.
struct BatchTokens {
  const int* positions;  // [tokens]
  const int* sequences;  // [tokens] row of the tables
  const int* tables;     // [sequence][pages_per_sequence] -> page
  int pages_per_sequence;

  __device__ int position(int token) const { return positions[token]; }
  __device__ const int* pages(int token) const {
    return tables + static_cast<int64_t>(sequences[token]) * pages_per_sequence;
  }
};

// The most tokens of a step.
constexpr int kMaxBatch = 64;

}  // namespace hipport_llm

#endif
