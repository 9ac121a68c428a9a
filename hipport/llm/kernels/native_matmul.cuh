// Multiplies matrices in a format of a model file with some tokens on matrix units. A lane takes 32 neighboring columns
// of each row that it holds, and decodes them to 16 bits eight at a time.
#ifndef HIPPORT_LLM_NATIVE_MATMUL_CUH
#define HIPPORT_LLM_NATIVE_MATMUL_CUH

#include "early_start.cuh"
#include "matrix_unit.cuh"
#include "native_matvec.cuh"
#include "native_pairs.cuh"

namespace hipport_llm {

// What a block computes: `kDown` x 16 rows of each unit, for up to `Most` x 16 tokens. The host asks the device for it
// (block_shapes_kernel).
template <int Most>
struct NativeDivision {
  static constexpr int kDown = Most > 1 && Unit::kRowTiles >= 4 ? 2 : 1;
  // Units whose lanes hold much of the rows have no registers for more tokens.
  static constexpr int kAcross = Unit::kSpread ? 1 : Unit::Rows::kHeld > 2 && Most > 2 ? 2 : Most;
  struct Own {
    static constexpr int kRowTiles = kUnits * kDown, kTokens = kAcross * 16;
  };
};

// Columns of a stage: in the product's order, eighth 4 * b + e is eighth 4 * e + b of the matrix, so that the four
// eighths of a block are a lane's of four times 32 columns.
constexpr int kNativeColumns = 128;
__device__ constexpr int native_eighth(int eighth) { return eighth % 4 * 4 + eighth / 4; }

// The weights of a unit's 16 rows that a lane holds of a stage.
template <typename Format>
class NativeRows {
 public:
  using Rows = typename Unit::Rows;

  // Columns beyond the matrix repeat its last ones, as the activations there are 0.
  __device__ __forceinline__ void load(const NativeRow (&rows)[Rows::kHeld], const NativeMatrix& matrix, int stage,
                                       int lane) {
#pragma unroll
    for (int i = 0; i < Rows::kHeld; ++i) {
      const int quarter = min(stage * 4 + Rows::held_eighth(lane, i), matrix.columns / 32 - 1);
      codes_[i].load(matrix, rows[i], quarter * 4);
      scales_[i][0] = Format::Scales::load(matrix, rows[i], quarter * 32);
      if (matrix.group_shift < 5) scales_[i][1] = Format::Scales::load(matrix, rows[i], quarter * 32 + 16);
    }
  }

  // Sets what blocks from `block` on are multiplied with, where another group may begin.
  __device__ __forceinline__ void set_scales(int block, const NativeMatrix& matrix,
                                             PairScale (&scales)[Rows::kHeld]) const {
    if (block % 2 != 0 || (block == 2 && matrix.group_shift >= 5)) return;
#pragma unroll
    for (int i = 0; i < Rows::kHeld; ++i)
      scales[i] = PairScale(Format::Scales::of(scales_[i][block / 2]), pair_unit<Format>());
  }

  __device__ __forceinline__ Rows block(int block, const PairScale (&scales)[Rows::kHeld]) const {
    Eight eighths[Rows::kHeld];
#pragma unroll
    for (int i = 0; i < Rows::kHeld; ++i) eighths[i] = native_pairs<Format>(codes_[i], block, scales[i]);
    return Rows::of(eighths);
  }

 private:
  StoredCodes<typename Format::Codes, 4> codes_[Rows::kHeld];
  typename Format::Scales::Stored scales_[Rows::kHeld][2];
};

// The activations of a stage that a thread copies to shared memory.
template <int Tokens>
class NativeInputs {
 public:
  static constexpr int kEighths = kNativeColumns / 8, kCount = Tokens * kEighths / kUnitThreads;
  static_assert(kCount * kUnitThreads == Tokens * kEighths, "threads copy as much each");

  __device__ __forceinline__ void load(const Activations& activations, int first_token, int tokens, int columns,
                                       int stage) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int64_t token = min(first_token + place(i) / kEighths, tokens - 1);
      const int column = stage * kNativeColumns + place(i) % kEighths * 8;
      loaded_[i] = {make_uint4(0, 0, 0, 0)};
      if (column < columns) loaded_[i] = load8(activations.values + token * activations.stride + column);
    }
  }
  __device__ __forceinline__ void store(const Panels& to) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      to.store(place(i) / kEighths, native_eighth(place(i) % kEighths), native_order(loaded_[i]));
  }

 private:
  __device__ static int place(int i) { return static_cast<int>(threadIdx.x) + i * kUnitThreads; }

  Eight loaded_[kCount];
};

// A unit's part of a product.
template <typename Format, typename Division>
class NativeProduct {
 public:
  __device__ NativeProduct(const NativeMatrix& matrix, int first_row)
      : matrix_(matrix),
        lane_(threadIdx.x % Unit::kLanes),
        first_row_(first_row + static_cast<int>(threadIdx.x) / Unit::kLanes * Division::kDown * 16) {
    // Rows beyond the matrix repeat its last one; their results are not used.
#pragma unroll
    for (int r = 0; r < Division::kDown; ++r)
#pragma unroll
      for (int i = 0; i < Unit::Rows::kHeld; ++i)
        rows_[r][i] = NativeRow(matrix, min(first_row_ + r * 16 + Unit::Rows::held_row(lane_, i), matrix.rows - 1));
  }

  struct Weights {
    NativeRows<Format> rows[Division::kDown];
  };

  __device__ __forceinline__ void load(int stage, Weights& weights) const {
#pragma unroll
    for (int r = 0; r < Division::kDown; ++r) weights.rows[r].load(rows_[r], matrix_, stage, lane_);
  }

  __device__ __forceinline__ void add(const Panels& tokens, const Weights& weights) {
    PairScale scales[Division::kDown][Unit::Rows::kHeld];
#pragma unroll
    for (int block = 0; block < kNativeColumns / 32; ++block) {
      keep_order();
      typename Unit::Rows a[Division::kDown];
#pragma unroll
      for (int r = 0; r < Division::kDown; ++r) {
        weights.rows[r].set_scales(block, matrix_, scales[r]);
        a[r] = weights.rows[r].block(block, scales[r]);
      }
#pragma unroll
      for (int c = 0; c < Division::kAcross; ++c) {
        const typename Unit::Columns b(tokens, c * 16, block, lane_);
#pragma unroll
        for (int r = 0; r < Division::kDown; ++r) Unit::multiply_add(sums_[r][c], a[r], b);
      }
    }
  }

  __device__ __forceinline__ void write(const NativeSums& out, int above, int first_token) const {
#pragma unroll
    for (int r = 0; r < Division::kDown; ++r)
#pragma unroll
      for (int c = 0; c < Division::kAcross; ++c) {
        const auto results = Unit::finish(sums_[r][c], lane_);
#pragma unroll
        for (int i = 0; i < Unit::kPairs; ++i) {
          const int row = first_row_ + r * 16 + Unit::row(lane_, i);
          const int token = first_token + c * 16 + Unit::column(lane_, i);
          if (token >= out.tokens) continue;
          if (row < matrix_.rows) *out.at(blockIdx.z, token, above + row) = results.low[i];
          if (row + 8 < matrix_.rows) *out.at(blockIdx.z, token, above + row + 8) = results.high[i];
        }
      }
  }

 private:
  const NativeMatrix& matrix_;
  int lane_, first_row_;
  NativeRow rows_[Division::kDown][Unit::Rows::kHeld];
  typename Unit::Sums sums_[Division::kDown][Division::kAcross];
};

// Grid: (tokens, rows, splits of the columns). The next stage is loaded while a block computes. (On an H200, two stages
// ahead take more registers than they gain.)
template <typename Format, typename Division>
__global__ void __launch_bounds__(kUnitThreads)
    native_matmul_kernel(NativeParts parts, Activations activations, NativeSums out) {
  using Own = typename Division::Own;
  using Product = NativeProduct<Format, Division>;
  __shared__ __align__(128) uint8_t shared[2][Own::kTokens * kNativeColumns * 2];
  const NativePart part(parts, blockIdx.y, Own::kRowTiles * 16);
  const int first_token = blockIdx.x * Own::kTokens, splits = gridDim.z, split = blockIdx.z;
  const int columns = part.matrix.columns, stages = (columns + kNativeColumns - 1) / kNativeColumns;
  const int end = (split + 1) * stages / splits;
  Product product(part.matrix, part.first);
  typename Product::Weights next;
  NativeInputs<Own::kTokens> inputs;
  int stage = split * stages / splits;
  if (stage < end) product.load(stage, next);
  await_previous_kernel();
  if (stage < end) inputs.load(activations, first_token, out.tokens, columns, stage);
#pragma unroll 1
  for (int buffer = 0; stage < end; buffer ^= 1) {
    const Panels tokens(shared[buffer], Own::kTokens);
    inputs.store(tokens);
    __syncthreads();
    const typename Product::Weights weights = next;
    if (++stage < end) {
      product.load(stage, next);
      inputs.load(activations, first_token, out.tokens, columns, stage);
    }
    product.add(tokens, weights);
  }
  product.write(out, part.above, first_token);
}

}  // namespace hipport_llm

#endif
