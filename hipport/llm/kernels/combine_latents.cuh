// Combines the parts of attention over latent vectors: the results of several blocks, each for some positions.
#ifndef HIPPORT_LLM_COMBINE_LATENTS_CUH
#define HIPPORT_LLM_COMBINE_LATENTS_CUH

#include "decode_attention.cuh"
#include "latent_attention.cuh"

namespace hipport_llm {

// A block has 16 eighths of a head's dimensions; eight threads share the parts of each.
constexpr int kCombineEighths = 16, kCombineGroups = 8, kCombineThreads = kCombineEighths * kCombineGroups;

// Adds every eighth part from `group` on.
__device__ __forceinline__ Softmax add_parts(const float2* weights, const Number* means, int rank, int group,
                                             int count) {
  Softmax all;
#pragma unroll 4
  for (int part = group; part < count; part += kCombineGroups) {
    const float2 weight = weights[part];
    const Eight mean = load8(means + static_cast<int64_t>(part) * rank);
    Softmax own;
    own.largest = weight.x;
    own.sum = weight.y;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = floats_of(mean.pair(i));
      own.values[2 * i] = pair.x * weight.y;
      own.values[2 * i + 1] = pair.y * weight.y;
    }
    all.add(own);
  }
  return all;
}

// Writes the means, [token][head][rank]. Grid: (16 eighths, heads, tokens).
template <typename Places>
__global__ void __launch_bounds__(kCombineThreads)
    combine_latents_kernel(LatentMeans from, int heads, int rank, Places tokens, Number* to) {
  __shared__ __align__(16) uint8_t shared[kCombineThreads * sizeof(Softmax)];
  Softmax* room = reinterpret_cast<Softmax*>(shared) + threadIdx.x;
  const int own = threadIdx.x % kCombineEighths, group = threadIdx.x / kCombineEighths;
  const int eighth = blockIdx.x * kCombineEighths + own, head = blockIdx.y, token = blockIdx.z;
  await_previous_kernel();
  const int length = tokens.position(token) + 1;
  if (length <= 0) return;
  const int64_t first = from.at(token, heads, head, 0);
  if (eighth < rank / 8)
    *room =
        add_parts(from.weights + first, from.means + first * rank + eighth * 8, rank, group, from.parts.count(length));
  __syncthreads();
  if (group > 0 || eighth >= rank / 8) return;
  Softmax all = *room;
  for (int i = 1; i < kCombineGroups; ++i) all.add(room[i * kCombineEighths]);
  Eight mean;
#pragma unroll
  for (int i = 0; i < 4; ++i) mean.set(i, pair_of(all.values[2 * i] / all.sum, all.values[2 * i + 1] / all.sum));
  store8(to + (static_cast<int64_t>(token) * heads + head) * rank + eighth * 8, mean);
}

}  // namespace hipport_llm

#endif
