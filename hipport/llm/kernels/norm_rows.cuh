// The normalisations of many tokens.
#ifndef HIPPORT_LLM_NORM_ROWS_CUH
#define HIPPORT_LLM_NORM_ROWS_CUH

#include "vectors.cuh"

namespace hipport_llm {

constexpr int kRowThreads = 256;

// A block for each token: RMSNorm of the residual stream.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    norm_kernel(const float* residual, const Number* weights, int width, float epsilon, Number* to, int stride) {
  constexpr int groups = Threads / kLanes, kept = kMaxWidth / (4 * Threads);
  __shared__ float sums[groups];
  const float4* row = reinterpret_cast<const float4*>(residual + static_cast<int64_t>(blockIdx.x) * width);
  float4 x[kept];
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int at = threadIdx.x + i * Threads;
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
    const int at = threadIdx.x + i * Threads;
    if (at < width / 4) store_normalised(x[i], scale, reinterpret_cast<const uint2*>(weights)[at], out + 4 * at);
  }
}

}  // namespace hipport_llm

#endif
