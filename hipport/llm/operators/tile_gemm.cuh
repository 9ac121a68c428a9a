// Tile GEMM: a block's tile of a product, on matrix units. Both operands are views with the depth as columns, so that
// what is multiplied may be a matrix, or a convolution's windows, or anything else that coordinates can describe.
#ifndef HIPPORT_LLM_TILE_GEMM_CUH
#define HIPPORT_LLM_TILE_GEMM_CUH

#include "../engine/device.h"
#include "epilogue.cuh"
#include "tile_unit.cuh"
#include "transfer.cuh"

namespace hipport_llm {

// A group of lanes that works on one matrix unit.
__device__ inline int unit_of_thread() { return threadIdx.x / TileUnit::lanes; }
__device__ inline int lane_of_unit() { return threadIdx.x % TileUnit::lanes; }

// Room in which a unit's tile of sums becomes rows again.
constexpr int kStagingStride = kUnitTile + 4, kStagingFloats = kUnitTile * kStagingStride;

// Gives a tile's sums to use(values, row, column), eight columns of a row at once, by way of `staging`.
template <typename Use>
__device__ __forceinline__ void by_rows(TileUnit::Sums& sums, float* staging, const Use& use) {
  TileUnit::each(sums, lane_of_unit(),
                   [&](int row, int column, float& value) { staging[row * kStagingStride + column] = value; });
  __syncwarp();
  if (lane_of_unit() < 2 * kUnitTile) {
    const int row = lane_of_unit() / 2, column = lane_of_unit() % 2 * 8;
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
#if !defined(__HIP_PLATFORM_AMD__)
  static constexpr int depth = 64, stages = 3;
#else
  static constexpr int depth = 32, stages = 2;
#endif
  using Left = Transfer<Threads, Rows, depth>;
  using Right = Transfer<Threads, Columns, depth>;

  // `stages` tiles: what is multiplied, and what is on its way.
  union alignas(16) Shared {
    struct {
      __half left[stages][Left::elements], right[stages][Right::elements];
    } tiles;
    float staging[Threads / TileUnit::lanes][kStagingFloats];
  };

  // The tile whose first row and column these are, `all` deep.
#if !defined(__HIP_PLATFORM_AMD__)
  template <typename LeftView, typename RightView>
  __device__ __forceinline__ void multiply(const Source<LeftView>& left, const Source<RightView>& right, int row,
                                           int column, int all, Shared& shared) {
    const auto copy = [&](int stage) {
      if (stage * depth < all) {
        Left::copy(left, row, stage * depth, shared.tiles.left[stage % stages]);
        Right::copy(right, column, stage * depth, shared.tiles.right[stage % stages]);
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int stage = 0; stage < stages - 1; ++stage) copy(stage);
    for (int stage = 0; stage * depth < all; ++stage) {
      asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
      __syncthreads();
      copy(stage + stages - 1);
      multiply_tiles(shared.tiles.left[stage % stages], shared.tiles.right[stage % stages]);
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
    for (int first = 0, turn = 0; first < all; first += depth, turn ^= 1) {
      next_left.store(shared.tiles.left[turn]);
      next_right.store(shared.tiles.right[turn]);
      __syncthreads();
      if (first + depth < all) {
        next_left.load(left, row, first + depth);
        next_right.load(right, column, first + depth);
      }
      multiply_tiles(shared.tiles.left[turn], shared.tiles.right[turn]);
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
        by_rows(sums_[i][j], shared.staging[unit_of_thread()], [&](float(&values)[8], int r, int c) {
          const int at_row = row + first_row() + i * kUnitTile + r;
          const int at_column = column + first_column() + j * kUnitTile + c;
          const int count = min(8, extent.columns - at_column);
          if (at_row < extent.rows && count > 0) epilogue(values, at_row, at_column, count);
        });
  }

 private:
  // The units share the tile as rows and columns of units.
  static constexpr int units = Threads / TileUnit::lanes, across = units >= 4 ? units / 2 : units;
  static constexpr int down = units / across;
  static constexpr int row_tiles = Rows / down / kUnitTile, column_tiles = Columns / across / kUnitTile;
  static_assert(row_tiles > 0 && column_tiles > 0, "a tile for every unit");

  __device__ static int first_row() { return unit_of_thread() / across * (Rows / down); }
  __device__ static int first_column() { return unit_of_thread() % across * (Columns / across); }

  __device__ __forceinline__ void multiply_tiles(const __half* left, const __half* right) {
#pragma unroll
    for (int k = 0; k < depth; k += TileUnit::kDepth) {
      TileUnit::A a[row_tiles];
#pragma unroll
      for (int i = 0; i < row_tiles; ++i)
        a[i] = TileUnit::load_a(left + (first_row() + i * kUnitTile) * Left::stride + k, Left::stride, lane_of_unit());
#pragma unroll
      for (int j = 0; j < column_tiles; ++j) {
        const TileUnit::B b = TileUnit::load_b(right + (first_column() + j * kUnitTile) * Right::stride + k,
                                                   Right::stride, lane_of_unit());
#pragma unroll
        for (int i = 0; i < row_tiles; ++i) TileUnit::multiply_add(sums_[i][j], a[i], b);
      }
    }
  }

  TileUnit::Sums sums_[row_tiles][column_tiles];
};

// A product, a tile for each block.
template <int Threads, int Rows, int Columns, typename LeftView, typename RightView, typename Epilogue>
__global__ void __launch_bounds__(Threads)
    gemm_kernel(Source<LeftView> left, Source<RightView> right, Extent extent, int depth, Epilogue epilogue) {
  using Gemm = TileGemm<Threads, Rows, Columns>;
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(16) uint8_t dynamic[];
  typename Gemm::Shared& shared = *reinterpret_cast<typename Gemm::Shared*>(dynamic);
#else
  __shared__ typename Gemm::Shared shared;
#endif
  const int row = blockIdx.y * Rows, column = blockIdx.x * Columns;
  Gemm gemm;
  gemm.multiply(left, right, row, column, depth, shared);
  gemm.finish(epilogue, row, column, extent, shared);
}

template <int Threads, int Tile, typename LeftView, typename RightView, typename Epilogue>
void launch_gemm(const Source<LeftView>& left, const Source<RightView>& right, Extent extent, int depth,
                 const Epilogue& epilogue, cudaStream_t stream) {
  const auto kernel = &gemm_kernel<Threads, Tile, Tile, LeftView, RightView, Epilogue>;
  const dim3 grid((extent.columns + Tile - 1) / Tile, (extent.rows + Tile - 1) / Tile);
#if !defined(__HIP_PLATFORM_AMD__)
  constexpr int bytes = sizeof(typename TileGemm<Threads, Tile, Tile>::Shared);
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "asking for shared memory");
#else
  constexpr int bytes = 0;
#endif
  kernel<<<grid, Threads, bytes, stream>>>(left, right, extent, depth, epilogue);
}

}  // namespace hipport_llm

#endif
