// Multiplies a row of tiles with a few vectors: one warp's share of the sums.
//
// NVIDIA GPUs use their matrix units. On other targets each lane multiplies its own weights with each vector in
// turn; the sums are the same except for the order of additions.
#ifndef HIPPORT_LLM_TILE_MATVEC_CUH
#define HIPPORT_LLM_TILE_MATVEC_CUH

#include "packed_tiles.cuh"
#include "swizzled_panels.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

// Padding of vectors in shared memory, so that lanes that read the same elements of different vectors access
// different banks.
constexpr int kVectorPadding = 32;

// The vectors that a matrix is multiplied with, in shared memory.
struct Vectors {
  Number* values;  // [vector][stride]
  int stride;
};

#if !defined(__HIP_PLATFORM_AMD__)

// sums += a * b, for 16 rows and 8 columns (PTX: mma.m16n8k16).
__device__ inline void multiply_add(float4& sums, const Fragment& a, Pair b0, Pair b1) {
  const uint32_t* low = reinterpret_cast<const uint32_t*>(a.low);
  const uint32_t* high = reinterpret_cast<const uint32_t*>(a.high);
  asm("mma.sync.aligned.m16n8k16.row.col.f32." HIPPORT_LLM_PTX_TYPE
      ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sums.x), "+f"(sums.y), "+f"(sums.z), "+f"(sums.w)
      : "r"(low[0]), "r"(high[0]), "r"(low[1]), "r"(high[1]), "r"(*reinterpret_cast<const uint32_t*>(&b0)),
        "r"(*reinterpret_cast<const uint32_t*>(&b1)));
}

// Writes a lane's sums as [vector][16 rows]: lane 4g + t holds rows g and g + 8 of vectors 2t and 2t + 1.
template <int Count>
__device__ inline void store_products(const float4& own, float* sums, int lane) {
  const int row = lane / 4, vector = 2 * (lane % 4);
  if (vector < Count) {
    sums[vector * kTileRows + row] = own.x;
    sums[vector * kTileRows + row + 8] = own.z;
  }
  if (vector + 1 < Count) {
    sums[(vector + 1) * kTileRows + row] = own.y;
    sums[(vector + 1) * kTileRows + row + 8] = own.w;
  }
}

template <int Count>
class Products {
 public:
  static_assert(Count <= 8, "a matrix multiplication has 8 columns");
  static constexpr int kTilesAtOnce = 8 / Format::kBlocks;

  // Adds the product of one tile, whose first column is `column`, with the vectors. Columns of the product that belong
  // to no vector are undefined.
  __device__ void add(const uint8_t* tile, const Vectors& vectors, int column, int lane) {
    const Format::Lane weights(tile, lane);
    const Number* own = vectors.values + lane / 4 % Count * vectors.stride + column + lane % 4 * 8;
#pragma unroll
    for (int group = 0; group < Format::kGroups; ++group) add_group(weights, group, own);
  }

  __device__ void store(float* sums, int lane) const { store_products<Count>(sums_, sums, lane); }

 private:
  __device__ void add_group(const Format::Lane& weights, int group, const Number* own) {
    float4 sums = Format::kScaled ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : sums_;
#pragma unroll
    for (int i = 0; i < Format::kGroupBlocks; ++i) {
      const int block = group * Format::kGroupBlocks + i;
      const Eight x = load8(own + block * kBlockColumns);
      multiply_add(sums, weights.first(block), x.pair(0), x.pair(1));
      multiply_add(sums, weights.second(block), x.pair(2), x.pair(3));
    }
    if constexpr (Format::kScaled)
      scale(sums, weights.scales(group));
    else
      sums_ = sums;
  }

  __device__ void scale(const float4& sums, float2 scales) {
    sums_.x = fmaf(scales.x, sums.x, sums_.x);
    sums_.z = fmaf(scales.y, sums.z, sums_.z);
    if (Count > 1) {
      sums_.y = fmaf(scales.x, sums.y, sums_.y);
      sums_.w = fmaf(scales.y, sums.w, sums_.w);
    }
  }

  float4 sums_ = {};
};

#else

// Each lane sums the products of its own weights of rows g and g + 8.
template <int Count>
class Products {
 public:
  // Adds the product of one tile, whose first column is `column`, with the vectors.
  __device__ void add(const uint8_t* tile, const Vectors& vectors, int column, int lane) {
    add(Format::Lane(tile, lane), vectors, column, lane);
  }

  // The same with a tile whose weights have been loaded.
  __device__ void add(const Format::Lane& weights, const Vectors& vectors, int column, int lane) {
    const Number* own = vectors.values + column + lane % 4 * 8;
#pragma unroll
    for (int group = 0; group < Format::kGroups; ++group) add_group(weights, group, own, vectors.stride);
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
  __device__ void add_group(const Format::Lane& weights, int group, const Number* own, int stride) {
    const float2 scales = weights.scales(group);
#pragma unroll
    for (int i = 0; i < Format::kGroupBlocks; ++i) {
      const int block = group * Format::kGroupBlocks + i;
      if (Count > 4 && i > 0 && i % 2 == 0) keep_order();
      const Fragment parts[2] = {weights.first(block), weights.second(block)};
#pragma unroll
      for (int vector = 0; vector < Count; ++vector) {
        const Eight x = load8(own + vector * stride + block * kBlockColumns);
        float low = 0.0f, high = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          low = dot2(parts[j / 2].low[j % 2], x.pair(j), low);
          high = dot2(parts[j / 2].high[j % 2], x.pair(j), high);
        }
        low_[vector] = fmaf(scales.x, low, low_[vector]);
        high_[vector] = fmaf(scales.y, high, high_[vector]);
      }
    }
  }

  float low_[Count] = {}, high_[Count] = {};
};

#endif

}  // namespace hipport_llm

#endif
