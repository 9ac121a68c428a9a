// A block of Hopper's warp groups multiplies rows of weights with tokens. Tokens go through a ring in shared memory that
// bulk copies fill. Each warp loads the weights of its own rows into registers, and decodes them while the units multiply
// those before them.
#ifndef HIPPORT_LLM_WARPGROUP_PIPELINE_CUH
#define HIPPORT_LLM_WARPGROUP_PIPELINE_CUH

#include "arranged_tokens.cuh"
#include "bulk_copies.cuh"
#include "warpgroup_unit.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// A block multiplies the 64 rows of each of `Groups` warp groups with `Tokens` tokens, or a cluster of `Splits` blocks
// does, each with a part of the columns. A stage is `Columns` columns.
template <int Groups, int Tokens, int Resident, int Splits = 1, int Columns = kTileColumns>
struct WarpgroupDivision {
  static_assert(Splits == 1 || Splits == 2, "the two blocks of a cluster exchange halves of their sums");
  static constexpr int kSplits = Splits;
  using Unit = WarpgroupUnit<Tokens>;
  static constexpr int kGroups = Groups, kTokens = Tokens, kResident = Resident;
  static constexpr int kWarps = 4 * kGroups, kRowTiles = kWarps, kRows = kRowTiles * 16;  // 16 rows for each warp
  static constexpr int kThreads = kGroups * Unit::kThreads;
  static constexpr int kPanels = Columns / Panels::kColumns, kBlocks = Columns / 32;
  static_assert(kPanels * Panels::kColumns == Columns, "stages are whole panels");

  static constexpr int kPanelBytes = Tokens * Panels::kRowBytes, kStageBytes = kPanels * kPanelBytes;
  // A multiprocessor has 228 KB of shared memory, of which each block takes 1 KB for the system.
  static constexpr int kRoom = (228 / Resident - 1) * 1024 - 256, kMost = kRoom / kStageBytes;
  static constexpr int kCount = kMost < 8 ? kMost : 8;
  static_assert(kCount >= 3, "a stage is copied while two are used");

  struct Barriers {
    uint64_t full[kCount], empty[kCount];
  };
  static constexpr int kSharedBytes = kCount * kStageBytes + static_cast<int>(sizeof(Barriers));
};

// The tokens of a block, and the ring in shared memory that they go through.
template <typename Division>
struct TokenRing {
  uint8_t* bytes;
  typename Division::Barriers* barriers;
  ArrangedTokens tokens;
  int first, first_stage;

  __device__ uint8_t* at(int stage) const { return bytes + stage * Division::kStageBytes; }

  // Called by one thread: begins to copy the columns of the block's stage `i` to a free one.
  __device__ void copy(int i, int stage) const {
    uint64_t* full = &barriers->full[stage];
    expect_bytes(full, Division::kStageBytes);
#pragma unroll
    for (int panel = 0; panel < Division::kPanels; ++panel)
      copy_bulk(at(stage) + panel * Division::kPanelBytes,
                tokens.at((first_stage + i) * Division::kPanels + panel, first), Division::kPanelBytes, full);
  }
};

// Makes the barriers of a ring; called by all threads.
template <typename Division>
__device__ __forceinline__ typename Division::Barriers* init_ring(uint8_t* ring) {
  const auto barriers = reinterpret_cast<typename Division::Barriers*>(ring + Division::kCount * Division::kStageBytes);
  if (threadIdx.x == 0) {
    for (int i = 0; i < Division::kCount; ++i) {
      init_barrier(&barriers->full[i], 1);
      init_barrier(&barriers->empty[i], Division::kWarps);
    }
    publish_barriers();
  }
  __syncthreads();
  return barriers;
}

// Adds to a warp's sums the product of its stage `i`, whose weights have been loaded.
template <typename Division, typename Weights>
__device__ __forceinline__ void multiply_stage(const TokenRing<Division>& ring, int i, const RingPlace& turn,
                                               const Weights& weights, const typename Weights::Stage& stage,
                                               LaneRows (&rows)[2], typename Division::Unit::Sums& sums) {
  using Unit = typename Division::Unit;
  wait(&ring.barriers->full[turn.stage()], turn.parity());
  const uint64_t columns = describe(shared_address(ring.at(turn.stage())));
  typename Weights::Scales scales;
#pragma unroll
  for (int block = 0; block < Division::kBlocks; ++block) {
    rows[block % 2] = weights.block(stage, block, scales);
    Unit::begin();
    Unit::multiply_add(sums, i > 0 || block > 0, rows[block % 2],
                       columns + block / 2 * (Division::kPanelBytes / 16) + block % 2 * 4);
    Unit::commit();
    // The units still use the other rows, but no longer those before them.
    Unit::template await<1>();
  }
}

// The stages of a warp's weights, of which weights.load(i) begins to load one: two are loaded ahead.
template <typename Weights>
class StagesAhead {
 public:
  using Stage = typename Weights::Stage;

  __device__ __forceinline__ StagesAhead(const Weights& weights, int count)
      : weights(weights), count(count), stages_{load(0), load(1)} {}

  // Stage `i`; `half` is i % 2, a constant.
  __device__ __forceinline__ const Stage& at(int half) const { return stages_[half]; }
  // Begins to load the stage after the next in the place of stage `i`, which is no longer used.
  __device__ __forceinline__ void advance(int i, int half) { stages_[half] = load(i + 2); }

  const Weights& weights;
  const int count;

 private:
  __device__ __forceinline__ Stage load(int i) const { return weights.load(min(i, count - 1)); }

  Stage stages_[2];
};

// Called by all warps: the sums of a warp's 16 rows over all stages, of which weights.block(stage, i, scales) are 32 columns;
// `scales` are kept from block to block. The first thread also copies: a stage is used again when all warps have multiplied
// the stage after it, so that none waits for the slowest.
template <typename Division, typename Weights>
__device__ __forceinline__ void multiply_stages(const TokenRing<Division>& ring, StagesAhead<Weights>& ahead,
                                                typename Division::Unit::Sums& sums) {
  const int lane = threadIdx.x % kLanes, count = ahead.count;
  if (threadIdx.x == 0)
    for (int i = 0; i < min(Division::kCount, count); ++i) ring.copy(i, i);
  LaneRows rows[2];
  RingPlace turn(Division::kCount, 0), used = turn, refilled = turn;
#pragma unroll 1
  for (int first = 0; first < count; first += 2)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = first + half, refill = i - 2 + Division::kCount;
      if (i >= count) break;
      multiply_stage(ring, i, turn, ahead.weights, ahead.at(half), rows, sums);
      turn.advance(1);
      ahead.advance(i, half);
      // All but the last product have ended: those of the stage before, too.
      if (i == 0) continue;
      if (lane == 0) arrive(&ring.barriers->empty[used.stage()]);
      used.advance(1);
      if (i < 2 || refill >= count) continue;
      if (threadIdx.x == 0) {
        wait(&ring.barriers->empty[refilled.stage()], refilled.parity());
        ring.copy(refill, refilled.stage());
      }
      refilled.advance(1);
      __syncwarp();
    }
  Division::Unit::template await<0>();
}

}  // namespace hipport_llm

#endif

#endif
