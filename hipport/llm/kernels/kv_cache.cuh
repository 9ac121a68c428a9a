// The format of cached keys and values (16 bits, or 8 bits with scales), and where they are in the paged KV cache.
#ifndef HIPPORT_LLM_KV_CACHE_CUH
#define HIPPORT_LLM_KV_CACHE_CUH

#include "model.h"
#include "numeric.cuh"

namespace hipport_llm {

constexpr bool kInt8Cache = HIPPORT_LLM_INT8_CACHE;

// The size of a key or value of a head: its dimensions and, with 8 bits, a scale for each 16 of them, padded to 8 bytes.
__host__ __device__ constexpr int cached_units(int head_width) {
  return kInt8Cache ? (head_width / 2 + head_width / 16 + 3) / 4 * 4 : head_width;
}

// Eight dimensions in 16 bits.
class PlainEight {
 public:
  __device__ void load(const Number* vector, int dimension) { values_ = load8(vector + dimension); }

  __device__ float2 pair(int i) const { return floats_of(values_.pair(i)); }
  __device__ float scale() const { return 1.0f; }
  __device__ float dot(const Eight& query) const {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) sum = dot2(values_.pair(i), query.pair(i), sum);
    return sum;
  }
  __device__ const Eight& values() const { return values_; }

 private:
  Eight values_;
};

#if HIPPORT_LLM_INT8_CACHE

// Eight dimensions in 8 bits. Dimensions that are computed together share a scale: 8i .. 8i + 7 of both halves of a
// head.
template <int HeadWidth>
class CachedEight {
 public:
  __device__ void load(const CacheUnit* vector, int dimension) {
    bits_ = *reinterpret_cast<const uint2*>(vector + dimension / 2);
    scale_ = reinterpret_cast<const __half*>(vector + HeadWidth / 2)[dimension / 8 % (HeadWidth / 16)];
  }

  // Two of them, not yet scaled.
  __device__ float2 pair(int i) const {
    const uint32_t word = i < 2 ? bits_.x : bits_.y;
    const int first = static_cast<int>(word << (i % 2 ? 8 : 24)), second = static_cast<int>(word << (i % 2 ? 0 : 16));
    return make_float2(static_cast<float>(first >> 24), static_cast<float>(second >> 24));
  }
  __device__ float scale() const { return __half2float(scale_); }
  __device__ float dot(const Eight& query) const {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) sum = dot2(pair(i), floats_of(query.pair(i)), sum);
    return sum * scale();
  }
  __device__ Eight values() const {
    Eight values;
#pragma unroll
    for (int i = 0; i < 4; ++i) values.set(i, pair_of(pair(i).x * scale(), pair(i).y * scale()));
    return values;
  }

 private:
  uint2 bits_;
  __half scale_;
};

// Writes dimensions `dimension` and `dimension` + half of the head. Called by eight lanes that hold eight such pairs.
template <int HeadWidth>
__device__ inline void store_cached(CacheUnit* vector, int dimension, float low, float high, bool writes) {
  float largest = fmaxf(fabsf(low), fabsf(high));
#pragma unroll
  for (int distance = 4; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, distance, kLanes));
  const __half scale = __float2half(largest / 127.0f);
  const float inverse = __half2float(scale) > 0.0f ? 1.0f / __half2float(scale) : 0.0f;
  const auto rounded = [=](float x) { return static_cast<int8_t>(fminf(fmaxf(rintf(x * inverse), -127.0f), 127.0f)); };
  if (!writes) return;
  int8_t* bytes = reinterpret_cast<int8_t*>(vector);
  bytes[dimension] = rounded(low);
  bytes[dimension + HeadWidth / 2] = rounded(high);
  if (dimension % 8 == 0) reinterpret_cast<__half*>(vector + HeadWidth / 2)[dimension / 8] = scale;
}

#else

template <int HeadWidth>
using CachedEight = PlainEight;

// Writes dimensions `dimension` and `dimension` + half of the head.
template <int HeadWidth>
__device__ inline void store_cached(CacheUnit* vector, int dimension, float low, float high, bool writes) {
  if (!writes) return;
  vector[dimension] = number_of(low);
  vector[dimension + HeadWidth / 2] = number_of(high);
}

#endif

template <int HeadWidth>
__device__ inline Eight load_cached(const CacheUnit* vector, int dimension) {
  CachedEight<HeadWidth> eight;
  eight.load(vector, dimension);
  return eight.values();
}

// The addresses of a sequence's keys and values for one layer and head.
template <int HeadWidth>
class CachedHead {
 public:
  __device__ CachedHead(const Cache& cache, const int* pages, int layer, int kv_heads, int head)
      : keys_(cache.pages + layer * cache.layer_stride + head * kPageTokens * units),
        pages_(pages),
        kind_stride_(kv_heads * kPageTokens * units) {}

  __device__ CacheUnit* key(int position) const {
    const int64_t page = pages_[position / kPageTokens];
    return keys_ + 2 * page * kind_stride_ + position % kPageTokens * units;
  }
  __device__ CacheUnit* value(int position) const { return key(position) + kind_stride_; }
  __device__ const CacheUnit* value_beside(const CacheUnit* key) const { return key + kind_stride_; }

 private:
  static constexpr int units = cached_units(HeadWidth);

  CacheUnit* keys_;
  const int* pages_;
  int kind_stride_;
};

}  // namespace hipport_llm

#endif
