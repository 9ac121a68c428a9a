// Multiplies a packed matrix with many tokens on the matrix units of Hopper's warp groups. Tokens go through a ring in
// shared memory that bulk copies fill. Each warp loads the weights of its own rows into registers, and decodes them while
// the units multiply those before them.
#ifndef HIPPORT_LLM_WARPGROUP_MATMUL_CUH
#define HIPPORT_LLM_WARPGROUP_MATMUL_CUH

#include "arranged_tokens.cuh"
#include "bulk_copies.cuh"
#include "matmul.cuh"
#include "warpgroup_unit.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// A block multiplies the 64 rows of each of `Groups` warp groups with `Tokens` tokens, or a cluster of `Splits` blocks
// does, each with a part of the columns. A stage is the columns of a tile.
template <int Groups, int Tokens, int Resident, int Splits = 1>
struct WarpgroupDivision {
  static_assert(Splits == 1 || Splits == 2, "the two blocks of a cluster exchange halves of their sums");
  static constexpr int kSplits = Splits;
  using Unit = WarpgroupUnit<Tokens>;
  static constexpr int kGroups = Groups, kTokens = Tokens, kResident = Resident;
  static constexpr int kWarps = 4 * kGroups, kRowTiles = kWarps;  // one row of tiles for each warp
  static constexpr int kThreads = kGroups * Unit::kThreads;
  static constexpr int kPanels = kTileColumns / Panels::kColumns;
  static_assert(kPanels * Panels::kColumns == kTileColumns, "tiles are whole panels");

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
  int first, first_tile;

  __device__ uint8_t* at(int stage) const { return bytes + stage * Division::kStageBytes; }

  // Called by one thread: begins to copy the columns of the block's tile `i` to a free stage.
  __device__ void copy(int i, int stage) const {
    uint64_t* full = &barriers->full[stage];
    expect_bytes(full, Division::kStageBytes);
#pragma unroll
    for (int panel = 0; panel < Division::kPanels; ++panel)
      copy_bulk(at(stage) + panel * Division::kPanelBytes,
                tokens.at((first_tile + i) * Division::kPanels + panel, first), Division::kPanelBytes, full);
  }
};

// Weights in registers of their own. Without an instruction that makes them, the compiler moves loaded weights to the
// registers of a product after it has begun, and then waits for each. `zero` is one that the compiler does not know.
__device__ __forceinline__ LaneRows made(const LaneRows& rows, uint32_t zero) {
  const auto all = [&](const uint4& x) { return make_uint4(x.x ^ zero, x.y ^ zero, x.z ^ zero, x.w ^ zero); };
  LaneRows to;
  to.low = {all(rows.low.bits)};
  to.high = {all(rows.high.bits)};
  return to;
}

// Adds to the sums of a warp's row of tiles the product of its tile `i`, whose weights have been loaded.
template <typename Division>
__device__ __forceinline__ void multiply_tile(const TokenRing<Division>& ring, int i, const Place& turn,
                                              const LaneWeights& weights, LaneRows (&rows)[2],
                                              typename Division::Unit::Sums& sums) {
  using Unit = typename Division::Unit;
  wait(&ring.barriers->full[turn.stage()], turn.parity());
  const uint32_t zero = static_cast<uint32_t>(ring.tokens.room) >> 31;
  const uint64_t columns = describe(shared_address(ring.at(turn.stage())));
#pragma unroll
  for (int block = 0; block < Format::kBlocks; ++block) {
    rows[block % 2] = Format::kScaled ? weights.block(block) : made(weights.block(block), zero);
    Unit::begin();
    Unit::multiply_add(sums, i > 0 || block > 0, rows[block % 2],
                       columns + block / 2 * (Division::kPanelBytes / 16) + block % 2 * 4);
    Unit::commit();
    // The units still use the other rows, but no longer those before them.
    Unit::template await<1>();
  }
}

// Called by all warps: the sums of a warp's row of tiles, whose first is `tiles`. The first thread also copies: a stage
// is used again when all warps have multiplied the stage after it, so that none waits for the slowest.
template <typename Division>
__device__ __forceinline__ void multiply_tiles(const TokenRing<Division>& ring, const uint8_t* tiles, int count,
                                               typename Division::Unit::Sums& sums) {
  const int lane = threadIdx.x % kLanes;
  const auto load = [&](int i) { return LaneWeights(tiles + min(i, count - 1) * kTileBytes, lane); };
  if (threadIdx.x == 0)
    for (int i = 0; i < min(Division::kCount, count); ++i) ring.copy(i, i);
  LaneWeights weights[2] = {load(0), load(1)};
  LaneRows rows[2];
  Place turn(Division::kCount, 0), used = turn, refilled = turn;
#pragma unroll 1
  for (int first = 0; first < count; first += 2)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = first + half, refill = i - 2 + Division::kCount;
      if (i >= count) break;
      multiply_tile(ring, i, turn, weights[half], rows, sums);
      turn.advance(1);
      weights[half] = load(i + 2);
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

// Called by all threads of the two blocks of a cluster: leaves in the first half of `sums` the whole sums, in block 0 of
// the first half of the tokens, in block 1 of the second. `room` is shared memory that is no longer in use.
template <typename Division>
__device__ __forceinline__ void add_halves(uint8_t* room, typename Division::Unit::Sums& sums) {
  constexpr int half = Division::kTokens / 4;  // a thread's sums
  static_assert(half * Division::kThreads * 4 <= Division::kCount * Division::kStageBytes, "half of the sums fits");
  const bool second = blockIdx.z > 0;
  wait_for_cluster();
  const uint32_t to = address_in_cluster(room + threadIdx.x * 4, 1 - static_cast<int>(blockIdx.z));
#pragma unroll
  for (int i = 0; i < half; ++i) {
    const float low = sums.values[i], high = sums.values[half + i];
    store_in_cluster(to + i * Division::kThreads * 4, second ? low : high);
    sums.values[i] = second ? high : low;
  }
  wait_for_cluster();
  const float* from = reinterpret_cast<const float*>(room) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < half; ++i) sums.values[i] += from[i * Division::kThreads];
}

// Grid: (tokens, rows, splits), the splits in clusters. `tokens` of `arranged` are used.
template <typename Division, typename Epilogue>
__global__ void __cluster_dims__(1, 1, Division::kSplits) __launch_bounds__(Division::kThreads, Division::kResident)
    warpgroup_matmul_kernel(Matrix matrix, ArrangedTokens arranged, int tokens, Epilogue epilogue) {
  extern __shared__ __align__(1024) uint8_t ring[];
  using Unit = typename Division::Unit;
  const int first_row = blockIdx.y * Division::kRowTiles;
  int first_token = blockIdx.x * Division::kTokens;
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const auto barriers = reinterpret_cast<typename Division::Barriers*>(ring + Division::kCount * Division::kStageBytes);
  if (threadIdx.x == 0) {
    for (int i = 0; i < Division::kCount; ++i) {
      init_barrier(&barriers->full[i], 1);
      init_barrier(&barriers->empty[i], Division::kWarps);
    }
    publish_barriers();
  }
  __syncthreads();
  typename Unit::Sums sums;
  // Warps beyond the matrix repeat its last row; their results are not used.
  const uint8_t* row = matrix.row(min(first_row + warp, matrix.row_tiles - 1));
  const int first = matrix.column_tiles * blockIdx.z / Division::kSplits;
  const int count = matrix.column_tiles * (blockIdx.z + 1) / Division::kSplits - first;
  multiply_tiles<Division>({ring, barriers, arranged, first_token, first}, row + first * kTileBytes, count, sums);
  constexpr int own = Unit::kPairs / Division::kSplits;
  if constexpr (Division::kSplits == 2) {
    add_halves<Division>(ring, sums);
    first_token += blockIdx.z * (Division::kTokens / 2);
  }
  using Out = BlockOut<Epilogue>;
  const Out out = {epilogue, first_row, matrix.row_tiles - first_row, first_token, tokens - first_token};
  constexpr int at_once = 8;  // as many as there are registers for
#pragma unroll
  for (int first = 0; first < own; first += at_once) {
    typename Out::Look looks[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) looks[i] = out.look(warp, Unit::row(lane), Unit::column(lane, first + i));
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      out.write(warp, Unit::row(lane), Unit::column(lane, first + i), Unit::low(sums, first + i),
                Unit::high(sums, first + i), looks[i]);
  }
}

}  // namespace hipport_llm

#endif

#endif
