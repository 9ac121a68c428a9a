// Activations in the order in which warp groups multiply them.
#ifndef HIPPORT_LLM_ARRANGED_TOKENS_CUH
#define HIPPORT_LLM_ARRANGED_TOKENS_CUH

#include "prompt_chunk.h"
#include "swizzled_panels.cuh"

namespace hipport_llm {

// [panel of 64 columns][token][64]: some tokens of a panel are one piece of memory. A row of 64 has two blocks of 32
// columns. Of a block, 16 bytes i are words i of its four eighths, because lane t of a matrix unit has the columns of
// eighth t; they are stored at i ^ token % 8 (WarpgroupUnit::describe).
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
  return static_cast<int>((static_cast<int64_t>(tokens) * (columns / 32) + kArrangeThreads - 1) / kArrangeThreads);
}

// A thread for each token and 32 of `columns` columns. Those that the activations do not have become zeros.
static __global__ void __launch_bounds__(kArrangeThreads)
    arrange_tokens_kernel(Activations from, int tokens, int columns, ArrangedTokens to) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kArrangeThreads + threadIdx.x;
  const int block = static_cast<int>(at % (columns / 32)), token = static_cast<int>(at / (columns / 32));
  if (token >= tokens) return;
  uint32_t words[4][4];
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    const int column = block * 32 + t * 8;
    const uint4 eighth = column < from.stride
                             ? load8(from.values + static_cast<int64_t>(token) * from.stride + column).bits
                             : make_uint4(0, 0, 0, 0);
    words[t][0] = eighth.x;
    words[t][1] = eighth.y;
    words[t][2] = eighth.z;
    words[t][3] = eighth.w;
  }
  uint4* row = reinterpret_cast<uint4*>(to.at(block / 2, token));
#pragma unroll
  for (int i = 0; i < 4; ++i)
    row[(block % 2 * 4 + i) ^ token % 8] = make_uint4(words[0][i], words[1][i], words[2][i], words[3][i]);
}

}  // namespace hipport_llm

#endif
