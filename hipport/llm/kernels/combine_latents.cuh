// Combines the parts of attention over latent vectors: the results of several blocks, each for some positions.
#ifndef HIPPORT_LLM_COMBINE_LATENTS_CUH
#define HIPPORT_LLM_COMBINE_LATENTS_CUH

#include "head_products.cuh"
#include "latent_attention.cuh"

namespace hipport_llm {

// Writes to `factors` by how much the results of each part of a head count. Called by all threads of a block.
template <int Threads>
__device__ __forceinline__ void weigh_parts(const float2* weights, int count, float* factors) {
  const int lane = threadIdx.x % kLanes;
  float largest = -INFINITY, sum = 0.0f;
  for (int part = lane; part < count; part += kLanes) largest = fmaxf(largest, weights[part].x);
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, distance, kLanes));
  for (int part = lane; part < count; part += kLanes) sum += weights[part].y * exp2f(weights[part].x - largest);
  sum = sum_lanes<kLanes>(sum);
  for (int part = threadIdx.x; part < count; part += Threads)
    factors[part] = weights[part].y * exp2f(weights[part].x - largest) / sum;
  __syncthreads();
}

// Combines eight dimensions of the parts of a head: `Groups` threads of a block, one for each group, share the parts.
template <int Groups>
class PartSums {
 public:
  // Adds every part of a group.
  __device__ __forceinline__ void add(const Number* means, int rank, const float* factors, int group, int count) {
#pragma unroll 8
    for (int part = group; part < count; part += Groups) {
      const Eight mean = load8(means + static_cast<int64_t>(part) * rank);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 pair = floats_of(mean.pair(i));
        sums_[2 * i] = fmaf(pair.x, factors[part], sums_[2 * i]);
        sums_[2 * i + 1] = fmaf(pair.y, factors[part], sums_[2 * i + 1]);
      }
    }
  }
  __device__ __forceinline__ void add(const PartSums& other) {
#pragma unroll
    for (int i = 0; i < 8; ++i) sums_[i] += other.sums_[i];
  }
  __device__ __forceinline__ Eight mean() const {
    Eight eight;
#pragma unroll
    for (int i = 0; i < 4; ++i) eight.set(i, pair_of(sums_[2 * i], sums_[2 * i + 1]));
    return eight;
  }

 private:
  float sums_[8] = {};
};

// A block has 16 eighths of a head's dimensions; eight threads share the parts of each.
constexpr int kCombineEighths = 16, kCombineGroups = 8, kCombineThreads = kCombineEighths * kCombineGroups;

// Writes the means, [token][head][rank]. Grid: (16 eighths, heads, tokens).
template <typename Places>
__global__ void __launch_bounds__(kCombineThreads)
    combine_latents_kernel(LatentMeans from, int heads, int rank, Places tokens, Number* to) {
  __shared__ float factors[kMostLatentParts];
  __shared__ PartSums<kCombineGroups> shared[kCombineGroups][kCombineEighths];
  const int own = threadIdx.x % kCombineEighths, group = threadIdx.x / kCombineEighths;
  const int eighth = blockIdx.x * kCombineEighths + own, head = blockIdx.y, token = blockIdx.z;
  await_previous_kernel();
  const int length = tokens.position(token) + 1, count = from.parts.count(length);
  if (length <= 0) return;
  const int64_t first = from.at(token, heads, head, 0);
  weigh_parts<kCombineThreads>(from.weights + first, count, factors);
  PartSums<kCombineGroups> sums;
  if (eighth < rank / 8) sums.add(from.means + first * rank + eighth * 8, rank, factors, group, count);
  shared[group][own] = sums;
  __syncthreads();
  if (group > 0 || eighth >= rank / 8) return;
  for (int i = 1; i < kCombineGroups; ++i) sums.add(shared[i][own]);
  store8(to + (static_cast<int64_t>(token) * heads + head) * rank + eighth * 8, sums.mean());
}

// The outputs of a single token, whose parts each block combines for itself: that takes less time than another kernel.
template <typename Places>
struct ExpandParts : HeadOutputs {
  static constexpr int kBlocksAhead = 8;

  LatentMeans from;
  Places tokens;

  __device__ void fill(const Panels& panels, int eighths, int head, int token, int) const {
    constexpr int most = kMostRank / 8, groups = kUnitThreads / most;
    __shared__ float factors[kMostLatentParts];
    __shared__ PartSums<groups> shared[groups][most];
    const int eighth = threadIdx.x % most, group = threadIdx.x / most, rank = widths.rank;
    const int length = tokens.position(token) + 1, count = length > 0 ? from.parts.count(length) : 0;
    const int64_t first = from.at(token, heads, head, 0);
    fill_tokens(panels, eighths, 0, 0, [](int, int) { return Eight{}; });
    weigh_parts<kUnitThreads>(from.weights + first, count, factors);
    PartSums<groups> sums;
    if (eighth < rank / 8) sums.add(from.means + first * rank + eighth * 8, rank, factors, group, count);
    shared[group][eighth] = sums;
    __syncthreads();
    if (group > 0 || eighth >= rank / 8) return;
    for (int i = 1; i < groups; ++i) sums.add(shared[i][eighth]);
    panels.store(0, eighth, sums.mean());
  }
};

}  // namespace hipport_llm

#endif
