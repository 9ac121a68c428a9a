// The functions that combine gate and up in feed-forward networks.
#ifndef HIPPORT_LLM_ACTIVATION_CUH
#define HIPPORT_LLM_ACTIVATION_CUH

#include "numeric.cuh"

namespace hipport_llm {

// The numbers are those of hipport_llm_config.
enum class Activation {
  kSilu,     // silu(gate) * up
  kGelu,     // gelu(gate) * up, with tanh (Gemma)
  kClamped,  // gate * sigmoid(1.702 gate) * (up + 1), both clamped (gpt-oss)
};

__device__ inline float activated(Activation activation, float gate, float up) {
  if (activation == Activation::kSilu) return silu(gate) * up;
  if (activation == Activation::kGelu) {
    // (1 + tanh(x)) / 2 = sigmoid(2 x)
    const float x = 0.7978845608f * fmaf(0.044715f * gate * gate, gate, gate);
    return gate / (1.0f + __expf(-2.0f * x)) * up;
  }
  constexpr float limit = 7.0f, slope = 1.702f;
  gate = fminf(gate, limit);
  up = fminf(fmaxf(up, -limit), limit);
  return gate / (1.0f + __expf(-slope * gate)) * (up + 1.0f);
}

}  // namespace hipport_llm

#endif
