// The gate of a shared expert (Qwen2-MoE).
#ifndef HIPPORT_LLM_SHARED_EXPERT_CUH
#define HIPPORT_LLM_SHARED_EXPERT_CUH

#include "early_start.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

constexpr int kGateThreads = 256;

// Multiplies each token's hidden vector, [token][hidden], with the sigmoid of the product of its vector, [token][width],
// and the gate's weights. One block for each token.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    gate_shared_expert_kernel(const Number* vectors, int width, const Number* weights, Number* hidden,
                              int hidden_width) {
  __shared__ float sums[Threads / kLanes];
  await_previous_kernel();
  const Number* vector = vectors + static_cast<int64_t>(blockIdx.x) * width;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += Threads) sum = fmaf(float_of(vector[i]), float_of(weights[i]), sum);
  sum = sum_lanes<kLanes>(sum);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = sum;
  __syncthreads();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < Threads / kLanes; ++i) all += sums[i];
  const float gate = 1.0f / (1.0f + __expf(-all));
  Number* to = hidden + static_cast<int64_t>(blockIdx.x) * hidden_width;
  for (int i = threadIdx.x; i < hidden_width; i += Threads) to[i] = number_of(float_of(to[i]) * gate);
}

}  // namespace hipport_llm

#endif
