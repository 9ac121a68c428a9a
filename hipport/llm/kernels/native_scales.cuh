// Scales and minimums of groups of weights in the formats of model files: a weight is scale * code - minimum.
//
// A group is 2^group_shift neighboring columns of a row. Planes of scales and minimums are [row][group]; where both are
// products with a factor of 256 columns, these factors are [row][256 columns].
#ifndef HIPPORT_LLM_NATIVE_SCALES_CUH
#define HIPPORT_LLM_NATIVE_SCALES_CUH

#include "native_matrix.h"

namespace hipport_llm {

struct NativeScale {
  float scale, minimum;
};

// All scales are 1.
struct NoScales {
  static constexpr int kScaleBytes = 0, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  __device__ static NativeScale at(const NativeMatrix&, int, int) { return {1.0f, 0.0f}; }
};

__device__ inline float half_at(const uint8_t* plane, int64_t i) {
  return __half2float(reinterpret_cast<const __half*>(plane)[i]);
}

// In half precision.
struct HalfScales {
  static constexpr int kScaleBytes = 2, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  __device__ static NativeScale at(const NativeMatrix& matrix, int row, int column) {
    return {half_at(matrix.scales, matrix.group(row, column)), 0.0f};
  }
};

// Both in half precision; the minimum is added.
struct HalfPairs {
  static constexpr int kScaleBytes = 2, kMinimumBytes = 2, kFactorBytes = 0;
  static constexpr bool kMinimums = true;

  __device__ static NativeScale at(const NativeMatrix& matrix, int row, int column) {
    const int64_t group = matrix.group(row, column);
    return {half_at(matrix.scales, group), -half_at(matrix.minimums, group)};
  }
};

// scale * (code - zero): a scale in half precision, a zero of 8 bits.
struct HalfZeros {
  static constexpr int kScaleBytes = 2, kMinimumBytes = 1, kFactorBytes = 0;
  static constexpr bool kMinimums = true;

  __device__ static NativeScale at(const NativeMatrix& matrix, int row, int column) {
    const int64_t group = matrix.group(row, column);
    const float scale = half_at(matrix.scales, group);
    return {scale, scale * static_cast<float>(matrix.minimums[group])};
  }
};

// Signed bytes times a factor in half precision.
struct FactoredScales {
  static constexpr int kScaleBytes = 1, kMinimumBytes = 0, kFactorBytes = 2;
  static constexpr bool kMinimums = false;

  __device__ static NativeScale at(const NativeMatrix& matrix, int row, int column) {
    const float scale = static_cast<float>(static_cast<int8_t>(matrix.scales[matrix.group(row, column)]));
    return {half_at(matrix.factors, matrix.factor(row, column)) * scale, 0.0f};
  }
};

// Bytes times factors in half precision, of the scales and of the minimums.
struct FactoredPairs {
  static constexpr int kScaleBytes = 1, kMinimumBytes = 1, kFactorBytes = 4;
  static constexpr bool kMinimums = true;

  __device__ static NativeScale at(const NativeMatrix& matrix, int row, int column) {
    const int64_t group = matrix.group(row, column);
    const float2 factors = __half22float2(reinterpret_cast<const __half2*>(matrix.factors)[matrix.factor(row, column)]);
    return {factors.x * static_cast<float>(matrix.scales[group]),
            factors.y * static_cast<float>(matrix.minimums[group])};
  }
};

// 2^(byte - 128): half of what E8M0 says, because the codes of FP4 are twice its values.
struct ExponentScales {
  static constexpr int kScaleBytes = 1, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  __device__ static NativeScale at(const NativeMatrix& matrix, int row, int column) {
    const uint32_t exponent = matrix.scales[matrix.group(row, column)];
    return {__uint_as_float(exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23), 0.0f};
  }
};

struct FloatScales {
  static constexpr int kScaleBytes = 4, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  __device__ static NativeScale at(const NativeMatrix& matrix, int row, int column) {
    return {reinterpret_cast<const float*>(matrix.scales)[matrix.group(row, column)], 0.0f};
  }
};

}  // namespace hipport_llm

#endif
