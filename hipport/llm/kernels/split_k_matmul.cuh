// Multiplies a packed matrix with a few tokens, with the depth of each part split over several blocks (split-K),
// because its rows alone would be too few blocks.
#ifndef HIPPORT_LLM_SPLIT_K_MATMUL_CUH
#define HIPPORT_LLM_SPLIT_K_MATMUL_CUH

#include "last_block.cuh"
#include "matmul.cuh"
#include "split_k_pipeline.cuh"

namespace hipport_llm {

// Partial results of blocks that share a part, which the last of them adds up.
struct SplitKSums {
  float4* sums;        // [row blocks][token blocks][splits][results][threads]
  unsigned* arrivals;  // [row blocks][token blocks], 0 before and after
};

// Grid: (tokens, rows, splits of the depth). `Epilogue` as for matmul_kernel.
template <typename Division, typename Epilogue>
__global__ void __launch_bounds__(kUnitThreads, Division::kResident)
    split_k_matmul_kernel(Matrix matrix, Activations activations, int tokens, SplitKSums split, Epilogue epilogue) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[Division::kSharedBytes];
#endif
  using Own = typename Division::Own;
  using Product = WarpProduct<Division>;
  const int first_row = blockIdx.y * Own::kRowTiles, first_token = blockIdx.x * Own::kTokens;
  const int all = matrix.column_tiles, splits = static_cast<int>(gridDim.z);
  const int first = static_cast<int>(blockIdx.z) * all / splits,
            last = (static_cast<int>(blockIdx.z) + 1) * all / splits;
  SplitKPipeline<Own> stages(shared, SplitKPieces<Own>(matrix, first_row, activations, first_token, first),
                             last - first);
  Product product;
#pragma unroll 1
  for (int i = first; i < last; ++i) product.add(stages.next(), 1);
  const BlockOut<Epilogue> out = {epilogue, first_row, matrix.row_tiles - first_row, first_token, tokens - first_token};
  const int part = blockIdx.y * gridDim.x + blockIdx.x;
  float4* sums = split.sums + static_cast<int64_t>(part) * splits * Product::kResults * kUnitThreads;
  product.store(sums + static_cast<int>(blockIdx.z) * Product::kResults * kUnitThreads);
  if (last_to_arrive(split.arrivals + part, splits)) product.write_stored(sums, splits, out);
}

}  // namespace hipport_llm

#endif
