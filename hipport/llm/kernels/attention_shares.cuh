// How warps, or blocks, divide the attention of one token for each of many sequences, whose lengths differ: into equal
// shares of the positions of all heads, one head after the other, one token after the other.
#ifndef HIPPORT_LLM_ATTENTION_SHARES_CUH
#define HIPPORT_LLM_ATTENTION_SHARES_CUH

#include "batch_tokens.h"
#include "sight.cuh"

namespace hipport_llm {

// A part of a share: positions of a token from `first` to before `last`, in a row of heads that are taken together.
// It is part `number` of the `of` into which shares cut these.
struct AttentionPart {
  int token, row;
  int first, last;
  int number, of;
};

// The most parts into which the positions of a head are cut, the least positions of a share, which the warps of a block
// divide once more, and how many positions a warp takes in the time in which it ends a part and begins another. (Measured on
// an H200 and an H100.)
constexpr int kMostParts = 16, kLeastPositions = 16, kLeastOfBlock = 64, kPartCost = 8;

// The shares of all takers, which are the warps of a grid, or its blocks. Where there are enough takers for shares which are
// parts of one row each and hardly larger than equal ones, as for sequences of one length, shares are those: none has parts
// of two rows. Each lane knows two tokens. Positions of all rows are counted in 32 bits, enough for kMaxBatch sequences of 262,143 positions with 128
// rows, more than a GPU has memory for.
class AttentionShares {
 public:
  // Called by whole warps. `rows`: how often the positions of a token are taken, each time for some heads. `least`: the
  // least positions of a share.
  template <typename Sight>
  __device__ __forceinline__ AttentionShares(const BatchTokens& tokens, int count, int rows, int takers, int least,
                                             const Sight& sight)
      : rows_(rows) {
    static_assert(kMaxBatch == kEach * kLanes, "the lanes of a warp know all tokens");
    const int lane = threadIdx.x % kLanes;
    int longest = 0, sum = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int token = kEach * lane + i, length = token < count ? max(tokens.position(token) + 1, 0) : 0;
      first_[i] = length > 0 ? sight.first(length - 1) : 0;
      seen_[i] = length - first_[i];
      longest = max(longest, seen_[i]);
      sum += seen_[i];
    }
    const int cuts = kMostParts - 1;
    longest = max_of_lanes(longest);
    size_ = max(max((sum_of_lanes(sum) * rows + takers - 1) / takers, (longest + cuts - 1) / cuts), least);
    int parts = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      span_[i] = (seen_[i] + size_ + kPartCost - 1) / (size_ + kPartCost);
      parts += span_[i];
    }
    whole_ = sum_of_lanes(parts) * rows <= takers;
    if (whole_) {
      size_ = 1;
      number(parts);
    } else {
#pragma unroll
      for (int i = 0; i < kEach; ++i) span_[i] = seen_[i];
      number(sum);
    }
  }

  // Where the share of a taker begins and ends, counted in positions of all rows, or in parts of all rows.
  __device__ __forceinline__ int begin(int taker) const { return min(taker * size_, all_); }
  __device__ __forceinline__ int end(int taker) const { return min((taker + 1) * size_, all_); }

  // The part of a taker's share that begins at `at`. Called by whole warps.
  __device__ __forceinline__ AttentionPart part(int taker, int at) const {
    const int token = tokens_before(at), span = of(span_, token), seen = of(seen_, token), start = of(first_, token);
    const int before = of(end_, token) - span * rows_, row = (at - before) / span;
    const int begin = before + row * span, first = at - begin;
    if (whole_) return {token, row, start + seen * first / span, start + seen * (first + 1) / span, first, span};
    const int last = min(first + end(taker) - at, seen);
    const int first_taker = begin / size_, last_taker = (begin + seen - 1) / size_;
    return {token, row, start + first, start + last, taker - first_taker, last_taker - first_taker + 1};
  }

  // Where the part after one that begins at `at` does.
  __device__ __forceinline__ int after(int at, const AttentionPart& part) const {
    return at + (whole_ ? 1 : part.last - part.first);
  }

 private:
  static constexpr int kEach = 2;

  __device__ __forceinline__ static int sum_of_lanes(int x) {
#pragma unroll
    for (int distance = 1; distance < kLanes; distance *= 2) x += __shfl_xor_sync(kAllLanes, x, distance, kLanes);
    return x;
  }
  __device__ __forceinline__ static int max_of_lanes(int x) {
#pragma unroll
    for (int distance = 1; distance < kLanes; distance *= 2)
      x = max(x, __shfl_xor_sync(kAllLanes, x, distance, kLanes));
    return x;
  }

  // Numbers the spans of all rows. `sum`: of those of this lane's tokens, in one row.
  __device__ __forceinline__ void number(int sum) {
    const int lane = threadIdx.x % kLanes;
#pragma unroll
    for (int distance = 1; distance < kLanes; distance *= 2) {
      const int before = __shfl_up_sync(kAllLanes, sum, distance, kLanes);
      if (lane >= distance) sum += before;
    }
#pragma unroll
    for (int i = kEach - 1; i >= 0; --i) {
      end_[i] = sum * rows_;
      sum -= span_[i];
    }
    all_ = __shfl_sync(kAllLanes, end_[kEach - 1], kLanes - 1, kLanes);
  }

  // How many tokens end before or at `at`.
  __device__ __forceinline__ int tokens_before(int at) const {
    int count = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) count += end_[i] <= at ? 1 : 0;
    return sum_of_lanes(count);
  }

  __device__ __forceinline__ static int of(const int (&values)[kEach], int token) {
    // Values, so that no address is chosen: the array would be in memory.
    const int even = values[0], odd = values[1];
    return __shfl_sync(kAllLanes, token % kEach == 0 ? even : odd, token / kEach, kLanes);
  }

  int first_[kEach];  // position that a token sees
  int seen_[kEach];   // how many it sees
  int span_[kEach];   // what a row of it counts in begin(): its positions, or its parts
  int end_[kEach];    // of a token's rows, counted as in begin()
  int rows_, all_, size_;
  bool whole_;  // a share is one part of one row
};

}  // namespace hipport_llm

#endif
