// Picks a token from logits: after temperature, top-k, top-p and min-p, where a random number points to.
//
// sizes: tokens, vocabulary, top-k. numbers: temperature, top-p, min-p, repetition penalty. buffers: logits [token]
// [vocabulary] of float, seen [token][vocabulary] of bytes, random bits [token] of 64, picked [token] of int.
#include "../../kernels/sample.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct Arguments {
  const float* logits;
  const uint8_t* seen;
  const uint64_t* random;
  int* picked;
  int tokens, vocabulary;
  Sampling how;

  explicit Arguments(const Launch& l)
      : logits(l.buffer<float>(0)),
        seen(l.buffer<uint8_t>(1)),
        random(l.buffer<uint64_t>(2)),
        picked(l.buffer<int>(3)),
        tokens(l.size(0)),
        vocabulary(l.size(1)),
        how{l.number(0), l.size(2), l.number(1), l.number(2), l.number(3), 0} {}

  __device__ Logits of(int token) const {
    Sampling mine = how;
    mine.random = random[token];
    const int64_t first = static_cast<int64_t>(token) * vocabulary;
    return {logits + first, seen + first, vocabulary, mine};
  }
};

// Of one token: what stays is found by raising a border from logit to logit.
__device__ int pick_alone(const Logits& logits) {
  const int count = logits.count;
  int best = 0;
  for (int i = 1; i < count; ++i)
    if (logits.at(i) > logits.at(best)) best = i;
  if (logits.how.temperature <= 0.0f) return best;
  const float most = logits.at(best);
  const auto weight = [&](float x) { return expf((x - most) / logits.how.temperature); };
  float border = -INFINITY, all = 0.0f;
  for (int i = 0; i < count; ++i) all += weight(logits.at(i));
  for (int i = 0; i < count; ++i) {
    const float x = logits.at(i);
    float above = 0.0f, likelier = 0.0f;
    for (int j = 0; j < count; ++j)
      if (logits.at(j) > x) {
        above += 1.0f;
        likelier += weight(logits.at(j));
      }
    const bool stays = (logits.how.top_k <= 0 || above < static_cast<float>(logits.how.top_k)) &&
                       likelier < logits.how.top_p * all && weight(x) >= logits.how.min_p;
    if (!stays) border = fmaxf(border, x);
  }
  float left = 0.0f, before = 0.0f;
  for (int i = 0; i < count; ++i)
    if (logits.at(i) > border) left += weight(logits.at(i));
  const float goal = left * (static_cast<float>(logits.how.random >> 40) / 16777216.0f);
  for (int i = 0; i < count; ++i)
    if (logits.at(i) > border) {
      before += weight(logits.at(i));
      if (before > goal) return i;
    }
  return best;
}

__global__ void alone_kernel(Arguments a) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token < a.tokens) a.picked[token] = pick_alone(a.of(token));
}

__global__ void __launch_bounds__(kSampleThreads) step_kernel(Arguments a) {
  const int token = sample(a.of(blockIdx.x));
  if (threadIdx.x == 0) a.picked[blockIdx.x] = token;
}

void alone(const Launch& launch) {
  const Arguments a(launch);
  alone_kernel<<<blocks_for(a.tokens, launch.block()), launch.block(), 0, launch.stream()>>>(a);
}

void as_in_a_step(const Launch& launch) {
  const Arguments a(launch);
  step_kernel<<<a.tokens, kSampleThreads, 0, launch.stream()>>>(a);
}

const Registered v1("sampling", 1, "A thread for each token, which compares every logit with every other.", {32, 64},
                    alone);
const Registered v2("sampling", 2, "As a step does it: a block for each token, borders found bit by bit.",
                    {kSampleThreads}, as_in_a_step);

}  // namespace

}  // namespace hipport_llm
