// Products of 16 rows and 16 columns, 32 deep, of 16-bit numbers with 32-bit sums, on the target's matrix unit.
//
// A unit is a warp of kLanes lanes. It has
//   Weights  what a lane loads of a packed tile; block(i) are the Rows of 32 of its columns
//   Rows     16 rows of a block of 32 columns
//   Columns  16 columns of a block of 32, from shared memory (swizzled_panels.cuh), where they are rows: [column][32]
//            What a lane holds of Rows: `kHeld` times eight columns, the eighth held_eighth(lane, i) of four of row
//            held_row(lane, i); of() makes Rows of them
//   PanelRows, PanelColumns  the same of a product whose operands are both in shared memory
//   Sums     of a product, added to by multiply_add(); finish() gives each lane its kPairs pairs of results (Finished),
//            rows row(lane, pair) (0..7) and that + 8 of column(lane, pair). kSpread: sums are spread over lanes, and
//            take more registers than results
// Pair i and pair i + kColumns of a lane are of the same column. Lanes that are a multiple of kColumnDistance apart
// have the same columns.
//
// Limits set by registers: kRowTiles x kColumnTiles tiles of a large product, kMediumRows x kMediumColumns of a medium
// one, kKeys keys of the attention, and kTilesAtOnce tiles of their scores.
//
// With HIPPORT_LLM_MFMA or HIPPORT_LLM_WMMA the CPU target emulates AMD's.
#ifndef HIPPORT_LLM_MATRIX_UNIT_CUH
#define HIPPORT_LLM_MATRIX_UNIT_CUH

#include <type_traits>

#if !defined(__HIP_PLATFORM_AMD__)
#include "matrix_unit_nvidia.cuh"
#elif defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || \
    defined(__gfx950__) || defined(HIPPORT_LLM_MFMA)
#include "matrix_unit_mfma.cuh"
#elif defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) || defined(__gfx1103__) || \
    defined(__gfx1150__) || defined(__gfx1151__) || defined(__gfx1152__) || defined(__gfx1153__) ||   \
    defined(HIPPORT_LLM_WMMA)
#include "matrix_unit_wmma.cuh"
#elif defined(__gfx1200__) || defined(__gfx1201__)
#include "matrix_unit_wmma12.cuh"
#else
#include "matrix_unit_plain.cuh"
#endif

namespace hipport_llm {

#if !defined(__HIP_PLATFORM_AMD__)
using Unit = NvidiaUnit;
#elif defined(HIPPORT_LLM_MATRIX_UNIT_MFMA_CUH)
using Unit = MfmaUnit;
#elif defined(HIPPORT_LLM_MATRIX_UNIT_WMMA_CUH)
using Unit = WmmaUnit;
#elif defined(HIPPORT_LLM_MATRIX_UNIT_WMMA12_CUH)
using Unit = Wmma12Unit;
#else
using Unit = PlainUnit;
#endif

// A block is four wavefronts, whatever their size.
#if defined(__AMDGCN_WAVEFRONT_SIZE)
constexpr int kWaveLanes = __AMDGCN_WAVEFRONT_SIZE;
#else
constexpr int kWaveLanes = 32;
#endif
constexpr int kUnitThreads = 4 * kWaveLanes;
constexpr int kUnits = kUnitThreads / Unit::kLanes;

// The sum of many products of operands in shared memory. Where sums take more registers than results, they are reduced
// to results after each product.
template <typename Own>
class TotalOf {
 public:
  __device__ void add(const typename Own::PanelRows& a, const typename Own::PanelColumns& b, int lane) {
    if constexpr (Own::kSpread) {
      typename Own::Sums sums;
      Own::multiply_add(sums, a, b);
      const auto more = Own::finish(sums, lane);
#pragma unroll
      for (int i = 0; i < Own::kPairs; ++i) {
        kept_.low[i] += more.low[i];
        kept_.high[i] += more.high[i];
      }
    } else {
      Own::multiply_add(kept_, a, b);
    }
  }
  __device__ typename Own::Finished finish(int lane) const {
    if constexpr (Own::kSpread)
      return kept_;
    else
      return Own::finish(kept_, lane);
  }

 private:
  std::conditional_t<Own::kSpread, typename Own::Finished, typename Own::Sums> kept_;
};
using Total = TotalOf<Unit>;

// 16 rows of a block of 32 columns of a matrix that is stored transposed, [column][row]: rows from `first` on, a multiple
// of 16, of the first 32 columns. They are multiplied with PanelColumns.
#if !defined(__HIP_PLATFORM_AMD__)
__device__ inline NvidiaUnit::PanelRows turned_rows(const Panels& from, int first, int lane) {
  return NvidiaUnit::PanelRows::turned(from, first, lane);
}
#else
__device__ inline Unit::PanelRows turned_rows(const Panels& from, int first, int lane) {
  Eight eighths[Unit::PanelRows::kHeld];
#pragma unroll
  for (int i = 0; i < Unit::PanelRows::kHeld; ++i) {
    const int row = first + Unit::PanelRows::held_row(lane, i), column = 8 * Unit::PanelRows::held_eighth(lane, i);
    const auto number = [&](int j) { return from.number(column + j, row); };
#pragma unroll
    for (int j = 0; j < 4; ++j) eighths[i].set(j, pair_of_numbers(number(2 * j), number(2 * j + 1)));
  }
  return Unit::PanelRows::of(eighths);
}
#endif

// The largest value, or the sum, over the lanes that have the same columns.
template <typename Combine>
__device__ inline float combine_columns(float value, const Combine& combine) {
#pragma unroll
  for (int distance = Unit::kColumnDistance; distance < Unit::kLanes; distance *= 2)
    value = combine(value, __shfl_xor_sync(kAllLanes, value, distance, Unit::kLanes));
  return value;
}

}  // namespace hipport_llm

#endif
