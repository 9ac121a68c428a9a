// What a prompt's tokens go through one by one: their embeddings and the normalisations.
#ifndef HIPPORT_LLM_PREFILL_ROWS_CUH
#define HIPPORT_LLM_PREFILL_ROWS_CUH

#include "vectors.cuh"

namespace hipport_llm {

constexpr int kRowThreads = 256;

// A block for each token: its embedding becomes the residual stream, and its sequence has seen it.
__global__ void __launch_bounds__(kRowThreads)
    embed_kernel(const int* tokens, const Number* embedding, uint8_t* seen, int width, float* residual) {
  const int token = tokens[blockIdx.x];
  const Pair* from = reinterpret_cast<const Pair*>(embedding + static_cast<int64_t>(token) * width);
  float2* to = reinterpret_cast<float2*>(residual + static_cast<int64_t>(blockIdx.x) * width);
  for (int i = threadIdx.x; i < width / 2; i += kRowThreads) to[i] = floats_of(from[i]);
  if (threadIdx.x == 0) seen[token] = 1;
}

// A block for each token: RMSNorm of the residual stream.
__global__ void __launch_bounds__(kRowThreads)
    norm_kernel(const float* residual, const Number* weights, int width, float epsilon, Number* to, int stride) {
  constexpr int groups = kRowThreads / kLanes, kept = kMaxWidth / (4 * kRowThreads);
  __shared__ float sums[groups];
  const float4* row = reinterpret_cast<const float4*>(residual + static_cast<int64_t>(blockIdx.x) * width);
  float4 x[kept];
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int at = threadIdx.x + i * kRowThreads;
    x[i] = at < width / 4 ? row[at] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    squares += square(x[i]);
  }
  squares = sum_lanes<kLanes>(squares);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = squares;
  __syncthreads();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < groups; ++i) all += sums[i];
  const float scale = rsqrtf(all / static_cast<float>(width) + epsilon);
  Number* out = to + static_cast<int64_t>(blockIdx.x) * stride;
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int at = threadIdx.x + i * kRowThreads;
    if (at < width / 4) store_normalised(x[i], scale, reinterpret_cast<const uint2*>(weights)[at], out + 4 * at);
  }
}

}  // namespace hipport_llm

#endif
