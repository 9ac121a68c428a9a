// Launches products of packed matrices with many tokens on the matrix units of Hopper's warp groups.
#ifndef HIPPORT_LLM_WARPGROUP_PRODUCTS_H
#define HIPPORT_LLM_WARPGROUP_PRODUCTS_H

#include <algorithm>
#include <limits>

#include "../kernels/warpgroup_matmul.cuh"
#include "device.h"
#include "matmul_launch.h"

namespace hipport_llm {

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

// Wide blocks read least. Square and tall ones leave fewer multiprocessors idle at the end, as do square ones of which
// two share the columns.
using Wide = WarpgroupDivision<2, 256, 1>;
using Square = WarpgroupDivision<2, 128, 2>;
using SplitSquare = WarpgroupDivision<2, 128, 2, 2>;
using Tall = WarpgroupDivision<3, 128, 1>;

class WarpgroupProducts {
 public:
  WarpgroupProducts() = default;
  // For up to `tokens` tokens of up to `columns` columns.
  WarpgroupProducts(int processors, size_t tokens, size_t columns)
      : processors_(processors),
        room_(static_cast<int>((tokens + Wide::kTokens - 1) / Wide::kTokens * Wide::kTokens)),
        arranged_(zeros(room_ * ((columns + kTileColumns - 1) / kTileColumns * kTileColumns), "prompts")) {}

  size_t bytes() const { return arranged_.bytes(); }
  bool fits(int tokens, int columns) const {
    return tokens <= room_ && static_cast<size_t>(room_) * columns + kSlack <= arranged_.count();
  }

  // The least time of a product in microseconds. (For an H200.)
  double time(const Matrix& matrix, int tokens) const {
    return std::min({time_of<Wide>(matrix, tokens), time_of<Square>(matrix, tokens),
                     time_of<SplitSquare>(matrix, tokens), time_of<Tall>(matrix, tokens)});
  }

  template <typename Epilogue>
  void multiply(const Matrix& matrix, const Activations& activations, int tokens, const Epilogue& epilogue,
                cudaStream_t stream) const {
    const double least = time(matrix, tokens);
    if (time_of<Wide>(matrix, tokens) <= least)
      multiply_divided<Wide>(matrix, activations, tokens, epilogue, stream);
    else if (time_of<Tall>(matrix, tokens) <= least)
      multiply_divided<Tall>(matrix, activations, tokens, epilogue, stream);
    else if (time_of<Square>(matrix, tokens) <= least)
      multiply_divided<Square>(matrix, activations, tokens, epilogue, stream);
    else
      multiply_divided<SplitSquare>(matrix, activations, tokens, epilogue, stream);
  }

  template <typename Division, typename Epilogue>
  void multiply_divided(const Matrix& matrix, const Activations& activations, int tokens, const Epilogue& epilogue,
                        cudaStream_t stream) const {
    if constexpr (Division::kSplits > 1)
      if (matrix.column_tiles < Division::kSplits)
        return multiply_divided<Square>(matrix, activations, tokens, epilogue, stream);
    const int columns = matrix.column_tiles * kTileColumns;
    const ArrangedTokens arranged = {reinterpret_cast<uint8_t*>(arranged_.get()), room_};
    arrange_tokens_kernel<PackedOrder><<<arrange_blocks(tokens, columns), kArrangeThreads, 0, stream>>>(
        EveryToken{activations, tokens}, tokens, columns, arranged);
    const auto kernel = &warpgroup_matmul_kernel<Division, Epilogue>;
    kernel<<<blocks<Division>(matrix, tokens), Division::kThreads, dynamic_bytes(kernel, Division::kSharedBytes),
             stream>>>(matrix, arranged, tokens, epilogue);
  }

 private:
  template <typename Division>
  static dim3 blocks(const Matrix& matrix, int tokens) {
    return dim3((tokens + Division::kTokens - 1) / Division::kTokens,
                (matrix.row_tiles + Division::kRowTiles - 1) / Division::kRowTiles, Division::kSplits);
  }

  // The time of a block that has a multiprocessor for itself, and of two that share one, for 4096 columns; and to arrange
  // the tokens and to add splits.
  struct Times {
    double alone, shared, once;
  };
  static constexpr Times times(const Wide*) { return {51, 51, 5}; }
  static constexpr Times times(const Square*) { return {29, 54, 5}; }
  static constexpr Times times(const SplitSquare*) { return {15.5, 28, 7}; }
  static constexpr Times times(const Tall*) { return {44, 44, 5}; }

  template <typename Division>
  double time_of(const Matrix& matrix, int tokens) const {
    constexpr Times own = times(static_cast<const Division*>(nullptr));
    const dim3 all = blocks<Division>(matrix, tokens);
    const int count = static_cast<int>(all.x * all.y * all.z), at_once = Division::kResident * processors_;
    const int left = count % at_once;
    const double last = left == 0 ? 0.0 : left <= processors_ ? own.alone : own.shared;
    return (count / at_once * own.shared + last) * matrix.column_tiles * kTileColumns / 4096 + own.once;
  }

  int processors_ = 0, room_ = 0;
  Buffer<Number> arranged_;
};

#else

// GPUs without these units: no product is worth it.
class WarpgroupProducts {
 public:
  WarpgroupProducts() = default;
  WarpgroupProducts(int, size_t, size_t) {}

  size_t bytes() const { return 0; }
  double time(const Matrix&, int) const { return std::numeric_limits<double>::infinity(); }
  template <typename Epilogue>
  void multiply(const Matrix&, const Activations&, int, const Epilogue&, cudaStream_t) const {}
};

#endif

}  // namespace hipport_llm

#endif
