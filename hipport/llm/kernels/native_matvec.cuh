// Multiplies a matrix in a format of a model file with a few vectors. A warp takes four rows; its lanes take 32
// neighboring columns each, in turn, so that most loads are of 16 bytes.
#ifndef HIPPORT_LLM_NATIVE_MATVEC_CUH
#define HIPPORT_LLM_NATIVE_MATVEC_CUH

#include "native_formats.cuh"
#include "prompt_chunk.h"

namespace hipport_llm {

constexpr int kMatvecRows = 4;
constexpr int kMatvecThreads = 4 * kLanes;
constexpr int kMatvecBlockRows = kMatvecThreads / kLanes * kMatvecRows;
// Columns that a warp takes at once.
constexpr int kMatvecColumns = 32 * kLanes;

// Sums of products: [split][token][stride] of rows.
struct NativeSums {
  float* values;
  int stride, tokens;

  __device__ float* at(int split, int token, int row) const {
    return values + (static_cast<int64_t>(split) * tokens + token) * stride + row;
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

// Grid: (rows, splits of the columns, tokens). `Count` tokens at a time.
template <typename Format, int Count>
__global__ void __launch_bounds__(kMatvecThreads)
    native_matvec_kernel(NativeMatrix matrix, Activations activations, NativeSums out) {
  const int lane = threadIdx.x % kLanes, warp = blockIdx.x * (kMatvecThreads / kLanes) + threadIdx.x / kLanes;
  const int first = warp * kMatvecRows, quarters = matrix.columns / 32, splits = gridDim.y;
  const int first_token = blockIdx.z * Count;
  if (first >= matrix.rows) return;
  float sums[kMatvecRows][Count] = {};
  for (int quarter = blockIdx.y * kLanes + lane; quarter < quarters; quarter += splits * kLanes) {
    StoredCodes<typename Format::Codes, 4> stored[kMatvecRows];
    NativeScale own[kMatvecRows];
#pragma unroll
    for (int i = 0; i < kMatvecRows; ++i) {
      const int row = min(first + i, matrix.rows - 1);
      stored[i].load(matrix, matrix.eighth(row, quarter * 4));
      own[i] = Format::Scales::at(matrix, row, quarter * 32);
    }
#pragma unroll
    for (int eighth = 0; eighth < 4; ++eighth) {
      MatvecInputs<Count> x;
      x.load(activations, first_token, out.tokens, quarter * 4 + eighth);
      const bool other = eighth > 0 && (eighth * 8 & ((1 << matrix.group_shift) - 1)) == 0;  // group
#pragma unroll
      for (int i = 0; i < kMatvecRows; ++i) {
        if (other) own[i] = Format::Scales::at(matrix, min(first + i, matrix.rows - 1), quarter * 32 + eighth * 8);
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
#pragma unroll
  for (int i = 0; i < kMatvecRows; ++i)
#pragma unroll
    for (int token = 0; token < Count; ++token) {
      const float sum = sum_lanes<kLanes>(sums[i][token]);
      if (lane == 0 && first + i < matrix.rows && first_token + token < out.tokens)
        *out.at(blockIdx.y, first_token + token, first + i) = sum;
    }
}

}  // namespace hipport_llm

#endif
