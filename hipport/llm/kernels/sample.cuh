// Picks the next token from logits, a block for each token: greedy, or by chance after temperature, top-k, top-p,
// min-p.
#ifndef HIPPORT_LLM_SAMPLE_CUH
#define HIPPORT_LLM_SAMPLE_CUH

#include "model.h"
#include "numeric.cuh"

namespace hipport_llm {

constexpr int kSampleThreads = 512;

// How to pick a token. Filters apply in this order, each to what the ones before left.
struct Sampling {
  float temperature;         // 0: the most likely
  int top_k;                 // 0: all; of equal logits at the border all stay
  float top_p;               // 1: all
  float min_p;               // 0: all
  float repetition_penalty;  // 1: none
  uint64_t random;           // 64 random bits
};

template <typename T, typename Combine>
__device__ T combine_block(T value, T* shared, const Combine& combine) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = kSampleThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half)
      shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  return shared[0];
}

// Larger floats have larger keys. NaN has the smallest.
__device__ inline unsigned key_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return isnan(x) ? 0u : bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The logits of one token, as they are sampled.
struct Logits {
  const float* values;
  const uint8_t* seen;  // by token: whether the sequence has had it
  int count;
  Sampling how;

  // Divided by the penalty where it is positive, multiplied where not (Keskar et al. 2019).
  __device__ float at(int i) const {
    const float x = values[i];
    if (how.repetition_penalty == 1.0f || seen[i] == 0) return x;
    return x > 0.0f ? x / how.repetition_penalty : x * how.repetition_penalty;
  }
};

struct Best {
  unsigned key;
  int index;
};

// The largest logit; of equal ones the first.
__device__ inline Best largest(const Logits& logits, Best* shared) {
  Best best = {0u, logits.count - 1};
  for (int i = threadIdx.x; i < logits.count; i += kSampleThreads) {
    const unsigned key = key_of(logits.at(i));
    if (key > best.key) best = {key, i};
  }
  return combine_block(best, shared, [](const Best& a, const Best& b) {
    return a.key > b.key || (a.key == b.key && a.index < b.index) ? a : b;
  });
}

// The exponentials of the logits above a border, relative to the largest.
class Weights {
 public:
  __device__ Weights(const Logits& logits, float largest, float* shared)
      : logits_(logits), largest_(largest), shared_(shared) {}

  __device__ float at(int i) const {
    const float x = logits_.at(i);
    return key_of(x) < border_ ? 0.0f : expf((x - largest_) / logits_.how.temperature);
  }
  __device__ void raise(unsigned border) { border_ = max(border_, border); }

  // Of what is at or above `border`: how many there are, or the sum of their weights.
  __device__ float above(unsigned border, bool counts) const {
    float sum = 0.0f;
    for (int i = threadIdx.x; i < logits_.count; i += kSampleThreads)
      if (key_of(logits_.at(i)) >= max(border, border_)) sum += counts ? 1.0f : at(i);
    return combine_block(sum, shared_, [](float a, float b) { return a + b; });
  }

  // The highest border above which there is at least `enough`.
  __device__ unsigned border_for(float enough, bool counts) const {
    unsigned border = 0;
    for (unsigned bit = 0x80000000u; bit != 0; bit >>= 1)
      if (above(border | bit, counts) >= enough) border |= bit;
    return border;
  }

 private:
  const Logits& logits_;
  float largest_;
  float* shared_;
  unsigned border_ = 1;  // NaN is never drawn
};

// The token at which the running sum of the weights passes a random part of their sum, or -1 where rounding hides it.
__device__ inline int draw(const Logits& logits, const Weights& weights, float* shared, int* found) {
  const int part = (logits.count + kSampleThreads - 1) / kSampleThreads;
  const int first = threadIdx.x * part, last = min(first + part, logits.count);
  float own = 0.0f;
  for (int i = first; i < last; ++i) own += weights.at(i);
  __syncthreads();
  shared[threadIdx.x] = own;
  if (threadIdx.x == 0) *found = -1;
  __syncthreads();
  float before = 0.0f, all = 0.0f;
  for (int i = 0; i < kSampleThreads; ++i) {
    if (i == static_cast<int>(threadIdx.x)) before = all;
    all += shared[i];
  }
  const float goal = all * (static_cast<float>(logits.how.random >> 40) / 16777216.0f);
  if (own > 0.0f && before <= goal && goal < before + own) {
    for (int i = first; i < last && before <= goal; ++i) {
      const float weight = weights.at(i);
      if (weight > 0.0f) *found = i;
      before += weight;
    }
  }
  __syncthreads();
  return *found;
}

__device__ inline int sample(const Logits& logits) {
  __shared__ Best bests[kSampleThreads];
  __shared__ float sums[kSampleThreads];
  __shared__ int found;
  const Best best = largest(logits, bests);
  if (logits.how.temperature <= 0.0f) return best.index;
  const float most = logits.at(best.index);
  Weights weights(logits, most, sums);
  if (logits.how.top_k > 0 && logits.how.top_k < logits.count)
    weights.raise(weights.border_for(static_cast<float>(logits.how.top_k), true));
  if (logits.how.top_p < 1.0f) weights.raise(weights.border_for(logits.how.top_p * weights.above(0, false), false));
  if (logits.how.min_p > 0.0f) weights.raise(key_of(most + logits.how.temperature * logf(logits.how.min_p)));
  const int token = draw(logits, weights, sums, &found);
  return token < 0 ? best.index : token;
}

}  // namespace hipport_llm

#endif
