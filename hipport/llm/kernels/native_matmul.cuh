// Multiplies a matrix in a format of a model file with many tokens on matrix units. A block decodes 64 columns of its
// rows at a time to 16 bits, in shared memory.
#ifndef HIPPORT_LLM_NATIVE_MATMUL_CUH
#define HIPPORT_LLM_NATIVE_MATMUL_CUH

#include "matrix_unit.cuh"
#include "native_matvec.cuh"

namespace hipport_llm {

// What a block computes: `Down` x 16 rows of each unit, for `Across` x 16 tokens. The host asks the device for it
// (block_shapes_kernel).
struct NativeDivision {
  static constexpr int kDown = Unit::kSpread ? 1 : 2, kAcross = Unit::kSpread ? 1 : 4;
  struct Own {
    static constexpr int kRowTiles = kUnits * kDown, kTokens = kAcross * 16;
  };
  static constexpr int kRows = Own::kRowTiles * 16;
};

template <typename Format>
__device__ __forceinline__ void decode_panel(const NativeMatrix& matrix, int first_row, int stage, const Panels& to) {
  for (int i = threadIdx.x; i < NativeDivision::kRows * 8; i += kUnitThreads) {
    float weights[8];
    // Rows beyond the matrix repeat its last one; their results are not used.
    Format::load(matrix, min(first_row + i / 8, matrix.rows - 1), stage * 8 + i % 8, weights);
    Eight eight;
#pragma unroll
    for (int j = 0; j < 4; ++j) eight.set(j, pair_of(weights[2 * j], weights[2 * j + 1]));
    to.store(i / 8, i % 8, eight);
  }
}

// Grid: (tokens, rows, splits of the columns).
template <typename Format>
__global__ void __launch_bounds__(kUnitThreads)
    native_matmul_kernel(NativeMatrix matrix, Activations activations, int tokens, NativeSums out) {
  using Division = NativeDivision;
  constexpr int kTokens = Division::Own::kTokens;
  __shared__ __align__(128) uint8_t shared[(Division::kRows + kTokens) * Panels::kRowBytes];
  const Panels rows(shared, Division::kRows), columns(shared + Division::kRows * Panels::kRowBytes, kTokens);
  const int lane = threadIdx.x % Unit::kLanes, own = threadIdx.x / Unit::kLanes * Division::kDown * 16;
  const int first_row = blockIdx.y * Division::kRows, first_token = blockIdx.x * kTokens;
  typename Unit::Sums sums[Division::kDown][Division::kAcross];
  const int stages = matrix.columns / 64;
  for (int stage = blockIdx.z; stage < stages; stage += gridDim.z) {
    __syncthreads();
    decode_panel<Format>(matrix, first_row, stage, rows);
    for (int i = threadIdx.x; i < kTokens * 8; i += kUnitThreads) {
      const int64_t token = min(first_token + i / 8, tokens - 1);
      columns.store(i / 8, i % 8, load8(activations.values + token * activations.stride + stage * 64 + i % 8 * 8));
    }
    __syncthreads();
#pragma unroll
    for (int block = 0; block < 2; ++block) {
      typename Unit::PanelRows a[Division::kDown];
#pragma unroll
      for (int r = 0; r < Division::kDown; ++r) a[r] = typename Unit::PanelRows(rows, own + r * 16, block, lane);
#pragma unroll
      for (int c = 0; c < Division::kAcross; ++c) {
        const typename Unit::PanelColumns b(columns, c * 16, block, lane);
#pragma unroll
        for (int r = 0; r < Division::kDown; ++r) Unit::multiply_add(sums[r][c], a[r], b);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < Division::kDown; ++r)
#pragma unroll
    for (int c = 0; c < Division::kAcross; ++c) {
      const auto results = Unit::finish(sums[r][c], lane);
#pragma unroll
      for (int i = 0; i < Unit::kPairs; ++i) {
        const int row = first_row + own + r * 16 + Unit::row(lane, i);
        const int token = first_token + c * 16 + Unit::column(lane, i);
        if (token >= tokens) continue;
        if (row < matrix.rows) *out.at(blockIdx.z, token, row) = results.low[i];
        if (row + 8 < matrix.rows) *out.at(blockIdx.z, token, row + 8) = results.high[i];
      }
    }
}

}  // namespace hipport_llm

#endif
