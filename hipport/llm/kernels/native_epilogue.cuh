// Adds the sums of a product's splits and calls an epilogue (matmul_epilogues.cuh) with pairs of rows.
#ifndef HIPPORT_LLM_NATIVE_EPILOGUE_CUH
#define HIPPORT_LLM_NATIVE_EPILOGUE_CUH

#include "early_start.cuh"
#include "matmul.cuh"
#include "native_matvec.cuh"

namespace hipport_llm {

constexpr int kEpilogueThreads = 256;

// Rows that epilogues take together are `half` apart: the dimensions of a head that RoPE rotates together, a row of gate
// and the same of up, which follows gate, or in other products the rows of a tile that are 8 apart. Pair p is row p % 8
// of the row of tiles p / 8.
struct RowPairs {
  int half;  // a multiple of 8

  __device__ int low(int pair) const { return pair / half * 2 * half + pair % half; }
  __device__ int high(int pair) const { return low(pair) + half; }
};

// Grid: (pairs, tokens). A thread has `Each` pairs. `Ahead`: the sums are of SideBySide products, which let this kernel
// start only when all that came before them had ended, so that it has looked at what it needs before they end.
template <int Each, bool Ahead, typename Epilogue>
__global__ void __launch_bounds__(kEpilogueThreads)
    native_epilogue_kernel(SplitSums sums, int pairs, RowPairs rows, Epilogue epilogue) {
  const int first = (blockIdx.x * kEpilogueThreads + threadIdx.x) * Each, token = blockIdx.y;
  typename LookOf<Epilogue>::Type looks[Each];
  const auto look = [&] {
#pragma unroll
    for (int i = 0; i < Each; ++i) looks[i] = LookOf<Epilogue>::at(epilogue, first / 8, first % 8 + i, token);
  };
  if (Ahead && first < pairs) look();
  await_previous_kernel();
  if (first >= pairs) return;
  float low[Each], high[Each];
  sums.load(token, rows.low(first), low);
  sums.load(token, rows.high(first), high);
  if (!Ahead) look();
#pragma unroll
  for (int i = 0; i < Each; ++i)
    LookOf<Epilogue>::call(epilogue, first / 8, first % 8 + i, token, low[i], high[i], looks[i]);
}

// Few, so that all multiprocessors have some.
constexpr int kEightsThreads = 64;

// The same for epilogues that take a row of tiles at once, as a thread has, after SideBySide products.
template <typename Epilogue>
__global__ void __launch_bounds__(kEightsThreads)
    native_eights_kernel(SplitSums sums, int row_tiles, RowPairs rows, Epilogue epilogue) {
  const int row_tile = blockIdx.x * kEightsThreads + threadIdx.x, token = blockIdx.y;
  typename Epilogue::EightLook look;
  if (row_tile < row_tiles) look = epilogue.look_at_eight(row_tile, token);
  await_previous_kernel();
  if (row_tile >= row_tiles) return;
  float low[8], high[8];
  sums.load(token, rows.low(row_tile * 8), low);
  sums.load(token, rows.high(row_tile * 8), high);
  epilogue.write_eight(row_tile, token, low, high, look);
}

}  // namespace hipport_llm

#endif
