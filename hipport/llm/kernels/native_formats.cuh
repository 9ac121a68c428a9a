// The formats of model files: codes and scales, by number. The numbers are those of hipport/llm/weights/native.py.
#ifndef HIPPORT_LLM_NATIVE_FORMATS_CUH
#define HIPPORT_LLM_NATIVE_FORMATS_CUH

#include "native_codes.cuh"
#include "native_scales.cuh"

namespace hipport_llm {

template <typename CodesOf, typename ScalesOf>
struct NativeFormat {
  using Codes = CodesOf;
  using Scales = ScalesOf;

  __device__ static NativeScale scale(const NativeMatrix& matrix, const NativeRow& row, int column) {
    return Scales::of(Scales::load(matrix, row, column));
  }

  // The weights 8 * eighth .. + 7 of a row. One rounding at most: of scale * code, or of that less the minimum.
  __device__ static void load(const NativeMatrix& matrix, const NativeRow& row, int eighth, float (&weights)[8]) {
    StoredCodes<Codes, 1> codes;
    codes.load(matrix, row, eighth);
    codes.decode(0, weights);
    const NativeScale own = scale(matrix, row, eighth * 8);
#pragma unroll
    for (int i = 0; i < 8; ++i)
      weights[i] = Scales::kMinimums ? fmaf(own.scale, weights[i], -own.minimum) : own.scale * weights[i];
  }
};

constexpr int kNativeFormats = 16;

// Returns visit(NativeFormat) for the format with a number.
#if defined(__CUDACC__) && !defined(__clang__)
#pragma nv_exec_check_disable
#endif
template <typename Visit>
__host__ __device__ __forceinline__ auto visit_native(int format, const Visit& visit) {
  switch (format) {
    case 1: return visit(NativeFormat<FourBitCodes<8>, HalfScales>{});      // Q4_0, TQ1_0, TQ2_0
    case 2: return visit(NativeFormat<FourBitCodes<0>, HalfPairs>{});       // Q4_1
    case 3: return visit(NativeFormat<FiveBitCodes<16>, HalfScales>{});     // Q5_0
    case 4: return visit(NativeFormat<FiveBitCodes<0>, HalfPairs>{});       // Q5_1
    case 5: return visit(NativeFormat<ByteCodes, HalfScales>{});            // Q8_0
    case 6: return visit(NativeFormat<FourBitCodes<0>, FactoredPairs>{});   // Q2_K, Q4_K
    case 7: return visit(NativeFormat<FiveBitCodes<0>, FactoredPairs>{});   // Q5_K
    case 8: return visit(NativeFormat<SixBitCodes, FactoredScales>{});      // Q6_K
    case 9: return visit(NativeFormat<FourBitCodes<8>, FactoredScales>{});  // Q3_K
    case 10: return visit(NativeFormat<NonlinearCodes, HalfScales>{});      // IQ4_NL
    case 11: return visit(NativeFormat<NonlinearCodes, FactoredScales>{});  // IQ4_XS
    case 12: return visit(NativeFormat<Fp4Codes, ExponentScales>{});        // MXFP4
    case 13: return visit(NativeFormat<Fp4Codes, HalfScales>{});            // NVFP4
    case 14: return visit(NativeFormat<FourBitCodes<0>, HalfZeros>{});      // AWQ, GPTQ
    case 15: return visit(NativeFormat<Fp8Codes, FloatScales>{});           // FP8
    default: return visit(NativeFormat<NumberCodes, NoScales>{});
  }
}

}  // namespace hipport_llm

#endif
