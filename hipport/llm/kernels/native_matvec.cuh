// Multiplies a matrix in a format of a model file with a few vectors. A warp takes four rows; its lanes take eight
// neighboring columns each, in turn.
#ifndef HIPPORT_LLM_NATIVE_MATVEC_CUH
#define HIPPORT_LLM_NATIVE_MATVEC_CUH

#include "native_formats.cuh"
#include "prompt_chunk.h"

namespace hipport_llm {

constexpr int kMatvecRows = 4;
constexpr int kMatvecThreads = 4 * kLanes;
constexpr int kMatvecBlockRows = kMatvecThreads / kLanes * kMatvecRows;
// Columns that a warp takes at once.
constexpr int kMatvecColumns = 8 * kLanes;

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

  __device__ void load(const Activations& activations, int eighth) {
#pragma unroll
    for (int token = 0; token < Count; ++token) {
      const Eight eight = load8(activations.values + static_cast<int64_t>(token) * activations.stride + eighth * 8);
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

// Grid: (rows, splits of the columns). `Count` vectors.
template <typename Format, int Count>
__global__ void __launch_bounds__(kMatvecThreads)
    native_matvec_kernel(NativeMatrix matrix, Activations activations, NativeSums out) {
  const int lane = threadIdx.x % kLanes, warp = blockIdx.x * (kMatvecThreads / kLanes) + threadIdx.x / kLanes;
  const int first = warp * kMatvecRows, eighths = matrix.columns / 8, splits = gridDim.y;
  if (first >= matrix.rows) return;
  float sums[kMatvecRows][Count] = {};
  for (int eighth = blockIdx.y * kLanes + lane; eighth < eighths; eighth += splits * kLanes) {
    MatvecInputs<Count> x;
    x.load(activations, eighth);
#pragma unroll
    for (int i = 0; i < kMatvecRows; ++i) {
      const int row = min(first + i, matrix.rows - 1);
      float codes[8];
      Format::Codes::load(matrix, matrix.eighth(row, eighth), codes);
      const NativeScale own = Format::Scales::at(matrix, row, eighth * 8);
#pragma unroll
      for (int token = 0; token < Count; ++token) {
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < 8; ++j) sum = fmaf(codes[j], x.values[token][j], sum);
        sums[i][token] = fmaf(own.scale, sum, sums[i][token]);
        if (Format::Scales::kMinimums) sums[i][token] = fmaf(-own.minimum, x.total[token], sums[i][token]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kMatvecRows; ++i)
#pragma unroll
    for (int token = 0; token < Count; ++token) {
      const float sum = sum_lanes<kLanes>(sums[i][token]);
      if (lane == 0 && first + i < matrix.rows && token < out.tokens) *out.at(blockIdx.y, token, first + i) = sum;
    }
}

}  // namespace hipport_llm

#endif
