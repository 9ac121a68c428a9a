// Routing of DeepSeek-V2, DeepSeek-V3 and models like them: experts are chosen by scores, to which a bias may be added
// for the choice only, and from some groups of experts only.
#ifndef HIPPORT_LLM_EXPERT_ROUTING_CUH
#define HIPPORT_LLM_EXPERT_ROUTING_CUH

#include "expert_choice.cuh"

namespace hipport_llm {

// The numbers are those of hipport_llm_config.
enum class Scores {
  kLogits,   // experts are chosen by logits (choose_experts_kernel)
  kSoftmax,  // over all experts
  kSigmoid,
};

constexpr int kMostGroups = 64;

struct Routing {
  Scores scores;
  int groups, chosen_groups;  // 1 and 1: all experts are in one group
  int best;                   // how many of a group's scores, the best 1 or 2, decide on the group together
  bool normalized;            // weights are divided by their sum
  float scale;                // of weights
};

// Below all scores with their biases.
constexpr float kNotChosen = -3.0e38f;

__device__ inline float largest_of_block(float value) {
  __shared__ float largest[kRankThreads / kLanes];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, distance, kLanes));
  if (threadIdx.x % kLanes == 0) largest[threadIdx.x / kLanes] = value;
  __syncthreads();
  float most = largest[0];
#pragma unroll
  for (int i = 1; i < kRankThreads / kLanes; ++i) most = fmaxf(most, largest[i]);
  return most;
}

// How many of `count` numbers come before number `own`: larger ones, and equal ones ahead of it.
__device__ inline int rank_of(const float* numbers, int count, int own) {
  const float value = numbers[own];
  int rank = 0;
  // Each comparison takes two scalar registers on AMD GPUs.
#pragma unroll 4
  for (int i = 0; i < count; ++i) rank += static_cast<int>(numbers[i] > value || (numbers[i] == value && i < own));
  return rank;
}

// A block for each token: its experts and their weights. `bias`, or null, is added to scores for the choice.
template <typename Places>
__global__ void __launch_bounds__(kRankThreads)
    route_experts_kernel(ExpertChoice choice, Routing routing, SplitSums logits, const float* bias, Places tokens,
                         ChosenExperts to) {
  __shared__ float scores[kMostExperts], choices[kMostExperts], of_groups[kMostGroups], chosen[kMostChosen];
  await_previous_kernel();
  const int token = blockIdx.x, first = token * choice.chosen, own = threadIdx.x;
  if (tokens.position(token) < 0) {
    if (own < choice.chosen) to.experts[first + own] = -1;
    return;
  }
  float largest = kNotChosen, sum = 0.0f;
  for (int expert = own; expert < choice.experts; expert += kRankThreads) {
    scores[expert] = logits.at(token, expert);
    largest = fmaxf(largest, scores[expert]);
  }
  const float most = routing.scores == Scores::kSoftmax ? largest_of_block(largest) : 0.0f;
  for (int expert = own; expert < choice.experts; expert += kRankThreads) {
    const float power = __expf(routing.scores == Scores::kSoftmax ? scores[expert] - most : -scores[expert]);
    scores[expert] = routing.scores == Scores::kSoftmax ? power : 1.0f / (1.0f + power);
    sum += power;
  }
  const float all = sum_of_block(sum);
  for (int expert = own; expert < choice.experts; expert += kRankThreads) {
    if (routing.scores == Scores::kSoftmax) scores[expert] /= all;
    const float biased = scores[expert] + (bias == nullptr ? 0.0f : bias[expert]);
    choices[expert] = biased > kNotChosen ? biased : kNotChosen;  // NaN is not chosen, either
  }
  __syncthreads();
  const int size = choice.experts / routing.groups;
  if (own < routing.groups) {
    float best = kNotChosen, second = kNotChosen;
    for (int i = own * size; i < (own + 1) * size; ++i) {
      second = fmaxf(second, fminf(best, choices[i]));
      best = fmaxf(best, choices[i]);
    }
    of_groups[own] = routing.best == 2 && size > 1 ? best + second : best;
  }
  __syncthreads();
  for (int expert = own; expert < choice.experts; expert += kRankThreads)
    if (rank_of(of_groups, routing.groups, expert / size) >= routing.chosen_groups) choices[expert] = kNotChosen;
  __syncthreads();
  for (int expert = own; expert < choice.experts; expert += kRankThreads) {
    const int rank = rank_of(choices, choice.experts, expert);
    if (rank >= choice.chosen) continue;
    to.experts[first + rank] = expert;
    chosen[rank] = scores[expert];
  }
  __syncthreads();
  if (own >= choice.chosen) return;
  float divisor = 0.0f;
  for (int i = 0; i < choice.chosen; ++i) divisor += chosen[i];
  to.weights[first + own] = chosen[own] * routing.scale / (routing.normalized ? divisor + 1e-20f : 1.0f);
}

}  // namespace hipport_llm

#endif
