// activate(rows matrix^T + bias) for rows that are sorted by group, each group with a matrix and a bias of its own.
//
// sizes: groups, rows, columns, depth, activation. buffers: starts [groups + 1] of int, left [rows][depth], right
// [groups][columns][depth], out [rows][columns], bias [groups][columns], which may be null.
#include "../../operators/grouped_gemm.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct GroupEpilogue {
  const __half* bias;
  __half* out;
  int columns;
  Activation activation;

  __device__ Chain<AddBias, Activate, Store> operator()(int group) const {
    const __half* own = bias == nullptr ? nullptr : bias + static_cast<int64_t>(group) * columns;
    return chain(AddBias{own}, Activate{activation}, Store{out, columns});
  }
};

struct Arguments {
  int rows;
  Groups all;
  GroupEpilogue epilogue;

  explicit Arguments(const Launch& l)
      : rows(l.size(1)),
        all{l.buffer<int>(0), l.size(0), l.size(2), l.size(3), l.buffer<__half>(1), l.buffer<__half>(2)},
        epilogue{l.buffer<__half>(4), l.buffer<__half>(3), l.size(2), static_cast<Activation>(l.size(4))} {}
};

__global__ void naive_kernel(Groups all, int rows, GroupEpilogue epilogue) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int row = static_cast<int>(at / all.columns), column = static_cast<int>(at % all.columns);
  if (row >= rows) return;
  int group = 0;
  while (all.starts[group + 1] <= row) ++group;
  const __half* right = all.right + (static_cast<int64_t>(group) * all.columns + column) * all.depth;
  float values[8] = {};
  for (int k = 0; k < all.depth; ++k)
    values[0] =
        fmaf(__half2float(all.left[static_cast<int64_t>(row) * all.depth + k]), __half2float(right[k]), values[0]);
  apply(epilogue(group), values, row, column, 1);
}

void naive(const Launch& launch) {
  const Arguments a(launch);
  naive_kernel<<<blocks_for(static_cast<int64_t>(a.rows) * a.all.columns, launch.block()), launch.block(), 0,
                 launch.stream()>>>(a.all, a.rows, a.epilogue);
}

void matrix_units(const Launch& launch) {
  const Arguments a(launch);
  if (launch.block() == 128)
    launch_grouped_gemm<128, 64>(a.all, a.rows, a.epilogue, launch.stream());
  else
    launch_grouped_gemm<256, 128>(a.all, a.rows, a.epilogue, launch.stream());
}

const Registered v1("grouped_gemm", 1, "A thread for each element of the result.", {64, 256}, naive);
const Registered v2("grouped_gemm", 2,
                    "Tiles of 64 x 64 or 128 x 128 on matrix units; a block finds the group of its tile by itself.",
                    {128, 256}, matrix_units);

}  // namespace

}  // namespace hipport_llm
