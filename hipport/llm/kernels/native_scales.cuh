// Scales and minimums of groups of weights in the formats of model files: a weight is scale * code - minimum.
//
// A group is 2^group_shift neighboring columns of a row. Where scales and minimums are products with a factor of 256
// columns, these factors are a plane of their own.
//
// load() brings what is stored, of() converts it: where many groups are loaded ahead, nothing waits for memory in between.
#ifndef HIPPORT_LLM_NATIVE_SCALES_CUH
#define HIPPORT_LLM_NATIVE_SCALES_CUH

#include "native_matrix.h"

namespace hipport_llm {

struct NativeScale {
  float scale, minimum;
};

// Stored bytes and halves. On AMD's GPUs each has a register of its own, so that none waits for another's load
// (native_lanes.cuh); on NVIDIA's, products of 64 tokens are 3% faster with fewer registers.
#if defined(__HIP_PLATFORM_AMD__)
using StoredByte = uint32_t;
using StoredSigned = int32_t;
using StoredHalf = uint32_t;
#else
using StoredByte = uint8_t;
using StoredSigned = int8_t;
using StoredHalf = uint16_t;
#endif

__device__ inline float float_of_half(uint32_t bits) {
  return __half2float(__ushort_as_half(static_cast<uint16_t>(bits)));
}

// All scales are 1.
struct NoScales {
  static constexpr int kScaleBytes = 0, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  struct Stored {};
  __device__ static Stored load(const NativeMatrix&, const NativeRow&, int) { return {}; }
  __device__ static NativeScale of(const Stored&) { return {1.0f, 0.0f}; }
};

// In half precision.
struct HalfScales {
  static constexpr int kScaleBytes = 2, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  struct Stored {
    StoredHalf scale;
  };
  __device__ static Stored load(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return {row.of_group<uint16_t>(matrix, matrix.scales, column)};
  }
  __device__ static NativeScale of(const Stored& stored) { return {float_of_half(stored.scale), 0.0f}; }
};

// Both in half precision; the minimum is added.
struct HalfPairs {
  static constexpr int kScaleBytes = 2, kMinimumBytes = 2, kFactorBytes = 0;
  static constexpr bool kMinimums = true;

  struct Stored {
    StoredHalf scale, minimum;
  };
  __device__ static Stored load(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return {row.of_group<uint16_t>(matrix, matrix.scales, column),
            row.of_group<uint16_t>(matrix, matrix.minimums, column)};
  }
  __device__ static NativeScale of(const Stored& stored) {
    return {float_of_half(stored.scale), -float_of_half(stored.minimum)};
  }
};

// scale * (code - zero): a scale in half precision, a zero of 8 bits.
struct HalfZeros {
  static constexpr int kScaleBytes = 2, kMinimumBytes = 1, kFactorBytes = 0;
  static constexpr bool kMinimums = true;

  struct Stored {
    StoredHalf scale;
    StoredByte zero;
  };
  __device__ static Stored load(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return {row.of_group<uint16_t>(matrix, matrix.scales, column),
            row.of_group<uint8_t>(matrix, matrix.minimums, column)};
  }
  __device__ static NativeScale of(const Stored& stored) {
    const float scale = float_of_half(stored.scale);
    return {scale, scale * static_cast<float>(stored.zero)};
  }
};

// Signed bytes times a factor in half precision.
struct FactoredScales {
  static constexpr int kScaleBytes = 1, kMinimumBytes = 0, kFactorBytes = 2;
  static constexpr bool kMinimums = false;

  struct Stored {
    StoredSigned scale;
    StoredHalf factor;
  };
  __device__ static Stored load(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return {row.of_group<int8_t>(matrix, matrix.scales, column), row.factor<uint16_t>(matrix, column)};
  }
  __device__ static NativeScale of(const Stored& stored) {
    return {float_of_half(stored.factor) * static_cast<float>(stored.scale), 0.0f};
  }
};

// Bytes times factors in half precision, of the scales and of the minimums.
struct FactoredPairs {
  static constexpr int kScaleBytes = 1, kMinimumBytes = 1, kFactorBytes = 4;
  static constexpr bool kMinimums = true;

  struct Stored {
    StoredByte scale, minimum;
    uint32_t factors;
  };
  __device__ static Stored load(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return {row.of_group<uint8_t>(matrix, matrix.scales, column),
            row.of_group<uint8_t>(matrix, matrix.minimums, column), row.factor<uint32_t>(matrix, column)};
  }
  __device__ static NativeScale of(const Stored& stored) {
    const float2 factors = __half22float2(as_half2(stored.factors));
    return {factors.x * static_cast<float>(stored.scale), factors.y * static_cast<float>(stored.minimum)};
  }
};

// 2^(byte - 128): half of what E8M0 says, because the codes of FP4 are twice its values.
struct ExponentScales {
  static constexpr int kScaleBytes = 1, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  struct Stored {
    StoredByte exponent;
  };
  __device__ static Stored load(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return {row.of_group<uint8_t>(matrix, matrix.scales, column)};
  }
  __device__ static NativeScale of(const Stored& stored) {
    const uint32_t exponent = stored.exponent;
    return {__uint_as_float(exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23), 0.0f};
  }
};

struct FloatScales {
  static constexpr int kScaleBytes = 4, kMinimumBytes = 0, kFactorBytes = 0;
  static constexpr bool kMinimums = false;

  struct Stored {
    float scale;
  };
  __device__ static Stored load(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return {row.of_group<float>(matrix, matrix.scales, column)};
  }
  __device__ static NativeScale of(const Stored& stored) { return {stored.scale, 0.0f}; }
};

}  // namespace hipport_llm

#endif
