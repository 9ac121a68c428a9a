// Loads the operands of a large product into shared memory, stage by stage.
//
// A stage is some columns of the block's rows of packed tiles and of its tokens. NVIDIA GPUs copy several stages
// ahead asynchronously (cp.async). On other targets each thread loads its share of the next stage into registers
// while the block computes, and then stores it.
#ifndef HIPPORT_LLM_OPERAND_PIPELINE_CUH
#define HIPPORT_LLM_OPERAND_PIPELINE_CUH

#include "matrix_unit.cuh"
#include "prompt_chunk.h"
#include "weight_stream.cuh"

namespace hipport_llm {

// A stage has `Tiles` tiles of each of `RowTiles` rows of tiles, and as many columns of `Tokens` tokens.
template <int RowTiles, int Tokens, int Tiles>
struct Stage {
  static constexpr int kRowTiles = RowTiles, kTokens = Tokens, kTiles = Tiles;
  static constexpr int kColumns = kTiles * kTileColumns;
  static constexpr int kRowBytes = kTiles * kTileBytes;  // of a row of tiles
  static constexpr int kWeightBytes = RowTiles * kRowBytes;
  static constexpr int kBytes = kWeightBytes + Tokens * kColumns * 2;
#if !defined(__HIP_PLATFORM_AMD__)
  static constexpr int kCount = kBytes > 32768 ? 2 : kBytes > 24576 ? 3 : 4;
#else
  static constexpr int kCount = 1;
#endif
};

// The pieces of 16 bytes of each stage that a thread copies.
template <typename Own>
class Pieces {
 public:
  static constexpr int kTilePieces = kTileBytes / 16, kRowPieces = Own::kTiles * kTilePieces;
  static constexpr int kEighths = Own::kColumns / 8;
  // For each row of tiles the threads copy one piece each, `kWhole` times. The pieces that remain of all rows are
  // copied together.
  static constexpr int kWhole = kRowPieces / kUnitThreads, kLeft = kRowPieces % kUnitThreads;
  static constexpr int kWholeRounds = Own::kRowTiles * kWhole;
  static constexpr int kLeftRounds = (Own::kRowTiles * kLeft + kUnitThreads - 1) / kUnitThreads;
  static constexpr int kWeightRounds = kWholeRounds + kLeftRounds;
  static constexpr int kTokensAtOnce = kUnitThreads / kEighths;
  static constexpr int kTokenRounds = (Own::kTokens + kTokensAtOnce - 1) / kTokensAtOnce;
  static constexpr int kRounds = kWeightRounds + kTokenRounds;

  __device__ Pieces(const Matrix& matrix, int first_row, const Activations& activations, int first_token)
      : column_tiles_(matrix.column_tiles),
        weights_(matrix.row(first_row)),
        tokens_(activations.values + static_cast<int64_t>(first_token + threadIdx.x / kEighths) * activations.stride +
                threadIdx.x % kEighths * 8),
        round_stride_(static_cast<int64_t>(kTokensAtOnce) * activations.stride),
        token_place_(Panels::place(threadIdx.x / kEighths, threadIdx.x % kEighths, Own::kTokens)) {
    last_row_ = matrix.row_tiles - 1 - first_row;
#pragma unroll
    for (int i = 0; i < kLeftRounds; ++i) left_offsets_[i] = offset(place(kWholeRounds + i));
  }

  // Calls `copy(round, offset in the stage, address)` for each piece that the matrix has.
  template <typename Copy>
  __device__ __forceinline__ void each(int stage, const Copy& copy) const {
    const int tiles = column_tiles_ - stage * Own::kTiles;
#pragma unroll
    for (int i = 0; i < kWeightRounds; ++i) {
      const Place own = place(i);
      if (own.row < Own::kRowTiles && (Own::kTiles == 1 || own.piece / kTilePieces < tiles))
        copy(i, (own.row * kRowPieces + own.piece) * 16,
             weights_ + (i < kWholeRounds ? offset(own) : left_offsets_[i - kWholeRounds]) + stage * Own::kRowBytes);
    }
    if (Own::kTiles > 1 && static_cast<int>(threadIdx.x) % kEighths >= tiles * (kTileColumns / 8)) return;
#pragma unroll
    for (int i = 0; i < kTokenRounds; ++i)
      if (Own::kTokens % kTokensAtOnce == 0 || threadIdx.x / kEighths + i * kTokensAtOnce < Own::kTokens)
        copy(kWeightRounds + i, Own::kWeightBytes + token_place(i),
             reinterpret_cast<const uint8_t*>(tokens_ + i * round_stride_ + stage * Own::kColumns));
  }

 private:
  // Rows that are a multiple of 8 apart have the same swizzle.
  __device__ int token_place(int round) const {
    if constexpr (kTokensAtOnce % 8 == 0) return token_place_ + round * kTokensAtOnce * Panels::kRowBytes;
    return Panels::place(threadIdx.x / kEighths + round * kTokensAtOnce, threadIdx.x % kEighths, Own::kTokens);
  }

  // A piece of weights: its row of tiles, and its number in this row.
  struct Place {
    int row, piece;
  };
  __device__ static Place place(int round) {
    constexpr int whole = kWhole > 0 ? kWhole : 1, each = kLeft > 0 ? kLeft : 1;  // avoids divisions by zero
    const int thread = static_cast<int>(threadIdx.x), left = thread + (round - kWholeRounds) * kUnitThreads;
    if (round < kWholeRounds) return {round / whole, round % whole * kUnitThreads + thread};
    return {left / each, kWhole * kUnitThreads + left % each};
  }
  // Bytes from the first row. Rows beyond the matrix repeat its last one; their results are not used.
  __device__ int offset(const Place& place) const {
    return min(place.row, last_row_) * column_tiles_ * kTileBytes + place.piece * 16;
  }

  int column_tiles_;
  const uint8_t* weights_;
  const Number* tokens_;
  int64_t round_stride_;
  int token_place_, last_row_;
  int left_offsets_[kLeftRounds > 0 ? kLeftRounds : 1];
};

#if !defined(__HIP_PLATFORM_AMD__)

__device__ inline void copy_async(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

// `count` stages of a product, from `first` on.
template <typename Own>
class OperandPipeline {
 public:
  __device__ OperandPipeline(uint8_t* shared, const Pieces<Own>& pieces, int first, int count)
      : shared_(shared), pieces_(pieces), first_(first), count_(count) {
    for (int i = 0; i < Own::kCount - 1; ++i) copy(i);
  }

  // Returns the next stage; the previous one must no longer be used. Called by all threads.
  __device__ const uint8_t* next(int stage) {
    asm volatile("cp.async.wait_group %0;" ::"n"(Own::kCount - 2) : "memory");
    __syncthreads();
    copy(stage + Own::kCount - 1);
    return shared_ + stage % Own::kCount * Own::kBytes;
  }

 private:
  __device__ void copy(int stage) {
    uint8_t* to = shared_ + stage % Own::kCount * Own::kBytes;
    if (stage < count_)
      pieces_.each(first_ + stage, [&](int, int place, const uint8_t* from) { copy_async(to + place, from); });
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  uint8_t* shared_;
  const Pieces<Own>& pieces_;
  int first_, count_;
};

#else

template <typename Own>
class OperandPipeline {
 public:
  __device__ OperandPipeline(uint8_t* shared, const Pieces<Own>& pieces, int first, int count)
      : shared_(shared), pieces_(pieces), first_(first), count_(count) {
    load(0);
  }

  __device__ const uint8_t* next(int stage) {
    __syncthreads();
    pieces_.each(first_ + stage, [&](int round, int place, const uint8_t*) {
      *reinterpret_cast<uint4*>(shared_ + place) = loaded_[round];
    });
    __syncthreads();
    if (stage + 1 < count_) load(stage + 1);
    return shared_;
  }

 private:
  __device__ void load(int stage) {
    pieces_.each(first_ + stage,
                 [&](int round, int, const uint8_t* from) { loaded_[round] = *reinterpret_cast<const uint4*>(from); });
  }

  uint8_t* shared_;
  const Pieces<Own>& pieces_;
  int first_, count_;
  uint4 loaded_[Pieces<Own>::kRounds];
};

#endif

}  // namespace hipport_llm

#endif
