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

// A warp for each token: its experts with the largest logits, and their weights. Of equal logits the first expert's
// comes first. `Rounds` are experts of a lane.
template <typename Places, int Rounds>
__global__ void __launch_bounds__(kChoiceThreads)
    choose_experts_kernel(ExpertChoice choice, SplitSums logits, const Number* bias, Places tokens, int count,
                          ChosenExperts to) {
  await_previous_kernel();
  const int lane = threadIdx.x % kLanes, token = (blockIdx.x * kChoiceThreads + threadIdx.x) / kLanes;
  if (token >= count) return;
  const int first = token * choice.chosen;
  if (tokens.position(token) < 0) {
    for (int i = lane; i < choice.chosen; i += kLanes) to.experts[first + i] = -1;
    return;
  }
  float own[Rounds], most = -INFINITY, all = 0.0f;
#pragma unroll
  for (int i = 0; i < Rounds; ++i) {
    const int expert = lane + i * kLanes;
    own[i] = -INFINITY;
    if (expert < choice.experts) own[i] = logits.at(token, expert) + (bias == nullptr ? 0.0f : float_of(bias[expert]));
    most = fmaxf(most, own[i]);
  }
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, distance, kLanes));
#pragma unroll
  for (int i = 0; i < Rounds; ++i) all += __expf(own[i] - most);
  all = sum_lanes<kLanes>(all);
  float sum = 0.0f;
  for (int k = 0; k < choice.chosen; ++k) {
    float best = -INFINITY;
    int which = kMostExperts;
#pragma unroll
    for (int i = 0; i < Rounds; ++i) {
      if (own[i] > best) {
        best = own[i];
        which = lane + i * kLanes;
      }
    }
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(kAllLanes, best, distance, kLanes);
      const int its = __shfl_xor_sync(kAllLanes, which, distance, kLanes);
      if (other > best || (other == best && its < which)) {
        best = other;
        which = its;
      }
    }
    // Without a number among the logits, which NaN would cause, every choice is the first expert.
    if (which >= choice.experts) which = 0;
#pragma unroll
    for (int i = 0; i < Rounds; ++i)
      if (which == lane + i * kLanes) own[i] = -INFINITY;
    const float weight = __expf(best - most);
    sum += weight;
    if (lane == 0) {
      to.experts[first + k] = which;
      to.weights[first + k] = weight;
    }
  }
  if (lane != 0) return;
  const float scale = 1.0f / (choice.of_all ? all : sum);
  for (int k = 0; k < choice.chosen; ++k) to.weights[first + k] *= scale;
}

// Some pairs of one expert: `count` of ExpertOrder::pairs from `first` on.
struct ExpertTile {
  int expert, first, count;
};

// Pairs sorted by expert, in tiles. There are at most pairs / tile + experts tiles; those that are left have no pairs.
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
      start += counts[i];
      first_tile += (counts[i] + tile - 1) / tile;
    }
    starts[expert] = start;
    first_tiles[expert] = first_tile;
  }
  for (int i = threadIdx.x; i < tiles; i += Threads) to.tiles[i] = {0, 0, 0};
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
