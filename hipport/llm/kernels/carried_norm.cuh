// RMSNorm without a kernel of its own, between the products of a step on warp groups: the product before writes the rows of
// the residual stream scaled as the norm before it would, and adds up their squares; the product after multiplies its
// results with the factor that these lack.
#ifndef HIPPORT_LLM_CARRIED_NORM_CUH
#define HIPPORT_LLM_CARRIED_NORM_CUH

#include "arranged_tokens.cuh"
#include "batch_tokens.h"
#include "matmul.cuh"
#include "matmul_epilogues.cuh"
#include "rms_norm.cuh"

namespace hipport_llm {

// What is known of the rows' norms, numbered in the order of a step. Norm 0 is that of the rows as the step begins, and
// norm 1 is the same: nothing was added in between.
struct CarriedNorms {
  // A row may grow from one norm to the next, as where a few columns become thousands of times larger than all others:
  // written rows are this much smaller. What half precision rounds away then is less than a 60,000th of the root mean square.
  static constexpr float kWritten = 1.0f / 512.0f;

  unsigned long long* squares;  // [norm][kMaxBatch][kApart]: of the rows before norms 1 on, as they were written
  float* scales;                // [norm][kMaxBatch]: the reciprocals of root mean squares
  float width, epsilon;

  // Sums of different tokens are in different sectors of the cache, where they are added up.
  static constexpr int kApart = 4;
  static constexpr size_t squares_of(int norms) { return static_cast<size_t>(norms) * kMaxBatch * kApart; }
  static constexpr size_t scales_of(int norms) { return static_cast<size_t>(norms) * kMaxBatch; }

  __device__ unsigned long long& square(int norm, int token) const {
    return squares[(norm * kMaxBatch + token) * kApart];
  }
  __device__ float& scale(int norm, int token) const { return scales[norm * kMaxBatch + token]; }

  // Sums are integers, so that the order in which they are added makes no difference.
  __device__ static unsigned long long units(float squares) { return __float2ull_rn(squares * kUnits); }
  __device__ static float of_units(unsigned long long units) { return static_cast<float>(units) / kUnits; }

  // The norm's scale, divided by the one that the rows were written with.
  __device__ float missing(float squares, float before) const {
    return rsqrtf(squares / (kWritten * kWritten) / width + epsilon * before * before);
  }

 private:
  // Of a row that has not grown the squares add up to a 2^18th of its width, and there is room for rows that have grown
  // 100,000 times.
  static constexpr float kUnits = 17179869184.0f;
};

// An epilogue for the product after norm `norm`, whose results become those of normalized rows.
template <typename Epilogue>
struct OfNormalized {
  using Own = LookOf<Epilogue>;

  Epilogue epilogue;
  CarriedNorms norms;
  int norm;

  struct Look {
    typename Own::Type own;
    float before, missing;
  };

  __device__ Look look(int row_tile, int row, int token) const {
    const float before = norms.scale(norm - 1, token);
    const unsigned long long units = norms.square(norm, token);
    const auto own = Own::at(epilogue, row_tile, row, token);
    return {own, before, norms.missing(CarriedNorms::of_units(units), before)};
  }

  __device__ void operator()(int row_tile, int row, int token, float low, float high, const Look& found) const {
    const float factor = found.missing / CarriedNorms::kWritten;
    if (row_tile == 0 && row == 0) norms.scale(norm, token) = found.before * found.missing;
    Own::call(epilogue, row_tile, row, token, low * factor, high * factor, found.own);
  }

  struct EightLook {
    typename Epilogue::EightLook own;
    float before, missing;
  };

  __device__ EightLook look_at_eight(int row_tile, int token) const {
    const float before = norms.scale(norm - 1, token);
    const float missing = norms.missing(CarriedNorms::of_units(norms.square(norm, token)), before);
    return {epilogue.look_at_eight(row_tile, token), before, missing};
  }

  __device__ void write_eight(int row_tile, int token, float (&low)[8], float (&high)[8],
                              const EightLook& found) const {
    if (row_tile == 0) norms.scale(norm, token) = found.before * found.missing;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      low[i] *= found.missing / CarriedNorms::kWritten;
      high[i] *= found.missing / CarriedNorms::kWritten;
    }
    epilogue.write_eight(row_tile, token, low, high, found.own);
  }
};

// The residual addition before norm `norm`. Called by whole warps, of whose lanes each `Apart` th has the same token.
template <int Apart>
struct AddBeforeNorm {
  AddResidual residual;
  const Number* weights;  // of the norm
  ArrangedTokens to;
  CarriedNorms norms;
  int norm;

  struct Look {
    AddResidual::Look before;
    float scale, low, high;
  };

  __device__ Look look(int row_tile, int row, int token) const {
    const Number* own = weights + row_tile * kTileRows + row;
    return {residual.look(row_tile, row, token), norms.scale(norm - 1, token) * CarriedNorms::kWritten,
            float_of(own[0]), float_of(own[8])};
  }

  __device__ void operator()(int row_tile, int row, int token, float low, float high, const Look& found) const {
    const int column = row_tile * kTileRows + row;
    low += found.before.low;
    high += found.before.high;
    residual.store(row_tile, row, token, low, high);
    low *= found.scale;
    high *= found.scale;
    *to.number(token, column) = number_of(low * found.low);
    *to.number(token, column + 8) = number_of(high * found.high);
    float squares = fmaf(low, low, high * high);
#pragma unroll
    for (int distance = Apart; distance < kLanes; distance *= 2)
      squares += __shfl_xor_sync(kAllLanes, squares, distance, kLanes);
    if (threadIdx.x % kLanes < Apart) atomicAdd(&norms.square(norm, token), CarriedNorms::units(squares));
  }
};

// Rows that are written for OfNormalized.
struct RowsToNormalize {
  ArrangedTokens to;

  __device__ void store(int token, int column, Pair first, Pair second) const {
    const Pair written = pair_of(CarriedNorms::kWritten, CarriedNorms::kWritten);
    to.store(token, column, times(first, written), times(second, written));
  }
};

// Begins a step of `count` norms: one block for each token writes its row before norm 1.
template <int Threads>
__global__ void __launch_bounds__(Threads) begin_norms_kernel(const float* residual, const Number* weights, int width,
                                                              CarriedNorms norms, int count, ArrangedTokens to) {
  await_previous_kernel();
  const float scale = normalize_row<Threads>(residual, weights, width, norms.epsilon, RowsToNormalize{to});
  const int token = static_cast<int>(blockIdx.x);
  for (int norm = 2 + static_cast<int>(threadIdx.x); norm < count; norm += Threads) norms.square(norm, token) = 0;
  if (threadIdx.x > 0) return;
  norms.scale(0, token) = scale;
  constexpr float written = CarriedNorms::kWritten * CarriedNorms::kWritten;
  norms.square(1, token) = CarriedNorms::units((1.0f - norms.epsilon * scale * scale) * norms.width * written);
}

}  // namespace hipport_llm

#endif
