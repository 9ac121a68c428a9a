// Adds what a product has made to the residual stream where that takes more than a sum: a bias, or a normalization of
// its own.
#ifndef HIPPORT_LLM_ADD_ROWS_CUH
#define HIPPORT_LLM_ADD_ROWS_CUH

#include "rms_norm.cuh"

namespace hipport_llm {

// What is done to a row before it is added; each may be null.
struct RowExtras {
  const Number* bias;
  const Number* norm;
};

// One block for each token: residual += normalized(made + bias). `made` is [token][width], and is overwritten.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    add_rows_kernel(float* residual, float* made, RowExtras extras, int width, float epsilon) {
  __shared__ float sums[Threads / kLanes];
  await_previous_kernel();
  const int64_t first = static_cast<int64_t>(blockIdx.x) * width;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += Threads) {
    const float value = made[first + i] + (extras.bias == nullptr ? 0.0f : float_of(extras.bias[i]));
    made[first + i] = value;
    squares = fmaf(value, value, squares);
  }
  float scale = 1.0f;
  if (extras.norm != nullptr) {
    squares = sum_lanes<kLanes>(squares);
    if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = squares;
    __syncthreads();
    float all = 0.0f;
    for (int i = 0; i < Threads / kLanes; ++i) all += sums[i];
    scale = rsqrtf(all / static_cast<float>(width) + epsilon);
  }
  for (int i = threadIdx.x; i < width; i += Threads)
    residual[first + i] += made[first + i] * scale * (extras.norm == nullptr ? 1.0f : float_of(extras.norm[i]));
}

}  // namespace hipport_llm

#endif
