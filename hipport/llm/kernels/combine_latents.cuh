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

// Combines the parts of a head of a token, which begin at `first` among all: hands each eighth of the head's dimensions
// to `store`, from `from_eighth` on, with their means. Called by all threads of a block.
template <int Threads, int Eighths, typename Store>
__device__ __forceinline__ void combine_parts(const LatentMeans& from, int64_t first, int count, int rank,
                                              int from_eighth, const Store& store) {
  constexpr int groups = Threads / Eighths;
  __shared__ float factors[kMostLatentParts];
  __shared__ PartSums<groups> shared[groups][Eighths];
  const int own = threadIdx.x % Eighths, group = threadIdx.x / Eighths, eighth = from_eighth + own;
  weigh_parts<Threads>(from.weights + first, count, factors);
  PartSums<groups> sums;
  if (eighth < rank / 8) sums.add(from.means + first * rank + eighth * 8, rank, factors, group, count);
  shared[group][own] = sums;
  __syncthreads();
  if (group > 0 || eighth >= rank / 8) return;
  for (int i = 1; i < groups; ++i) sums.add(shared[i][own]);
  store(eighth, sums.mean());
}

// A block has 16 eighths of a head's dimensions; eight threads share the parts of each.
constexpr int kCombineEighths = 16, kCombineThreads = 8 * kCombineEighths;

// Writes the means, [token][head][rank]. Grid: (16 eighths, heads, tokens).
template <typename Places>
__global__ void __launch_bounds__(kCombineThreads)
    combine_latents_kernel(LatentMeans from, int heads, int rank, Places tokens, Number* to) {
  const int head = blockIdx.y, token = blockIdx.z;
  await_previous_kernel();
  const int length = tokens.position(token) + 1, count = from.parts.count(length);
  if (length <= 0) return;
  Number* means = to + (static_cast<int64_t>(token) * heads + head) * rank;
  combine_parts<kCombineThreads, kCombineEighths>(
      from, from.at(token, heads, head, 0), count, rank, blockIdx.x * kCombineEighths,
      [means](int eighth, const Eight& mean) { store8(means + eighth * 8, mean); });
}

// The outputs of a single token, whose parts each block combines for itself: that takes less time than another kernel.
template <typename Places>
struct ExpandParts : HeadOutputs {
  static constexpr int kBlocksAhead = 8;

  LatentMeans from;
  Places tokens;

  __device__ void fill(const Panels& panels, int eighths, int head, int token, int) const {
    const int length = tokens.position(token) + 1, count = length > 0 ? from.parts.count(length) : 0;
    fill_tokens(panels, eighths, 0, 0, [](int, int) { return Eight{}; });
    combine_parts<kUnitThreads, kMostRank / 8>(
        from, from.at(token, heads, head, 0), count, widths.rank, 0,
        [&panels](int eighth, const Eight& mean) { panels.store(0, eighth, mean); });
  }
};

}  // namespace hipport_llm

#endif
