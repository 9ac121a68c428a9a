// Between two decode steps: samples the next tokens and writes their embeddings to the residual stream.
#ifndef HIPPORT_LLM_NEXT_TOKEN_CUH
#define HIPPORT_LLM_NEXT_TOKEN_CUH

#include "mailbox.cuh"
#include "sampling.cuh"

namespace hipport_llm {

// Writes a token's embedding to the residual stream, and posts it if it is the step's only token.
__device__ inline void embed(const NextTokens& next, const Scratch& scratch, const Shape& shape, int count, int token) {
  const Pair* row =
      reinterpret_cast<const Pair*>(next.embedding + static_cast<int64_t>(next.tokens[token]) * shape.width);
  float2* to = reinterpret_cast<float2*>(scratch.residual + static_cast<int64_t>(token) * shape.width);
  for (int i = threadIdx.x; i < shape.width / 2; i += blockDim.x) {
    to[i] = floats_of(row[i]);
    if (count == 1) post(scratch.mailboxes.residual + i, bits_of(row[i]), scratch.mailboxes.first);
  }
}

// Before the first step: one block for each token.
__global__ void __launch_bounds__(kSampleThreads)
    embed_tokens_kernel(NextTokens next, Scratch scratch, Tokens tokens, Shape shape) {
  const int token = blockIdx.x;
  if (threadIdx.x == 0) {
    next.seen[static_cast<int64_t>(tokens.sequences[token]) * shape.vocabulary + next.tokens[token]] = 1;
    if (token == 0) *scratch.arrivals = 0;
  }
  embed(next, scratch, shape, tokens.count, token);
}

// Returns how to sample a token; greedy if `how` is null. It is returned by value, because a pointer to either would
// put the default into local memory.
__device__ inline Sampling sampling_of(const Sampling* how, int token) {
  if (how == nullptr) return {0.0f, 0, 1.0f, 0.0f, 1.0f, 0};
  return how[token];
}

// After a step: samples the tokens and writes their embeddings for the next step. `how` is null for greedy sampling.
__global__ void __launch_bounds__(kSampleThreads)
    sample_kernel(NextTokens next, Scratch scratch, Tokens tokens, Shape shape, const Sampling* how, int step) {
  const int token = blockIdx.x;
  uint8_t* seen = next.seen + static_cast<int64_t>(tokens.sequences[token]) * shape.vocabulary;
  const Logits logits = {scratch.logits + static_cast<int64_t>(token) * shape.vocabulary, seen, shape.vocabulary,
                         sampling_of(how, token)};
  const int picked = sample(logits);
  if (threadIdx.x == 0) {
    next.tokens[token] = picked;
    next.out[step * tokens.count + token] = picked;
    next.positions[token] += 1;
    seen[picked] = 1;
    if (token == 0) *scratch.arrivals = 0;
  }
  __syncthreads();
  embed(next, scratch, shape, tokens.count, token);
}

}  // namespace hipport_llm

#endif
