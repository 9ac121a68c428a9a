// The products of a row of tiles with a few vectors: one warp's share of the sums.
//
// NVIDIA GPUs multiply on their matrix units. The others use each lane's own weights in turn; the sums are the same but
// for the order of additions.
#ifndef HIPPORT_LLM_PRODUCTS_CUH
#define HIPPORT_LLM_PRODUCTS_CUH

#include "block.cuh"
#include "tiles.cuh"

namespace hipport_llm {

// Vectors in shared memory are this much longer than their length, so that lanes that read different ones at the same
// place meet different banks.
constexpr int kVectorPadding = 32;

// The vectors that a matrix is multiplied with, in shared memory.
struct Vectors {
  __half* values;  // [vector][stride]
  int stride;
};

#if !defined(__HIP_PLATFORM_AMD__)

// sums += a * b, for 16 rows and 8 columns (PTX: mma.m16n8k16).
__device__ inline void multiply_add(float4& sums, const Fragment& a, __half2 b0, __half2 b1) {
  const uint32_t* low = reinterpret_cast<const uint32_t*>(a.low);
  const uint32_t* high = reinterpret_cast<const uint32_t*>(a.high);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sums.x), "+f"(sums.y), "+f"(sums.z), "+f"(sums.w)
      : "r"(low[0]), "r"(high[0]), "r"(low[1]), "r"(high[1]), "r"(*reinterpret_cast<const uint32_t*>(&b0)),
        "r"(*reinterpret_cast<const uint32_t*>(&b1)));
}

// Lane 4g + t holds rows g and g + 8 of vectors 2t and 2t + 1.
template <int Count>
class Products {
 public:
  static_assert(Count <= 8, "a matrix multiplication has 8 columns");
  static constexpr int kTilesAtOnce = 4;

  // Adds one tile, whose first column is `column`, times the vectors. Columns of the product that belong to no vector
  // hold anything.
  __device__ void add(const uint8_t* tile, const Vectors& vectors, int column, int lane) {
    const uint4 words = *reinterpret_cast<const uint4*>(tile + lane * 16);
    const Scales scales = load_scales(tile, lane);
    const __half* own = vectors.values + lane / 4 % Count * vectors.stride + column + lane % 4 * 8;
    add_group(words.x, words.y, load8(own), scales.low[0], scales.high[0]);
    add_group(words.z, words.w, load8(own + 32), scales.low[1], scales.high[1]);
  }

  // Writes the sums as [vector][16 rows].
  __device__ void store(float* sums, int lane) const {
    const int row = lane / 4, vector = 2 * (lane % 4);
    if (vector < Count) {
      sums[vector * kTileRows + row] = sums_.x;
      sums[vector * kTileRows + row + 8] = sums_.z;
    }
    if (vector + 1 < Count) {
      sums[(vector + 1) * kTileRows + row] = sums_.y;
      sums[(vector + 1) * kTileRows + row + 8] = sums_.w;
    }
  }

 private:
  __device__ void add_group(uint32_t word0, uint32_t word1, const Eight& x, float low, float high) {
    float4 group = {0.0f, 0.0f, 0.0f, 0.0f};
    multiply_add(group, unpack(word0), x.pair(0), x.pair(1));
    multiply_add(group, unpack(word1), x.pair(2), x.pair(3));
    sums_.x = fmaf(low, group.x, sums_.x);
    sums_.z = fmaf(high, group.z, sums_.z);
    if (Count > 1) {
      sums_.y = fmaf(low, group.y, sums_.y);
      sums_.w = fmaf(high, group.w, sums_.w);
    }
  }

  float4 sums_ = {};
};

#else

// Each lane sums over its own weights of rows g and g + 8.
template <int Count>
class Products {
 public:
  // As many as registers allow.
  static constexpr int kTilesAtOnce = Count <= 2 ? 4 : 1;

  // Adds one tile, whose first column is `column`, times the vectors.
  __device__ void add(const uint8_t* tile, const Vectors& vectors, int column, int lane) {
    const uint4 words = *reinterpret_cast<const uint4*>(tile + lane * 16);
    const Scales scales = load_scales(tile, lane);
    const __half* own = vectors.values + column + lane % 4 * 8;
    add_group(words.x, words.y, own, vectors.stride, scales.low[0], scales.high[0]);
    add_group(words.z, words.w, own + 32, vectors.stride, scales.low[1], scales.high[1]);
  }

  // Writes the sums as [vector][16 rows].
  __device__ void store(float* sums, int lane) const {
    const int row = lane / 4;
#pragma unroll
    for (int vector = 0; vector < Count; ++vector) {
      const float low = sum_lanes<4>(low_[vector]), high = sum_lanes<4>(high_[vector]);
      if (lane % 4 != 0) continue;
      sums[vector * kTileRows + row] = low;
      sums[vector * kTileRows + row + 8] = high;
    }
  }

 private:
  __device__ void add_group(uint32_t word0, uint32_t word1, const __half* x, int stride, float low, float high) {
    const Fragment weights[2] = {unpack(word0), unpack(word1)};
#pragma unroll
    for (int vector = 0; vector < Count; ++vector) {
      const Eight values = load8(x + vector * stride);
      float sum_low = 0.0f, sum_high = 0.0f;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        sum_low = dot2(weights[i / 2].low[i % 2], values.pair(i), sum_low);
        sum_high = dot2(weights[i / 2].high[i % 2], values.pair(i), sum_high);
      }
      low_[vector] = fmaf(low, sum_low, low_[vector]);
      high_[vector] = fmaf(high, sum_high, high_[vector]);
    }
  }

  float low_[Count] = {}, high_[Count] = {};
};

#endif

}  // namespace hipport_llm

#endif
