// Products with matrices in the formats of model files, for tests: pointers are the host's.
#include "../../../hipport/llm/engine/native_products.cu"
#include "../../../hipport/llm/kernels/batch_tokens.h"
#include "../../../hipport/llm/kernels/expert_choice.cuh"
#include "../../../hipport/llm/kernels/warpgroup_native.cuh"

using namespace hipport_llm;

namespace {

template <typename Format>
__global__ void decode_kernel(NativeMatrix matrix, float* out) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int eighths = matrix.columns / 8, row = static_cast<int>(i / eighths), eighth = static_cast<int>(i % eighths);
  if (row >= matrix.rows) return;
  float weights[8];
  Format::load(matrix, NativeRow(matrix, row), eighth, weights);
  for (int j = 0; j < 8; ++j) out[i * 8 + j] = weights[j];
}

// A model that is only a head.
NativeProducts head_of(const uint8_t* data, int64_t bytes, int format, int group, int rows, int columns, int tokens) {
  Shape shape = {};
  shape.layers = 1;
  shape.width = columns;
  shape.vocabulary = rows;
  NativeProducts products(shape, Traits(), bytes, tokens);
  products.weights().load("head", 0, format, group, data, static_cast<size_t>(bytes));
  return products;
}

}  // namespace

extern "C" {

int decode_native(const uint8_t* data, int64_t bytes, int format, int group, int rows, int columns, float* out) {
  try {
    const NativeProducts products = head_of(data, bytes, format, group, rows, columns, 1);
    const NativeMatrix& matrix = products.weights().matrix("head", 0);
    const Buffer<float> to(static_cast<size_t>(rows) * columns, "a test");
    visit_native(format, [&](auto of) {
      decode_kernel<decltype(of)><<<(rows * (columns / 8) + 127) / 128, 128>>>(matrix, to.get());
    });
    to.download(out, to.count(), nullptr);
    check(cudaDeviceSynchronize(), "decoding");
    return 0;
  } catch (const EngineError&) {
    return 1;
  }
}

// `activations`: [tokens, and some more][columns]; `out`: [tokens][rows].
void multiply_native(const uint8_t* data, int64_t bytes, int format, int group, int rows, int columns,
                     const __half* activations, int activation_rows, int tokens, float* out) {
  const NativeProducts products = head_of(data, bytes, format, group, rows, columns, tokens);
  Buffer<__half> from(static_cast<size_t>(activation_rows) * columns, "a test");
  from.upload(activations, from.count(), nullptr);
  Buffer<float> to(static_cast<size_t>(tokens) * rows, "a test");
  products.multiply_many(Phase::kHead, 0, {from.get(), columns}, tokens, WriteLogits{to.get(), rows}, nullptr);
  to.download(out, to.count(), nullptr);
  check(cudaDeviceSynchronize(), "multiplying");
}

// `logits`: [splits][tokens][experts]; `chosen` and `weights`: [tokens][count].
void choose_experts(const float* logits, int splits, int tokens, int experts, int count, int of_all,
                    const int* positions, int* chosen, float* weights) {
  Buffer<float> from(static_cast<size_t>(splits) * tokens * experts, "a test");
  from.upload(logits, from.count(), nullptr);
  Buffer<int> where(tokens, "a test");
  where.upload(positions, where.count(), nullptr);
  const Buffer<int> to(static_cast<size_t>(tokens) * count, "a test");
  const Buffer<float> by(to.count(), "a test");
  const BatchTokens places = {where.get(), nullptr, nullptr, 0};
  choose_experts_kernel<<<tokens, kRankThreads>>>(ExpertChoice{experts, count, of_all != 0},
                                                  SplitSums{{from.get(), experts, tokens}, splits}, nullptr, places,
                                                  ChosenExperts{to.get(), by.get()});
  to.download(chosen, to.count(), nullptr);
  by.download(weights, by.count(), nullptr);
  check(cudaDeviceSynchronize(), "choosing");
}

// `logits`: [tokens][experts]; `bias` may be null. Scores are 1 for a softmax, 2 for sigmoids.
void route_experts(const float* logits, const float* bias, int tokens, int experts, int count, int scores, int groups,
                   int chosen_groups, int best, int normalized, float scale, const int* positions, int* chosen,
                   float* weights) {
  Buffer<float> from(static_cast<size_t>(tokens) * experts, "a test"), added(experts, "a test");
  from.upload(logits, from.count(), nullptr);
  if (bias != nullptr) added.upload(bias, experts, nullptr);
  Buffer<int> where(tokens, "a test");
  where.upload(positions, where.count(), nullptr);
  const Buffer<int> to(static_cast<size_t>(tokens) * count, "a test");
  const Buffer<float> by(to.count(), "a test");
  const BatchTokens places = {where.get(), nullptr, nullptr, 0};
  const Routing routing = {static_cast<Scores>(scores), groups, chosen_groups, best, normalized != 0, scale};
  route_experts_kernel<<<tokens, kRankThreads>>>(
      ExpertChoice{experts, count, false}, routing, SplitSums{{from.get(), experts, tokens}, 1},
      bias == nullptr ? nullptr : added.get(), places, ChosenExperts{to.get(), by.get()});
  to.download(chosen, to.count(), nullptr);
  by.download(weights, by.count(), nullptr);
  check(cudaDeviceSynchronize(), "routing");
}

// `chosen`: [pairs]; `sorted`: [ordered_places(pairs, experts)]; `tiles`: [tiles][expert, first, count].
void sort_experts(const int* chosen, int pairs, int experts, int tile, int tiles, int* sorted, int* tiles_out) {
  Buffer<int> from(pairs, "a test"), to(ordered_places(pairs, experts), "a test");
  Buffer<ExpertTile> kept(tiles, "a test");
  from.upload(chosen, pairs, nullptr);
  sort_experts_kernel<kChoiceThreads>
      <<<1, kChoiceThreads>>>(experts, from.get(), pairs, tile, tiles, ExpertOrder{to.get(), kept.get()});
  to.download(sorted, to.count(), nullptr);
  kept.download(reinterpret_cast<ExpertTile*>(tiles_out), tiles, nullptr);
  check(cudaDeviceSynchronize(), "sorting");
}

// Pair i has row i / `share` of `activations`; `out` is [panel][places][64].
void arrange_pairs(const __half* activations, int rows, int stride, int share, const int* pairs, int places,
                   int columns, __half* out) {
  Buffer<__half> from(static_cast<size_t>(rows) * stride, "a test"),
      to(static_cast<size_t>(places) * columns, "a test");
  Buffer<int> sorted(places, "a test");
  from.upload(activations, from.count(), nullptr);
  sorted.upload(pairs, places, nullptr);
  const SortedPairs source = {{{from.get(), stride}, share}, sorted.get()};
  arrange_tokens_kernel<NativeOrder><<<arrange_blocks(places, columns), kArrangeThreads>>>(
      source, places, columns, ArrangedTokens{reinterpret_cast<uint8_t*>(to.get()), places});
  to.download(out, to.count(), nullptr);
  check(cudaDeviceSynchronize(), "arranging");
}
}  // extern "C"
