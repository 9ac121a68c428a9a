// What finishes the products of a step with matrices in the formats of model files, for tests: pointers are the host's.
#include "../../../hipport/llm/kernels/batch_tokens.h"
#include "../../../hipport/llm/kernels/carried_norm.cuh"
#include "../../../hipport/llm/kernels/native_epilogue.cuh"
#include "uploaded.h"

using namespace hipport_llm;

namespace {

constexpr int kSplits = 3;

// What a product would give whose matrix does nothing.
__global__ void copy_arranged(ArrangedTokens from, int width, float* to) {
  for (int column = threadIdx.x; column < width; column += blockDim.x)
    to[blockIdx.x * width + column] = float_of(*from.number(blockIdx.x, column));
}

struct Collect {
  float* to;
  int rows;

  struct EightLook {};

  __device__ EightLook look_at_eight(int, int) const { return {}; }
  __device__ void write_eight(int row_tile, int token, const float (&low)[8], const float (&high)[8],
                              const EightLook&) const {
    float* first = to + token * rows + row_tile * kTileRows;
    for (int i = 0; i < 8; ++i) first[i] = low[i], first[8 + i] = high[i];
  }
};

template <typename Epilogue>
void finish_eights(const SplitSums& sums, int rows, int half, const Epilogue& epilogue) {
  const dim3 blocks((rows / 16 + kEightsThreads - 1) / kEightsThreads, sums.sums.tokens);
  native_eights_kernel<<<blocks, kEightsThreads>>>(sums, rows / 16, RowPairs{half}, epilogue);
}

template <typename Epilogue>
void finish_pairs(const SplitSums& sums, int rows, int half, const Epilogue& epilogue) {
  const dim3 blocks((rows / 2 + kEpilogueThreads - 1) / kEpilogueThreads, sums.sums.tokens);
  native_epilogue_kernel<1, true><<<blocks, kEpilogueThreads>>>(sums, rows / 2, RowPairs{half}, epilogue);
}

template <typename Epilogue>
void finish(bool eights, const SplitSums& sums, int rows, int half, const Epilogue& epilogue) {
  (eights ? finish_eights<Epilogue> : finish_pairs<Epilogue>)(sums, rows, half, epilogue);
}

// `way`: four columns at once, eight, or one.
__global__ void store_rows(const Number* rows, int width, int way, ArrangedTokens to) {
  const int token = blockIdx.x;
  for (int column = threadIdx.x * 8; column < width; column += blockDim.x * 8) {
    const Eight eight = load8(rows + token * width + column);
    if (way == 1) to.store(token, column, eight);
    if (way == 4) {
      to.store(token, column, eight.pair(0), eight.pair(1));
      to.store(token, column + 4, eight.pair(2), eight.pair(3));
    }
    if (way == 8)
      for (int i = 0; i < 8; ++i) *to.number(token, column + i) = rows[token * width + column + i];
  }
}

}  // namespace

extern "C" {

// `out` is [panel][token][64]; `way` 0 is that of arrange_tokens_kernel.
void store_in_order(const __half* rows, int tokens, int width, int way, __half* out) {
  const size_t numbers = static_cast<size_t>(tokens) * width;
  const auto from = uploaded(rows, numbers);
  const Buffer<Number> to(numbers, "a test");
  const ArrangedTokens arranged = {reinterpret_cast<uint8_t*>(to.get()), tokens};
  if (way == 0)
    arrange_tokens_kernel<NativeOrder><<<arrange_blocks(tokens, width), kArrangeThreads>>>(
        EveryToken{{from.get(), width}, tokens}, tokens, width, arranged);
  else
    store_rows<<<tokens, 32>>>(from.get(), width, way, arranged);
  to.download(out, numbers, nullptr);
  check(cudaDeviceSynchronize(), "arranging");
}

// Rows go through `count` additions with a norm before each and one after the last: `added` is
// [addition][split][token][width], `weights` [norm][width], `out` [norm][token][width].
void carry_norms(const float* residual, const float* added, const __half* weights, int width, int tokens, int count,
                 float epsilon, float* out) {
  const size_t numbers = static_cast<size_t>(tokens) * width;
  const auto rows = uploaded(residual, numbers);
  const auto additions = uploaded(added, count * kSplits * numbers);
  const auto factors = uploaded(weights, static_cast<size_t>(count + 1) * width);
  const Buffer<float> results((count + 1) * numbers, "a test"), product(numbers, "a test");
  const int entries = count + 2;
  const Buffer<unsigned long long> squares(CarriedNorms::squares_of(entries), "a test");
  const Buffer<float> scales(CarriedNorms::scales_of(entries), "a test");
  const Buffer<Number> written(numbers, "a test");
  const CarriedNorms norms = {squares.get(), scales.get(), static_cast<float>(width), epsilon};
  const ArrangedTokens arranged = {reinterpret_cast<uint8_t*>(written.get()), tokens};
  begin_norms_kernel<256><<<tokens, 256>>>(rows.get(), factors.get(), width, norms, entries, arranged);
  for (int norm = 1;; ++norm) {
    copy_arranged<<<tokens, 64>>>(arranged, width, product.get());
    finish_eights({{product.get(), width, tokens}, 1}, width, 8,
                  OfNormalized<Collect>{{results.get() + (norm - 1) * numbers, width}, norms, norm});
    if (norm > count) break;
    finish_pairs({{additions.get() + (norm - 1) * kSplits * numbers, width, tokens}, kSplits}, width, 8,
                 AddBeforeNorm<1>{{rows.get(), width}, factors.get() + norm * width, arranged, norms, norm + 1});
  }
  results.download(out, results.count(), nullptr);
  check(cudaDeviceSynchronize(), "normalising");
}

// Gate and up, one below the other: `sums` is [split][token][2 * width], `out` [panel][token][64].
void finish_hidden(bool eights, const float* sums, int tokens, int width, __half* out) {
  const auto from = uploaded(sums, static_cast<size_t>(kSplits) * tokens * 2 * width);
  const Buffer<Number> to(static_cast<size_t>(tokens) * width, "a test");
  finish(eights, {{from.get(), 2 * width, tokens}, kSplits}, 2 * width, width,
         WriteArrangedHidden{{reinterpret_cast<uint8_t*>(to.get()), tokens}});
  to.download(out, to.count(), nullptr);
  check(cudaDeviceSynchronize(), "activating");
}

// Queries, keys and values of heads of 64, token i at position `positions[i]` of page i: `sums` is
// [split][token][(heads + 2 * kv_heads) * 64], `queries` [token][head][64], `cache` like the engine's.
void finish_qkv(bool eights, const float* sums, int tokens, int heads, int kv_heads, const int* positions,
                const __half* bias, const float* rope, int rope_rows, __half* queries, __half* cache) {
  constexpr int width = 64;
  Shape shape = {};
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  shape.head_width = width;
  const int rows = shape.qkv_rows();
  const auto from = uploaded(sums, static_cast<size_t>(kSplits) * tokens * rows);
  const auto places = uploaded(positions, tokens);
  const auto biases = uploaded(bias, rows);
  const auto rotations = uploaded(reinterpret_cast<const float2*>(rope), static_cast<size_t>(rope_rows) * width / 2);
  const size_t cached = static_cast<size_t>(tokens) * 2 * kv_heads * kPageTokens * width;
  const auto pages = uploaded(cache, cached);
  const auto to = uploaded(queries, static_cast<size_t>(tokens) * heads * width);
  std::vector<int> own(tokens);
  for (int i = 0; i < tokens; ++i) own[i] = i;
  const auto tables = uploaded(own.data(), tokens);
  const BatchTokens batch = {places.get(), tables.get(), tables.get(), 1};
  const Cache all = {pages.get(), 0, tables.get(), 1};
  finish(eights, {{from.get(), rows, tokens}, kSplits}, rows, width / 2,
         WriteQkv<width, BatchTokens>{shape, all, batch, 0, biases.get(), rotations.get(), to.get(), nullptr});
  to.download(queries, to.count(), nullptr);
  pages.download(cache, cached, nullptr);
  check(cudaDeviceSynchronize(), "rotating");
}

}  // extern "C"
