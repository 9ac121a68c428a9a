// Launches products with matrices in the formats of model files.
#ifndef HIPPORT_LLM_NATIVE_PRODUCTS_H
#define HIPPORT_LLM_NATIVE_PRODUCTS_H

#include <algorithm>
#include <array>
#include <vector>

#include "../kernels/carried_norm.cuh"
#include "../kernels/matmul_epilogues.cuh"
#include "../kernels/native_epilogue.cuh"
#include "../kernels/native_unpack.cuh"
#include "early_launch.h"
#include "native_groups.h"
#include "native_weights.h"
#include "prompt_products.h"

namespace hipport_llm {

class NativeProducts {
 public:
  // Products with more tokens are computed by NativeGroupProducts, or from matrices that are decoded to 16 bits first.
  static constexpr int kFewTokens = 64;
  // Products with so many tokens or fewer are computed by native_matvec_kernel, those with more on matrix units.
  // NVIDIA's take fewer instructions for each weight even with one token.
#if !defined(__HIP_PLATFORM_AMD__)
  static constexpr int kMatvecTokens = 0;
#else
  static constexpr int kMatvecTokens = 4;
#endif
  // Blocks that a multiprocessor runs at once: of native_matvec_kernel, and on matrix units of few and of more tokens.
  // (For an H100 and an H200.)
  static constexpr int kMatvecBlocks = 4, kFewBlocks = 6, kMatmulBlocks = 4;
  // Splits the columns of a product so that all multiprocessors work until the end.
  static int splits_for(int blocks, int stages, int at_once, int most);

  NativeProducts() = default;
  // For up to `tokens` tokens at once.
  NativeProducts(const Shape& shape, const Traits& traits, int64_t weight_bytes, int tokens);

  // Of a block of units.
  int threads() const { return shapes_[0].threads; }

  NativeWeights& weights() { return weights_; }
  const NativeWeights& weights() const { return weights_; }
  size_t bytes() const {
    return weights_.bytes() + sums_.bytes() + groups_.bytes() + unpacked_.bytes() + many_.bytes();
  }

  // Multiplies up to kFewTokens tokens with the matrices of a phase. The next product overwrites what it returns.
  SplitSums multiply(Phase phase, int layer, const Activations& activations, int tokens, cudaStream_t stream) const;

  // Decodes the matrices of a phase, one below the other, to tiles of 16-bit weights.
  void decode(Phase phase, int layer, const UnpackedTiles& to, cudaStream_t stream) const {
    unpack(phase, layer, RowPairs{8}.half, to, stream);
  }

  // Then calls the epilogue.
  template <typename Epilogue>
  void multiply(Phase phase, int layer, const Activations& activations, int tokens, const Epilogue& epilogue,
                cudaStream_t stream) const {
    if constexpr (NativeGroupProducts::kAny)
      if (takes_groups(tokens)) return multiply_in_groups(phase, layer, activations, tokens, epilogue, stream);
    finish(multiply(phase, layer, activations, tokens, stream), phase, epilogue, stream);
  }

  // Whether a step with this many slots is faster on warp groups. (Measured on an H200.)
  bool takes_groups(int slots) const { return groups_.bytes() > 0 && slots >= kGroupSlots; }
  // Whether columns are whole stages of a product, so that what writes them can put them into its order.
  static constexpr bool arranges(int columns) { return columns % kNativeColumns == 0; }
  // Memory for a step's activations in the order of products.
  ArrangedTokens room(int slots) const { return groups_.room(slots); }
  // The same with activations in that order.
  template <typename Epilogue>
  void multiply(Phase phase, int layer, const ArrangedTokens& tokens, const Epilogue& epilogue,
                cudaStream_t stream) const {
    finish_ahead(multiply_in_groups(phase, layer, tokens, tokens.room, stream), phase, epilogue, stream);
  }

  // The same for any number of tokens.
  template <typename Epilogue>
  void multiply_many(Phase phase, int layer, const Activations& activations, int tokens, const Epilogue& epilogue,
                     cudaStream_t stream) const {
    if (tokens <= kFewTokens) return multiply(phase, layer, activations, tokens, epilogue, stream);
    if constexpr (NativeGroupProducts::kAny)
      multiply_in_groups(phase, layer, activations, tokens, epilogue, stream);
    else
      multiply_unpacked(phase, layer, activations, tokens, epilogue, stream);
  }

 private:
  static constexpr int kGroupSlots = 32;

  template <typename Epilogue>
  void multiply_in_groups(Phase phase, int layer, const Activations& activations, int tokens, const Epilogue& epilogue,
                          cudaStream_t stream) const {
    groups_.arrange(EveryToken{activations, tokens}, stream);
    finish(multiply_in_groups(phase, layer, groups_.arranged(), tokens, stream), phase, epilogue, stream);
  }

  template <typename Epilogue>
  void multiply_unpacked(Phase phase, int layer, const Activations& activations, int tokens, const Epilogue& epilogue,
                         cudaStream_t stream) const {
    const int row_tiles = (weights_.rows(phase) + kTileRows - 1) / kTileRows;
    const int column_tiles = weights_.columns(phase) / kTileColumns;
    const int pieces = (row_tiles + tiles_at_once(column_tiles) - 1) / tiles_at_once(column_tiles);
    for (int i = 0; i < pieces; ++i) {
      const int first = row_tiles * i / pieces, count = row_tiles * (i + 1) / pieces - first;
      const UnpackedTiles to = {unpacked_.get(), first, count, column_tiles};
      unpack(phase, layer, weights_.half_of(phase), to, stream);
      many_.multiply({unpacked_.get(), count, column_tiles}, activations, tokens, FromTile<Epilogue>{epilogue, first},
                     stream);
    }
  }

  template <typename Epilogue>
  void finish(const SplitSums& sums, Phase phase, const Epilogue& epilogue, cudaStream_t stream) const {
    if constexpr (NativeGroupProducts::kAny)
      if (sums.sums.tokens > kFewTokens) return finish_pairs<4>(sums, phase, epilogue, stream);
    finish_pairs<1>(sums, phase, epilogue, stream);
  }

  // The same after SideBySide products, with a row of tiles for each thread where the epilogue takes that.
  template <typename Epilogue>
  void finish_ahead(const SplitSums& sums, Phase phase, const Epilogue& epilogue, cudaStream_t stream) const {
    finish_pairs<1, true>(sums, phase, epilogue, stream);
  }
  template <typename Taken>
  void finish_ahead(const SplitSums& sums, Phase phase, const OfNormalized<Taken>& epilogue,
                    cudaStream_t stream) const {
    const int row_tiles = weights_.rows(phase) / 16;
    const dim3 blocks((row_tiles + kEightsThreads - 1) / kEightsThreads, sums.sums.tokens);
    launch_early(&native_eights_kernel<OfNormalized<Taken>>, {blocks, kEightsThreads}, stream, sums, row_tiles,
                 RowPairs{weights_.half_of(phase)}, epilogue);
  }
  // Rows of the head need not be whole tiles.
  void finish_ahead(const SplitSums& sums, Phase phase, const OfNormalized<WriteLogits>& epilogue,
                    cudaStream_t stream) const {
    finish_pairs<1, true>(sums, phase, epilogue, stream);
  }

  // `Each` pairs of rows for each thread: where there are few, more threads wait less.
  template <int Each, bool Ahead = false, typename Epilogue>
  void finish_pairs(const SplitSums& sums, Phase phase, const Epilogue& epilogue, cudaStream_t stream) const {
    const RowPairs row_pairs = {weights_.half_of(phase)};
    const int pairs = (weights_.rows(phase) + 15) / 16 * 8, threads = pairs / Each;
    const dim3 blocks((threads + kEpilogueThreads - 1) / kEpilogueThreads, sums.sums.tokens);
    launch_early(&native_epilogue_kernel<Each, Ahead, Epilogue>, {blocks, kEpilogueThreads}, stream, sums, pairs,
                 row_pairs, epilogue);
  }

  // How products with some number of tokens are divided among blocks, and how often their columns are split.
  struct Plan {
    int block_rows, block_tokens, splits;
  };

  SplitSums multiply_in_groups(Phase phase, int layer, const ArrangedTokens& arranged, int tokens,
                               cudaStream_t stream) const;
  void launch(const NativeParts& parts, const Plan& plan, const Activations& activations, const NativeSums& sums,
              cudaStream_t stream) const;
  void unpack(Phase phase, int layer, int half, const UnpackedTiles& to, cudaStream_t stream) const;
  Plan plan_for(int rows, int columns, int tokens, int most_splits) const;
  size_t most_sums(const Shape& shape, int tokens) const;
  std::vector<Phase> phases(const Shape& shape) const;
  static int tiles_at_once(int column_tiles);

  NativeWeights weights_;
  NativeGroupProducts groups_;
  PromptProducts many_;
  Buffer<float> sums_;
  Buffer<uint8_t> unpacked_;
  std::array<BlockShape, 4> shapes_ = {};  // for few, and up to 16, 32 and 64 tokens
  int processors_ = 0;
};

}  // namespace hipport_llm

#endif
