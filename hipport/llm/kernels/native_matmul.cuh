// Multiplies matrices in a format of a model file with some tokens on matrix units. A lane takes 32 neighboring columns
// of each row that it holds, and decodes them to 16 bits eight at a time.
#ifndef HIPPORT_LLM_NATIVE_MATMUL_CUH
#define HIPPORT_LLM_NATIVE_MATMUL_CUH

#include "early_start.cuh"
#include "matrix_unit.cuh"
#include "native_matvec.cuh"
#include "native_pairs.cuh"

namespace hipport_llm {

// The tokens that a unit multiplies rows with at once: 16.
struct WholeTile {
  using Columns = typename Unit::Columns;
  using Sums = typename Unit::Sums;
  static constexpr int kTokens = 16, kPairs = Unit::kPairs;
};

// What a block computes: `kDown` x 16 rows of each unit, for up to `Most` x 16 tokens. The host asks the device for it
// (block_shapes_kernel).
template <int Most>
struct DivisionFor {
  using Tile = WholeTile;
  static constexpr int kDown = Most > 1 && Unit::kRowTiles >= 4 ? 2 : 1;
  // Units whose lanes hold much of the rows have no registers for more tokens.
  static constexpr int kAcross = Unit::kSpread ? 1 : Unit::Rows::kHeld > 2 && Most > 2 ? 2 : Most;
  static constexpr int kResident = 1;  // blocks of a multiprocessor at least
  struct Own {
    static constexpr int kRowTiles = kUnits * kDown, kTokens = kAcross * 16;
  };
};

#if defined(__HIPPORT_CPU__)
// One kernel does for all where they divide alike, and is compiled in a third of the time. The host of a GPU does not
// know how its devices divide.
template <int Most>
using NativeDivision = DivisionFor<Unit::kSpread ? 1 : Most>;
#else
template <int Most>
using NativeDivision = DivisionFor<Most>;
#endif

#if !defined(__HIP_PLATFORM_AMD__)

// Half of them, where there are few.
struct HalfTile {
  using Columns = Unit::HalfColumns;
  using Sums = Unit::HalfSums;
  static constexpr int kTokens = 8, kPairs = Unit::kHalfPairs;
};

// The least that a block computes.
struct FewDivision {
  using Tile = HalfTile;
  static constexpr int kDown = 1, kAcross = 1, kResident = 6;
  struct Own {
    static constexpr int kRowTiles = kUnits, kTokens = HalfTile::kTokens;
  };
};

#else

using FewDivision = NativeDivision<1>;

#endif

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
  using Tile = typename Division::Tile;
  static constexpr int kTokens = Division::Own::kTokens;
  using Shared = uint8_t[2][kTokens * kNativeColumns * 2];

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
        const typename Tile::Columns b(tokens, c * Tile::kTokens, block, lane_);
#pragma unroll
        for (int r = 0; r < Division::kDown; ++r) Unit::multiply_add(sums_[r][c], a[r], b);
      }
    }
  }

  // Adds the products of the stages from `stage` on, of which `next` has the first one's weights. The next stage is
  // loaded while a block computes. (On an H200, two stages ahead take more registers than they gain.)
  __device__ __forceinline__ void add_stages(Weights& next, const Activations& activations, int first_token, int tokens,
                                             int stage, int end, Shared& shared) {
    NativeInputs<kTokens> inputs;
    if (stage < end) inputs.load(activations, first_token, tokens, matrix_.columns, stage);
#pragma unroll 1
    for (int buffer = 0; stage < end; buffer ^= 1) {
      const Panels panels(shared[buffer], kTokens);
      inputs.store(panels);
      __syncthreads();
      const Weights weights = next;
      if (++stage < end) {
        load(stage, next);
        inputs.load(activations, first_token, tokens, matrix_.columns, stage);
      }
      add(panels, weights);
    }
  }

  // Calls `write` with a row of the matrix or one beyond it, a token of the block's, and the sum.
  template <typename Write>
  __device__ __forceinline__ void write(const Write& write) const {
#pragma unroll
    for (int r = 0; r < Division::kDown; ++r)
#pragma unroll
      for (int c = 0; c < Division::kAcross; ++c) {
        const auto results = Unit::finish(sums_[r][c], lane_);
#pragma unroll
        for (int i = 0; i < Tile::kPairs; ++i) {
          const int row = first_row_ + r * 16 + Unit::row(lane_, i);
          const int token = c * Tile::kTokens + Unit::column(lane_, i);
          write(row, token, results.low[i]);
          write(row + 8, token, results.high[i]);
        }
      }
  }

 private:
  const NativeMatrix& matrix_;
  int lane_, first_row_;
  NativeRow rows_[Division::kDown][Unit::Rows::kHeld];
  typename Tile::Sums sums_[Division::kDown][Division::kAcross];
};

// The stages of a product that a block computes: from `first` to before `end`.
struct StageRange {
  int first, end;

  __device__ StageRange(int columns, int split, int splits) {
    const int stages = (columns + kNativeColumns - 1) / kNativeColumns;
    first = split * stages / splits;
    end = (split + 1) * stages / splits;
  }
};

// Grid: (tokens, rows, splits of the columns).
template <typename Format, typename Division>
__global__ void __launch_bounds__(kUnitThreads, Division::kResident)
    native_matmul_kernel(NativeParts parts, Activations activations, NativeSums out) {
  using Own = typename Division::Own;
  using Product = NativeProduct<Format, Division>;
  __shared__ __align__(128) typename Product::Shared shared;
  const NativePart part(parts, blockIdx.y, Own::kRowTiles * 16);
  const int first_token = blockIdx.x * Own::kTokens;
  const StageRange stages(part.matrix.columns, blockIdx.z, gridDim.z);
  Product product(part.matrix, part.first);
  typename Product::Weights next;
  if (stages.first < stages.end) product.load(stages.first, next);
  await_previous_kernel();
  product.add_stages(next, activations, first_token, out.tokens, stages.first, stages.end, shared);
  product.write([&](int row, int token, float sum) {
    if (row < part.matrix.rows && first_token + token < out.tokens)
      *out.at(blockIdx.z, first_token + token, part.above + row) = sum;
  });
}

}  // namespace hipport_llm

#endif
