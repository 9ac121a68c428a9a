// Products of the tokens of mixtures of experts, each with the matrices of its own experts, in the formats of model
// files. The matrices of all experts are one, one below the other.
#ifndef HIPPORT_LLM_EXPERT_PRODUCTS_CUH
#define HIPPORT_LLM_EXPERT_PRODUCTS_CUH

#include "activation.cuh"
#include "expert_choice.cuh"
#include "native_epilogue.cuh"
#include "native_matmul.cuh"

namespace hipport_llm {

// The vectors that pairs are multiplied with: pair i has vector i / `share`.
struct PairVectors {
  Activations activations;
  int share;

  __device__ const Number* of(int pair) const {
    return activations.values + static_cast<int64_t>(pair / share) * activations.stride;
  }
};

// Matrices of one format that one launch multiplies pairs with: in each, experts have `rows` rows, a multiple of
// kNativeRows. The rows of the results are one below the other.
struct ExpertParts {
  static constexpr int kMost = 2;
  NativeMatrix matrices[kMost];
  int count, rows;

  __host__ __device__ int blocks_of_each(int block_rows) const { return (rows + block_rows - 1) / block_rows; }
  __host__ int blocks(int block_rows) const { return count * blocks_of_each(block_rows); }
};

// The matrix of a block, the block's first row within an expert's, and what is above the expert's in the results.
struct ExpertPart {
  NativeMatrix matrix;
  int first, above;

  __device__ ExpertPart(const ExpertParts& parts, int block, int block_rows) : matrix(parts.matrices[0]), above(0) {
    const int passed = parts.blocks_of_each(block_rows);
    if (block >= passed) {
      block -= passed;
      above = parts.rows;
      matrix = parts.matrices[1];
    }
    first = block * block_rows;
  }
};

// For few pairs, on matrix units. Grid: (rows, splits of the columns, pairs).
template <typename Format>
__global__ void __launch_bounds__(kUnitThreads, FewDivision::kResident)
    expert_units_kernel(ExpertParts parts, PairVectors vectors, const int* experts, NativeSums out) {
  using Division = FewDivision;
  using Product = NativeProduct<Format, Division>;
  __shared__ __align__(128) typename Product::Shared shared;
  const ExpertPart part(parts, blockIdx.x, Division::Own::kRowTiles * 16);
  const StageRange stages(part.matrix.columns, blockIdx.y, gridDim.y);
  await_previous_kernel();
  const int pair = blockIdx.z, expert = experts[pair];
  if (expert < 0) return;
  Product product(part.matrix, expert * parts.rows + part.first);
  typename Product::Weights next;
  if (stages.first < stages.end) product.load(stages.first, next);
  product.add_stages(next, {vectors.of(pair), 0}, 0, 1, stages.first, stages.end, shared);
  product.write([&](int row, int token, float sum) {
    const int own = row - expert * parts.rows;
    if (own < parts.rows && token == 0) *out.at(blockIdx.y, pair, part.above + own) = sum;
  });
}

// For few pairs. Grid: (rows, splits of the columns, pairs). Lanes take rows and columns as in native_matvec_kernel.
template <typename Format>
__global__ void __launch_bounds__(kMatvecThreads)
    expert_matvec_kernel(ExpertParts parts, PairVectors vectors, const int* experts, NativeSums out) {
  await_previous_kernel();
  __shared__ float shared[kMatvecWarps][kMatvecRows];
  const ExpertPart part(parts, blockIdx.x, kMatvecRows);
  const NativeMatrix& matrix = part.matrix;
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, own = lane % kNativeRows, rows = parts.rows;
  const int first = part.first, quarters = matrix.columns / 32, pair = blockIdx.z;
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
  *out.at(blockIdx.y, pair, part.above + first + row) = sum;
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
    expert_matmul_kernel(ExpertParts parts, PairVectors vectors, ExpertOrder order, NativeSums out) {
  await_previous_kernel();
  using Division = ExpertDivision;
  constexpr int kTokens = Division::Own::kTokens;
  __shared__ __align__(128) uint8_t shared[(Division::kRows + kTokens) * Panels::kRowBytes];
  __shared__ int pairs[kTokens];
  const ExpertTile tile = order.tiles[blockIdx.x];
  if (tile.count == 0) return;
  const Panels panel(shared, Division::kRows), columns(shared + Division::kRows * Panels::kRowBytes, kTokens);
  const int lane = threadIdx.x % Unit::kLanes, own = threadIdx.x / Unit::kLanes * Division::kDown * 16;
  const ExpertPart part(parts, blockIdx.y, Division::kRows);
  const NativeMatrix& matrix = part.matrix;
  const int rows = parts.rows, first_row = part.first, above = part.above;
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
        if (row < rows) *out.at(0, pairs[at], above + row) = results.low[i];
        if (row + 8 < rows) *out.at(0, pairs[at], above + row + 8) = results.high[i];
      }
    }
}

// The sums of a product with the experts' matrices, to which their biases, [expert][stride], are added.
struct ExpertSums {
  SplitSums sums;
  const Number* bias;  // or null
  int bias_stride;

  // Those of some rows from `row` on, a multiple of their number.
  template <int Rows>
  __device__ void load(int pair, int expert, int row, float (&values)[Rows]) const {
    sums.load(pair, row, values);
    if (bias == nullptr) return;
    const Number* own = bias + static_cast<int64_t>(expert) * bias_stride + row;
#pragma unroll
    for (int i = 0; i < Rows; ++i) values[i] += float_of(own[i]);
  }
};

// Grid: (hidden, pairs). Rows of gate, then those of up; a thread has `Each`.
template <int Threads, int Each>
__global__ void __launch_bounds__(Threads)
    expert_hidden_kernel(ExpertSums from, const int* experts, Activation activation, int width, Number* hidden) {
  await_previous_kernel();
  const int row = (blockIdx.x * Threads + threadIdx.x) * Each, pair = blockIdx.y, expert = experts[pair];
  if (row >= width) return;
  float gate[Each] = {}, up[Each] = {};
  if (expert >= 0) {
    from.load(pair, expert, row, gate);
    from.load(pair, expert, width + row, up);
  }
  Number* to = hidden + static_cast<int64_t>(pair) * width + row;
#pragma unroll
  for (int i = 0; i < Each; ++i) to[i] = number_of(expert < 0 ? 0.0f : activated(activation, gate[i], up[i]));
}

// Rows of a block of the next kernel for few tokens; the threads share the pairs of each.
constexpr int kOutputRows = 64;

// Adds `Each` of the experts' results, weighted, to a token's row: those of pairs `first` of the token and each `step` after
// it.
template <int Each>
__device__ __forceinline__ void add_weighted(const ExpertSums& from, const ChosenExperts& chosen, int token, int count,
                                             int first, int step, int row, float (&sums)[Each]) {
#pragma unroll 4
  for (int i = first; i < count; i += step) {
    const int pair = token * count + i, expert = chosen.experts[pair];
    const float weight = chosen.weights[pair];
    float made[Each];
    from.load(pair, max(expert, 0), row, made);
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if (expert >= 0) sums[j] = fmaf(weight, made[j], sums[j]);
  }
}

// Grid: (width, tokens). Adds the experts' results, weighted, to a token's row.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    expert_output_kernel(ExpertSums from, ChosenExperts chosen, int count, bool replaces, int width, float* to) {
  constexpr int groups = Threads / kOutputRows;
  __shared__ float sums[groups][kOutputRows];
  await_previous_kernel();
  const int own = threadIdx.x % kOutputRows, group = threadIdx.x / kOutputRows;
  const int row = blockIdx.x * kOutputRows + own, token = blockIdx.y;
  float sum[1] = {};
  add_weighted(from, chosen, token, count, group, groups, min(row, width - 1), sum);
  sums[group][own] = sum[0];
  __syncthreads();
  if (group != 0 || row >= width) return;
#pragma unroll
  for (int other = 1; other < groups; ++other) sum[0] += sums[other][own];
  float* result = to + static_cast<int64_t>(token) * width + row;
  *result = replaces ? sum[0] : *result + sum[0];
}

// The same for many tokens: a thread has four rows, and all pairs of them.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    expert_outputs_kernel(ExpertSums from, ChosenExperts chosen, int count, bool replaces, int width, float* to) {
  await_previous_kernel();
  const int row = (blockIdx.x * Threads + threadIdx.x) * 4, token = blockIdx.y;
  if (row >= width) return;
  float4* result = reinterpret_cast<float4*>(to + static_cast<int64_t>(token) * width + row);
  const float4 before = replaces ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *result;
  float sums[4] = {};
  add_weighted(from, chosen, token, count, 0, 1, row, sums);
  *result = make_float4(before.x + sums[0], before.y + sums[1], before.z + sums[2], before.w + sums[3]);
}

}  // namespace hipport_llm

#endif
