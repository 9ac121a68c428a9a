// Writes the embeddings of a prompt's tokens to the residual stream.
#ifndef HIPPORT_LLM_EMBED_PROMPT_CUH
#define HIPPORT_LLM_EMBED_PROMPT_CUH

#include "rms_norm.cuh"

namespace hipport_llm {

// One block for each token: writes its embedding, and marks it as seen for the repetition penalty.
__global__ void __launch_bounds__(kRowThreads)
    embed_prompt_kernel(const int* tokens, const Number* embedding, uint8_t* seen, int width, float* residual) {
  const int token = tokens[blockIdx.x];
  const Pair* from = reinterpret_cast<const Pair*>(embedding + static_cast<int64_t>(token) * width);
  float2* to = reinterpret_cast<float2*>(residual + static_cast<int64_t>(blockIdx.x) * width);
  for (int i = threadIdx.x; i < width / 2; i += kRowThreads) to[i] = floats_of(from[i]);
  if (threadIdx.x == 0) seen[token] = 1;
}

}  // namespace hipport_llm

#endif
