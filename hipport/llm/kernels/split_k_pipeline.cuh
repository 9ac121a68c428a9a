// Loads the operands of a split-K product into shared memory, stage by stage. With few tokens, computing the
// addresses of each stage would take longer than the product, so each thread keeps its addresses and advances them.
#ifndef HIPPORT_LLM_SPLIT_K_PIPELINE_CUH
#define HIPPORT_LLM_SPLIT_K_PIPELINE_CUH

#include "early_start.cuh"
#include "operand_pipeline.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

// The pieces of 16 bytes that a thread copies for the next stage, which has one tile of each row.
template <typename Own>
class SplitKPieces {
 public:
  static_assert(Own::kTiles == 1, "where a row's next tile is would depend on the stage");
  static constexpr int kTilePieces = kTileBytes / 16, kWeightPieces = Own::kRowTiles * kTilePieces;
  static constexpr int kWeightRounds = (kWeightPieces + kUnitThreads - 1) / kUnitThreads;
  static constexpr int kEighths = kTileColumns / 8, kTokensAtOnce = kUnitThreads / kEighths;
  static constexpr int kTokenRounds = (Own::kTokens + kTokensAtOnce - 1) / kTokensAtOnce;
  static constexpr int kRounds = kWeightRounds + kTokenRounds;
  static_assert(kTokensAtOnce % 8 == 0, "a thread's tokens have their eighths in the same places");

  __device__ __forceinline__ SplitKPieces(const Matrix& matrix, int first_row, const Activations& activations,
                                          int first_token, int first_stage)
      : round_stride_(static_cast<int64_t>(kTokensAtOnce) * activations.stride) {
    const int thread = static_cast<int>(threadIdx.x), token = thread / kEighths, eighth = thread % kEighths;
#pragma unroll
    for (int i = 0; i < kWeightRounds; ++i) {
      const int piece = min(thread + i * kUnitThreads, kWeightPieces - 1);
      // Rows beyond the matrix repeat its last one; their results are not used.
      const int row = min(first_row + piece / kTilePieces, matrix.row_tiles - 1);
      weights_[i] = matrix.row(row) + first_stage * kTileBytes + piece % kTilePieces * 16;
    }
    tokens_ = activations.values +
              static_cast<int64_t>(first_token + min(token, Own::kTokens - 1)) * activations.stride +
              first_stage * kTileColumns + eighth * 8;
    token_place_ = Own::kWeightBytes + Panels::place(token, eighth, Own::kTokens);
  }

  // Calls `copy(round, offset in the stage, address)` for each piece.
  template <typename Copy>
  __device__ __forceinline__ void each(const Copy& copy) const {
    const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < kWeightRounds; ++i)
      if ((i + 1) * kUnitThreads <= kWeightPieces || thread + i * kUnitThreads < kWeightPieces)
        copy(i, (thread + i * kUnitThreads) * 16, weights_[i]);
#pragma unroll
    for (int i = 0; i < kTokenRounds; ++i)
      if ((i + 1) * kTokensAtOnce <= Own::kTokens || thread / kEighths + i * kTokensAtOnce < Own::kTokens)
        copy(kWeightRounds + i, token_place_ + i * kTokensAtOnce * Panels::kRowBytes, tokens_ + i * round_stride_);
  }

  // Prefetches the weights of the next stages.
  __device__ __forceinline__ void prefetch_weights(int stages) const {
#pragma unroll
    for (int i = 0; i < kWeightRounds; ++i)
#pragma unroll 1
      for (int stage = 0; stage < stages; ++stage) prefetch(weights_[i] + stage * kTileBytes);
  }

  // Advances to the next stage.
  __device__ __forceinline__ void advance() {
#pragma unroll
    for (int i = 0; i < kWeightRounds; ++i) weights_[i] += kTileBytes;
    tokens_ += kTileColumns;
  }

 private:
  int64_t round_stride_;
  const uint8_t* weights_[kWeightRounds];
  const Number* tokens_;
  int token_place_;
};

#if !defined(__HIP_PLATFORM_AMD__)

// `count` stages, from the current one of `pieces` on.
template <typename Own>
class SplitKPipeline {
 public:
  __device__ __forceinline__ SplitKPipeline(uint8_t* shared, const SplitKPieces<Own>& pieces, int count)
      : pieces_(pieces), start_(address_of(shared)), left_(count) {
    if (threadIdx.x % 8 == 0) pieces_.prefetch_weights(min(Own::kCount - 1, count));  // one thread for a line
    await_previous_kernel();
#pragma unroll 1
    for (int i = 0; i < Own::kCount - 1; ++i) copy();
  }

  // Returns the next stage; the previous one must no longer be used. Called by all threads.
  __device__ __forceinline__ const uint8_t* next() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Own::kCount - 2) : "memory");
    __syncthreads();
    copy();
    const uint8_t* stage = static_cast<const uint8_t*>(__cvta_shared_to_generic(start_ + read_));
    read_ = after(read_);
    return stage;
  }

 private:
  // Hides the origin of the address from the compiler, which would otherwise recompute it in every stage.
  __device__ static uint32_t address_of(uint8_t* shared) {
    uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
    asm volatile("" : "+r"(address));
    return address;
  }

  __device__ static uint32_t after(uint32_t place) {
    return place == (Own::kCount - 1) * Own::kBytes ? 0 : place + Own::kBytes;
  }

  __device__ __forceinline__ void copy() {
    if (left_ > 0) {
      pieces_.each([&](int, int place, const void* from) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(start_ + written_ + place), "l"(from)
                     : "memory");
      });
      pieces_.advance();
    }
    --left_;
    written_ = after(written_);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  SplitKPieces<Own> pieces_;
  uint32_t start_, written_ = 0, read_ = 0;
  int left_;
};

#else

template <typename Own>
class SplitKPipeline {
 public:
  __device__ __forceinline__ SplitKPipeline(uint8_t* shared, const SplitKPieces<Own>& pieces, int count)
      : pieces_(pieces), shared_(shared), left_(count) {
    load();
  }

  __device__ __forceinline__ const uint8_t* next() {
    __syncthreads();
    pieces_.each(
        [&](int round, int place, const void*) { *reinterpret_cast<uint4*>(shared_ + place) = loaded_[round]; });
    __syncthreads();
    if (--left_ > 0) {
      pieces_.advance();
      load();
    }
    return shared_;
  }

 private:
  __device__ __forceinline__ void load() {
    pieces_.each([&](int round, int, const void* from) { loaded_[round] = *static_cast<const uint4*>(from); });
  }

  SplitKPieces<Own> pieces_;
  uint8_t* shared_;
  int left_;
  uint4 loaded_[SplitKPieces<Own>::kRounds];
};

#endif

}  // namespace hipport_llm

#endif
