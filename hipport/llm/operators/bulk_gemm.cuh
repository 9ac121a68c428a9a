// Tile GEMM of two matrices in memory on the matrix units of Hopper's warp groups: one warp copies tiles of them by tensor
// copies, the others multiply.
#ifndef HIPPORT_LLM_BULK_GEMM_CUH
#define HIPPORT_LLM_BULK_GEMM_CUH

#include "../engine/tensor_maps.h"
#include "group_sums.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// The matrices of a product as tensor copies see them, and its depth.
struct BulkOperands {
  CUtensorMap left, right;
  int depth;
};

// A tile of 128 rows and columns by two warp groups, and a warp that copies. Two blocks share a multiprocessor, so that
// one multiplies while the other finishes. (Tiles of 256 columns, and tiles that the two blocks of a cluster share, are
// slower on an H200.)
class BulkGemm {
 public:
  static constexpr int kGroups = 2, kRows = kGroups * 64, kColumns = 128, kStages = 3, kResident = 2;
  static constexpr int kMultipliers = kGroups * 128, kThreads = kMultipliers + kLanes;
  static constexpr int kDepth = Panels::kColumns, kLeftBytes = kRows * Panels::kRowBytes;
  static constexpr int kStageBytes = kLeftBytes + kColumns * Panels::kRowBytes;
  using Own = WarpgroupUnit<kColumns>;
  using Sums = GroupSums<kColumns>;

  struct Shared {
    union alignas(1024) {
      uint8_t tiles[kStages][kStageBytes];
      float sums[kMultipliers / kLanes][Sums::kRoom];
    };
    uint64_t full[kStages], empty[kStages];
  };

  __device__ explicit BulkGemm(Shared& shared) : shared_(shared) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < kStages; ++i) {
        init_barrier(&shared.full[i], 1);
        init_barrier(&shared.empty[i], kGroups);
      }
      publish_barriers();
    }
    __syncthreads();
  }

  // Called by all threads: multiplies the tile whose first row and column these are, then calls `finish` with the sums by
  // those threads that have them, and room for GroupSums::finish.
  template <typename Finish>
  __device__ __forceinline__ void run(const BulkOperands& of, int row, int column, const Finish& finish) {
    const int count = (of.depth + kDepth - 1) / kDepth;
    if (threadIdx.x >= kMultipliers) {
      if (threadIdx.x == kMultipliers) copy(of, row, column, count);
      return;
    }
    Sums sums;
    multiply(count, sums);
    asm volatile("bar.sync 1, %0;" ::"n"(kMultipliers) : "memory");
    finish(sums, &shared_.sums[0][0]);
  }

 private:
  // Called by one thread.
  __device__ __forceinline__ void copy(const BulkOperands& of, int row, int column, int count) const {
    RingPlace turn(kStages, 0);
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      const int stage = turn.stage();
      if (i >= kStages) wait(&shared_.empty[stage], turn.parity() ^ 1);
      expect_bytes(&shared_.full[stage], kStageBytes);
      copy_tensor_tile(shared_.tiles[stage], of.left, row, i * kDepth, &shared_.full[stage]);
      copy_tensor_tile(shared_.tiles[stage] + kLeftBytes, of.right, column, i * kDepth, &shared_.full[stage]);
      turn.advance(1);
    }
  }

  __device__ __forceinline__ void multiply(int count, Sums& sums) const {
    RingPlace turn(kStages, 0), used = turn;
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      wait(&shared_.full[turn.stage()], turn.parity());
      const uint32_t tiles = shared_address(shared_.tiles[turn.stage()]);
      const uint64_t rows = describe(tiles + threadIdx.x / 128 * (64 * Panels::kRowBytes));
      const uint64_t columns = describe(tiles + kLeftBytes);
      sums.multiply_stage(i > 0, rows, columns);
      turn.advance(1);
      // The products of the stage before have ended.
      Own::template await<1>();
      if (i == 0) continue;
      if (threadIdx.x % 128 == 0) arrive(&shared_.empty[used.stage()]);
      used.advance(1);
    }
    Own::template await<0>(sums.own);
  }

  Shared& shared_;
};

}  // namespace hipport_llm

#endif

#endif
