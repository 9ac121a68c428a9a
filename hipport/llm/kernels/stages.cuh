// Brings the operands of a large product into shared memory, stage by stage.
//
// A stage is some columns of the block's rows of tiles, as they are packed, and of its tokens. NVIDIA GPUs copy several
// stages ahead by themselves (cp.async); elsewhere each thread loads its share of the next stage into registers while
// the block computes, and then stores it.
#ifndef HIPPORT_LLM_STAGES_CUH
#define HIPPORT_LLM_STAGES_CUH

#include "matrix_unit.cuh"
#include "piece.h"
#include "stream.cuh"

namespace hipport_llm {

// What a stage holds, for a block of `RowTiles` x 16 rows and `Tokens` tokens.
template <int RowTiles, int Tokens>
struct Stage {
  static constexpr int kTiles = kTileColumns < Panels::kColumns ? Panels::kColumns / kTileColumns : 1;
  static constexpr int kColumns = kTiles * kTileColumns;
  static constexpr int kRowBytes = kTiles * kTileBytes;  // of a row of tiles
  static constexpr int kWeightBytes = RowTiles * kRowBytes;
  static constexpr int kBytes = kWeightBytes + Tokens * kColumns * 2;
#if !defined(__HIP_PLATFORM_AMD__)
  static constexpr int kCount = kColumns > 64 ? 3 : 4;
#else
  static constexpr int kCount = 1;
#endif
};

// The pieces of 16 bytes of each stage that a thread copies.
template <int RowTiles, int Tokens>
class Pieces {
 public:
  using Own = Stage<RowTiles, Tokens>;
  static constexpr int kRowPieces = Own::kRowBytes / 16, kEighths = Own::kColumns / 8;
  static constexpr int kWeightPieces = RowTiles * kRowPieces;
  static constexpr int kWeightRounds = (kWeightPieces + kUnitThreads - 1) / kUnitThreads;
  static constexpr int kTokensAtOnce = kUnitThreads / kEighths;
  static constexpr int kTokenRounds = (Tokens + kTokensAtOnce - 1) / kTokensAtOnce;
  static constexpr int kRounds = kWeightRounds + kTokenRounds;

  __device__ Pieces(const Matrix& matrix, int first_row, const Activations& activations, int first_token)
      : weights_(matrix.row(first_row)),
        tokens_(activations.values +
                static_cast<int64_t>(first_token + threadIdx.x / kEighths) * activations.stride +
                threadIdx.x % kEighths * 8),
        round_stride_(static_cast<int64_t>(kTokensAtOnce) * activations.stride),
        token_place_(Panels::place(threadIdx.x / kEighths, threadIdx.x % kEighths, Tokens)) {
#pragma unroll
    for (int i = 0; i < kWeightRounds; ++i) {
      // Rows beyond the matrix repeat its last one; what comes out of them is not used.
      const int piece = weight_piece(i), row = min(piece / kRowPieces, matrix.row_tiles - 1 - first_row);
      offsets_[i] = row * matrix.column_tiles * kTileBytes + piece % kRowPieces * 16;
    }
  }

  // Gives `copy` the round, the place in the stage, and the address of each piece.
  template <typename Copy>
  __device__ __forceinline__ void each(int stage, const Copy& copy) const {
#pragma unroll
    for (int i = 0; i < kWeightRounds; ++i)
      if (weight_piece(i) < kWeightPieces)
        copy(i, weight_piece(i) * 16, weights_ + offsets_[i] + stage * Own::kRowBytes);
#pragma unroll
    for (int i = 0; i < kTokenRounds; ++i)
      if (Tokens % kTokensAtOnce == 0 || threadIdx.x / kEighths + i * kTokensAtOnce < Tokens)
        copy(kWeightRounds + i, Own::kWeightBytes + token_place_ + i * kTokensAtOnce * Panels::kRowBytes,
             reinterpret_cast<const uint8_t*>(tokens_ + i * round_stride_ + stage * Own::kColumns));
  }

 private:
  __device__ static int weight_piece(int round) { return static_cast<int>(threadIdx.x) + round * kUnitThreads; }

  const uint8_t* weights_;
  const __half* tokens_;
  int64_t round_stride_;
  int token_place_;
  int offsets_[kWeightRounds];
};

#if !defined(__HIP_PLATFORM_AMD__)

__device__ inline void copy_async(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

// The stages of a product, one after the other.
template <int RowTiles, int Tokens>
class Stages {
 public:
  using Own = Stage<RowTiles, Tokens>;

  __device__ Stages(uint8_t* shared, const Pieces<RowTiles, Tokens>& pieces, int count)
      : shared_(shared), pieces_(pieces), count_(count) {
    for (int i = 0; i < Own::kCount - 1; ++i) copy(i);
  }

  // The next stage; the one before must no longer be used. By all threads.
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
      pieces_.each(stage, [&](int, int place, const uint8_t* from) { copy_async(to + place, from); });
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  uint8_t* shared_;
  const Pieces<RowTiles, Tokens>& pieces_;
  int count_;
};

#else

template <int RowTiles, int Tokens>
class Stages {
 public:
  __device__ Stages(uint8_t* shared, const Pieces<RowTiles, Tokens>& pieces, int count)
      : shared_(shared), pieces_(pieces), count_(count) {
    load(0);
  }

  __device__ const uint8_t* next(int stage) {
    __syncthreads();
    pieces_.each(stage, [&](int round, int place, const uint8_t*) {
      *reinterpret_cast<uint4*>(shared_ + place) = loaded_[round];
    });
    __syncthreads();
    if (stage + 1 < count_) load(stage + 1);
    return shared_;
  }

 private:
  __device__ void load(int stage) {
    pieces_.each(stage, [&](int round, int, const uint8_t* from) {
      loaded_[round] = *reinterpret_cast<const uint4*>(from);
    });
  }

  uint8_t* shared_;
  const Pieces<RowTiles, Tokens>& pieces_;
  int count_;
  uint4 loaded_[Pieces<RowTiles, Tokens>::kRounds];
};

#endif

}  // namespace hipport_llm

#endif
