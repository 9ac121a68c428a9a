// What the cache has of models with latent attention: for each position a normalized latent vector, and behind it the
// rotated dimensions of keys that all heads share. Pages are [page][kPageTokens] of such vectors for each layer.
#ifndef HIPPORT_LLM_LATENT_CACHE_CUH
#define HIPPORT_LLM_LATENT_CACHE_CUH

#include "kv_cache.cuh"

namespace hipport_llm {

// The addresses of a sequence's vectors of `width` dimensions, a multiple of 16, for one layer.
class CachedLatents {
 public:
  __device__ CachedLatents(const Cache& cache, const int* pages, int layer, int width)
      : first_(cache.pages + layer * cache.layer_stride), pages_(pages), units_(cached_units(width)) {}

  __device__ CacheUnit* at(int position) const {
    const int64_t page = pages_[position / kPageTokens];
    return first_ + (page * kPageTokens + position % kPageTokens) * units_;
  }

 private:
  CacheUnit* first_;
  const int* pages_;
  int units_;
};

#if HIPPORT_LLM_INT8_CACHE

// 16 neighboring dimensions share a scale; scales are behind all dimensions.
__device__ inline Eight load_latent(const CacheUnit* vector, int eighth, int width) {
  const uint2 bits = *reinterpret_cast<const uint2*>(vector + 4 * eighth);
  const float scale = __half2float(reinterpret_cast<const __half*>(vector + width / 2)[eighth / 2]);
  const auto at = [&](int i) {
    const uint32_t word = i < 4 ? bits.x : bits.y;
    return static_cast<float>(static_cast<int>(word << (24 - i % 4 * 8)) >> 24) * scale;
  };
  Eight eight;
#pragma unroll
  for (int i = 0; i < 4; ++i) eight.set(i, pair_of(at(2 * i), at(2 * i + 1)));
  return eight;
}

// Writes a dimension. Called by whole warps, whose lanes have neighboring dimensions.
__device__ inline void store_latent(CacheUnit* vector, int dimension, int width, float value, bool writes) {
  float largest = fabsf(value);
#pragma unroll
  for (int distance = 8; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, distance, kLanes));
  const __half scale = __float2half(largest / 127.0f);
  const float inverse = __half2float(scale) > 0.0f ? 1.0f / __half2float(scale) : 0.0f;
  if (!writes) return;
  reinterpret_cast<int8_t*>(vector)[dimension] =
      static_cast<int8_t>(fminf(fmaxf(rintf(value * inverse), -127.0f), 127.0f));
  if (dimension % 16 == 0) reinterpret_cast<__half*>(vector + width / 2)[dimension / 16] = scale;
}

#else

__device__ inline Eight load_latent(const CacheUnit* vector, int eighth, int) { return load8(vector + 8 * eighth); }

// Writes a dimension.
__device__ inline void store_latent(CacheUnit* vector, int dimension, int, float value, bool writes) {
  if (writes) vector[dimension] = number_of(value);
}

#endif

}  // namespace hipport_llm

#endif
