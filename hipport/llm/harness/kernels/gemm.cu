// activate(left * right^T + bias + first + second): matrices of half precision, sums of 32 bits.
//
// sizes: rows, columns, depth, activation. buffers: left [rows][depth], right [columns][depth], out [rows][columns]; any
// of bias [columns], first and second [rows][columns] may be null.
#include "../../operators/gemm.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct Arguments {
  int rows, columns, depth;
  const __half *left, *right;
  Chain<AddBias, AddMatrix, AddMatrix, Activate, Store> epilogue;

  explicit Arguments(const Launch& launch)
      : rows(launch.size(0)),
        columns(launch.size(1)),
        depth(launch.size(2)),
        left(launch.buffer<__half>(0)),
        right(launch.buffer<__half>(1)),
        epilogue(chain(AddBias{launch.buffer<__half>(3)}, AddMatrix{launch.buffer<__half>(4), columns},
                       AddMatrix{launch.buffer<__half>(5), columns}, Activate{static_cast<Activation>(launch.size(3))},
                       Store{launch.buffer<__half>(2), columns})) {}
};

using Epilogue = decltype(Arguments::epilogue);

__global__ void naive_kernel(const __half* left, const __half* right, Extent extent, int depth, Epilogue epilogue) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int row = static_cast<int>(at / extent.columns), column = static_cast<int>(at % extent.columns);
  if (row >= extent.rows) return;
  float values[8] = {};
  for (int k = 0; k < depth; ++k)
    values[0] = fmaf(__half2float(left[static_cast<int64_t>(row) * depth + k]),
                     __half2float(right[static_cast<int64_t>(column) * depth + k]), values[0]);
  apply(epilogue, values, row, column, 1);
}

void naive(const Launch& launch) {
  const Arguments a(launch);
  naive_kernel<<<blocks_for(static_cast<int64_t>(a.rows) * a.columns, launch.block()), launch.block(), 0,
                 launch.stream()>>>(a.left, a.right, Extent{a.rows, a.columns}, a.depth, a.epilogue);
}

constexpr int kShared = 32, kSharedThreads = 256;

// Each thread has one column of four rows.
__global__ void __launch_bounds__(kSharedThreads)
    shared_kernel(const __half* left, const __half* right, Extent extent, int depth, Epilogue epilogue) {
  __shared__ float lefts[kShared][kShared + 1], rights[kShared][kShared + 1];
  const int row = blockIdx.y * kShared, column = blockIdx.x * kShared;
  const int x = threadIdx.x % kShared, y = threadIdx.x / kShared;
  float sums[4] = {};
  for (int first = 0; first < depth; first += kShared) {
    for (int i = y; i < kShared; i += kSharedThreads / kShared) {
      const bool inside = first + x < depth;
      lefts[i][x] = inside && row + i < extent.rows
                        ? __half2float(left[static_cast<int64_t>(row + i) * depth + first + x])
                        : 0.0f;
      rights[i][x] = inside && column + i < extent.columns
                         ? __half2float(right[static_cast<int64_t>(column + i) * depth + first + x])
                         : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < kShared; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[i] = fmaf(lefts[y + i * 8][k], rights[x][k], sums[i]);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    float values[8] = {sums[i]};
    if (row + y + i * 8 < extent.rows && column + x < extent.columns)
      apply(epilogue, values, row + y + i * 8, column + x, 1);
  }
}

void shared_tiles(const Launch& launch) {
  const Arguments a(launch);
  const dim3 grid(blocks_for(a.columns, kShared), blocks_for(a.rows, kShared));
  shared_kernel<<<grid, kSharedThreads, 0, launch.stream()>>>(a.left, a.right, Extent{a.rows, a.columns}, a.depth,
                                                              a.epilogue);
}

template <int Threads, int Tile>
void tiles(const Launch& launch) {
  const Arguments a(launch);
  const bool by_eight = a.depth % 8 == 0;
  const Source<Bounded> left = {bounded(a.rows, a.depth, a.depth), a.left, by_eight};
  const Source<Bounded> right = {bounded(a.columns, a.depth, a.depth), a.right, by_eight};
  launch_gemm<Threads, Tile>(left, right, Extent{a.rows, a.columns}, a.depth, a.epilogue, launch.stream());
}

void matrix_units(const Launch& launch) { launch.block() == 128 ? tiles<128, 64>(launch) : tiles<256, 128>(launch); }

const Registered v1("gemm", 1, "A thread for each element of the result.", {64, 128, 256}, naive);
const Registered v2("gemm", 2, "Tiles of 32 x 32 in shared memory are read once for 32 rows and columns.",
                    {kSharedThreads}, shared_tiles);
const Registered v3("gemm", 3,
                    "Tiles of 64 x 64 or 128 x 128 on matrix units; the next tiles are on their way while one is used.",
                    {128, 256}, matrix_units);

}  // namespace

}  // namespace hipport_llm
