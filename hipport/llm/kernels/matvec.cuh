// Multiplies a packed matrix with a few vectors, using the computing threads of all blocks.
#ifndef HIPPORT_LLM_MATVEC_CUH
#define HIPPORT_LLM_MATVEC_CUH

#include "tile_matvec.cuh"
#include "weight_stream.cuh"

namespace hipport_llm {

#if !defined(__HIP_PLATFORM_AMD__)

// Multiplies a warp's next stage, at most kStageTiles tiles, with the vectors. Writes `sums`, [vector][16 rows].
template <int Count>
__device__ __forceinline__ void multiply_stage(Stream& stream, const Matrix& matrix, int row, int stage,
                                               const Vectors& vectors, float* sums) {
  const int lane = thread_index() % kLanes, first = stage * kStageTiles;
  const uint8_t* tiles = stream.acquire(matrix, row, first);
  Products<Count> products;
  if (matrix.column_tiles - first >= kStageTiles) {
    constexpr int at_once = Products<Count>::kTilesAtOnce;
#pragma unroll at_once
    for (int i = 0; i < kStageTiles; ++i)
      products.add(tiles + i * kTileBytes, vectors, (first + i) * kTileColumns, lane);
  } else {
    for (int i = 0; i < matrix.column_tiles - first; ++i)
      products.add(tiles + i * kTileBytes, vectors, (first + i) * kTileColumns, lane);
  }
  stream.release();
  products.store(sums, lane);
}

#else

// A warp's stage and the one after it. Tiles of the next stage are loaded into the registers of those that have been
// multiplied, so that the loads of a whole stage are always on their way: one tile at a time, as compilers arrange loads
// themselves, reaches a third of an RX 7900 XTX's bandwidth (docs/amd-prediction.md).
class StageTiles {
 public:
  // The tiles of the stage that begins with tile `first` of a row; none if `row` < 0.
  __device__ __forceinline__ StageTiles(const Stream& stream, const Matrix& matrix, int row, int first)
      : lane_(thread_index() % kLanes) {
    from_ = (GlobalBytes)stream.acquire(matrix, row, first);
    next(stream, matrix, row, first);
#pragma unroll
    for (int i = 0; i < kStageTiles; ++i) {
      load(i);
      keep_loads_in_order();
    }
  }

  // Chooses the stage that `multiply` loads.
  __device__ __forceinline__ void next(const Stream& stream, const Matrix& matrix, int row, int first) {
    from_ = row < 0 ? from_ : (GlobalBytes)stream.acquire(matrix, row, first);
    count_ = row < 0 ? 0 : min(kStageTiles, matrix.column_tiles - first);
  }

  // Multiplies the `count` tiles that are loaded, whose first column is `column`, and loads the next ones.
  template <int Count>
  __device__ __forceinline__ void multiply(int count, const Vectors& vectors, int column, float* sums) {
    Products<Count> products;
#pragma unroll
    for (int i = 0; i < kStageTiles; ++i) {
      if (i < count) products.add(tiles_[i], vectors, column + i * kTileColumns, lane_);
      load(i);
      keep_loads_in_order();
    }
    products.store(sums, lane_);
  }

  __device__ int count() const { return count_; }

 private:
  // Loads without a branch: behind one, the compiler no longer knows how many loads are on their way, and waits for all.
  __device__ __forceinline__ void load(int i) {
    tiles_[i] = Format::Lane(from_ + (i < count_ ? i * kTileBytes : 0), lane_);
  }

  Format::Lane tiles_[kStageTiles];
  GlobalBytes from_;
  int count_, lane_;
};

#endif

// Adds the stages' sums and calls `write(row_tile, vector, pair, sum of row pair, sum of row pair + 8)`. A warp takes a
// row of tiles, four lanes a pair of rows; only the first eight lanes should write.
template <int Count, typename Write>
__device__ __forceinline__ void write_rows(const float* sums, int stages, int first_row, int rows, const Write& write) {
  const int lane = thread_index() % kLanes, pair = lane % 8;
  for (int i = thread_index() / kLanes; i < rows * Count; i += kWarps) {
    const int vector = i % Count, row = i / Count;
    const float* from = sums + (row * stages * Count + vector) * kTileRows + pair;
    float low = 0.0f, high = 0.0f;
#pragma unroll 4
    for (int stage = lane / 8; stage < stages; stage += 4) {
      low += from[stage * Count * kTileRows];
      high += from[stage * Count * kTileRows + 8];
    }
    low += __shfl_xor_sync(kAllLanes, low, 8, kLanes);
    high += __shfl_xor_sync(kAllLanes, high, 8, kLanes);
    low += __shfl_xor_sync(kAllLanes, low, 16, kLanes);
    high += __shfl_xor_sync(kAllLanes, high, 16, kLanes);
    write(first_row + row * static_cast<int>(gridDim.x), vector, pair, low, high);
  }
}

#if defined(__HIP_PLATFORM_AMD__)

// Multiplies a warp's shares, and loads each stage while it multiplies the one before.
template <int Count>
__device__ __forceinline__ void multiply_shares(Stream& stream, int next, const Matrix& matrix, int first_row,
                                                int count, const Vectors& vectors, float* sums) {
  const int stages = stages_of(matrix);
  int row = 0, stage = next;
  const auto find = [&](int i) {
    for (; stage >= stages; stage -= stages) ++row;
    return i < count ? first_row + row * static_cast<int>(gridDim.x) : -1;
  };
  int i = next, at = find(i);
  if (at < 0) return;
  StageTiles tiles(stream, matrix, at, stage * kStageTiles);
  for (; at >= 0; i += kWarps) {
    const int first = stage * kStageTiles, loaded = tiles.count();
    stage += kWarps;
    at = find(i + kWarps);
    tiles.next(stream, matrix, at, stage * kStageTiles);
    tiles.multiply<Count>(loaded, vectors, first * kTileColumns, sums + i * Count * kTileRows);
  }
}

#else

// Multiplies a warp's shares, one stage after the other. What streams weights knows how a stage of them is multiplied.
template <int Count, typename StreamOf, typename Rows, typename VectorsOf>
__device__ __forceinline__ void multiply_shares(StreamOf& stream, int next, const Rows& matrix, int first_row,
                                                int count, const VectorsOf& vectors, float* sums) {
  const int stages = stages_of(matrix);
  int row = 0, stage = next;
  for (int i = next; i < count; i += kWarps, stage += kWarps) {
    for (; stage >= stages; stage -= stages) ++row;
    multiply_stage<Count>(stream, matrix, first_row + row * gridDim.x, stage, vectors, sums + i * Count * kTileRows);
  }
}

#endif

// Multiplies `rows` of the block's rows of tiles, from `first_row` on, with `vectors`. Writes the stages' sums to
// `sums`.
template <int Count, typename StreamOf, typename Rows, typename VectorsOf>
__device__ __forceinline__ void multiply_rows(StreamOf& stream, StageCursor& cursor, const Rows& matrix, int first_row,
                                              int rows, const VectorsOf& vectors, float* sums) {
  const int count = rows * stages_of(matrix);
  multiply_shares<Count>(stream, cursor.next(), matrix, first_row, count, vectors, sums);
  cursor.pass(count);
}

}  // namespace hipport_llm

#endif
