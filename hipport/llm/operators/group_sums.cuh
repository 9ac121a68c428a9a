// The sums of a product on the matrix units of Hopper's warp groups, on their way out.
#ifndef HIPPORT_LLM_GROUP_SUMS_CUH
#define HIPPORT_LLM_GROUP_SUMS_CUH

#include "../kernels/warpgroup_unit.cuh"
#include "tile_gemm.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

namespace hipport_llm {

// 64 rows of a warp group, of which a warp has 16.
template <int Columns>
struct GroupSums {
  using Own = WarpgroupUnit<Columns>;
  // From row to row: so that lanes with neighboring rows store to other banks.
  static constexpr int kStride = Columns + 8;
  // Numbers of 32 bits that a warp needs to finish.
  static constexpr int kRoom = 16 * kStride;

  typename Own::Sums own;

  // Begins to add the product of a stage, a panel deep, or if not `adds` to set the sums to it. The group's rows and the
  // columns are described by describe().
  __device__ __forceinline__ void multiply_stage(bool adds, uint64_t rows, uint64_t columns) {
    Own::begin();
#pragma unroll
    for (int step = 0; step < Panels::kColumns / 16; ++step)
      Own::add16(own, adds || step > 0, rows + 2 * step, columns + 2 * step);
    Own::commit();
  }

  // Applies an epilogue to the tile whose first row and column these are; `room` has kRoom numbers for each warp.
  // A warp's sums go through shared memory, and a loop takes whole rows of them: unrolled over registers, the epilogue is
  // so much code, which every block runs once, that most of its time is spent on fetching it.
  template <typename Epilogue>
  __device__ __forceinline__ void finish(const Epilogue& epilogue, int row, int column, Extent extent,
                                         float* room) const {
    constexpr int lanes = Columns / 8, rows_at_once = kLanes / lanes, at_once = 4;
    const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
    float* sums = room + warp * kRoom;
    store(sums, lane);
    __syncwarp();
    const int first_row = lane / lanes, own_column = lane % lanes * 8;
    const int count = min(8, extent.columns - column - own_column);
    if (count <= 0) return;
#pragma unroll 1
    for (int first = first_row; first < 16; first += at_once * rows_at_once) {
      typename Epilogue::Look looks[at_once];
      const auto at = [&](int i) { return row + warp * 16 + first + i * rows_at_once; };
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (at(i) < extent.rows) looks[i] = epilogue.look(at(i), column + own_column, count);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (at(i) >= extent.rows) break;
        float values[8];
#pragma unroll
        for (int j = 0; j < 8; ++j) values[j] = sums[(first + i * rows_at_once) * kStride + own_column + j];
        epilogue(values, at(i), column + own_column, count, looks[i]);
      }
    }
  }

 private:
  __device__ __forceinline__ void store(float* to, int lane) const {
#pragma unroll
    for (int i = 0; i < Own::kPairs; i += 2) {
      float* at = to + Own::row(lane) * kStride + Own::column(lane, i);
      *reinterpret_cast<float2*>(at) = make_float2(Own::low(own, i), Own::low(own, i + 1));
      *reinterpret_cast<float2*>(at + 8 * kStride) = make_float2(Own::high(own, i), Own::high(own, i + 1));
    }
  }
};

}  // namespace hipport_llm

#endif

#endif
