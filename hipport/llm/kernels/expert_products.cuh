// Products of the tokens of mixtures of experts, each with the matrices of its own experts, in the formats of model
// files. The matrices of all experts are one, one below the other.
#ifndef HIPPORT_LLM_EXPERT_PRODUCTS_CUH
#define HIPPORT_LLM_EXPERT_PRODUCTS_CUH

#include "activation.cuh"
#include "expert_choice.cuh"
#include "native_epilogue.cuh"
#include "matrix_unit.cuh"
#include "native_matvec.cuh"

namespace hipport_llm {

// The vectors that pairs are multiplied with: pair i has vector i / `share`.
struct PairVectors {
  Activations activations;
  int share;

  __device__ const Number* of(int pair) const {
    return activations.values + static_cast<int64_t>(pair / share) * activations.stride;
  }
};

// For few pairs. Grid: (rows, splits of the columns, pairs). `rows` are those of an expert, a multiple of kNativeRows.
// Lanes take rows and columns as in native_matvec_kernel.
template <typename Format>
__global__ void __launch_bounds__(kMatvecThreads)
    expert_matvec_kernel(NativeMatrix matrix, int rows, PairVectors vectors, const int* experts, NativeSums out) {
  __shared__ float shared[kMatvecWarps][kMatvecRows];
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, own = lane % kNativeRows;
  const int first = blockIdx.x * kMatvecRows, quarters = matrix.columns / 32, pair = blockIdx.z;
  const int expert = experts[pair];
  if (expert < 0) return;
  const Activations vector = {vectors.of(pair), 0};
  NativeRow of[kMatvecEach];
#pragma unroll
  for (int i = 0; i < kMatvecEach; ++i)
    of[i] = NativeRow(matrix, min(expert * rows + first + own + i * kNativeRows, matrix.rows - 1));
  float sums[kMatvecEach][1] = {};
  for (int quarter = blockIdx.y * kMatvecQuarters + warp * kWarpQuarters + lane / kNativeRows; quarter < quarters;
       quarter += gridDim.y * kMatvecQuarters)
    add_quarter<Format>(matrix, of, quarter, vector, 0, 1, sums);
#pragma unroll
  for (int i = 0; i < kMatvecEach; ++i) {
    float sum = sums[i][0];
#pragma unroll
    for (int distance = kNativeRows; distance < kLanes; distance *= 2)
      sum += __shfl_xor_sync(kAllLanes, sum, distance, kLanes);
    if (lane < kNativeRows) shared[warp][i * kNativeRows + own] = sum;
  }
  __syncthreads();
  const int row = threadIdx.x;
  if (row >= kMatvecRows || first + row >= rows) return;
  float sum = 0.0f;
#pragma unroll
  for (int other = 0; other < kMatvecWarps; ++other) sum += shared[other][row];
  *out.at(blockIdx.y, pair, first + row) = sum;
}

// What a block of the kernel for many pairs computes: `kDown` x 16 rows of each unit, for kAcross x 16 pairs of one
// expert. The host asks the device for it (block_shapes_kernel).
struct ExpertDivision {
  static constexpr int kDown = Unit::kSpread ? 1 : 2, kAcross = Unit::kSpread ? 1 : 4;
  struct Own {
    static constexpr int kRowTiles = kUnits * kDown, kTokens = kAcross * 16;
  };
  static constexpr int kRows = Own::kRowTiles * 16;
};

// Decodes 64 columns of a block's rows to shared memory.
template <typename Format>
__device__ __forceinline__ void decode_panel(const NativeMatrix& matrix, int first_row, int stage, const Panels& to) {
  for (int i = threadIdx.x; i < ExpertDivision::kRows * 8; i += kUnitThreads) {
    float weights[8];
    // Rows beyond the matrix repeat its last one; their results are not used.
    Format::load(matrix, NativeRow(matrix, min(first_row + i / 8, matrix.rows - 1)), stage * 8 + i % 8, weights);
    Eight eight;
#pragma unroll
    for (int j = 0; j < 4; ++j) eight.set(j, pair_of(weights[2 * j], weights[2 * j + 1]));
    to.store(i / 8, i % 8, eight);
  }
}

// For many pairs, sorted by expert, on matrix units. Grid: (tiles, rows). Tiles are of ExpertDivision::Own::kTokens.
template <typename Format>
__global__ void __launch_bounds__(kUnitThreads)
    expert_matmul_kernel(NativeMatrix matrix, int rows, PairVectors vectors, ExpertOrder order, NativeSums out) {
  using Division = ExpertDivision;
  constexpr int kTokens = Division::Own::kTokens;
  __shared__ __align__(128) uint8_t shared[(Division::kRows + kTokens) * Panels::kRowBytes];
  __shared__ int pairs[kTokens];
  const ExpertTile tile = order.tiles[blockIdx.x];
  if (tile.count == 0) return;
  const Panels panel(shared, Division::kRows), columns(shared + Division::kRows * Panels::kRowBytes, kTokens);
  const int lane = threadIdx.x % Unit::kLanes, own = threadIdx.x / Unit::kLanes * Division::kDown * 16;
  const int first_row = blockIdx.y * Division::kRows;
  for (int i = threadIdx.x; i < kTokens; i += kUnitThreads) pairs[i] = order.pairs[tile.first + min(i, tile.count - 1)];
  typename Unit::Sums sums[Division::kDown][Division::kAcross];
  for (int stage = 0; stage < matrix.columns / 64; ++stage) {
    __syncthreads();
    decode_panel<Format>(matrix, tile.expert * rows + first_row, stage, panel);
    for (int i = threadIdx.x; i < kTokens * 8; i += kUnitThreads)
      columns.store(i / 8, i % 8, load8(vectors.of(pairs[i / 8]) + stage * 64 + i % 8 * 8));
    __syncthreads();
#pragma unroll
    for (int block = 0; block < 2; ++block) {
      typename Unit::PanelRows a[Division::kDown];
#pragma unroll
      for (int r = 0; r < Division::kDown; ++r) a[r] = typename Unit::PanelRows(panel, own + r * 16, block, lane);
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
        const int row = first_row + own + r * 16 + Unit::row(lane, i), at = c * 16 + Unit::column(lane, i);
        if (at >= tile.count) continue;
        if (row < rows) *out.at(0, pairs[at], row) = results.low[i];
        if (row + 8 < rows) *out.at(0, pairs[at], row + 8) = results.high[i];
      }
    }
}

__device__ inline float sum_of_splits(const NativeSums& sums, int splits, int pair, int row) {
  float sum = 0.0f;
  for (int split = 0; split < splits; ++split) sum += *sums.at(split, pair, row);
  return sum;
}

// The sums of a product with the experts' matrices, to which their biases, [expert][stride], are added.
struct ExpertSums {
  NativeSums sums;
  int splits;
  const Number* bias;  // or null
  int bias_stride;

  __device__ float at(int pair, int expert, int row) const {
    const float added = bias == nullptr ? 0.0f : float_of(bias[static_cast<int64_t>(expert) * bias_stride + row]);
    return sum_of_splits(sums, splits, pair, row) + added;
  }
};

// Grid: (hidden, pairs). Rows of gate, then those of up.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    expert_hidden_kernel(ExpertSums from, const int* experts, Activation activation, int width, Number* hidden) {
  const int row = blockIdx.x * Threads + threadIdx.x, pair = blockIdx.y, expert = experts[pair];
  if (row >= width) return;
  const float value =
      expert < 0 ? 0.0f : activated(activation, from.at(pair, expert, row), from.at(pair, expert, width + row));
  hidden[static_cast<int64_t>(pair) * width + row] = number_of(value);
}

// Grid: (width, tokens). Adds the experts' results, weighted, to a token's row.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    expert_output_kernel(ExpertSums from, ChosenExperts chosen, int count, bool replaces, int width, float* to) {
  const int row = blockIdx.x * Threads + threadIdx.x, token = blockIdx.y;
  if (row >= width) return;
  float sum = 0.0f;
  for (int pair = token * count; pair < (token + 1) * count; ++pair) {
    const int expert = chosen.experts[pair];
    if (expert >= 0) sum = fmaf(chosen.weights[pair], from.at(pair, expert, row), sum);
  }
  float* own = to + static_cast<int64_t>(token) * width + row;
  *own = replaces ? sum : *own + sum;
}

}  // namespace hipport_llm

#endif
