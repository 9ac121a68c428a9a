// How warps divide the attention of one token for each of many sequences, whose lengths differ: into equal shares of the
// positions of all heads, one head after the other, one token after the other.
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

// The most parts into which the positions of a head are cut, and the least positions of a share. (Measured on an H200.)
constexpr int kMostParts = 16, kLeastPositions = 16;

// The shares of all warps of a grid. Each lane knows two tokens. Positions of all rows are counted in 32 bits, enough for
// kMaxBatch sequences of 262,143 positions with 128 rows, more than a GPU has memory for.
class AttentionShares {
 public:
  // Called by whole warps. `rows`: how often the positions of a token are taken, each time for some heads.
  template <typename Sight>
  __device__ __forceinline__ AttentionShares(const BatchTokens& tokens, int count, int rows, const Sight& sight)
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
#pragma unroll
    for (int distance = 1; distance < kLanes; distance *= 2) {
      const int before = __shfl_up_sync(kAllLanes, sum, distance, kLanes);
      if (lane >= distance) sum += before;
      longest = max(longest, __shfl_xor_sync(kAllLanes, longest, distance, kLanes));
    }
#pragma unroll
    for (int i = kEach - 1; i >= 0; --i) {
      end_[i] = sum * rows;
      sum -= seen_[i];
    }
    all_ = __shfl_sync(kAllLanes, end_[kEach - 1], kLanes - 1, kLanes);
    const int warps = gridDim.x * (blockDim.x / kLanes), cuts = kMostParts - 1;
    size_ = max(max((all_ + warps - 1) / warps, (longest + cuts - 1) / cuts), kLeastPositions);
  }

  // Where the share of a warp begins and ends, counted in positions of all rows.
  __device__ __forceinline__ int begin(int warp) const { return min(warp * size_, all_); }
  __device__ __forceinline__ int end(int warp) const { return min((warp + 1) * size_, all_); }

  // The part of a warp's share that begins at `at`. Called by whole warps.
  __device__ __forceinline__ AttentionPart part(int warp, int at) const {
    const int token = tokens_before(at), seen = of(seen_, token), start = of(first_, token);
    const int before = of(end_, token) - seen * rows_, row = (at - before) / seen;
    const int begin = before + row * seen, first = at - begin, last = min(first + end(warp) - at, seen);
    const int first_warp = begin / size_, last_warp = (begin + seen - 1) / size_;
    return {token, row, start + first, start + last, warp - first_warp, last_warp - first_warp + 1};
  }

 private:
  static constexpr int kEach = 2;

  // How many tokens end before or at `at`.
  __device__ __forceinline__ int tokens_before(int at) const {
    int count = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) count += end_[i] <= at ? 1 : 0;
#pragma unroll
    for (int distance = 1; distance < kLanes; distance *= 2)
      count += __shfl_xor_sync(kAllLanes, count, distance, kLanes);
    return count;
  }

  __device__ __forceinline__ static int of(const int (&values)[kEach], int token) {
    // Values, so that no address is chosen: the array would be in memory.
    const int even = values[0], odd = values[1];
    return __shfl_sync(kAllLanes, token % kEach == 0 ? even : odd, token / kEach, kLanes);
  }

  int first_[kEach];  // position that a token sees
  int seen_[kEach];   // how many it sees
  int end_[kEach];    // of a token's positions, counted as in begin()
  int rows_, all_, size_;
};

}  // namespace hipport_llm

#endif
