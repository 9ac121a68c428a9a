// The vector that matrices in the formats of model files are multiplied with by the persistent kernel.
//
// A lane multiplies pairs of codes as masks take them out of a word: of eight neighboring ones first (0, 4) and (2, 6), the
// even pairs, then (1, 5) and (3, 7), the odd ones, which are 16 times as large where codes have 4 to 6 bits. The vector is
// in this order, too. Its sums are multiplied with what all codes are too large by.
#ifndef HIPPORT_LLM_NATIVE_VECTOR_CUH
#define HIPPORT_LLM_NATIVE_VECTOR_CUH

#include "native_pairs.cuh"
#include "native_rows.cuh"
#include "thread_block.cuh"

namespace hipport_llm {

struct NativeVector {
  Number* values;
  float2* sums;          // of each 16 columns: of the even pairs, and of the odd ones
  const uint8_t* zeros;  // for matrix units: as many bytes as a stage has of the vector

#if defined(__HIP_PLATFORM_AMD__)
  static constexpr int kZeroBytes = 0;
#else
  static constexpr int kZeroBytes = kNativeStageColumns * 2;
#endif
  static constexpr int kSumColumns = 16;

  // Bytes in shared memory besides the values, for vectors of some length.
  __host__ __device__ static int bytes(int length) {
    return length / kSumColumns * static_cast<int>(sizeof(float2)) + kZeroBytes;
  }

  // Called by all computing threads, before the step's first barrier.
  __device__ void place(Number* vector, uint8_t* at) {
    values = vector;
    for (int i = thread_index(); i < kZeroBytes / 16; i += kThreads)
      reinterpret_cast<uint4*>(at)[i] = make_uint4(0, 0, 0, 0);
    zeros = at;
    sums = reinterpret_cast<float2*>(at + kZeroBytes);
  }

  // Called by all computing threads, when the vector is there: brings it into order. Ends with a barrier.
  __device__ __forceinline__ void arrange(int columns) const {
    const int eighths = columns / 8, lane = thread_index() % kLanes;
    for (int first = thread_index() - lane; first < eighths; first += kThreads) {
      const int i = first + lane;
      float even = 0.0f, odd = 0.0f;
      if (i < eighths) {
        const Eight eight = native_order(load8(values + i * 8));
        Eight ordered;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const Pair pair = eight.pair(j);
          ordered.set(j / 2 + j % 2 * 2, pair);
          const float2 floats = floats_of(pair);
          (j % 2 == 0 ? even : odd) += floats.x + floats.y;
        }
        store8(values + i * 8, ordered);
      }
      even += __shfl_xor_sync(kAllLanes, even, 1, kLanes);
      odd += __shfl_xor_sync(kAllLanes, odd, 1, kLanes);
      if (i < eighths && i % 2 == 0) sums[i / 2] = make_float2(even, odd);
    }
    block_sync();
  }
};

}  // namespace hipport_llm

#endif
