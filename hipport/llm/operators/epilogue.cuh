// What is done with the sums of a tile on their way out: functors, put together when the program is compiled.
//
// Each is called with up to eight neighboring columns of a row: epilogue(values, row, column, count).
#ifndef HIPPORT_LLM_EPILOGUE_CUH
#define HIPPORT_LLM_EPILOGUE_CUH

#include "../kernels/numeric.cuh"

namespace hipport_llm {

// Whether eight elements can be read or written at once.
__device__ inline bool whole(const __half* at, int count) {
  return count == 8 && reinterpret_cast<uintptr_t>(at) % 16 == 0;
}

__device__ inline void add_halves(float (&values)[8], const __half* from, int count) {
  if (whole(from, count)) {
    const Eight more = load8(from);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = __half22float2(more.pair(i));
      values[2 * i] += pair.x;
      values[2 * i + 1] += pair.y;
    }
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (i < count) values[i] += __half2float(from[i]);
  }
}

// Adds a vector to every row; nothing where it is null.
struct AddBias {
  const __half* bias;
  __device__ void operator()(float (&values)[8], int, int column, int count) const {
    if (bias != nullptr) add_halves(values, bias + column, count);
  }
};

// Adds a matrix whose rows are `stride` apart; nothing where it is null.
struct AddMatrix {
  const __half* matrix;
  int64_t stride;
  __device__ void operator()(float (&values)[8], int row, int column, int count) const {
    if (matrix != nullptr) add_halves(values, matrix + row * stride + column, count);
  }
};

enum class Activation { kNone, kFastGelu, kGelu, kTanh, kRelu };

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016)
__device__ inline float fast_gelu(float x) {
  const float inner = 0.7978845608f * x * fmaf(0.044715f * x, x, 1.0f);
  return x / (1.0f + __expf(-2.0f * inner));
}

__device__ inline float activate(Activation activation, float x) {
  switch (activation) {
    case Activation::kFastGelu: return fast_gelu(x);
    case Activation::kGelu: return 0.5f * x * (1.0f + erff(x * 0.7071067812f));
    case Activation::kTanh: return tanhf(x);
    case Activation::kRelu: return fmaxf(x, 0.0f);
    default: return x;
  }
}

struct Activate {
  Activation activation;
  __device__ void operator()(float (&values)[8], int, int, int) const {
    if (activation == Activation::kNone) return;
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = activate(activation, values[i]);
  }
};

// Rounds to half precision and writes.
struct Store {
  __half* matrix;
  int64_t stride;
  __device__ void operator()(float (&values)[8], int row, int column, int count) const {
    __half* to = matrix + row * stride + column;
    if (whole(to, count)) {
      Eight bits;
#pragma unroll
      for (int i = 0; i < 4; ++i) bits.set(i, __floats2half2_rn(values[2 * i], values[2 * i + 1]));
      *reinterpret_cast<uint4*>(to) = bits.bits;
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (i < count) to[i] = __float2half(values[i]);
    }
  }
  __device__ void one(float value, int row, int column) const { matrix[row * stride + column] = __float2half(value); }
};

// One after the other.
template <typename... Steps>
struct Chain;

template <>
struct Chain<> {
  __device__ void operator()(float (&)[8], int, int, int) const {}
};

template <typename First, typename... Rest>
struct Chain<First, Rest...> {
  First first;
  Chain<Rest...> rest;
  __device__ void operator()(float (&values)[8], int row, int column, int count) const {
    first(values, row, column, count);
    rest(values, row, column, count);
  }
};

__host__ __device__ inline Chain<> chain() { return {}; }

template <typename First, typename... Rest>
__host__ __device__ Chain<First, Rest...> chain(const First& first, const Rest&... rest) {
  return {first, chain(rest...)};
}

}  // namespace hipport_llm

#endif
