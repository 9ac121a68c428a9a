// Multiplies a packed matrix with the few tokens of a step on the matrix units of Hopper's warp groups. The blocks of a
// cluster share the depth, and add their sums through each other's shared memory.
#ifndef HIPPORT_LLM_CLUSTER_MATMUL_CUH
#define HIPPORT_LLM_CLUSTER_MATMUL_CUH

#include "matmul.cuh"
#include "warpgroup_pipeline.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// A block multiplies the 64 rows of each of `Groups` warp groups with `Tokens` tokens; `Splits` blocks share the columns.
// A stage is a tile of each row, and its columns of the tokens.
template <int Groups, int Tokens, int Resident, int Splits>
struct ClusterDivision {
  using Unit = WarpgroupUnit<Tokens>;
  static constexpr int kSplits = Splits, kTokens = Tokens, kResident = Resident;
  static constexpr int kWarps = 4 * Groups, kRowTiles = kWarps;  // 16 rows for each warp
  static constexpr int kThreads = Groups * Unit::kThreads;
  static constexpr int kBlocks = kTileColumns / 32, kPanels = kTileColumns / Panels::kColumns;
  static constexpr int kPanelBytes = Tokens * Panels::kRowBytes, kTokenBytes = kPanels * kPanelBytes;
  // Panels begin at multiples of 1024 bytes.
  static constexpr int kStageBytes = (kTokenBytes + kWarps * kTileBytes + 1023) / 1024 * 1024;
  // A multiprocessor has 228 KB of shared memory, of which each block takes 1 KB for the system.
  static constexpr int kRoom = (228 / Resident - 1) * 1024 - 256, kMost = kRoom / kStageBytes;
  static constexpr int kCount = kMost < 8 ? kMost : 8;
  static_assert(kCount >= 3, "a stage is copied while two are used");

  static constexpr int kPairs = Unit::kPairs, kOwnPairs = kPairs / Splits;
  static_assert(kOwnPairs * Splits == kPairs, "each block writes as many pairs of sums");
  // What a block receives: its share of the sums of all blocks.
  static constexpr int kPartBytes = kThreads * kPairs * 8;
  static_assert(kPartBytes <= kCount * kStageBytes, "it fits");

  struct Barriers {
    uint64_t full[kCount], empty[kCount], parts;
  };
  static constexpr int kSharedBytes = kCount * kStageBytes + static_cast<int>(sizeof(Barriers));
};

// The same, but the compiler keeps it instead of computing it anew.
__device__ __forceinline__ bool hidden(bool x) {
  int known = x;
  asm volatile("" : "+r"(known));
  return known != 0;
}

// The ring of stages in shared memory: of each the panels of the tokens, which bulk copies bring, then a tile for each warp,
// which the warp copies by itself.
template <typename Division>
class ClusterRing {
 public:
  // Called by all threads; what it makes is seen by the cluster after `await_cluster`.
  __device__ explicit ClusterRing(uint8_t* bytes)
      : bytes_(bytes),
        barriers_(reinterpret_cast<typename Division::Barriers*>(bytes + Division::kCount * Division::kStageBytes)) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < Division::kCount; ++i) {
        init_barrier(&barriers_->full[i], 1);
        init_barrier(&barriers_->empty[i], Division::kWarps);
      }
      init_barrier(&barriers_->parts, 1);
      publish_barriers();
      expect_bytes(&barriers_->parts, Division::kPartBytes);
    }
    __syncthreads();
  }

  __device__ uint8_t* tokens(int stage) const { return bytes_ + stage * Division::kStageBytes; }
  __device__ uint8_t* tile(int stage, int warp) const {
    return tokens(stage) + Division::kTokenBytes + warp * kTileBytes;
  }

  // Called by one thread of the block: begins to copy the columns of a tile to a free stage.
  __device__ void copy_tokens(int stage, const ArrangedTokens& from, int column_tile) const {
    expect_bytes(&barriers_->full[stage], Division::kTokenBytes);
#pragma unroll
    for (int panel = 0; panel < Division::kPanels; ++panel)
      copy_bulk(tokens(stage) + panel * Division::kPanelBytes, from.at(column_tile * Division::kPanels + panel, 0),
                Division::kPanelBytes, &barriers_->full[stage]);
  }

  // `odd`: whether it is the stage's second turn, its fourth and so on.
  __device__ void await_tokens(int stage, bool odd) const { wait(&barriers_->full[stage], odd); }
  // A warp no longer uses the tokens of a stage; and all warps no longer do.
  __device__ void leave(int stage) const { arrive(&barriers_->empty[stage]); }
  __device__ void await_left(int stage, bool odd) const { wait(&barriers_->empty[stage], odd); }

  // Where a thread's part of the sums of a block is: pair `i` of those that this block adds up.
  __device__ uint8_t* part(int block, int i) const {
    return bytes_ + ((block * Division::kOwnPairs + i) * Division::kThreads + threadIdx.x) * 8;
  }
  __device__ uint64_t* parts() const { return &barriers_->parts; }

 private:
  uint8_t* bytes_;
  typename Division::Barriers* barriers_;
};

// A warp's row of tiles on its way through the ring.
template <typename Division>
class TileCopies {
 public:
  static constexpr int kAhead = Division::kCount - 1;

  // Begins to copy the first `kAhead` of `count` tiles.
  __device__ TileCopies(const ClusterRing<Division>& ring, const uint8_t* tiles, int count)
      : from_(tiles + threadIdx.x % kLanes * 16),
        to_(shared_address(ring.tile(0, threadIdx.x / kLanes)) + threadIdx.x % kLanes * 16) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i)
      counts_[i] = i * kLanes * 16 + static_cast<int>(threadIdx.x) % kLanes * 16 < kTileBytes ? count : 0;
#pragma unroll
    for (int i = 0; i < kAhead; ++i) copy(0, i, i);
  }

  // Begins to copy tile `start` + `distance` to a stage, if there is such a tile. `start` is what `advance` has counted.
  __device__ __forceinline__ void copy(int start, int distance, int stage) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i)
      asm volatile(
          "{\n.reg .pred there;\nsetp.lt.s32 there, %0, %1;\n@there cp.async.cg.shared.global [%2], [%3], 16;\n}" ::"r"(
              start + distance),
          "r"(counts_[i]), "r"(to_ + stage * Division::kStageBytes + i * kLanes * 16),
          "l"(from_ + distance * kTileBytes + i * kLanes * 16)
          : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  __device__ __forceinline__ void advance(int tiles) { from_ += tiles * kTileBytes; }

  // Waits for the oldest of the last `kAhead` tiles.
  __device__ __forceinline__ void await() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(kAhead - 1) : "memory");
    __syncwarp();
  }

 private:
  static constexpr int kPieces = (kTileBytes + kLanes * 16 - 1) / (kLanes * 16);

  const uint8_t* from_;
  uint32_t to_;
  int counts_[kPieces];  // of the tiles whose piece this lane copies
};

// Adds to a warp's sums the product of a tile that has been copied, or if not `adds` sets them to it.
template <typename Division>
__device__ __forceinline__ void multiply_tile(const LaneWeights& weights, const uint8_t* tokens, bool adds,
                                              LaneRows (&rows)[2], typename Division::Unit::Sums& sums) {
  using Unit = typename Division::Unit;
  const uint64_t columns = describe(shared_address(tokens));
#pragma unroll
  for (int block = 0; block < Division::kBlocks; ++block) {
    rows[block % 2] = weights.block(block);
    Unit::begin();
    Unit::multiply_add(sums, adds || block > 0, rows[block % 2],
                       columns + block / 2 * (Division::kPanelBytes / 16) + block % 2 * 4);
    Unit::commit();
    // The units still use the other rows, but no longer those before them.
    Unit::template await<1>();
  }
}

// Called by all threads: the sums of a warp's 16 rows over `count` tiles, of which `tiles` is the first and `first` its
// column. The places in the ring are constants, since computing them would take as long as the product.
template <typename Division>
__device__ __forceinline__ void multiply_tiles(const ClusterRing<Division>& ring, const uint8_t* tiles,
                                               const ArrangedTokens& tokens, int first, int count,
                                               typename Division::Unit::Sums& sums) {
  constexpr int all = Division::kCount, behind = 2;  // tokens are left one stage later and copied anew yet another
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const bool copies_tokens = hidden(threadIdx.x == 0), leads = hidden(lane == 0);
  TileCopies<Division> copies(ring, tiles, count);
  await_previous_kernel();
  if (copies_tokens)
    for (int i = 0; i < min(all, count); ++i) ring.copy_tokens(i, tokens, first + i);
  LaneRows rows[2];
  bool odd = false;
#pragma unroll 1
  for (int start = 0; start < count; start += all, odd = !odd, copies.advance(all))
#pragma unroll
    for (int stage = 0; stage < all; ++stage) {
      const int i = start + stage;
      if (i >= count) break;
      copies.await();
      const LaneWeights weights(ring.tile(stage, warp), lane);
      copies.copy(start, stage + all - 1, (stage + all - 1) % all);  // all lanes have read what is there
      ring.await_tokens(stage, odd);
      multiply_tile<Division>(weights, ring.tokens(stage), stage > 0 || start > 0, rows, sums);
      // All but the last product have ended: those of the stage before, too.
      if (leads && i >= 1) ring.leave((stage + all - 1) % all);
      if (copies_tokens && i >= behind && i - behind + all < count) {
        constexpr auto before = [](int stage) { return (stage + all - behind) % all; };
        ring.await_left(before(stage), stage < behind ? !odd : odd);
        ring.copy_tokens(before(stage), tokens, first + i - behind + all);
      }
      __syncwarp();
    }
  Division::Unit::template await<0>();
}

// The pairs of sums that a block of a cluster adds up and writes.
template <typename Division, typename Epilogue>
class OwnPairs {
  using Unit = typename Division::Unit;
  using Look = typename BlockOut<Epilogue>::Look;

 public:
  // Called by all threads of a cluster, when the ring is no longer in use: adds up the blocks' sums, in their order, and
  // writes the results. What the epilogue needs is loaded while the sums are on their way.
  __device__ __forceinline__ static void write(const ClusterRing<Division>& ring, const typename Unit::Sums& sums,
                                               const BlockOut<Epilogue>& out) {
    const int rank = static_cast<int>(blockIdx.z), pair = rank * kCount;
    Look looks[kAtOnce];
    load(out, pair, looks);
    await_cluster();
    send(ring, sums, rank);
    wait(ring.parts(), 0);
#pragma unroll
    for (int start = 0; start < kCount; start += kAtOnce) {
      if (start > 0) load(out, pair + start, looks);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const float2 sum = total(ring, start + i);
        out.write(warp(), Unit::row(lane()), Unit::column(lane(), pair + start + i), sum.x, sum.y, looks[i]);
      }
    }
  }

 private:
  static constexpr int kCount = Division::kOwnPairs,
                       kAtOnce = kCount < 4 ? kCount : 4;  // for which there are registers

  __device__ static int warp() { return static_cast<int>(threadIdx.x) / kLanes; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kLanes; }

  __device__ __forceinline__ static void load(const BlockOut<Epilogue>& out, int pair, Look (&looks)[kAtOnce]) {
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) looks[i] = out.look(warp(), Unit::row(lane()), Unit::column(lane(), pair + i));
  }

  // Gives each block its share of this one's sums.
  __device__ __forceinline__ static void send(const ClusterRing<Division>& ring, const typename Unit::Sums& sums,
                                              int rank) {
#pragma unroll
    for (int to = 0; to < Division::kSplits; ++to) {
      const uint32_t arrived = address_in_cluster(ring.parts(), to), part = address_in_cluster(ring.part(rank, 0), to);
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        send_in_cluster(part + i * Division::kThreads * 8,
                        make_float2(Unit::low(sums, to * kCount + i), Unit::high(sums, to * kCount + i)), arrived);
    }
  }

  __device__ __forceinline__ static float2 total(const ClusterRing<Division>& ring, int pair) {
    float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int from = 0; from < Division::kSplits; ++from) {
      const float2 part = *reinterpret_cast<const float2*>(ring.part(from, pair));
      sum = make_float2(sum.x + part.x, sum.y + part.y);
    }
    return sum;
  }
};

// Grid: (1, rows, splits), the splits in clusters. `tokens` of `arranged` are used.
template <typename Division, typename Epilogue>
__global__ void __cluster_dims__(1, 1, Division::kSplits) __launch_bounds__(Division::kThreads, Division::kResident)
    cluster_matmul_kernel(Matrix matrix, ArrangedTokens arranged, int tokens, Epilogue epilogue) {
  extern __shared__ __align__(1024) uint8_t bytes[];
  const int first_row = blockIdx.y * Division::kRowTiles, warp = threadIdx.x / kLanes;
  const int first = matrix.column_tiles * blockIdx.z / Division::kSplits;
  const int count = matrix.column_tiles * (blockIdx.z + 1) / Division::kSplits - first;
  const ClusterRing<Division> ring(bytes);
  typename Division::Unit::Sums sums;
  // Warps beyond the matrix repeat its last row; their results are not used.
  multiply_tiles<Division>(ring, matrix.row(min(first_row + warp, matrix.row_tiles - 1)) + first * kTileBytes, arranged,
                           first, count, sums);
  const BlockOut<Epilogue> out = {epilogue, first_row, matrix.row_tiles - first_row, 0, tokens};
  OwnPairs<Division, Epilogue>::write(ring, sums, out);
}

}  // namespace hipport_llm

#endif

#endif
