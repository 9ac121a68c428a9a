// Adds the sums of a product's splits and calls an epilogue (matmul_epilogues.cuh) with pairs of rows.
#ifndef HIPPORT_LLM_NATIVE_EPILOGUE_CUH
#define HIPPORT_LLM_NATIVE_EPILOGUE_CUH

#include "matmul.cuh"
#include "native_matvec.cuh"

namespace hipport_llm {

constexpr int kEpilogueThreads = 256;

// Rows that epilogues take together. Pair p is row p % 8 of the row of tiles p / 8: rows p % 8 and p % 8 + 8 of 16 ...
struct TilePairs {
  __device__ int low(int pair) const { return pair / 8 * 16 + pair % 8; }
  __device__ int high(int pair) const { return low(pair) + 8; }
};
// ... the dimensions of a head that RoPE rotates together ...
template <int HeadWidth>
struct HeadPairs {
  __device__ int low(int pair) const { return pair / (HeadWidth / 2) * HeadWidth + pair % (HeadWidth / 2); }
  __device__ int high(int pair) const { return low(pair) + HeadWidth / 2; }
};
// ... or a row of gate and the same of up, which follows gate.
struct GatePairs {
  int hidden;

  __device__ int low(int pair) const { return pair; }
  __device__ int high(int pair) const { return pair + hidden; }
};

// Grid: (pairs, tokens).
template <typename Pairs, typename Epilogue>
__global__ void __launch_bounds__(kEpilogueThreads)
    native_epilogue_kernel(NativeSums sums, int splits, int pairs, Pairs rows, Epilogue epilogue) {
  const int pair = blockIdx.x * kEpilogueThreads + threadIdx.x, token = blockIdx.y;
  if (pair >= pairs) return;
  float low = 0.0f, high = 0.0f;
  for (int split = 0; split < splits; ++split) {
    low += *sums.at(split, token, rows.low(pair));
    high += *sums.at(split, token, rows.high(pair));
  }
  const auto look = LookOf<Epilogue>::at(epilogue, pair / 8, pair % 8, token);
  LookOf<Epilogue>::call(epilogue, pair / 8, pair % 8, token, low, high, look);
}

}  // namespace hipport_llm

#endif
