// SPDX-License-Identifier: MIT
// Cooperative groups: tiles, coalesced lanes and a grid whose blocks wait for each other. Prints how much is wrong.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

template <unsigned Size>
__global__ void tiles(int* wrong) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int thread = threadIdx.x, first = thread / Size * Size, rank = thread - first;
  const int sum = cg::reduce(tile, thread, cg::plus<int>());
  const int scan = cg::inclusive_scan(tile, thread, cg::plus<int>());
  const int before = cg::exclusive_scan(tile, thread);
  const unsigned long long even = tile.ballot(thread % 2 == 0);
  int expected = 0, all = 0;
  for (int other = first; other < first + int(Size) && other < int(blockDim.x); ++other) {
    all += other;
    if (other <= thread) expected += other;
  }
  int errors = (sum != all) + (scan != expected) + (before != expected - thread) + (int(tile.thread_rank()) != rank);
  errors += ((even >> rank & 1) != (thread % 2 == 0)) + (tile.shfl(thread, 0) != first);
  errors += tile.meta_group_rank() != threadIdx.x / Size;
  atomicAdd(wrong, errors);
}

__global__ void coalesced(int* wrong) {
  if (threadIdx.x % 3 != 1) return;
  const cg::coalesced_group group = cg::coalesced_threads();
  const unsigned wave = threadIdx.x / warpSize * warpSize;
  unsigned rank = 0, size = 0;
  for (unsigned other = wave; other < wave + warpSize && other < blockDim.x; ++other) {
    rank += other % 3 == 1 && other < threadIdx.x;
    size += other % 3 == 1;
  }
  const unsigned first = group.shfl(threadIdx.x, 0);
  atomicAdd(wrong, (group.thread_rank() != rank) + (group.size() != size) + (first % 3 != 1) + (first < wave));
}

// Parts of groups: by a predicate, tiles of tiles, tiles of lanes that are no neighbours.
__global__ void parts(int* wrong) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const unsigned rank = threadIdx.x % 16;
  const auto third = cg::binary_partition(tile, rank % 3 == 0);
  atomicAdd(wrong, third.size() != (rank % 3 == 0 ? 6 : 10));
  atomicAdd(wrong, third.thread_rank() != (rank % 3 == 0 ? rank / 3 : rank - (rank + 2) / 3));
  atomicAdd(wrong, third.shfl(rank, 1) != (rank % 3 == 0 ? 3u : 2u) || third.meta_group_size() != 2);
  const auto quarter = cg::tiled_partition<4>(tile);
  atomicAdd(wrong, quarter.meta_group_size() != 4 || quarter.meta_group_rank() != rank / 4);
  const auto pair = cg::tiled_partition(third, 2);
  atomicAdd(wrong, pair.size() != 2 || pair.meta_group_rank() != third.thread_rank() / 2);
  atomicAdd(wrong, pair.shfl(threadIdx.x, pair.thread_rank()) != threadIdx.x || !cg::is_valid(pair));
}

// A function of the program with the name of one of the groups' that takes other arguments.
__device__ int reduce(cg::thread_group group, int* values, int value) {
  values[group.thread_rank()] = value;
  group.sync();
  int sum = 0;
  for (unsigned i = 0; i < group.size(); ++i) sum += values[i];
  return sum;
}

__global__ void own_function(int* wrong) {
  __shared__ int values[64];
  const auto tile = cg::tiled_partition(cg::this_thread_block(), 16);
  const int sum = reduce(tile, values + threadIdx.x / 16 * 16, static_cast<int>(tile.thread_rank()));
  if (sum != 120) atomicAdd(wrong, 1);
}

// Each round every block adds what all blocks had before.
__global__ void rounds(int* values, int* next, int count, int* wrong) {
  const cg::grid_group grid = cg::this_grid();
  if (!grid.is_valid()) atomicAdd(wrong, 1);
  for (int round = 0; round < 4; ++round) {
    for (int i = grid.thread_rank(); i < count; i += grid.size()) {
      int sum = 0;
      for (int j = 0; j < count; ++j) sum += values[j];
      next[i] = sum % 1009;
    }
    grid.sync();
    for (int i = grid.thread_rank(); i < count; i += grid.size()) values[i] = next[i] + i;
    grid.sync();
  }
}

int main() {
  int *wrong = nullptr, *values = nullptr, *next = nullptr, count = 300, expected[300];
  if (hipMalloc(&wrong, sizeof(int)) || hipMalloc(&values, sizeof expected) || hipMalloc(&next, sizeof expected))
    return 2;
  *wrong = 0;
  tiles<4><<<2, 96>>>(wrong);
  tiles<32><<<1, 128>>>(wrong);
  tiles<16><<<1, 40>>>(wrong);
  coalesced<<<3, 100>>>(wrong);
  parts<<<2, 128>>>(wrong);
  own_function<<<1, 64>>>(wrong);
  for (int i = 0; i < count; ++i) values[i] = expected[i] = i;
  void* arguments[] = {&values, &next, &count, &wrong};
  if (hipLaunchCooperativeKernel((void*)rounds, dim3(4), dim3(64), arguments, 0, 0)) return 3;
  for (int round = 0; round < 4; ++round) {
    int sum = 0;
    for (int value : expected) sum += value;
    for (int i = 0; i < count; ++i) expected[i] = sum % 1009 + i;
  }
  for (int i = 0; i < count; ++i) *wrong += values[i] != expected[i];
  std::printf("%d wrong\n", *wrong);
  return *wrong != 0;
}
