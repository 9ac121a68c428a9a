// What is done with the sums of a tile on their way out: functors, put together when the program is compiled.
//
// Each is called with up to eight neighboring columns of a row, and with what look(row, column, count) loaded from memory
// beforehand, for many of them at once, because each access takes a microsecond.
#ifndef HIPPORT_LLM_EPILOGUE_CUH
#define HIPPORT_LLM_EPILOGUE_CUH

#include "../kernels/numeric.cuh"

namespace hipport_llm {

// Whether eight elements can be read or written at once.
__device__ inline bool whole(const __half* at, int count) {
  return count == 8 && reinterpret_cast<uintptr_t>(at) % 16 == 0;
}

// Eight neighboring halves, those beyond `count` of them 0.
__device__ inline Eight load_halves(const __half* from, int count) {
  if (whole(from, count)) return load8(from);
  uint32_t words[4] = {};
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (i < count) words[i / 2] |= static_cast<uint32_t>(__half_as_ushort(from[i])) << i % 2 * 16;
  return {make_uint4(words[0], words[1], words[2], words[3])};
}

__device__ inline void add_halves(float (&values)[8], const Eight& more) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(more.pair(i));
    values[2 * i] += pair.x;
    values[2 * i + 1] += pair.y;
  }
}

// What steps look up that need nothing.
struct Unseen {};

// Adds a vector to every row; nothing where it is null.
struct AddBias {
  const __half* bias;

  using Look = Eight;
  __device__ Look look(int, int column, int count) const {
    return bias == nullptr ? Eight{make_uint4(0, 0, 0, 0)} : load_halves(bias + column, count);
  }
  __device__ void operator()(float (&values)[8], int, int, int, const Look& seen) const { add_halves(values, seen); }
};

// Adds a matrix whose rows are `stride` apart; nothing where it is null.
struct AddMatrix {
  const __half* matrix;
  int64_t stride;

  using Look = Eight;
  __device__ Look look(int row, int column, int count) const {
    return matrix == nullptr ? Eight{make_uint4(0, 0, 0, 0)} : load_halves(matrix + row * stride + column, count);
  }
  __device__ void operator()(float (&values)[8], int, int, int, const Look& seen) const { add_halves(values, seen); }
};

enum class Activation { kNone, kFastGelu, kGelu, kTanh, kRelu };

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016)
__device__ inline float fast_gelu(float x) {
  const float inner = 0.7978845608f * x * fmaf(0.044715f * x, x, 1.0f);
  return x / (1.0f + __expf(-2.0f * inner));
}

// Applies a function to all values. One branch for all of them: behind one for each, none is computed before the last is
// done.
template <typename Function>
__device__ void apply_to_all(float (&values)[8], const Function& function) {
#pragma unroll
  for (int i = 0; i < 8; ++i) values[i] = function(values[i]);
}

struct Activate {
  Activation activation;

  using Look = Unseen;
  __device__ Look look(int, int, int) const { return {}; }
  __device__ void operator()(float (&values)[8], int, int, int, const Look&) const {
    switch (activation) {
      case Activation::kFastGelu: return apply_to_all(values, [](float x) { return fast_gelu(x); });
      case Activation::kGelu:
        return apply_to_all(values, [](float x) { return 0.5f * x * (1.0f + erff(x * 0.7071067812f)); });
      case Activation::kTanh: return apply_to_all(values, [](float x) { return tanhf(x); });
      case Activation::kRelu: return apply_to_all(values, [](float x) { return fmaxf(x, 0.0f); });
      default: return;
    }
  }
};

// Rounds to half precision and writes.
struct Store {
  __half* matrix;
  int64_t stride;

  using Look = Unseen;
  __device__ Look look(int, int, int) const { return {}; }
  __device__ void operator()(float (&values)[8], int row, int column, int count, const Look&) const {
    write(values, row, column, count);
  }

  __device__ void write(const float (&values)[8], int row, int column, int count) const {
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
  using Look = Unseen;
  __device__ Look look(int, int, int) const { return {}; }
  __device__ void operator()(float (&)[8], int, int, int, const Look&) const {}
};

template <typename First, typename... Rest>
struct Chain<First, Rest...> {
  First first;
  Chain<Rest...> rest;

  struct Look {
    typename First::Look first;
    typename Chain<Rest...>::Look rest;
  };
  __device__ Look look(int row, int column, int count) const {
    return {first.look(row, column, count), rest.look(row, column, count)};
  }
  __device__ void operator()(float (&values)[8], int row, int column, int count, const Look& seen) const {
    first(values, row, column, count, seen.first);
    rest(values, row, column, count, seen.rest);
  }
};

// Applies the steps of an epilogue one after the other, each with what it looks up: fewer registers, more waiting.
__device__ inline void apply(const Chain<>&, float (&)[8], int, int, int) {}
template <typename First, typename... Rest>
__device__ void apply(const Chain<First, Rest...>& steps, float (&values)[8], int row, int column, int count) {
  steps.first(values, row, column, count, steps.first.look(row, column, count));
  apply(steps.rest, values, row, column, count);
}

__host__ __device__ inline Chain<> chain() { return {}; }

template <typename First, typename... Rest>
__host__ __device__ Chain<First, Rest...> chain(const First& first, const Rest&... rest) {
  return {first, chain(rest...)};
}

}  // namespace hipport_llm

#endif
