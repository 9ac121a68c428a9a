// Multiplies a packed matrix with many tokens on the matrix units of Hopper's warp groups.
#ifndef HIPPORT_LLM_WARPGROUP_MATMUL_CUH
#define HIPPORT_LLM_WARPGROUP_MATMUL_CUH

#include "matmul.cuh"
#include "warpgroup_pipeline.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// Weights in registers of their own. Without an instruction that makes them, the compiler moves loaded weights to the
// registers of a product after it has begun, and then waits for each. `zero` is one that the compiler does not know.
__device__ __forceinline__ LaneRows made(const LaneRows& rows, uint32_t zero) {
  const auto all = [&](const uint4& x) { return make_uint4(x.x ^ zero, x.y ^ zero, x.z ^ zero, x.w ^ zero); };
  LaneRows to;
  to.low = {all(rows.low.bits)};
  to.high = {all(rows.high.bits)};
  return to;
}

// A warp's row of tiles, from the first of them on.
class TileWeights {
 public:
  using Stage = LaneWeights;
  struct Scales {};

  // `zero`, see made().
  __device__ TileWeights(const uint8_t* tiles, uint32_t zero)
      : tiles_(tiles), lane_(threadIdx.x % kLanes), zero_(zero) {}

  __device__ Stage load(int i) const { return Stage(tiles_ + i * kTileBytes, lane_); }
  __device__ LaneRows block(const Stage& stage, int block, Scales&) const {
    return Format::kScaled ? stage.block(block) : made(stage.block(block), zero_);
  }

 private:
  const uint8_t* tiles_;
  int lane_;
  uint32_t zero_;
};

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
  const auto barriers = init_ring<Division>(ring);
  typename Unit::Sums sums;
  // Warps beyond the matrix repeat its last row; their results are not used.
  const uint8_t* row = matrix.row(min(first_row + warp, matrix.row_tiles - 1));
  const int first = matrix.column_tiles * blockIdx.z / Division::kSplits;
  const int count = matrix.column_tiles * (blockIdx.z + 1) / Division::kSplits - first;
  const TileWeights weights(row + first * kTileBytes, static_cast<uint32_t>(arranged.room) >> 31);
  StagesAhead<TileWeights> ahead(weights, count);
  multiply_stages<Division>({ring, barriers, arranged, first_token, first}, ahead, sums);
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
