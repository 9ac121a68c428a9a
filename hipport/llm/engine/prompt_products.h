// Launches products of packed matrices with the tokens of a prompt.
#ifndef HIPPORT_LLM_PROMPT_PRODUCTS_H
#define HIPPORT_LLM_PROMPT_PRODUCTS_H

#include "matmul_launch.h"

namespace hipport_llm {

class PromptProducts {
 public:
  PromptProducts() = default;
  explicit PromptProducts(int processors) : processors_(processors) {
    const auto shapes = block_shapes<Large, Half, Medium, Small>();
    shapes_ = {shapes[0], shapes[1], shapes[2], shapes[3]};
  }

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

  template <typename Division, typename Epilogue>
  static void multiply_divided(const BlockShape& block, const Matrix& matrix, const Activations& activations,
                               int tokens, const Epilogue& epilogue, cudaStream_t stream) {
    const auto kernel = &matmul_kernel<Division, Epilogue>;
    const int bytes = dynamic_bytes(kernel, Division::kSharedBytes);
    kernel<<<blocks_of(block, matrix, tokens), block.threads, bytes, stream>>>(matrix, activations, tokens, epilogue);
  }

  int processors_ = 0;
  struct {
    BlockShape large, half, medium, small;
  } shapes_ = {};
};

}  // namespace hipport_llm

#endif
