// Describes tensors in memory for Hopper's copies of their tiles.
#ifndef HIPPORT_LLM_TENSOR_MAPS_H
#define HIPPORT_LLM_TENSOR_MAPS_H

#include "../kernels/swizzled_panels.cuh"
#include "../kernels/tensor_copies.cuh"
#include "device.h"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// Returns a function of the driver as of CUDA 12.0, so that nothing has to be linked. Raises `EngineError`.
inline void* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), name);
#else
  check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result), name);
#endif
  if (result != cudaDriverEntryPointSuccess) throw EngineError(std::string("the driver has no ") + name);
  return found;
}

// A dimension of a tensor: how many, how many numbers they are apart, and how many of them a tile has.
struct TensorSide {
  int64_t count, stride;
  int tile;
};

// Describes tiles of 16-bit numbers as the units of warp groups read them (warpgroup_unit.cuh: describe). The first side has
// neighbors in memory, of which a tile has 64; other strides and the address are multiples of 16 bytes. What is outside is
// 0. Raises `EngineError`.
template <int Sides>
CUtensorMap tensor_map(const void* data, const TensorSide (&sides)[Sides]) {
  void* const encode = driver_function("cuTensorMapEncodeTiled");
  cuuint64_t counts[Sides], bytes[Sides];
  cuuint32_t tile[Sides], steps[Sides];
  for (int i = 0; i < Sides; ++i) {
    counts[i] = static_cast<cuuint64_t>(sides[i].count);
    bytes[i] = static_cast<cuuint64_t>(sides[i].stride) * 2;
    tile[i] = static_cast<cuuint32_t>(sides[i].tile);
    steps[i] = 1;
  }
  CUtensorMap map;
  const CUresult status = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_UINT16, Sides, const_cast<void*>(data), counts, bytes + 1, tile, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) throw EngineError("no tensor map: error " + std::to_string(static_cast<int>(status)));
  return map;
}

// Tiles of 64 columns and `tile_rows` rows of a matrix whose rows are `stride` apart.
inline CUtensorMap tile_map(const void* data, int64_t rows, int64_t columns, int64_t stride, int tile_rows) {
  return tensor_map(data, {{columns, 1, Panels::kColumns}, {rows, stride, tile_rows}});
}

// Tiles of 64 dimensions and `tile` positions of a head: [sequence][position][head][dimension] with these counts, whose
// positions are `stride` apart.
inline CUtensorMap head_map(const void* data, int64_t sequences, int64_t positions, int64_t heads, int64_t width,
                            int64_t stride, int tile) {
  return tensor_map(
      data,
      {{width, 1, Panels::kColumns}, {heads, width, 1}, {positions, stride, tile}, {sequences, positions * stride, 1}});
}

}  // namespace hipport_llm

#endif

#endif
