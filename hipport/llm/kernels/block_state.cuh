// What a block keeps in shared memory throughout a decode step, because each access to global memory takes a
// microsecond.
#ifndef HIPPORT_LLM_BLOCK_STATE_CUH
#define HIPPORT_LLM_BLOCK_STATE_CUH

#include "model.h"
#include "packed_tiles.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

__host__ __device__ inline int row_tiles(int rows) { return (rows + kTileRows - 1) / kTileRows; }
__host__ __device__ inline int column_tiles(int columns) { return (columns + kTileColumns - 1) / kTileColumns; }

struct BlockState {
  int* positions;     // [tokens]
  int* pages;         // [tokens][pages_per_sequence]
  float2* rotations;  // [tokens][head width / 2]: RoPE's cosines and sines
  float* residual;    // [own rows of tiles][tokens][16]: this block's part of the residual stream

  __host__ __device__ static int own_residual_rows(const Shape& shape, int blocks) {
    return (row_tiles(shape.width) + blocks - 1) / blocks;
  }

  // Sets the pointers and returns the bytes of shared memory; with a null `base` only the size is of use.
  __host__ __device__ int place(uint8_t* base, const Shape& shape, int vectors, int pages_per_sequence, int blocks) {
    const int half = shape.head_width / 2;
    rotations = reinterpret_cast<float2*>(base);
    residual = reinterpret_cast<float*>(rotations + vectors * half);
    positions = reinterpret_cast<int*>(residual + own_residual_rows(shape, blocks) * vectors * kTileRows);
    pages = positions + vectors;
    return static_cast<int>(reinterpret_cast<uint8_t*>(pages + vectors * pages_per_sequence) - base);
  }

  // Called by the computing threads; ends with a barrier.
  __device__ __forceinline__ void load(const Model& model, const Cache& cache, const Tokens& tokens,
                                       const float* all_residual, int vectors) {
    const int half = model.shape.head_width / 2, width = model.shape.width;
    for (int i = thread_index(); i < tokens.count * half; i += kThreads)
      rotations[i] = model.rope[tokens.positions[i / half] * half + i % half];
    for (int i = thread_index(); i < tokens.count; i += kThreads) positions[i] = tokens.positions[i];
    for (int i = thread_index(); i < tokens.count * cache.pages_per_sequence; i += kThreads)
      pages[i] = cache.tables[tokens.sequences[i / cache.pages_per_sequence] * cache.pages_per_sequence +
                              i % cache.pages_per_sequence];
    const int rows = own_residual_rows(model.shape, gridDim.x);
    for (int i = thread_index(); i < rows * tokens.count * kTileRows; i += kThreads) {
      const int token = i / kTileRows % tokens.count, row = i / kTileRows / tokens.count;
      const int column = (blockIdx.x + row * gridDim.x) * kTileRows + i % kTileRows;
      if (column < width)
        residual[(row * vectors + token) * kTileRows + i % kTileRows] = all_residual[token * width + column];
    }
    block_sync();
  }
};

}  // namespace hipport_llm

#endif
