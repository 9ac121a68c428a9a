// Launches products of packed matrices with the tokens of a step on the matrix units of Hopper's warp groups.
#ifndef HIPPORT_LLM_CLUSTER_PRODUCTS_H
#define HIPPORT_LLM_CLUSTER_PRODUCTS_H

#include <algorithm>

#include "../kernels/arranged_tokens.cuh"
#include "../kernels/cluster_matmul.cuh"
#include "../kernels/native_matrix.h"
#include "early_launch.h"
#include "matmul_launch.h"

namespace hipport_llm {

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

class ClusterProducts {
 public:
  // Whether a step with this many slots is faster here. (Measured on an H100.) Weights of 16 bits are too large for it.
  static constexpr bool take(int slots) { return !kNative && Format::kScaled && (slots == 32 || slots == 64); }

  // Whether a product with so many columns can be divided: each block of a cluster has a tile of a row.
  static constexpr bool divides(int columns) { return columns >= 8 * kTileColumns; }

  ClusterProducts() = default;
  // For up to `slots` slots of up to `columns` columns.
  ClusterProducts(int processors, int slots, int columns) : processors_(processors) {
    if (!take(slots)) return;
    arranged_ =
        zeros(static_cast<size_t>(slots) * ((columns + kTileColumns - 1) / kTileColumns * kTileColumns), "wide steps");
  }

  size_t bytes() const { return arranged_.bytes(); }

  // Memory for activations of as many columns as there can be.
  ArrangedTokens room(int slots) const { return {reinterpret_cast<uint8_t*>(arranged_.get()), slots}; }

  // Activations in the order of a product with `matrix`. The next call writes to the same memory.
  ArrangedTokens arrange(const Matrix& matrix, const Activations& activations, int slots, cudaStream_t stream) const {
    const int columns = matrix.column_tiles * kTileColumns;
    const ArrangedTokens arranged = room(slots);
    launch_early(&arrange_tokens_kernel<PackedOrder, EveryToken>, {arrange_blocks(slots, columns), kArrangeThreads},
                 stream, EveryToken{activations, slots}, slots, columns, arranged);
    return arranged;
  }

  // Multiplies with as many slots as there is room for.
  template <typename Epilogue>
  void multiply(const Matrix& matrix, const ArrangedTokens& arranged, const Epilogue& epilogue,
                cudaStream_t stream) const {
    if constexpr (!take(64))
      return;
    else if (arranged.room == 32)
      multiply_slots<32>(matrix, arranged, epilogue, stream);
    else
      multiply_slots<64>(matrix, arranged, epilogue, stream);
  }

 private:
  template <int Slots, int Splits>
  using Division = ClusterDivision<2, Slots, (kTileColumns > Panels::kColumns ? 2 : 3), Splits>;

  template <typename Division>
  static int blocks_down(const Matrix& matrix) {
    return (matrix.row_tiles + Division::kRowTiles - 1) / Division::kRowTiles;
  }

  // Microseconds, to choose the fastest division: a stage of the one to three blocks of a multiprocessor, and for each
  // wave of blocks what it takes to begin, and to add up their sums. (Measured on an H100 and an H200.)
  template <typename Division>
  double time_of(const Matrix& matrix) const {
    constexpr int splits = Division::kSplits;
    constexpr double stage[] = {0, 0.33, 0.45, 0.66}, around = splits == 4 ? 9 : 7;
    const int blocks = blocks_down<Division>(matrix) * splits, at_once = Division::kResident * processors_;
    const int waves = blocks / at_once, left = (blocks % at_once + processors_ - 1) / processors_;
    const int stages = matrix.column_tiles * kTileColumns / Panels::kColumns / splits;
    return (waves * stage[Division::kResident] + stage[left]) * stages + (waves + (left > 0)) * around;
  }

  template <int Slots, typename Epilogue>
  void multiply_slots(const Matrix& matrix, const ArrangedTokens& arranged, const Epilogue& epilogue,
                      cudaStream_t stream) const {
    const double halves = time_of<Division<Slots, 2>>(matrix), quarters = time_of<Division<Slots, 4>>(matrix),
                 eighths = time_of<Division<Slots, 8>>(matrix);
    if (halves <= std::min(quarters, eighths))
      multiply_divided<Division<Slots, 2>>(matrix, arranged, epilogue, stream);
    else if (quarters <= eighths)
      multiply_divided<Division<Slots, 4>>(matrix, arranged, epilogue, stream);
    else
      multiply_divided<Division<Slots, 8>>(matrix, arranged, epilogue, stream);
  }

  template <typename Division, typename Epilogue>
  void multiply_divided(const Matrix& matrix, const ArrangedTokens& arranged, const Epilogue& epilogue,
                        cudaStream_t stream) const {
    const auto kernel = &cluster_matmul_kernel<Division, Epilogue>;
    const dim3 blocks(1, blocks_down<Division>(matrix), Division::kSplits);
    const int bytes = dynamic_bytes(kernel, Division::kSharedBytes);
    launch_early(kernel, {blocks, Division::kThreads, bytes}, stream, matrix, arranged, arranged.room, epilogue);
  }

  int processors_ = 0;
  Buffer<Number> arranged_;
};

#else

// GPUs without these units: no step is faster.
class ClusterProducts {
 public:
  static constexpr bool take(int) { return false; }
  static constexpr bool divides(int) { return false; }

  ClusterProducts() = default;
  ClusterProducts(int, int, int) {}

  size_t bytes() const { return 0; }
  ArrangedTokens arrange(const Matrix&, const Activations&, int, cudaStream_t) const { return {}; }
  template <typename Epilogue>
  void multiply(const Matrix&, const ArrangedTokens&, const Epilogue&, cudaStream_t) const {}
};

#endif

}  // namespace hipport_llm

#endif
