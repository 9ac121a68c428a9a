// Hopper's copies of tiles of a tensor to shared memory, which find their addresses by themselves
// (PTX: cp.async.bulk.tensor).
#ifndef HIPPORT_LLM_TENSOR_COPIES_CUH
#define HIPPORT_LLM_TENSOR_COPIES_CUH

#include "bulk_copies.cuh"
#include "warpgroup_unit.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

#include <cuda.h>

namespace hipport_llm {

// Begins to copy the tile whose first row and column these are; its bytes are counted at `full`.
__device__ inline void copy_tensor_tile(uint8_t* to, const CUtensorMap& map, int row, int column, uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(full))
      : "memory");
}

// A place in heads of sequences: [sequence][position][head][dimension].
struct HeadPlace {
  int dimension, head, position, sequence;
};

// Begins to copy 64 dimensions of as many positions as tiles of the map have.
__device__ inline void copy_head_tile(uint8_t* to, const CUtensorMap& map, const HeadPlace& from, uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
      "[%6];" ::"r"(shared_address(to)),
      "l"(&map), "r"(from.dimension), "r"(from.head), "r"(from.position), "r"(from.sequence), "r"(shared_address(full))
      : "memory");
}

}  // namespace hipport_llm

#endif

#endif
