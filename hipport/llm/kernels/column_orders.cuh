// In which order the columns of activations are for products on warp groups (arranged_tokens.cuh).
#ifndef HIPPORT_LLM_COLUMN_ORDERS_CUH
#define HIPPORT_LLM_COLUMN_ORDERS_CUH

#include <type_traits>

#include "native_matrix.h"
#include "swizzled_panels.cuh"

namespace hipport_llm {

// Where a column is: in which panel, in which 16 bytes of a token's row there, and which of their eight numbers.
struct ColumnPlace {
  int panel, piece, number;
};

// As packed weights have them. An order tells which eighth of a token's columns is where its eighth `i` is, in which order
// the eight are, and where each of them is.
struct PackedOrder {
  static constexpr bool kPairs = true;  // an even column and the next are neighbors

  __device__ static int eighth(int i) { return i; }
  __device__ static Eight columns(const Eight& eight) { return eight; }
  __device__ static ColumnPlace place(int column) {
    const int in_panel = column % Panels::kColumns;
    return {column / Panels::kColumns, in_panel / 32 * 4 + column % 8 / 2, in_panel % 32 / 8 * 2 + column % 2};
  }
};

// Columns of a stage of a product in the formats of model files: eighth 4 * b + e of its order is eighth 4 * e + b of the
// matrix, so that the four eighths of a block are a lane's of four times 32 columns.
constexpr int kNativeColumns = 128;
__device__ constexpr int native_eighth(int eighth) { return eighth % 4 * 4 + eighth / 4; }

// Eight activations in the order of native_pairs.cuh: pair i is the numbers i and i + 4.
__device__ inline Eight native_order(const Eight& eight) {
  Eight ordered;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    ordered.set(2 * i, lows_of(eight.pair(i), eight.pair(i + 2)));
    ordered.set(2 * i + 1, highs_of(eight.pair(i), eight.pair(i + 2)));
  }
  return ordered;
}

// As the formats of model files have them: stage by stage, a block's eighths one after the other.
struct NativeOrder {
  static constexpr bool kPairs = false;
  static constexpr int kEighths = kNativeColumns / 8;

  __device__ static int eighth(int i) { return i / kEighths * kEighths + native_eighth(i % kEighths); }
  __device__ static Eight columns(const Eight& eight) { return native_order(eight); }
  __device__ static ColumnPlace place(int column) {
    const int ordered = eighth(column / 8);  // exchanging rows and columns of 4 x 4 twice changes nothing
    return {ordered / 8, ordered % 8 / 4 * 4 + column % 4, ordered % 4 * 2 + column % 8 / 4};
  }
};

// The order that this build's products of steps read.
using StepOrder = std::conditional_t<kNative, NativeOrder, PackedOrder>;

}  // namespace hipport_llm

#endif
