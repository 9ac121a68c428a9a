// A product of two views, a tile for each block.
#ifndef HIPPORT_LLM_GEMM_CUH
#define HIPPORT_LLM_GEMM_CUH

#include "../engine/device.h"
#include "tile_gemm.cuh"
#include "warpgroup_gemm.cuh"

namespace hipport_llm {

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

template <int Threads, int Rows, int Columns>
using BlockGemm = WarpgroupGemm<Threads, Rows, Columns>;

#else

template <int Threads, int Rows, int Columns>
using BlockGemm = TileGemm<Threads, Rows, Columns>;

#endif

template <int Threads, int Rows, int Columns, typename LeftView, typename RightView, typename Epilogue>
__global__ void __launch_bounds__(Threads)
    gemm_kernel(Source<LeftView> left, Source<RightView> right, Extent extent, int depth, Epilogue epilogue) {
  using Gemm = BlockGemm<Threads, Rows, Columns>;
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(1024) uint8_t dynamic[];
  typename Gemm::Shared& shared = *reinterpret_cast<typename Gemm::Shared*>(dynamic);
#else
  __shared__ typename Gemm::Shared shared;
#endif
  const int row = blockIdx.y * Rows, column = blockIdx.x * Columns;
  Gemm gemm;
  gemm.multiply(left, right, row, column, depth, shared);
  gemm.finish(epilogue, row, column, extent, shared);
}

// The blocks of a product.
template <int Rows, int Columns>
dim3 gemm_blocks(Extent extent) {
  return dim3((extent.columns + Columns - 1) / Columns, (extent.rows + Rows - 1) / Rows);
}

template <int Threads, int Rows, int Columns, typename LeftView, typename RightView, typename Epilogue>
void launch_tiles(const Source<LeftView>& left, const Source<RightView>& right, Extent extent, int depth,
                  const Epilogue& epilogue, cudaStream_t stream) {
  const auto kernel = &gemm_kernel<Threads, Rows, Columns, LeftView, RightView, Epilogue>;
  const int bytes = dynamic_bytes(kernel, sizeof(typename BlockGemm<Threads, Rows, Columns>::Shared));
  kernel<<<gemm_blocks<Rows, Columns>(extent), Threads, bytes, stream>>>(left, right, extent, depth, epilogue);
}

template <int Threads, int Tile, typename LeftView, typename RightView, typename Epilogue>
void launch_gemm(const Source<LeftView>& left, const Source<RightView>& right, Extent extent, int depth,
                 const Epilogue& epilogue, cudaStream_t stream) {
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS
  // Wide tiles read least, if there are enough of them.
  if constexpr (Tile == 128) {
    const dim3 wide = gemm_blocks<Tile, 2 * Tile>(extent);
    if (static_cast<int>(wide.x * wide.y) >= processors())
      return launch_tiles<Threads, Tile, 2 * Tile>(left, right, extent, depth, epilogue, stream);
  }
#endif
  launch_tiles<Threads, Tile, Tile>(left, right, extent, depth, epilogue, stream);
}

}  // namespace hipport_llm

#endif
