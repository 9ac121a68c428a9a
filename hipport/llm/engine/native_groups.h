// Launches products of matrices in the formats of model files with many tokens on the matrix units of Hopper's warp groups.
#ifndef HIPPORT_LLM_NATIVE_GROUPS_H
#define HIPPORT_LLM_NATIVE_GROUPS_H

#include "../kernels/warpgroup_native.cuh"
#include "device.h"
#include "matmul_launch.h"

namespace hipport_llm {

class NativeGroupProducts {
 public:
  static constexpr bool kAny = HIPPORT_LLM_WARPGROUPS;  // GPUs have these units
  // Places of a tile: of very few, a little more, few and many tokens.
  static constexpr int kLeast = 16, kLess = 32, kFew = 64, kMany = 256;
  // Rows of a block.
  static constexpr int kRows = 128;

  // The places of a tile where each of the products has so many tokens.
  static int tile_places(int tokens) { return tokens <= kLeastTokens ? kLeast : tokens < kManyTokens ? kFew : kMany; }
  // The same where all tokens have the same product.
  static int places_for(int tokens) {
    return tokens <= kLeast ? kLeast : tokens <= kLess ? kLess : tile_places(tokens);
  }
  // Blocks that a multiprocessor runs at once.
  static int resident(int tile_places) { return tile_places == kLeast ? 3 : tile_places <= kFew ? 2 : 1; }

  NativeGroupProducts() = default;
  // For up to `places` places of tokens of up to `columns` columns.
  NativeGroupProducts(int places, int columns)
      : room_(places + kMany), arranged_(zeros(static_cast<size_t>(room_) * rounded(columns), "prompts")) {}

  size_t bytes() const { return arranged_.bytes(); }

  // Memory for the tokens of a step.
  ArrangedTokens room(int slots) const { return {reinterpret_cast<uint8_t*>(arranged_.get()), slots}; }
  // Puts tokens into their places, for the products that follow.
  void arrange(const EveryToken& tokens, cudaStream_t stream) const;
  void arrange(const SortedPairs& pairs, int places, cudaStream_t stream) const;

  // How many blocks take tokens and columns.
  struct Grid {
    int tile_places, tiles, splits;
  };
  // Multiplies matrices of one format with tokens that have been put into their places.
  void multiply(const GroupParts& parts, const GroupTokens& tokens, const Grid& grid, const NativeSums& sums,
                cudaStream_t stream) const;

  ArrangedTokens arranged() const { return room(room_); }

 private:
  // Up to so many tokens the smallest tiles are worthwhile, and from so many on the largest.
  static constexpr int kLeastTokens = 6, kManyTokens = 160;

  static int rounded(int columns) { return (columns + kNativeColumns - 1) / kNativeColumns * kNativeColumns; }

  int room_ = 0;
  Buffer<Number> arranged_;
};

#if !HIPPORT_LLM_WARPGROUPS

inline void NativeGroupProducts::arrange(const EveryToken&, cudaStream_t) const {}
inline void NativeGroupProducts::arrange(const SortedPairs&, int, cudaStream_t) const {}
inline void NativeGroupProducts::multiply(const GroupParts&, const GroupTokens&, const Grid&, const NativeSums&,
                                          cudaStream_t) const {}

#endif

}  // namespace hipport_llm

#endif
