// RMSNorm of rows of the residual stream, which is in single precision, after something has been added to it.
//
// sizes: rows, width (a multiple of 64 up to 8192). numbers: epsilon. buffers: input [rows][width] of float, factors
// [width], out [rows][width]; added [rows][width] and summed [rows][width] of float, which gets input + added, may both be
// null.
#include "../../kernels/rms_norm.cuh"
#include "../../operators/reduction.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct Arguments {
  const float* input;
  const __half* factors;
  __half* out;
  const __half* added;
  float* summed;
  int rows, width;
  float epsilon;

  explicit Arguments(const Launch& l)
      : input(l.buffer<float>(0)),
        factors(l.buffer<__half>(1)),
        out(l.buffer<__half>(2)),
        added(l.buffer<__half>(3)),
        summed(l.buffer<float>(4)),
        rows(l.size(0)),
        width(l.size(1)),
        epsilon(l.number(0)) {
    if (width % 64 != 0 || width > kMaxWidth) throw EngineError("the width must be a multiple of 64 up to 8192");
    if ((added == nullptr) != (summed == nullptr)) throw EngineError("what is added needs room for the sum");
  }

  __device__ float at(int row, int column) const {
    const int64_t i = static_cast<int64_t>(row) * width + column;
    return added == nullptr ? input[i] : input[i] + __half2float(added[i]);
  }
  __device__ void store(int row, int column, float scale) const {
    const int64_t i = static_cast<int64_t>(row) * width + column;
    const float value = at(row, column), normal = __half2float(__float2half(value * scale));
    out[i] = __float2half(normal * __half2float(factors[column]));
    if (summed != nullptr) summed[i] = value;
  }
  __device__ float scale(float squares) const { return rsqrtf(squares / static_cast<float>(width) + epsilon); }
};

__global__ void alone_kernel(Arguments a) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  float squares = 0.0f;
  for (int i = 0; i < a.width; ++i) squares = fmaf(a.at(row, i), a.at(row, i), squares);
  for (int i = 0; i < a.width; ++i) a.store(row, i, a.scale(squares));
}

__global__ void block_kernel(Arguments a) {
  __shared__ float shared[kLanes];
  float squares = 0.0f;
  for (int i = threadIdx.x; i < a.width; i += blockDim.x)
    squares = fmaf(a.at(blockIdx.x, i), a.at(blockIdx.x, i), squares);
  squares = reduce_block(squares, shared, Sum());
  for (int i = threadIdx.x; i < a.width; i += blockDim.x) a.store(blockIdx.x, i, a.scale(squares));
}

void alone(const Launch& launch) {
  const Arguments a(launch);
  alone_kernel<<<blocks_for(a.rows, launch.block()), launch.block(), 0, launch.stream()>>>(a);
}

void block_a_row(const Launch& launch) {
  const Arguments a(launch);
  block_kernel<<<a.rows, launch.block(), 0, launch.stream()>>>(a);
}

void as_in_prompts(const Launch& launch) {
  const Arguments a(launch);
  if (a.added == nullptr)
    rms_norm_kernel<kRowThreads, PlainRows><<<a.rows, kRowThreads, 0, launch.stream()>>>(
        a.input, a.factors, a.width, a.epsilon, PlainRows{a.out, a.width});
  else
    add_rms_norm_kernel<kRowThreads><<<a.rows, kRowThreads, 0, launch.stream()>>>(
        SummedRows{a.input, a.added, a.summed}, a.factors, a.width, a.epsilon, PlainRows{a.out, a.width});
}

const Registered v1("rms_norm", 1, "A thread for each row, twice through memory.", {64, 256}, alone);
const Registered v2("rms_norm", 2, "A block for each row: sums over its threads.", {64, 256, 1024}, block_a_row);
const Registered v3("rms_norm", 3, "As prompts have it: 16 bytes a load.", {kRowThreads}, as_in_prompts);

}  // namespace

}  // namespace hipport_llm
