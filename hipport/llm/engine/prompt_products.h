// Launches products of packed matrices with the tokens of a prompt.
#ifndef HIPPORT_LLM_PROMPT_PRODUCTS_H
#define HIPPORT_LLM_PROMPT_PRODUCTS_H

#include <algorithm>

#include "matmul_launch.h"
#include "warpgroup_products.h"

namespace hipport_llm {

class PromptProducts {
 public:
  PromptProducts() = default;
  // For up to `tokens` tokens of up to `columns` columns.
  PromptProducts(int processors, size_t tokens, size_t columns)
      : processors_(processors), groups_(processors, tokens, columns) {
    const auto shapes = block_shapes<Large, Half, Medium, Small>();
    shapes_ = {shapes[0], shapes[1], shapes[2], shapes[3]};
  }

  size_t bytes() const { return groups_.bytes(); }

  // Threads of a block.
  int threads() const { return shapes_.large.threads; }

  // Larger blocks read less; smaller ones leave fewer multiprocessors idle at the end.
  template <typename Epilogue>
  void multiply(const Matrix& matrix, const Activations& activations, int tokens, const Epilogue& epilogue,
                cudaStream_t stream) const {
    const auto blocks = [&](const BlockShape& shape) {
      const dim3 all = blocks_of(shape, matrix, tokens);
      return static_cast<int>(all.x * all.y);
    };
    const auto waves = [&](int blocks, int resident) {
      return (blocks + resident * processors_ - 1) / (resident * processors_);
    };
    const double medium =
        std::max(kMediumLeast, kMediumTime * blocks(shapes_.medium)) * matrix.column_tiles * kTileColumns / 4096;
    if (tokens > shapes_.small.tokens && groups_.time(matrix, tokens) < medium)
      return groups_.multiply(matrix, activations, tokens, epilogue, stream);
    const int halves = blocks(shapes_.half);
    if (tokens <= shapes_.small.tokens)
      multiply_few(matrix, activations, tokens, epilogue, stream);
    else if (tokens <= shapes_.medium.tokens || 2 * halves < 3 * processors_)
      multiply_divided<Medium>(shapes_.medium, matrix, activations, tokens, epilogue, stream);
    else if (kHalfTime * waves(halves, kHalfResident) < waves(blocks(shapes_.large), kLargeResident))
      multiply_divided<Half>(shapes_.half, matrix, activations, tokens, epilogue, stream);
    else
      multiply_divided<Large>(shapes_.large, matrix, activations, tokens, epilogue, stream);
  }

  template <typename Epilogue>
  void multiply_few(const Matrix& matrix, const Activations& activations, int tokens, const Epilogue& epilogue,
                    cudaStream_t stream) const {
    multiply_divided<Small>(shapes_.small, matrix, activations, tokens, epilogue, stream);
  }

 private:
  // Resident blocks per multiprocessor, and the time of blocks of half the size relative to large ones. (For an H200.)
  static constexpr int kLargeResident = 2, kHalfResident = 3;
  static constexpr double kHalfTime = 0.87;
  // Microseconds of a block for some tokens and 4096 columns, and at least of all of them.
  static constexpr double kMediumTime = 0.117, kMediumLeast = 21;

  template <typename Division, typename Epilogue>
  static void multiply_divided(const BlockShape& block, const Matrix& matrix, const Activations& activations,
                               int tokens, const Epilogue& epilogue, cudaStream_t stream) {
    const auto kernel = &matmul_kernel<Division, Epilogue>;
    const int bytes = dynamic_bytes(kernel, Division::kSharedBytes);
    kernel<<<blocks_of(block, matrix, tokens), block.threads, bytes, stream>>>(matrix, activations, tokens, epilogue);
  }

  int processors_ = 0;
  WarpgroupProducts groups_;
  struct {
    BlockShape large, half, medium, small;
  } shapes_ = {};
};

}  // namespace hipport_llm

#endif
