// Picks a token from logits: after temperature, top-k, top-p and min-p, where a random number points to.
//
// sizes: tokens, vocabulary, top-k. numbers: temperature, top-p, min-p, repetition penalty. buffers: logits [token]
// [vocabulary] of float, seen [token][vocabulary] of bytes, random bits [token] of 64, picked [token] of int.
#include "../../kernels/sampling.cuh"
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

// One token's logits, by one thread; `border` is the key below which nothing stays.
class Alone {
 public:
  __device__ explicit Alone(const Logits& logits) : logits_(logits) {
    for (int i = 1; i < logits.count; ++i)
      if (logits.at(i) > logits.at(best_)) best_ = i;
  }

  __device__ int pick() {
    const Sampling& how = logits_.how;
    if (how.temperature <= 0.0f) return best_;
    if (how.top_k > 0 && how.top_k < logits_.count) border_ = border_for(static_cast<float>(how.top_k), true);
    if (how.top_p < 1.0f) border_ = border_for(how.top_p * above(border_, false), false);
    if (how.min_p > 0.0f) border_ = max(border_, key_of(logits_.at(best_) + how.temperature * logf(how.min_p)));
    const float goal = above(border_, false) * (static_cast<float>(how.random >> 40) / 16777216.0f);
    float before = 0.0f;
    for (int i = 0; i < logits_.count; ++i) {
      before += key_of(logits_.at(i)) >= border_ ? weight(i) : 0.0f;
      if (before > goal) return i;
    }
    return best_;
  }

 private:
  __device__ float weight(int i) const { return expf((logits_.at(i) - logits_.at(best_)) / logits_.how.temperature); }

  __device__ float above(unsigned border, bool counts) const {
    float sum = 0.0f;
    for (int i = 0; i < logits_.count; ++i)
      if (key_of(logits_.at(i)) >= max(border, border_)) sum += counts ? 1.0f : weight(i);
    return sum;
  }

  __device__ unsigned border_for(float enough, bool counts) const {
    unsigned border = 0;
    for (unsigned bit = 0x80000000u; bit != 0; bit >>= 1)
      if (above(border | bit, counts) >= enough) border |= bit;
    return max(border, border_);
  }

  const Logits& logits_;
  int best_ = 0;
  unsigned border_ = 1;
};

__global__ void alone_kernel(Arguments a) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= a.tokens) return;
  const Logits logits = a.of(token);
  a.picked[token] = Alone(logits).pick();
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

const Registered v1("sampling", 1, "A thread for each token, through the logits 32 times for each border.", {32, 64},
                    alone);
const Registered v2("sampling", 2, "As a step does it: a block for each token, borders found by four bits at a time.",
                    {kSampleThreads}, as_in_a_step);

}  // namespace

}  // namespace hipport_llm
