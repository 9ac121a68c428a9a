// Helpers for launching products of many tokens.
#ifndef HIPPORT_LLM_MATMUL_LAUNCH_H
#define HIPPORT_LLM_MATMUL_LAUNCH_H

#include <array>

#include "../kernels/matmul.cuh"
#include "device.h"

namespace hipport_llm {

// Buffers are padded, because products read whole blocks of tokens and whole stages of columns.
constexpr int kTokenPadding = 128;
constexpr int kSlack = 128;

// Asks the device for the block shapes of these divisions.
template <typename... Divisions>
std::array<BlockShape, sizeof...(Divisions)> block_shapes() {
  std::array<BlockShape, sizeof...(Divisions)> shapes;
  const Buffer<BlockShape> on_device(shapes.size(), "the shapes of blocks");
  block_shapes_kernel<Divisions...><<<1, 1>>>(on_device.get());
  check(cudaMemcpy(shapes.data(), on_device.get(), on_device.bytes(), cudaMemcpyDeviceToHost),
        "asking for the shape of blocks");
  return shapes;
}

inline dim3 blocks_of(const BlockShape& block, const Matrix& matrix, int tokens) {
  return dim3((tokens + block.tokens - 1) / block.tokens, (matrix.row_tiles + block.row_tiles - 1) / block.row_tiles);
}

inline Buffer<Number> zeros(size_t count, const char* what) {
  Buffer<Number> buffer(count + kSlack, what);
  check(cudaMemset(buffer.get(), 0, buffer.bytes()), "clearing memory of the device");
  return buffer;
}

}  // namespace hipport_llm

#endif
