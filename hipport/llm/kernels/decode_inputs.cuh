// Loads the vectors that a matrix of the decode step is multiplied with into shared memory: RMSNorm of the residual
// stream, or vectors unchanged.
#ifndef HIPPORT_LLM_DECODE_INPUTS_CUH
#define HIPPORT_LLM_DECODE_INPUTS_CUH

#include "mailbox.cuh"

namespace hipport_llm {

__device__ inline float square(float4 x) { return fmaf(x.x, x.x, fmaf(x.y, x.y, fmaf(x.z, x.z, x.w * x.w))); }

// Four elements times a scale and their weights.
struct NormalizedFour {
  Pair first, second;

  __device__ NormalizedFour(float4 x, float scale, uint2 weights)
      : first(times(pair_of(x.x * scale, x.y * scale), as_pair(weights.x))),
        second(times(pair_of(x.z * scale, x.w * scale), as_pair(weights.y))) {}
};

__device__ inline void store_normalized(float4 x, float scale, uint2 weights, Number* to) {
  const NormalizedFour four(x, scale, weights);
  Pair* pairs = reinterpret_cast<Pair*>(to);
  pairs[0] = four.first;
  pairs[1] = four.second;
}

// RMSNorm of the residual stream, at most kMaxWidth wide.
constexpr int kMaxWidth = 8192;

// Returns the factor of RMSNorm for `squares`, summed over `Warps` warps from `first` on. `sums` has a float for each
// warp.
template <int Warps>
__device__ __forceinline__ float scale_of(const Shape& shape, float squares, int first, float* sums) {
  squares = sum_lanes<kLanes>(squares);
  if (thread_index() % kLanes == 0) sums[thread_index() / kLanes] = squares;
  block_sync();
  float all = 0.0f;
#pragma unroll
  for (int i = 0; i < Warps; ++i) all += sums[first + i];
  return rsqrtf(all / static_cast<float>(shape.width) + shape.epsilon);
}

template <int Vectors>
class RmsNorm {
 public:
  __device__ void prepare(const uint8_t* weights, int) { weights_ = reinterpret_cast<const Number*>(weights); }

  __device__ __forceinline__ void load(const Shape& shape, const float* residual, int count, Number* vectors,
                                       int stride, float* sums) const {
    const int warp = thread_index() / kLanes, token = warp / warps, end = token < count ? shape.width : 0;
    const int first = (warp % warps * kLanes + thread_index() % kLanes) * 4;
    const float4* row = reinterpret_cast<const float4*>(residual + static_cast<int64_t>(token) * shape.width);
    float squares = 0.0f;
    for (int i = first; i < end; i += step) squares += square(__ldcg(row + i / 4));
    const float scale = scale_of<warps>(shape, squares, token * warps, sums);
    for (int i = first; i < end; i += step)
      store_normalized(__ldcg(row + i / 4), scale, *reinterpret_cast<const uint2*>(weights_ + i),
                       vectors + token * stride + i);
    block_sync();
  }

 private:
  static constexpr int warps = kWarps / Vectors, step = warps * kLanes * 4;

  const Number* weights_;
};

// A single vector arrives in a mailbox; the whole block holds it in registers.
template <>
class RmsNorm<1> {
 public:
  // Prefetches the weights, so that they are there when the residual stream arrives.
  __device__ __forceinline__ void prepare(const uint8_t* weights, int width) {
    constexpr int line = 128;
    weights_ = reinterpret_cast<const uint2*>(weights);
    for (int i = thread_index(); i < width * 2 / line; i += kThreads) prefetch(weights + i * line);
  }

  __device__ __forceinline__ void receive(const Shape& shape, const Packet* from, unsigned number, Number* vector,
                                          float* sums) const {
    constexpr int rounds = kMaxWidth / (kThreads * 4);
    const int count = shape.width / 4;
    uint2 weights[rounds], pairs[rounds];
    float4 x[rounds];
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < rounds; ++i) weights[i] = weights_[min(place(i), count - 1)];
    hipport_llm::receive(from, number, thread_index(), kThreads, count, pairs);
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const float2 left = floats_of(as_pair(pairs[i].x)), right = floats_of(as_pair(pairs[i].y));
      x[i] = make_float4(left.x, left.y, right.x, right.y);
      squares += place(i) < count ? square(x[i]) : 0.0f;
    }
    const float scale = scale_of<kWarps>(shape, squares, 0, sums);
#pragma unroll
    for (int i = 0; i < rounds; ++i)
      if (place(i) < count) store_normalized(x[i], scale, weights[i], vector + 4 * place(i));
    block_sync();
  }

 private:
  // Four elements each.
  __device__ static int place(int round) { return round * kThreads + thread_index(); }

  const uint2* weights_;
};

// Loads vectors unchanged. They are `length` (a multiple of 8) apart in memory.
__device__ __forceinline__ void load_unchanged(const Number* from, int length, int count, Number* vectors, int stride) {
  constexpr int rounds = 6;
  const int eighth = length / 8, all = count * eighth;
  for (int start = thread_index(); start < all; start += rounds * kThreads) {
    uint4 bits[rounds];
#pragma unroll
    for (int i = 0; i < rounds; ++i)
      bits[i] = __ldcg(reinterpret_cast<const uint4*>(from) + min(start + i * kThreads, all - 1));
    const int own = opaque(start);
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const int at = own + i * kThreads;
      if (at < all) *reinterpret_cast<uint4*>(vectors + at / eighth * stride + at % eighth * 8) = bits[i];
    }
  }
  block_sync();
}

}  // namespace hipport_llm

#endif
