// Multiplies matrices in a format of a model file with a few vectors. A lane takes 32 neighboring columns of some rows,
// eight rows apart from each other; the lanes of a warp take neighboring rows and columns, so that loads are contiguous.
#ifndef HIPPORT_LLM_NATIVE_MATVEC_CUH
#define HIPPORT_LLM_NATIVE_MATVEC_CUH

#include "native_formats.cuh"
#include "prompt_chunk.h"

namespace hipport_llm {

constexpr int kMatvecWarps = 4, kMatvecThreads = kMatvecWarps * kLanes;
// Rows of a block: kMatvecEach for each lane.
constexpr int kMatvecEach = 4, kMatvecRows = kMatvecEach * kNativeRows;
// Pieces of 32 columns that a warp and a block take at once.
constexpr int kWarpQuarters = kLanes / kNativeRows, kMatvecQuarters = kMatvecWarps * kWarpQuarters;

// Sums of products: [split][token][stride] of rows.
struct NativeSums {
  float* values;
  int stride, tokens;

  __device__ float* at(int split, int token, int row) const {
    return values + (static_cast<int64_t>(split) * tokens + token) * stride + row;
  }
};

// Blocks among which the columns of a product are split at most.
constexpr int kMostColumnSplits = 8;

// A product whose columns were split.
struct SplitSums {
  NativeSums sums;
  int splits;

  __device__ float at(int token, int row) const {
    float values[1];
    load(token, row, values);
    return values[0];
  }

  // The sums of some rows, a multiple of their number and those that follow. Loads all splits before it adds the first,
  // since each access takes a microsecond.
  template <int Rows>
  __device__ void load(int token, int row, float (&values)[Rows]) const {
    const float* from = sums.at(0, token, row);
    if (splits == 1) return load_rows(from, values);
    const int64_t stride = static_cast<int64_t>(sums.tokens) * sums.stride;
    float parts[kMostColumnSplits][Rows];
#pragma unroll
    for (int i = 0; i < kMostColumnSplits; ++i)
      if (i < splits) load_rows(from + i * stride, parts[i]);
#pragma unroll
    for (int j = 0; j < Rows; ++j) values[j] = 0.0f;
#pragma unroll
    for (int i = 0; i < kMostColumnSplits; ++i)
#pragma unroll
      for (int j = 0; j < Rows; ++j) values[j] += i < splits ? parts[i][j] : 0.0f;
  }

 private:
  template <int Rows>
  __device__ static void load_rows(const float* from, float (&values)[Rows]) {
    static_assert(Rows == 1 || Rows % 4 == 0, "one or fours");
    if constexpr (Rows == 1) {
      values[0] = *from;
    } else {
#pragma unroll
      for (int i = 0; i < Rows; i += 4) {
        const float4 four = *reinterpret_cast<const float4*>(from + i);
        values[i] = four.x, values[i + 1] = four.y, values[i + 2] = four.z, values[i + 3] = four.w;
      }
    }
  }
};

template <int Count>
struct MatvecInputs {
  float values[Count][8];
  float total[Count];  // for minimums

  // Tokens from `first` on; beyond the last of `tokens`, that one again.
  __device__ void load(const Activations& activations, int first, int tokens, int eighth) {
#pragma unroll
    for (int token = 0; token < Count; ++token) {
      const int64_t from = min(first + token, tokens - 1);
      const Eight eight = load8(activations.values + from * activations.stride + eighth * 8);
      total[token] = 0.0f;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 pair = floats_of(eight.pair(i));
        values[token][2 * i] = pair.x;
        values[token][2 * i + 1] = pair.y;
        total[token] += pair.x + pair.y;
      }
    }
  }
};

// Adds the products of columns 32 * `quarter` .. + 31 of some rows.
template <typename Format, int Count>
__device__ __forceinline__ void add_quarter(const NativeMatrix& matrix, const NativeRow (&rows)[kMatvecEach],
                                            int quarter, const Activations& activations, int first_token, int tokens,
                                            float (&sums)[kMatvecEach][Count]) {
  StoredCodes<typename Format::Codes, 4> stored[kMatvecEach];
  NativeScale own[kMatvecEach];
#pragma unroll
  for (int i = 0; i < kMatvecEach; ++i) {
    stored[i].load(matrix, rows[i], quarter * 4);
    own[i] = Format::scale(matrix, rows[i], quarter * 32);
  }
#pragma unroll
  for (int eighth = 0; eighth < 4; ++eighth) {
    MatvecInputs<Count> x;
    x.load(activations, first_token, tokens, quarter * 4 + eighth);
    const bool other = eighth == 2 && matrix.group_shift < 5;  // group
#pragma unroll
    for (int i = 0; i < kMatvecEach; ++i) {
      if (other) own[i] = Format::scale(matrix, rows[i], quarter * 32 + 16);
      float codes[8];
      stored[i].decode(eighth, codes);
#pragma unroll
      for (int token = 0; token < Count; ++token) {
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < 8; ++j) sum = fmaf(codes[j], x.values[token][j], sum);
        sums[i][token] = fmaf(own[i].scale, sum, sums[i][token]);
        if (Format::Scales::kMinimums) sums[i][token] = fmaf(-own[i].minimum, x.total[token], sums[i][token]);
      }
    }
  }
}

// Grid: (rows, splits of the columns, tokens). `Count` tokens at a time.
template <typename Format, int Count>
__global__ void __launch_bounds__(kMatvecThreads)
    native_matvec_kernel(NativeParts parts, Activations activations, NativeSums out) {
  __shared__ float shared[kMatvecWarps][kMatvecRows * Count];
  const NativePart part(parts, blockIdx.x, kMatvecRows);
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, own = lane % kNativeRows;
  const int quarters = part.matrix.columns / 32, first_token = blockIdx.z * Count;
  NativeRow rows[kMatvecEach];
#pragma unroll
  for (int i = 0; i < kMatvecEach; ++i)
    rows[i] = NativeRow(part.matrix, min(part.first + own + i * kNativeRows, part.matrix.rows - 1));
  float sums[kMatvecEach][Count] = {};
  for (int quarter = blockIdx.y * kMatvecQuarters + warp * kWarpQuarters + lane / kNativeRows; quarter < quarters;
       quarter += gridDim.y * kMatvecQuarters)
    add_quarter<Format>(part.matrix, rows, quarter, activations, first_token, out.tokens, sums);
#pragma unroll
  for (int i = 0; i < kMatvecEach; ++i)
#pragma unroll
    for (int token = 0; token < Count; ++token) {
      float sum = sums[i][token];
#pragma unroll
      for (int distance = kNativeRows; distance < kLanes; distance *= 2)
        sum += __shfl_xor_sync(kAllLanes, sum, distance, kLanes);
      if (lane < kNativeRows) shared[warp][(i * kNativeRows + own) * Count + token] = sum;
    }
  __syncthreads();
  for (int i = threadIdx.x; i < kMatvecRows * Count; i += kMatvecThreads) {
    const int row = part.first + i / Count, token = first_token + i % Count;
    if (row >= part.matrix.rows || token >= out.tokens) continue;
    float sum = 0.0f;
#pragma unroll
    for (int other = 0; other < kMatvecWarps; ++other) sum += shared[other][i];
    *out.at(blockIdx.y, token, part.above + row) = sum;
  }
}

}  // namespace hipport_llm

#endif
