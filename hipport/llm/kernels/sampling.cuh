// Samples the next token from logits, one block for each token: greedy, or random after temperature, top-k, top-p
// and min-p.
#ifndef HIPPORT_LLM_SAMPLING_CUH
#define HIPPORT_LLM_SAMPLING_CUH

#include "model.h"
#include "numeric.cuh"

namespace hipport_llm {

constexpr int kSampleThreads = 512;

// How to sample a token. Filters apply in this order, each to what the previous ones left.
struct Sampling {
  float temperature;         // 0: the most likely
  int top_k;                 // 0: all; equal logits at the threshold are all kept
  float top_p;               // 1: all
  float min_p;               // 0: all
  float repetition_penalty;  // 1: none
  uint64_t random;           // 64 random bits
};

struct Best {
  unsigned key;
  int index;

  __device__ bool before(const Best& other) const {
    return key > other.key || (key == other.key && index < other.index);
  }
};

// Thresholds are found this many bits at a time.
constexpr int kDigitBits = 4, kDigits = 1 << kDigitBits;

// Shared memory for sampling.
struct SampleRoom {
  Best bests[kSampleThreads];
  float sums[kDigits][kSampleThreads];
  float totals[kDigits];
  int found;
};

// The logits of one token, as they are sampled.
struct Logits {
  const float* values;
  const uint8_t* seen;  // by token: whether it is in the sequence
  int count;
  Sampling how;

  // Divided by the penalty where it is positive, multiplied where not (Keskar et al. 2019).
  __device__ float at(int i) const {
    const float x = values[i];
    if (how.repetition_penalty == 1.0f || seen[i] == 0) return x;
    return x > 0.0f ? x / how.repetition_penalty : x * how.repetition_penalty;
  }

  // Calls `use(token, logit)` for this thread's share of the vocabulary. Loads are issued before their use.
  template <typename Use>
  __device__ __forceinline__ void each(const Use& use) const {
    constexpr int at_once = 8;
    for (int start = threadIdx.x; start < count; start += at_once * kSampleThreads) {
      float loaded[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) loaded[i] = at(min(start + i * kSampleThreads, count - 1));
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (start + i * kSampleThreads < count) use(start + i * kSampleThreads, loaded[i]);
    }
  }
};

// Returns the largest logit; of equal ones the first.
__device__ inline Best largest(const Logits& logits, Best* shared) {
  Best best = {0u, logits.count - 1};
  logits.each([&](int i, float x) {
    if (key_of(x) > best.key) best = {key_of(x), i};
  });
  shared[threadIdx.x] = best;
  __syncthreads();
  for (int half = kSampleThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half && shared[threadIdx.x + half].before(shared[threadIdx.x]))
      shared[threadIdx.x] = shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[0];
}

// The exponentials of the logits above a threshold (`border`), relative to the largest.
class Weights {
 public:
  __device__ Weights(const Logits& logits, float largest, SampleRoom& room)
      : logits_(logits), largest_(largest), room_(room) {}

  __device__ float at(int i) const {
    const float x = logits_.at(i);
    return key_of(x) < border_ ? 0.0f : of(x);
  }
  __device__ void raise(unsigned border) { border_ = max(border_, border); }

  // Keeps the largest `count`, or more if some at the threshold are equal.
  __device__ void keep_largest(int count) {
    raise(border_for(static_cast<float>(count), false, [](float) { return 1.0f; }));
  }
  // Keeps as few of the largest as have this part of the sum together.
  __device__ void keep_part(float part) {
    raise(border_for(part, true, [this](float x) { return of(x); }));
  }

 private:
  __device__ float of(float x) const { return expf((x - largest_) / logits_.how.temperature); }

  // Returns the highest threshold above which the sum of `amount` is at least `enough`, or that part of the whole sum.
  // It is found digit by digit of the keys, from the highest.
  template <typename Amount>
  __device__ unsigned border_for(float enough, bool is_part, const Amount& amount) const {
    unsigned border = 0;
    float above = 0.0f;
#pragma unroll 1
    for (int shift = 32 - kDigitBits; shift >= 0; shift -= kDigitBits) {
      sum_by_digit(border, shift, amount);
      if (is_part && shift == 32 - kDigitBits) {
        float all = 0.0f;
        for (int i = 0; i < kDigits; ++i) all += room_.totals[i];
        enough *= all;
      }
      int digit = kDigits - 1;
      for (; digit > 0 && above + room_.totals[digit] < enough; --digit) above += room_.totals[digit];
      border |= static_cast<unsigned>(digit) << shift;
    }
    return border;
  }

  // Sums the amounts of logits that equal `border` above a digit, by that digit. Each thread has its own sums, so that
  // the order of additions is always the same.
  template <typename Amount>
  __device__ void sum_by_digit(unsigned border, int shift, const Amount& amount) const {
    const unsigned above = ~0u << shift << (kDigitBits - 1) << 1;
    for (int i = 0; i < kDigits; ++i) room_.sums[i][threadIdx.x] = 0.0f;
    logits_.each([&](int, float x) {
      const unsigned key = key_of(x);
      if (key >= border_ && ((key ^ border) & above) == 0)
        room_.sums[key >> shift & (kDigits - 1)][threadIdx.x] += amount(x);
    });
    __syncthreads();
    for (int digit = threadIdx.x / kLanes; digit < kDigits; digit += kSampleThreads / kLanes) {
      float sum = 0.0f;
      for (int i = threadIdx.x % kLanes; i < kSampleThreads; i += kLanes) sum += room_.sums[digit][i];
      sum = sum_lanes<kLanes>(sum);
      if (threadIdx.x % kLanes == 0) room_.totals[digit] = sum;
    }
    __syncthreads();
  }

  const Logits& logits_;
  float largest_;
  SampleRoom& room_;
  unsigned border_ = 1;  // excludes NaN
};

// Returns the token at which the running sum of the weights exceeds a random part of their sum, or -1 if rounding
// prevents that.
__device__ inline int draw(const Logits& logits, const Weights& weights, SampleRoom& room) {
  const int part = (logits.count + kSampleThreads - 1) / kSampleThreads;
  const int first = threadIdx.x * part, last = min(first + part, logits.count);
  float* sums = room.sums[0];
  float own = 0.0f;
  for (int i = first; i < last; ++i) own += weights.at(i);
  __syncthreads();
  sums[threadIdx.x] = own;
  if (threadIdx.x == 0) room.found = -1;
  __syncthreads();
  float before = 0.0f, all = 0.0f;
  for (int i = 0; i < kSampleThreads; ++i) {
    if (i == static_cast<int>(threadIdx.x)) before = all;
    all += sums[i];
  }
  const float goal = all * (static_cast<float>(logits.how.random >> 40) / 16777216.0f);
  if (own > 0.0f && before <= goal && goal < before + own) {
    for (int i = first; i < last && before <= goal; ++i) {
      const float weight = weights.at(i);
      if (weight > 0.0f) room.found = i;
      before += weight;
    }
  }
  __syncthreads();
  return room.found;
}

__device__ inline int sample(const Logits& logits) {
  __shared__ SampleRoom room;
  const Best best = largest(logits, room.bests);
  if (logits.how.temperature <= 0.0f) return best.index;
  const float most = logits.at(best.index);
  Weights weights(logits, most, room);
  if (logits.how.top_k > 0 && logits.how.top_k < logits.count) weights.keep_largest(logits.how.top_k);
  if (logits.how.top_p < 1.0f) weights.keep_part(logits.how.top_p);
  if (logits.how.min_p > 0.0f) weights.raise(key_of(most + logits.how.temperature * logf(logits.how.min_p)));
  const int token = draw(logits, weights, room);
  return token < 0 ? best.index : token;
}

}  // namespace hipport_llm

#endif
