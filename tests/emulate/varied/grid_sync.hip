// SPDX-License-Identifier: MIT
// Cooperative groups: the grid, tiles of a block, and partitions.
#include "show.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void waves(unsigned* data, unsigned* out, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned i = unsigned(grid.thread_rank()), count = unsigned(grid.size());
  data[i] = scrambled(i);
  grid.sync();
  for (int round = 0; round < rounds; ++round) {
    const unsigned left = data[(i + count - 1) % count], right = data[(i + 1) % count], own = data[i];
    grid.sync();
    data[i] = left * 3 + right * 5 + own + unsigned(round);
    grid.sync();
  }
  out[i] = data[i];
}
template <unsigned Size>
__device__ int sum_of_tile(const cg::thread_block& block, int value) {
  const auto tile = cg::tiled_partition<Size>(block);
  for (unsigned offset = Size / 2; offset > 0; offset /= 2) value += tile.shfl_xor(value, int(offset));
  return value + int(tile.thread_rank());
}
__global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const int i = int(block.thread_rank());
  out[thread_number()] = sum_of_tile<4>(block, i) + 3 * sum_of_tile<16>(block, i * i) + 5 * sum_of_tile<32>(block, ~i);
  block.sync();
}

int main() {
  auto* const data = zeros<unsigned>(640);
  auto* const out = zeros<unsigned>(640);
  int rounds = 7;
  void* arguments[] = {const_cast<unsigned**>(&data), const_cast<unsigned**>(&out), &rounds};
  const hipError_t error =
      hipLaunchCooperativeKernel(reinterpret_cast<void*>(waves), dim3(5), dim3(128), arguments, 0, 0);
  std::printf("%d\n", int(error));
  show("grid", out, 640);
  auto* const sums = zeros<int>(256);
  tiles<<<2, 128>>>(sums);
  show("tiles", sums, 256);
}
