// Brings the vectors that a matrix is multiplied with into shared memory, in half precision.
#ifndef HIPPORT_LLM_VECTORS_CUH
#define HIPPORT_LLM_VECTORS_CUH

#include "block.cuh"
#include "model.h"

namespace hipport_llm {

__device__ inline float square(float4 x) { return fmaf(x.x, x.x, fmaf(x.y, x.y, fmaf(x.z, x.z, x.w * x.w))); }

__device__ inline void store_normalised(float4 x, float scale, uint2 weights, __half* to) {
  __half2* pairs = reinterpret_cast<__half2*>(to);
  pairs[0] = __hmul2(__floats2half2_rn(x.x * scale, x.y * scale), as_half2(weights.x));
  pairs[1] = __hmul2(__floats2half2_rn(x.z * scale, x.w * scale), as_half2(weights.y));
}

// RMSNorm of the residual stream, at most kMaxWidth wide.
constexpr int kMaxWidth = 8192;

template <int Vectors>
class Norm {
 public:
  // Takes the weights beforehand, where they fit into registers, so that they are there when the residual stream is.
  __device__ __forceinline__ void prepare(const uint8_t* weights, int width) {
    weights_ = reinterpret_cast<const __half*>(weights);
#pragma unroll
    for (int i = 0; i < kept; ++i)
      if (first() + i * step < width) kept_[i] = *reinterpret_cast<const uint2*>(weights_ + first() + i * step);
  }

  // `sums` has room for a float of each warp.
  __device__ __forceinline__ void load(const Shape& shape, const float* residual, int count, __half* vectors,
                                       int stride, float* sums) const {
    const int warp = threadIdx.x / kLanes, token = warp / warps, end = token < count ? shape.width : 0;
    const float4* row = reinterpret_cast<const float4*>(residual + static_cast<int64_t>(token) * shape.width);
    float4 x[kept + 1];
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < kept; ++i)
      x[i] = first() + i * step < end ? __ldcg(row + (first() + i * step) / 4) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int i = 0; i < kept; ++i) squares += square(x[i]);
    for (int i = first() + kept * step; i < end; i += step) squares += square(__ldcg(row + i / 4));
    squares = sum_lanes<kLanes>(squares);
    if (threadIdx.x % kLanes == 0) sums[warp] = squares;
    block_sync();
    float all = 0.0f;
#pragma unroll
    for (int i = 0; i < warps; ++i) all += sums[token * warps + i];
    const float scale = rsqrtf(all / static_cast<float>(shape.width) + shape.epsilon);
    __half* to = vectors + token * stride;
#pragma unroll
    for (int i = 0; i < kept; ++i)
      if (first() + i * step < end) store_normalised(x[i], scale, kept_[i], to + first() + i * step);
    for (int i = first() + kept * step; i < end; i += step)
      store_normalised(__ldcg(row + i / 4), scale, *reinterpret_cast<const uint2*>(weights_ + i), to + i);
    block_sync();
  }

 private:
  static constexpr int warps = kWarps / Vectors, step = warps * kLanes * 4;
  // One vector is spread over the whole block, which can hold it.
  static constexpr int kept = Vectors == 1 ? kMaxWidth / step : 0;

  __device__ static int first() { return (threadIdx.x / kLanes % warps * kLanes + threadIdx.x % kLanes) * 4; }

  const __half* weights_;
  uint2 kept_[kept + 1];
};

// Four columns of the attention: the splits' means and their weights.
template <int Splits>
struct SplitMeans {
  uint2 means[Splits];
  float2 weights[Splits];  // maximum and sum of exponentials

  __device__ __forceinline__ void load(const Shape& shape, const Scratch& scratch, int token, int column, int first) {
    const int64_t unit = static_cast<int64_t>(token * shape.heads + column / shape.head_width) * scratch.splits + first;
    const __half* from = scratch.attention + unit * shape.head_width + column % shape.head_width;
#pragma unroll
    for (int i = 0; i < Splits; ++i) {
      weights[i] = make_float2(-INFINITY, 0.0f);
      means[i] = make_uint2(0, 0);
      if (first + i < scratch.splits) {
        weights[i] = __ldcg(scratch.attention_sum + unit + i);
        means[i] = __ldcg(reinterpret_cast<const uint2*>(from + i * shape.head_width));
      }
    }
  }
};

// A mean of four columns, from splits that are added one after the other.
struct Mean {
  float most = -INFINITY, sum = 0.0f;
  float4 values = {0.0f, 0.0f, 0.0f, 0.0f};

  __device__ void add(float2 weight, uint2 bits) {
    if (weight.y == 0.0f) return;
    const float larger = fmaxf(most, weight.x), old = __expf(most - larger), own = weight.y * __expf(weight.x - larger);
    const float2 left = __half22float2(as_half2(bits.x)), right = __half22float2(as_half2(bits.y));
    most = larger;
    sum = fmaf(sum, old, own);
    values = make_float4(fmaf(values.x, old, left.x * own), fmaf(values.y, old, left.y * own),
                         fmaf(values.z, old, right.x * own), fmaf(values.w, old, right.y * own));
  }

  __device__ void store(__half* to) const {
    const float scale = 1.0f / sum;
    reinterpret_cast<__half2*>(to)[0] = __floats2half2_rn(values.x * scale, values.y * scale);
    reinterpret_cast<__half2*>(to)[1] = __floats2half2_rn(values.z * scale, values.w * scale);
  }
};

// The splits of the attention, put together. Loads come before their use, as each round takes a microsecond.
__device__ __forceinline__ void load_attention(const Shape& shape, const Scratch& scratch, int count, __half* vectors,
                                               int stride) {
  constexpr int rounds = 4, splits = 4;
  const int quarter = shape.query_width() / 4, all = count * quarter;
  for (int start = threadIdx.x; start < all; start += rounds * kThreads) {
    Mean means[rounds];
    for (int first = 0; first < scratch.splits; first += splits) {
      SplitMeans<splits> parts[rounds];
#pragma unroll
      for (int i = 0; i < rounds; ++i) {
        const int at = min(start + i * kThreads, all - 1);
        parts[i].load(shape, scratch, at / quarter, at % quarter * 4, first);
      }
#pragma unroll
      for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int j = 0; j < splits; ++j) means[i].add(parts[i].weights[j], parts[i].means[j]);
    }
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const int at = min(start + i * kThreads, all - 1);
      if (start + i * kThreads < all) means[i].store(vectors + at / quarter * stride + at % quarter * 4);
    }
  }
  block_sync();
}

// Vectors as they are, `length` (a multiple of 8) apart in memory.
__device__ __forceinline__ void load_plain(const __half* from, int length, int count, __half* vectors, int stride) {
  constexpr int rounds = 6;
  const int eighth = length / 8, all = count * eighth;
  for (int start = threadIdx.x; start < all; start += rounds * kThreads) {
    uint4 bits[rounds];
#pragma unroll
    for (int i = 0; i < rounds; ++i)
      bits[i] = __ldcg(reinterpret_cast<const uint4*>(from) + min(start + i * kThreads, all - 1));
#pragma unroll
    for (int i = 0; i < rounds; ++i) {
      const int at = min(start + i * kThreads, all - 1);
      if (start + i * kThreads < all)
        *reinterpret_cast<uint4*>(vectors + at / eighth * stride + at % eighth * 8) = bits[i];
    }
  }
  block_sync();
}

}  // namespace hipport_llm

#endif
