// A matrix in a format of a model file, as planes in device memory (native_codes.cuh, native_scales.cuh).
#ifndef HIPPORT_LLM_NATIVE_MATRIX_H
#define HIPPORT_LLM_NATIVE_MATRIX_H

#include "numeric.cuh"

// Whether this build multiplies with matrices in the formats of model files, each in its own.
#if !defined(HIPPORT_LLM_NATIVE)
#define HIPPORT_LLM_NATIVE 0
#endif

namespace hipport_llm {

constexpr bool kNative = HIPPORT_LLM_NATIVE != 0;

struct NativeMatrix {
  int format;  // its number in native_formats.cuh
  int rows;
  int columns;      // a multiple of 64
  int group_shift;  // a group is 2^group_shift columns
  const uint8_t* codes;
  const uint8_t* high;  // upper bits of codes
  const uint8_t* scales;
  const uint8_t* minimums;
  const uint8_t* factors;

  __host__ __device__ int groups() const { return columns >> group_shift; }
  __device__ int64_t group(int row, int column) const {
    return static_cast<int64_t>(row) * groups() + (column >> group_shift);
  }
  __device__ int64_t factor(int row, int column) const {
    return static_cast<int64_t>(row) * (columns >> 8) + (column >> 8);
  }
  // The index of columns 8 * `eighth` .. + 7 of a row, counted from the first row.
  __device__ int64_t eighth(int row, int eighth) const { return static_cast<int64_t>(row) * (columns / 8) + eighth; }
};

}  // namespace hipport_llm

#endif
