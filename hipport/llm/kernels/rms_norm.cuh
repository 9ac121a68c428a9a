// RMSNorm of many tokens, one block for each token.
#ifndef HIPPORT_LLM_RMS_NORM_CUH
#define HIPPORT_LLM_RMS_NORM_CUH

#include "decode_inputs.cuh"
#include "early_start.cuh"
#include "prompt_chunk.h"

namespace hipport_llm {

constexpr int kRowThreads = 256;

// The sum of the residual stream and another matrix, which is also written to `summed`.
struct SummedRows {
  const float* residual;
  const Number* added;
  float* summed;
};

// Four elements from 4i on, counting through all rows.
__device__ inline float4 four_of(const float* rows, int64_t i) { return reinterpret_cast<const float4*>(rows)[i]; }
__device__ inline float4 four_of(const SummedRows& rows, int64_t i) {
  const float4 x = four_of(rows.residual, i);
  const uint2 bits = reinterpret_cast<const uint2*>(rows.added)[i];
  const float2 left = floats_of(as_pair(bits.x)), right = floats_of(as_pair(bits.y));
  const float4 sum = make_float4(x.x + left.x, x.y + left.y, x.z + right.x, x.w + right.y);
  reinterpret_cast<float4*>(rows.summed)[i] = sum;
  return sum;
}

// Normalizes a token's row, and returns the reciprocal of its root mean square; called by all threads of a block. `Rows` is
// const float* or SummedRows, `To` has store() like PlainRows.
template <int Threads, typename Rows, typename To>
__device__ __forceinline__ float normalize_row(const Rows& rows, const Number* weights, int width, float epsilon,
                                               const To& to) {
  constexpr int groups = Threads / kLanes, kept = kMaxWidth / (4 * Threads);
  __shared__ float sums[groups];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * (width / 4);
  float4 x[kept];
  float squares = 0.0f;
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int at = threadIdx.x + i * Threads;
    x[i] = at < width / 4 ? four_of(rows, first + at) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    squares += square(x[i]);
  }
  squares = sum_lanes<kLanes>(squares);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = squares;
  __syncthreads();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < groups; ++i) all += sums[i];
  const float scale = rsqrtf(all / static_cast<float>(width) + epsilon);
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int at = threadIdx.x + i * Threads;
    if (at >= width / 4) continue;
    const NormalizedFour four(x[i], scale, reinterpret_cast<const uint2*>(weights)[at]);
    to.store(static_cast<int>(blockIdx.x), 4 * at, four.first, four.second);
  }
  return scale;
}

// One block for each token: RMSNorm of the residual stream, and of its sum with another matrix.
template <int Threads, typename To>
__global__ void __launch_bounds__(Threads)
    rms_norm_kernel(const float* residual, const Number* weights, int width, float epsilon, To to) {
  await_previous_kernel();
  normalize_row<Threads>(residual, weights, width, epsilon, to);
}
template <int Threads>
__global__ void __launch_bounds__(Threads)
    add_rms_norm_kernel(SummedRows rows, const Number* weights, int width, float epsilon, PlainRows to) {
  await_previous_kernel();
  normalize_row<Threads>(rows, weights, width, epsilon, to);
}

}  // namespace hipport_llm

#endif
