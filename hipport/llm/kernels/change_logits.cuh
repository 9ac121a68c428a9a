// Changes logits before tokens are sampled: adds values to those of some tokens, and excludes tokens that a mask lacks.
#ifndef HIPPORT_LLM_CHANGE_LOGITS_CUH
#define HIPPORT_LLM_CHANGE_LOGITS_CUH

#include "sampling.cuh"

namespace hipport_llm {

// The changes of a step. The entries of one token of the step have different tokens of the vocabulary.
struct LogitChanges {
  const int* starts;      // [tokens of the step + 1]: where its entries begin
  const int* tokens;      // [entries]
  const float* values;    // [entries]: added to the token's logit
  const int* mask_rows;   // [tokens of the step]: row in `masks`; -1: all tokens are permitted
  const uint32_t* masks;  // [rows][words]: a bit for each token that is permitted
  int words;
};

// One block for each token of the step. `logits`: [tokens of the step][vocabulary].
__global__ void __launch_bounds__(kSampleThreads)
    change_logits_kernel(float* logits, int vocabulary, LogitChanges changes) {
  const int token = blockIdx.x, row = changes.mask_rows[token];
  float* own = logits + static_cast<int64_t>(token) * vocabulary;
  for (int i = changes.starts[token] + threadIdx.x; i < changes.starts[token + 1]; i += kSampleThreads)
    own[changes.tokens[i]] += changes.values[i];
  __syncthreads();
  if (row < 0) return;
  const uint32_t* mask = changes.masks + static_cast<int64_t>(row) * changes.words;
  for (int i = threadIdx.x; i < vocabulary; i += kSampleThreads)
    if ((mask[i / 32] >> (i % 32) & 1u) == 0) own[i] = -INFINITY;
}

}  // namespace hipport_llm

#endif
