// Multiplies a packed matrix with a few vectors, using the computing threads of all blocks.
#ifndef HIPPORT_LLM_MATVEC_CUH
#define HIPPORT_LLM_MATVEC_CUH

#include "tile_matvec.cuh"
#include "weight_stream.cuh"

namespace hipport_llm {

// Multiplies a warp's next stage, at most kStageTiles tiles, with the vectors. Writes `sums`, [vector][16 rows].
template <int Count>
__device__ __forceinline__ void multiply_stage(Stream& stream, const Matrix& matrix, int row, int first,
                                               const Vectors& vectors, float* sums) {
  const int lane = thread_index() % kLanes;
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

// Multiplies `rows` of the block's rows of tiles, from `first_row` on, with `vectors`. Writes the stages' sums to
// `sums`.
template <int Count>
__device__ __forceinline__ void multiply_rows(Stream& stream, StageCursor& cursor, const Matrix& matrix, int first_row,
                                              int rows, const Vectors& vectors, float* sums) {
  const int stages = stages_of(matrix.column_tiles), count = rows * stages;
  int row = 0, stage = cursor.next();
  for (int i = cursor.next(); i < count; i += kWarps, stage += kWarps) {
    for (; stage >= stages; stage -= stages) ++row;
    multiply_stage<Count>(stream, matrix, first_row + row * gridDim.x, stage * kStageTiles, vectors,
                          sums + i * Count * kTileRows);
  }
  cursor.pass(count);
}

}  // namespace hipport_llm

#endif
