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

// Grid: (pairs, tokens). A thread has `Each` pairs.
template <int Each, typename Epilogue>
__global__ void __launch_bounds__(kEpilogueThreads)
    native_epilogue_kernel(SplitSums sums, int pairs, RowPairs rows, Epilogue epilogue) {
  await_previous_kernel();
  const int first = (blockIdx.x * kEpilogueThreads + threadIdx.x) * Each, token = blockIdx.y;
  if (first >= pairs) return;
  float low[Each], high[Each];
  sums.load(token, rows.low(first), low);
  sums.load(token, rows.high(first), high);
  typename LookOf<Epilogue>::Type looks[Each];
#pragma unroll
  for (int i = 0; i < Each; ++i) looks[i] = LookOf<Epilogue>::at(epilogue, first / 8, first % 8 + i, token);
#pragma unroll
  for (int i = 0; i < Each; ++i)
    LookOf<Epilogue>::call(epilogue, first / 8, first % 8 + i, token, low[i], high[i], looks[i]);
}

}  // namespace hipport_llm

#endif
