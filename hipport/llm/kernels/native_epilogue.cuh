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

// Grid: (pairs, tokens).
template <typename Epilogue>
__global__ void __launch_bounds__(kEpilogueThreads)
    native_epilogue_kernel(SplitSums sums, int pairs, RowPairs rows, Epilogue epilogue) {
  await_previous_kernel();
  const int pair = blockIdx.x * kEpilogueThreads + threadIdx.x, token = blockIdx.y;
  if (pair >= pairs) return;
  const float low = sums.at(token, rows.low(pair)), high = sums.at(token, rows.high(pair));
  const auto look = LookOf<Epilogue>::at(epilogue, pair / 8, pair % 8, token);
  LookOf<Epilogue>::call(epilogue, pair / 8, pair % 8, token, low, high, look);
}

}  // namespace hipport_llm

#endif
