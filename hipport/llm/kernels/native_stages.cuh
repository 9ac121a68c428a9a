// Multiplies stages of matrices in the formats of model files with a vector, each by one warp, from shared memory.
//
// As of packed tiles, lane 4g + t has of each 32 columns those from 8t on, of rows g of both octets.
#ifndef HIPPORT_LLM_NATIVE_STAGES_CUH
#define HIPPORT_LLM_NATIVE_STAGES_CUH

#include "native_units.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES

namespace hipport_llm {

// Writes the sums of 16 rows.
template <typename Products>
__device__ __forceinline__ void multiply_quarters(const OctetLanes& weights, int quarters, Products products,
                                                  float* sums) {
  constexpr int at_once = Products::kQuarters;
  if (quarters == kStageQuarters) {
#pragma unroll
    for (int i = 0; i < kStageQuarters / at_once; ++i) products.add(weights, i, at_once);
  } else {
    for (int i = 0; i * at_once < quarters; ++i) products.add(weights, i, min(at_once, quarters - i * at_once));
  }
  products.store(sums);
}

// The planes of a stage's octet in shared memory.
template <typename Format>
__device__ __forceinline__ NativeMatrix octet_at(const uint8_t* bytes, int group_shift) {
  using Codes = typename Format::Codes;
  using Scales = typename Format::Scales;
  constexpr int words = kNativeRows * kStageQuarters * 4;
  const int groups = kNativeRows * (kNativeStageColumns >> group_shift);
  NativeMatrix octet = {};
  octet.columns = kNativeStageColumns;
  octet.group_shift = group_shift;
  octet.codes = bytes;
  octet.high = octet.codes + words * Codes::kBits;
  octet.scales = octet.high + words * Codes::kHighBits;
  octet.minimums = octet.scales + groups * Scales::kScaleBytes;
  octet.factors = octet.minimums + groups * Scales::kMinimumBytes;
  return octet;
}

template <typename Format>
__device__ __forceinline__ OctetLanes octet_lanes(const uint8_t* stage, int group_shift, int lane) {
  using Scales = typename Format::Scales;
  OctetLanes weights;
  weights.octets[0] = octet_at<Format>(stage, group_shift);
  const uint8_t* end = weights.octets[0].factors + kNativeRows * (kNativeStageColumns >> 8) * Scales::kFactorBytes;
  weights.octets[1] = octet_at<Format>(end, group_shift);
  weights.rows[0] = weights.rows[1] = NativeRow(weights.octets[0], lane / 4);
  return weights;
}

// What multiplies a stage that is in shared memory.
struct MultiplyStage {
  const uint8_t* stage;
  int group_shift, quarters, column;
  NativeVector vector;
  float* sums;

  template <typename Format>
  __device__ __forceinline__ void operator()(Format) const {
    // The compiler computes addresses of groups of 16 and 32 columns.
    if (group_shift == 4)
      multiply<Format, 16>(4);
    else if (group_shift == 5)
      multiply<Format, 32>(5);
    else
      multiply<Format, 32>(group_shift);
  }

 private:
  template <typename Format, int Group>
  __device__ __forceinline__ void multiply(int shift) const {
    const int lane = thread_index() % kLanes;
    multiply_quarters(octet_lanes<Format>(stage, shift, lane), quarters,
                      NativeStageProducts<Format, Group>(vector, column, lane), sums);
  }
};

// Multiplies a warp's next stage. Writes `sums`, of 16 rows.
template <int Count>
__device__ __forceinline__ void multiply_stage(NativeStream& stream, const NativeRowTiles& rows, int, int stage,
                                               const NativeVector& vector, float* sums) {
  static_assert(Count == 1, "one vector");
  NativeKind kind;
  const uint8_t* from = stream.acquire(kind);
  const int column = stage * kNativeStageColumns;
  visit_native(kind.format, MultiplyStage{from, kind.group_shift, quarters_of(rows, stage), column, vector, sums});
  stream.release();
}

}  // namespace hipport_llm

#endif

#endif
