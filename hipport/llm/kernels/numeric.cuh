// Numbers: activations of 16 bits, sums of 32.
#ifndef HIPPORT_LLM_NUMERIC_CUH
#define HIPPORT_LLM_NUMERIC_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace hipport_llm {

// Lanes that work together. Shuffles are given this width, so that a wavefront of 64 holds two groups.
constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// Eight activations, loaded and stored as 16 bytes.
struct Eight {
  uint4 bits;

  __device__ __half2 pair(int i) const { return reinterpret_cast<const __half2*>(&bits)[i]; }
  __device__ void set(int i, __half2 value) { reinterpret_cast<__half2*>(&bits)[i] = value; }
};

__device__ inline Eight load8(const __half* from) { return {*reinterpret_cast<const uint4*>(from)}; }

__device__ inline __half2 as_half2(uint32_t bits) { return *reinterpret_cast<const __half2*>(&bits); }

// sum + a.x * b.x + a.y * b.y with products and sums in float.
__device__ inline float dot2(float2 a, float2 b, float sum) { return fmaf(a.y, b.y, fmaf(a.x, b.x, sum)); }
__device__ inline float dot2(__half2 a, __half2 b, float sum) {
#if defined(__gfx1030__)
  typedef _Float16 Pair __attribute__((ext_vector_type(2)));
  return __builtin_amdgcn_fdot2(__builtin_bit_cast(Pair, a), __builtin_bit_cast(Pair, b), sum, false);
#else
  return dot2(__half22float2(a), __half22float2(b), sum);
#endif
}

// The sum over `Width` neighbouring lanes, in each of them.
template <int Width>
__device__ inline float sum_lanes(float value) {
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance, kLanes);
  return value;
}

// x * sigmoid(x)
__device__ inline float silu(float x) { return x / (1.0f + __expf(-x)); }

}  // namespace hipport_llm

#endif
