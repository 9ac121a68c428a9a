// Mixtures of experts: which experts a token goes to, and the order in which products take the tokens of each.
//
// A token that goes to an expert is a pair: pair token * chosen + i is the token with the i-th expert that it chose.
#ifndef HIPPORT_LLM_EXPERT_CHOICE_CUH
#define HIPPORT_LLM_EXPERT_CHOICE_CUH

#include "early_start.cuh"
#include "native_matvec.cuh"
#include "numeric.cuh"

namespace hipport_llm {

constexpr int kMostExperts = 512, kMostChosen = 32;
constexpr int kChoiceThreads = 256;

struct ExpertChoice {
  int experts;  // at most kMostExperts
  int chosen;   // of each token
  bool of_all;  // weights are a softmax over all experts, else over the chosen ones
};

// [token][chosen]; unused slots have experts of -1.
struct ChosenExperts {
  int* experts;
  float* weights;
};

constexpr int kRankThreads = 128;

// Called by all threads of a block: the sum of a value of each.
__device__ inline float sum_of_block(float value) {
  __shared__ float sums[kRankThreads / kLanes];
  value = sum_lanes<kLanes>(value);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = value;
  __syncthreads();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < kRankThreads / kLanes; ++i) all += sums[i];
  return all;
}

// A block for each token: its experts with the largest logits, in that order, and their weights. An expert is chosen if
// its rank, the number of larger logits, is low enough; all ranks are counted at once. Of equal logits the first expert's
// comes first, and NaN comes last.
template <typename Places>
__global__ void __launch_bounds__(kRankThreads)
    choose_experts_kernel(ExpertChoice choice, SplitSums logits, const Number* bias, Places tokens, ChosenExperts to) {
  constexpr int rounds = kMostExperts / kRankThreads;
  __shared__ __align__(16) unsigned keys[kMostExperts];
  __shared__ float ranked[kMostChosen];
  await_previous_kernel();
  const int token = blockIdx.x, first = token * choice.chosen;
  if (tokens.position(token) < 0) {
    if (static_cast<int>(threadIdx.x) < choice.chosen) to.experts[first + threadIdx.x] = -1;
    return;
  }
  float own[rounds];
#pragma unroll
  for (int i = 0; i < rounds; ++i) {
    const int expert = threadIdx.x + i * kRankThreads;
    if (i > 0 && expert - static_cast<int>(threadIdx.x) >= choice.experts) break;
    own[i] = 0.0f;  // adding it makes -0 equal to 0
    if (expert < choice.experts) own[i] += logits.at(token, expert) + (bias == nullptr ? 0.0f : float_of(bias[expert]));
    keys[expert] = expert < choice.experts ? key_of(own[i]) : 0u;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < rounds; ++i) {
    const int expert = threadIdx.x + i * kRankThreads;
    if (expert >= choice.experts) break;
    const unsigned key = keys[expert];
    int rank = 0;
#pragma unroll 2
    for (int four = 0; four < (choice.experts + 3) / 4; ++four) {
      // An expert before this one comes first if its key is not less, one behind it if it is more.
      const uint4 other = reinterpret_cast<const uint4*>(keys)[four];
      const int before = expert - four * 4;
      rank += static_cast<int>(other.x >= key + (before <= 0)) + static_cast<int>(other.y >= key + (before <= 1)) +
              static_cast<int>(other.z >= key + (before <= 2)) + static_cast<int>(other.w >= key + (before <= 3));
    }
    if (rank >= choice.chosen) continue;
    to.experts[first + rank] = expert;
    ranked[rank] = own[i];
  }
  __syncthreads();
  const float most = ranked[0];
  float part = 0.0f;
#pragma unroll
  for (int i = 0; i < rounds; ++i)
    if (choice.of_all && static_cast<int>(threadIdx.x) + i * kRankThreads < choice.experts)
      part += __expf(own[i] - most);
  const bool chosen = static_cast<int>(threadIdx.x) < choice.chosen;
  const float weight = chosen ? __expf(ranked[threadIdx.x] - most) : 0.0f;
  const float sum = sum_of_block(choice.of_all ? part : weight);
  if (chosen) to.weights[first + threadIdx.x] = weight / sum;
}

// Some pairs of one expert: `count` of ExpertOrder::pairs from `first` on.
struct ExpertTile {
  int expert, first, count;
};

// An expert's pairs begin at a multiple of this.
constexpr int kOrderedPlaces = 8;

// The places that sorted pairs take at most.
__host__ __device__ inline int ordered_places(int pairs, int experts) {
  return pairs + (pairs < experts ? pairs : experts) * (kOrderedPlaces - 1);
}

// Pairs sorted by expert, in tiles; places between experts have pairs of -1. There are at most pairs / tile + experts
// tiles; those that are left have no pairs.
struct ExpertOrder {
  int* pairs;
  ExpertTile* tiles;
};

// One block. Pairs of an expert are in no particular order, on which no result depends.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    sort_experts_kernel(int experts, const int* chosen, int pairs, int tile, int tiles, ExpertOrder to) {
  await_previous_kernel();
  __shared__ int counts[kMostExperts], starts[kMostExperts], first_tiles[kMostExperts];
  for (int expert = threadIdx.x; expert < experts; expert += Threads) counts[expert] = 0;
  __syncthreads();
  for (int pair = threadIdx.x; pair < pairs; pair += Threads)
    if (chosen[pair] >= 0) atomicAdd(&counts[chosen[pair]], 1);
  __syncthreads();
  for (int expert = threadIdx.x; expert < experts; expert += Threads) {
    int start = 0, first_tile = 0;
    for (int i = 0; i < expert; ++i) {
      start += (counts[i] + kOrderedPlaces - 1) / kOrderedPlaces * kOrderedPlaces;
      first_tile += (counts[i] + tile - 1) / tile;
    }
    starts[expert] = start;
    first_tiles[expert] = first_tile;
  }
  for (int i = threadIdx.x; i < tiles; i += Threads) to.tiles[i] = {0, 0, 0};
  for (int i = threadIdx.x; i < ordered_places(pairs, experts); i += Threads) to.pairs[i] = -1;
  __syncthreads();
  for (int expert = threadIdx.x; expert < experts; expert += Threads)
    for (int i = 0; i * tile < counts[expert]; ++i)
      to.tiles[first_tiles[expert] + i] = {expert, starts[expert] + i * tile, min(counts[expert] - i * tile, tile)};
  __syncthreads();
  for (int pair = threadIdx.x; pair < pairs; pair += Threads)
    if (chosen[pair] >= 0) to.pairs[atomicAdd(&starts[chosen[pair]], 1)] = pair;
}

}  // namespace hipport_llm

#endif
