// Attention of the decode step for one token, whose query, key and value arrive in mailboxes. The block loads keys
// and values of earlier positions into registers while it waits for them.
#ifndef HIPPORT_LLM_SINGLE_TOKEN_ATTENTION_CUH
#define HIPPORT_LLM_SINGLE_TOKEN_ATTENTION_CUH

#include "combine_splits.cuh"
#include "decode_attention.cuh"
#include "head_norm.cuh"

namespace hipport_llm {

// Shared memory after that of `combine`: the query, and the newest key and value.
template <int HeadWidth>
struct Newest {
  static constexpr int kinds = 3, bytes = kinds * HeadWidth * 2;

  // Waits for the query and, with `all`, for the key and the value, one warp for each. Queries and keys that are to be
  // normalized have not been rotated either.
  __device__ __forceinline__ static void receive(const Shape& shape, const Mailboxes& mailboxes, unsigned number,
                                                 int head, bool all, const HeadNorms& norms, const float2* rotations,
                                                 Number* to) {
    const int kind = thread_index() / kLanes, lane = thread_index() % kLanes;
    const int row = kind == 0 ? head : shape.heads + (kind - 1) * shape.kv_heads + kv_head_of(shape, head);
    const bool mine = kind < (all ? kinds : 1) && lane < HeadWidth / 4;
    uint2 values[1];
    hipport_llm::receive(mailboxes.qkv + row * (HeadWidth / 2), number, lane, 1, mine ? HeadWidth / 4 : 0, values);
    if (norms.queries != nullptr && kind < 2)
      values[0] = normalized(values[0], kind == 0 ? norms.queries : norms.keys, rotations, shape.epsilon);
    if (mine) reinterpret_cast<uint2*>(to)[kind * (HeadWidth / 4) + lane] = values[0];
    block_sync();
  }

 private:
  // Normalizes and rotates a head, of which each lane of a warp has four dimensions; zeros beyond its end.
  __device__ __forceinline__ static uint2 normalized(uint2 four, const Number* weights, const float2* rotations,
                                                     float epsilon) {
    constexpr int half = HeadWidth / 2;
    const int lane = thread_index() % kLanes, first = lane * 4 % HeadWidth;
    const float2 left = floats_of(as_pair(four.x)), right = floats_of(as_pair(four.y));
    float values[4] = {left.x, left.y, right.x, right.y}, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) squares = fmaf(values[i], values[i], squares);
    const float scale = rsqrtf(sum_lanes<kLanes>(squares) / static_cast<float>(HeadWidth) + epsilon);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float own = values[i] * scale * float_of(weights[first + i]);
      const float other = __shfl_xor_sync(kAllLanes, own, half / 4, kLanes);
      const float2 rotation = rotations[(first + i) % half];
      values[i] = fmaf(own, rotation.x, (first < half ? -other : other) * rotation.y);
    }
    return make_uint2(bits_of(pair_of(values[0], values[1])), bits_of(pair_of(values[2], values[3])));
  }
};

// Shared memory of the attention.
template <int HeadWidth>
struct DecodeAttentionRoom {
  static constexpr int bytes = HeadGroup<HeadWidth>::floats * 4 + Newest<HeadWidth>::bytes;
};

template <int HeadWidth>
__device__ __forceinline__ void store_newest_key(CacheUnit* to, const Number* key) {
  constexpr int half = HeadWidth / 2;
  const int i = thread_index();
  if (i < half) store_cached<HeadWidth>(to, i, float_of(key[i]), float_of(key[i + half]), true);
}

// Rounds of positions that are loaded into registers early: all that a block has of 512 positions in four splits.
constexpr int kEarlyRounds = 2;

// This block's unit (or units, without splits) of the token's attention. Keys that are normalized here are also written
// to the cache here, by the first query head of theirs.
template <int HeadWidth>
__device__ __forceinline__ void single_token_attention(const Shape& shape, const Cache& cache, const BlockState& state,
                                                       const Scratch& scratch, const HeadNorms& norms, int layer,
                                                       float* shared) {
  constexpr int lanes = HeadGroup<HeadWidth>::lanes, step = Positions<HeadWidth>::step;
  const Mailboxes& mailboxes = scratch.mailboxes;
  const unsigned number = mailboxes.first + layer + 1;
  const int newest = state.positions[0];
  Number* arrived = reinterpret_cast<Number*>(shared + HeadGroup<HeadWidth>::floats);
  for (int unit = blockIdx.x; unit < shape.heads * scratch.splits; unit += gridDim.x) {
    const Part part(shape, state, scratch.splits, unit);
    const CachedHead<HeadWidth> cached = cached_head<HeadWidth>(shape, cache, state, layer, part);
    const int last = min(part.last, newest);
    const bool with_newest = part.first <= newest && newest < part.last;
    // Also of a block without positions, which then loads one of another block.
    const auto loads = [&](int round) { return newest > 0 && (round == 0 || part.first + round * step < last); };
    Positions<HeadWidth> early[kEarlyRounds];
#pragma unroll
    for (int i = 0; i < kEarlyRounds; ++i)
      if (loads(i)) early[i].load(cached, part.first + i * step, last);
    Newest<HeadWidth>::receive(shape, mailboxes, number, part.head, with_newest, norms, state.rotations, arrived);
    if (norms.keys != nullptr && with_newest && part.head % (shape.heads / shape.kv_heads) == 0)
      store_newest_key<HeadWidth>(cached.key(newest), arrived + HeadWidth);
    const int dimension = thread_index() % lanes * 8;
    const Eight query = load8(arrived + dimension);
    Softmax softmax;
#pragma unroll
    for (int i = 0; i < kEarlyRounds; ++i)
      if (loads(i)) early[i].add_to(softmax, query, part.first + i * step, last);
    for (int start = part.first + kEarlyRounds * step; start < last; start += step) {
      Positions<HeadWidth> positions;
      positions.load(cached, start, last);
      positions.add_to(softmax, query, start, last);
    }
    if (with_newest) {
      PlainEight key, value[1];
      key.load(arrived + HeadWidth, dimension);
      value[0].load(arrived + 2 * HeadWidth, dimension);
      const float score = score_of<HeadWidth>(query, key);
      const float scores[1] = {thread_index() < lanes ? score : -INFINITY};
      softmax.add(scores, value);
    }
    Packet* mean_to = mailboxes.attention + part.head * (HeadWidth / 2);
    Packet* part_to = mailboxes.parts + unit * PostedSplit<HeadWidth>::packets;
    const bool whole = scratch.splits == 1;
    combine<HeadWidth>(softmax, shared, [&](int i, float mean, float2 total) {
      PostedSplit<HeadWidth>::post_mean(whole ? mean_to : part_to, number, i, mean);
      if (i == 0 && !whole) PostedSplit<HeadWidth>::post_total(part_to, number, total);
    });
    // With splits a block has at most one unit, so that no block waits for a block that is itself waiting.
    if (!whole && unit % scratch.splits == 0 && thread_index() < kLanes)
      combine_posted_splits<HeadWidth>(part_to, scratch.splits, mean_to, number);
  }
}

}  // namespace hipport_llm

#endif
