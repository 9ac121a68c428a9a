// Tile reduction: of neighboring lanes, and of a block.
#ifndef HIPPORT_LLM_REDUCTION_CUH
#define HIPPORT_LLM_REDUCTION_CUH

#include "../kernels/numeric.cuh"

namespace hipport_llm {

struct Sum {
  static constexpr float nothing = 0.0f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Max {
  static constexpr float nothing = -INFINITY;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Over `Width` neighboring lanes, in each of them.
template <int Width, typename Combine>
__device__ inline float reduce_lanes(float value, const Combine& combine) {
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(kAllLanes, value, distance, kLanes));
  return value;
}

// Over all threads of a block of up to 1024, a multiple of kLanes, in each of them. `shared` has kLanes floats.
template <typename Combine>
__device__ inline float reduce_block(float value, float* shared, const Combine& combine) {
  const int lane = threadIdx.x % kLanes, group = threadIdx.x / kLanes, groups = blockDim.x / kLanes;
  value = reduce_lanes<kLanes>(value, combine);
  __syncthreads();
  if (lane == 0) shared[group] = value;
  __syncthreads();
  return reduce_lanes<kLanes>(lane < groups ? shared[lane] : Combine::nothing, combine);
}

}  // namespace hipport_llm

#endif
