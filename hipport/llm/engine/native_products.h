// Launches products with matrices in the formats of model files.
#ifndef HIPPORT_LLM_NATIVE_PRODUCTS_H
#define HIPPORT_LLM_NATIVE_PRODUCTS_H

#include "../kernels/matmul_epilogues.cuh"
#include "../kernels/native_epilogue.cuh"
#include "matmul_launch.h"
#include "native_weights.h"

namespace hipport_llm {

class NativeProducts {
 public:
  NativeProducts() = default;
  // For up to `tokens` tokens at once.
  NativeProducts(const Shape& shape, int64_t weight_bytes, int tokens);

  NativeWeights& weights() { return weights_; }
  const NativeWeights& weights() const { return weights_; }
  size_t bytes() const { return weights_.bytes() + sums_.bytes(); }

  // Multiplies with the matrices of a phase, then calls the epilogue.
  template <typename Epilogue>
  void multiply(Phase phase, int layer, const Activations& activations, int tokens, const Epilogue& epilogue,
                cudaStream_t stream) const {
    const Sums sums = multiply(phase, layer, activations, tokens, stream);
    finish(sums, pairs_of(epilogue), epilogue, stream);
  }

 private:
  struct Sums {
    NativeSums values;
    int splits, rows;
  };

  template <int HeadWidth, typename Places>
  static HeadPairs<HeadWidth> pairs_of(const WriteQkv<HeadWidth, Places>&) {
    return {};
  }
  static GatePairs pairs_of(const WriteHidden& epilogue) { return {epilogue.width}; }
  static TilePairs pairs_of(const AddResidual&) { return {}; }
  static TilePairs pairs_of(const WriteLogits&) { return {}; }

  template <typename Pairs, typename Epilogue>
  static void finish(const Sums& sums, const Pairs& rows, const Epilogue& epilogue, cudaStream_t stream) {
    const int pairs = (sums.rows + 15) / 16 * 8;
    const dim3 blocks((pairs + kEpilogueThreads - 1) / kEpilogueThreads, sums.values.tokens);
    native_epilogue_kernel<<<blocks, kEpilogueThreads, 0, stream>>>(sums.values, sums.splits, pairs, rows, epilogue);
  }

  Sums multiply(Phase phase, int layer, const Activations& activations, int tokens, cudaStream_t stream) const;
  void launch(const NativeMatrix& matrix, const Activations& activations, int tokens, int splits,
              const NativeSums& sums, cudaStream_t stream) const;
  int splits_for(int rows, int columns, int tokens) const;
  size_t most_sums(const Shape& shape, size_t tokens) const;

  NativeWeights weights_;
  Buffer<float> sums_;
  BlockShape shape_ = {};
  int processors_ = 0;
};

}  // namespace hipport_llm

#endif
