// Tile GEMM: a block's tile of a product, on matrix units. Both operands are views with the depth as columns, so that
// what is multiplied may be a matrix, or a convolution's windows, or anything else that coordinates can describe.
#ifndef HIPPORT_LLM_TILE_GEMM_CUH
#define HIPPORT_LLM_TILE_GEMM_CUH

#include "../kernels/matrix_unit.cuh"
#include "epilogue.cuh"
#include "transfer.cuh"

namespace hipport_llm {

// A group of lanes that works on one matrix unit.
__device__ inline int unit_of_thread() { return threadIdx.x / Unit::kLanes; }
__device__ inline int lane_of_unit() { return threadIdx.x % Unit::kLanes; }

// Room in which a unit's 16 rows and columns of sums become rows again.
constexpr int kStagingStride = 16 + 4, kStagingFloats = 16 * kStagingStride;

// Gives the results that a unit's lanes have of a product to use(values, row, column), eight columns of a row at once, by
// way of `staging`.
template <typename Results, typename Use>
__device__ __forceinline__ void by_rows(const Results& results, float* staging, const Use& use) {
  const int lane = lane_of_unit();
#pragma unroll
  for (int i = 0; i < Unit::kPairs; ++i) {
    float* to = staging + Unit::row(lane, i) * kStagingStride + Unit::column(lane, i);
    to[0] = results.low[i];
    to[8 * kStagingStride] = results.high[i];
  }
  __syncwarp();
  if (lane < 2 * 16) {
    const int row = lane / 2, column = lane % 2 * 8;
    float values[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = staging[row * kStagingStride + column + i];
    use(values, row, column);
  }
  __syncwarp();
}

// How much of the product the epilogue may see.
struct Extent {
  int rows, columns;
};

template <int Threads, int Rows, int Columns>
class TileGemm {
 public:
  // Columns of a tile. NVIDIA GPUs copy whole panels ahead by themselves; elsewhere one half of a panel is filled while
  // the other one is used.
#if !defined(__HIP_PLATFORM_AMD__)
  static constexpr int depth = Panels::kColumns, stages = 3;
#else
  static constexpr int depth = Panels::kColumns / 2, stages = 1;
#endif
  using Left = Transfer<Threads, Rows, depth>;
  using Right = Transfer<Threads, Columns, depth>;

  union alignas(16) Shared {
    struct {
      uint8_t lefts[stages][Rows * Panels::kRowBytes], rights[stages][Columns * Panels::kRowBytes];
    } tiles;
    float staging[Threads / Unit::kLanes][kStagingFloats];
  };

  // The tile whose first row and column these are, `all` deep.
#if !defined(__HIP_PLATFORM_AMD__)
  template <typename LeftView, typename RightView>
  __device__ __forceinline__ void multiply(const Source<LeftView>& left, const Source<RightView>& right, int row,
                                           int column, int all, Shared& shared) {
    const auto copy = [&](int stage) {
      if (stage * depth < all) {
        Left::copy(left, row, stage * depth, lefts(shared, stage));
        Right::copy(right, column, stage * depth, rights(shared, stage));
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int stage = 0; stage < stages - 1; ++stage) copy(stage);
    for (int stage = 0; stage * depth < all; ++stage) {
      asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
      __syncthreads();
      copy(stage + stages - 1);
#pragma unroll
      for (int block = 0; block < depth / 32; ++block)
        multiply_tiles(lefts(shared, stage), rights(shared, stage), block);
    }
    __syncthreads();
  }
#else
  template <typename LeftView, typename RightView>
  __device__ __forceinline__ void multiply(const Source<LeftView>& left, const Source<RightView>& right, int row,
                                           int column, int all, Shared& shared) {
    Left next_left;
    Right next_right;
    next_left.load(left, row, 0);
    next_right.load(right, column, 0);
    for (int first = 0, half = 0; first < all; first += depth, half ^= 1) {
      next_left.store(lefts(shared, 0), half * depth / 8);
      next_right.store(rights(shared, 0), half * depth / 8);
      __syncthreads();
      if (first + depth < all) {
        next_left.load(left, row, first + depth);
        next_right.load(right, column, first + depth);
      }
      multiply_tiles(lefts(shared, 0), rights(shared, 0), half);
    }
    __syncthreads();
  }
#endif

  template <typename Epilogue>
  __device__ __forceinline__ void finish(const Epilogue& epilogue, int row, int column, Extent extent, Shared& shared) {
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int j = 0; j < column_tiles; ++j)
        by_rows(sums_[i][j].finish(lane_of_unit()), shared.staging[unit_of_thread()],
                [&](float (&values)[8], int r, int c) {
                  const int at_row = row + first_row() + i * 16 + r;
                  const int at_column = column + first_column() + j * 16 + c;
                  const int count = min(8, extent.columns - at_column);
                  if (at_row < extent.rows && count > 0) apply(epilogue, values, at_row, at_column, count);
                });
  }

 private:
  // The units share the tile as rows and columns of units.
  static constexpr int units = Threads / Unit::kLanes, across = units >= 4 ? units / 2 : units;
  static constexpr int down = units / across;
  static constexpr int row_tiles = Rows / down / 16, column_tiles = Columns / across / 16;
  static_assert(row_tiles > 0 && column_tiles > 0, "a tile for every unit");

  __device__ static int first_row() { return unit_of_thread() / across * (Rows / down); }
  __device__ static int first_column() { return unit_of_thread() % across * (Columns / across); }

  __device__ static Panels lefts(Shared& shared, int stage) { return {shared.tiles.lefts[stage % stages], Rows}; }
  __device__ static Panels rights(Shared& shared, int stage) { return {shared.tiles.rights[stage % stages], Columns}; }

  __device__ __forceinline__ void multiply_tiles(const Panels& left, const Panels& right, int block) {
    const int lane = lane_of_unit();
    Unit::PanelColumns columns[column_tiles];
#pragma unroll
    for (int j = 0; j < column_tiles; ++j) columns[j] = Unit::PanelColumns(right, first_column() + j * 16, block, lane);
#pragma unroll
    for (int i = 0; i < row_tiles; ++i) {
      keep_order();
      const Unit::PanelRows rows(left, first_row() + i * 16, block, lane);
#pragma unroll
      for (int j = 0; j < column_tiles; ++j) sums_[i][j].add(rows, columns[j], lane);
    }
  }

  Total sums_[row_tiles][column_tiles];
};

}  // namespace hipport_llm

#endif
