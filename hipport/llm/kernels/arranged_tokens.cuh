// Activations in the order in which warp groups multiply them.
#ifndef HIPPORT_LLM_ARRANGED_TOKENS_CUH
#define HIPPORT_LLM_ARRANGED_TOKENS_CUH

#include "column_orders.cuh"
#include "early_start.cuh"
#include "packed_tiles.cuh"
#include "prompt_chunk.h"

namespace hipport_llm {

// [panel of 64 columns][place of a token][64]: some tokens of a panel are one piece of memory. A row of 64 has two blocks of
// 32 columns. Of a block, 16 bytes i are words i of its four eighths, because lane t of a matrix unit has the columns of
// eighth t; they are stored as swizzled() says. Which eighths a block has is the order's (column_orders.cuh).
struct ArrangedTokens {
  uint8_t* panels;
  int room;  // the places that there is memory for

  __device__ uint8_t* at(int panel, int place) const {
    return panels + (static_cast<int64_t>(panel) * room + place) * Panels::kRowBytes;
  }

  // Where a column of a place is.
  template <typename Order = StepOrder>
  __device__ Number* number(int place, int column) const {
    const ColumnPlace own = Order::place(column);
    return reinterpret_cast<Number*>(at(own.panel, place) + swizzled(place, own.piece)) + own.number;
  }
  // Stores four columns.
  template <typename Order = StepOrder>
  __device__ void store(int place, int column, Pair first, Pair second) const {
    if constexpr (Order::kPairs) {
      *reinterpret_cast<Pair*>(number<Order>(place, column)) = first;
      *reinterpret_cast<Pair*>(number<Order>(place, column + 2)) = second;
    } else {
      const Pair pairs[2] = {first, second};
#pragma unroll
      for (int i = 0; i < 4; ++i) *number<Order>(place, column + i) = reinterpret_cast<const Number*>(pairs)[i];
    }
  }
  // Stores eight: of each order, a pair is neighbors.
  template <typename Order = StepOrder>
  __device__ void store(int place, int column, const Eight& eight) const {
    const Eight ordered = Order::columns(eight);
    const ColumnPlace first = Order::place(column);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      *reinterpret_cast<Pair*>(at(first.panel, place) + swizzled(place, first.piece + i) + first.number * 2) =
          ordered.pair(i);
  }
};

// Whose activations go to which place: token i's to place i.
struct EveryToken {
  Activations from;
  int tokens;

  __device__ int stride() const { return from.stride; }
  __device__ const Number* at(int place) const {
    return place < tokens ? from.values + static_cast<int64_t>(place) * from.stride : nullptr;
  }
};

constexpr int kArrangeThreads = 256;

// Blocks of arrange_tokens_kernel.
inline int arrange_blocks(int places, int columns) {
  return static_cast<int>((static_cast<int64_t>(places) * (columns / 8) + kArrangeThreads - 1) / kArrangeThreads);
}

// A thread for each place and eighth of `columns` columns, a multiple of 32; four have a block, and exchange its words.
// Columns that the activations do not have become zeros, as do places without any.
template <typename Order, typename Source>
__global__ void __launch_bounds__(kArrangeThreads)
    arrange_tokens_kernel(Source from, int places, int columns, ArrangedTokens to) {
  await_previous_kernel();
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kArrangeThreads + threadIdx.x;
  const int own = static_cast<int>(at % 4), to_eighth = static_cast<int>(at % (columns / 8));
  const int place = static_cast<int>(at / (columns / 8)), eighth = Order::eighth(to_eighth);
  const Number* row = place < places ? from.at(place) : nullptr;
  uint4 bits = make_uint4(0, 0, 0, 0);
  if (row != nullptr && eighth * 8 < from.stride()) bits = Order::columns(load8(row + eighth * 8)).bits;
  // Word i of thread t goes to thread i as its word t.
  const auto word = [](const uint4& four, int i) {
    const uint32_t low = i % 2 == 0 ? four.x : four.y, high = i % 2 == 0 ? four.z : four.w;
    return i < 2 ? low : high;
  };
  uint4 received;  // of thread own ^ distance
  received.x = word(bits, own);
  received.y = __shfl_xor_sync(kAllLanes, word(bits, own ^ 1), 1, kLanes);
  received.z = __shfl_xor_sync(kAllLanes, word(bits, own ^ 2), 2, kLanes);
  received.w = __shfl_xor_sync(kAllLanes, word(bits, own ^ 3), 3, kLanes);
  if (place >= places) return;
  *reinterpret_cast<uint4*>(to.at(to_eighth / 8, place) + swizzled(place, to_eighth % 8)) =
      make_uint4(word(received, own), word(received, own ^ 1), word(received, own ^ 2), word(received, own ^ 3));
}

}  // namespace hipport_llm

#endif
