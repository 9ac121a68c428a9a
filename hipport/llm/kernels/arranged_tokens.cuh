// Activations in the order in which warp groups multiply them.
#ifndef HIPPORT_LLM_ARRANGED_TOKENS_CUH
#define HIPPORT_LLM_ARRANGED_TOKENS_CUH

#include "prompt_chunk.h"
#include "swizzled_panels.cuh"

namespace hipport_llm {

// [panel of 64 columns][token][64]: some tokens of a panel are one piece of memory. A row of 64 has two blocks of 32
// columns. Of a block, 16 bytes i are words i of its four eighths, because lane t of a matrix unit has the columns of
// eighth t; they are stored as swizzled() says.
struct ArrangedTokens {
  uint8_t* panels;
  int room;  // the tokens that there is memory for

  __device__ uint8_t* at(int panel, int token) const {
    return panels + (static_cast<int64_t>(panel) * room + token) * Panels::kRowBytes;
  }
};

constexpr int kArrangeThreads = 256;

// Blocks of arrange_tokens_kernel.
inline int arrange_blocks(int tokens, int columns) {
  return static_cast<int>((static_cast<int64_t>(tokens) * (columns / 8) + kArrangeThreads - 1) / kArrangeThreads);
}

// A thread for each token and eighth of `columns` columns; four have a block, and exchange its words. Columns that the
// activations do not have become zeros.
static __global__ void __launch_bounds__(kArrangeThreads)
    arrange_tokens_kernel(Activations from, int tokens, int columns, ArrangedTokens to) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kArrangeThreads + threadIdx.x;
  const int own = static_cast<int>(at % 4), eighth = static_cast<int>(at % (columns / 8));
  const int token = static_cast<int>(at / (columns / 8));
  uint4 bits = make_uint4(0, 0, 0, 0);
  if (token < tokens && eighth * 8 < from.stride)
    bits = load8(from.values + static_cast<int64_t>(token) * from.stride + eighth * 8).bits;
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
  if (token >= tokens) return;
  *reinterpret_cast<uint4*>(to.at(eighth / 8, token) + swizzled(token, eighth % 8)) =
      make_uint4(word(received, own), word(received, own ^ 1), word(received, own ^ 2), word(received, own ^ 3));
}

}  // namespace hipport_llm

#endif
