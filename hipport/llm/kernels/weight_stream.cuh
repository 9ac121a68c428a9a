// Streams packed weights to the warps that multiply them.
//
// A block processes its rows of tiles in a fixed order. With bulk copies (Hopper) dedicated warps keep a ring of
// stages in shared memory filled, across matrices and grid barriers, so that memory never waits for computation. On
// other targets each warp reads the tiles from global memory.
#ifndef HIPPORT_LLM_WEIGHT_STREAM_CUH
#define HIPPORT_LLM_WEIGHT_STREAM_CUH

#include "bulk_copies.cuh"
#include "packed_tiles.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

// A packed matrix: `row_tiles` rows of `column_tiles` tiles. Block b owns rows b, b + gridDim.x, ...
struct Matrix {
  const uint8_t* tiles;
  int row_tiles;
  int column_tiles;

  __device__ const uint8_t* row(int row_tile) const {
    return tiles + static_cast<int64_t>(row_tile) * column_tiles * kTileBytes;
  }
};

// A row is split into stages, each used by one warp. Stages are assigned to the warps round-robin, across matrices.
constexpr int kStageTiles = Format::kStageTiles;
constexpr int kStageBytes = kStageTiles * kTileBytes;

__host__ __device__ inline int stages_of(int column_tiles) { return (column_tiles + kStageTiles - 1) / kStageTiles; }

__device__ inline int stages_of(const Matrix& matrix) { return stages_of(matrix.column_tiles); }

// The rows of a matrix that this block owns.
template <typename Rows>
__device__ inline int own_rows(const Rows& matrix) {
  return static_cast<int>((matrix.row_tiles + gridDim.x - 1 - blockIdx.x) / gridDim.x);
}

// The number of this warp's next stage, counted from the current matrix's first.
class StageCursor {
 public:
  __device__ explicit StageCursor(int warp) : next_(warp) {}
  __device__ int next() const { return next_; }
  // Advances past a matrix of `stages` stages.
  __device__ void pass(int stages) { next_ = (next_ - stages) & (kWarps - 1); }

 private:
  int next_;
};

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES

// A multiple of kWarps, so that a stage's barriers belong to one warp.
constexpr int kRingStages = 40;

// Barriers of a stage: its bytes have arrived (full); its warp has finished with them (empty).
struct StageBarriers {
  uint64_t full[kRingStages];
  uint64_t empty[kRingStages];
};

// A ring of stages. What is in them is up to the streams of this and of native_stream.cuh.
class StageRing {
 public:
  // Called by all threads of the block; the barriers are ready after the next __syncthreads(). `arrivals`: how often
  // copying threads arrive for a stage.
  __device__ StageRing(StageBarriers* barriers, int stages, int arrivals)
      : barriers_(barriers), copier_(warp_of_kind()), place_(stages, warp_of_kind()) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < stages; ++i) {
      init_barrier(&barriers->full[i], arrivals);
      init_barrier(&barriers->empty[i], 1);
    }
    publish_barriers();
  }

  // Called by a computing warp: frees what it acquired.
  __device__ void release() {
    __syncwarp();
    if (threadIdx.x % kLanes == 0) arrive(&barriers_->empty[place_.stage()]);
    place_.advance(kWarps);
  }

 protected:
  // Called by a computing warp: waits for its next stage, and returns which one of the ring it is.
  __device__ int acquire_stage() {
    wait(&barriers_->full[place_.stage()], place_.parity());
    return place_.stage();
  }

  // Called by the copying threads: goes through `rows` of `stages` each. `row_of` prepares a row, of which it returns what
  // copies a stage: with its number in the row, its place in the ring, and the barrier that waits for it.
  template <typename RowOf>
  __device__ __forceinline__ void produce_rows(int rows, int stages, const RowOf& row_of) {
    int next = copier_;
    for (int row = 0; row < rows; ++row, next -= stages) {
      if (next >= stages) continue;
      const auto copy = row_of(row);
      for (; next < stages; next += kCopyingWarps) {
        wait(&barriers_->empty[place_.stage()], place_.parity() ^ 1);
        copy(next, place_.stage(), &barriers_->full[place_.stage()]);
        place_.advance(kCopyingWarps);
      }
    }
    copier_ = next;
  }

 private:
  // The number of this warp among the computing or among the copying warps.
  __device__ static int warp_of_kind() { return threadIdx.x / kLanes % kWarps; }

  StageBarriers* barriers_;
  int copier_;
  RingPlace place_;
};

class Stream : public StageRing {
 public:
  using Barriers = StageBarriers;

  __device__ Stream(uint8_t* ring, Barriers* barriers, int stages) : StageRing(barriers, stages, 1), ring_(ring) {}

  // Whether this thread copies, among those that do not compute.
  __device__ static bool copies() { return threadIdx.x >= kThreads && threadIdx.x % kLanes == 0; }

  // Called by the copying threads: copies this block's rows of `matrix`, one stage each in turn.
  __device__ void produce(const Matrix& matrix) {
    produce_rows(own_rows(matrix), stages_of(matrix), [&](int row) {
      const uint8_t* from = matrix.row(blockIdx.x + row * gridDim.x);
      return [this, from, &matrix](int i, int stage, uint64_t* full) {
        const uint32_t bytes = min(kStageTiles, matrix.column_tiles - i * kStageTiles) * kTileBytes;
        expect_bytes(full, bytes);
        copy_bulk(ring_ + stage * kStageBytes, from + i * kStageBytes, bytes, full);
      };
    });
  }

  // Called by a computing warp: waits for its next stage, tiles of `matrix` from (row, first) on. release() frees it.
  __device__ const uint8_t* acquire(const Matrix&, int, int) { return ring_ + acquire_stage() * kStageBytes; }

 private:
  uint8_t* ring_;
};

#else

constexpr int kRingStages = 0;

class Stream {
 public:
  __device__ const uint8_t* acquire(const Matrix& matrix, int row, int first) const {
    return matrix.row(row) + first * kTileBytes;
  }
  __device__ void release() const {}
};

#endif

}  // namespace hipport_llm

#endif
