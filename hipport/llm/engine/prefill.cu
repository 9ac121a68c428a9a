#include "prefill.h"

#include <algorithm>
#include <cstdint>

#include "../kernels/embed_prompt.cuh"
#include "../kernels/head_norm.cuh"
#include "../kernels/matmul.cuh"
#include "../kernels/prefill_attention.cuh"
#include "../kernels/rms_norm.cuh"
#include "matmul_launch.h"

namespace hipport_llm {

namespace {

// The most tokens at once; more would only need more memory.
constexpr int kMostTokens = 1024;
// Resident blocks per multiprocessor, and the time of blocks of half the size relative to large ones. (For an H200.)
constexpr int kLargeResident = 2, kHalfResident = 3;
constexpr double kHalfTime = 0.87;

}  // namespace

int Prefill::at_once(const Shape& shape) { return std::min(shape.max_positions, kMostTokens); }

Prefill::Prefill(const Shape& shape, const NativeProducts& native) : at_once_(at_once(shape)), native_(&native) {
  const size_t tokens = (at_once_ + kTokenPadding - 1) / kTokenPadding * kTokenPadding;
  tokens_ = Buffer<int>(tokens, "prompts");
  residual_ = Buffer<float>(tokens * shape.width, "prompts");
  rows_ = zeros(tokens * std::max(shape.width, shape.query_width()), "prompts");
  queries_ = zeros(tokens * shape.query_width(), "prompts");
  hidden_ = zeros(tokens * shape.hidden, "prompts");
  if (kInt8Cache) fresh_ = Buffer<Number>(tokens * 2 * shape.kv_width(), "prompts");
  processors_ = processors();
  const auto shapes = block_shapes<Large, Half, Medium, Small>();
  shapes_ = {shapes[0], shapes[1], shapes[2], shapes[3]};
}

size_t Prefill::bytes() const {
  return residual_.bytes() + rows_.bytes() + queries_.bytes() + hidden_.bytes() + fresh_.bytes();
}

void Prefill::run(const Model& model, const Cache& cache, const PromptChunk& chunk, const int32_t* tokens,
                  const Number* embedding, uint8_t* seen, float* logits, cudaStream_t stream) {
  const Shape& shape = model.shape;
  tokens_.upload(tokens, chunk.count, stream);
  embed_prompt_kernel<<<chunk.count, kRowThreads, 0, stream>>>(tokens_.get(), embedding, seen, shape.width,
                                                               residual_.get());
  for (int layer = 0; layer < shape.layers; ++layer) {
    normalize(shape, residual_.get(), chunk.count, model.at(layer, model.offsets.attention_norm), stream);
    if (shape.head_width == 128)
      attend<128>(model, cache, chunk, layer, stream);
    else
      attend<64>(model, cache, chunk, layer, stream);
    feed_forward(model, chunk, layer, stream);
  }
  if (logits != nullptr) {
    const float* last = residual_.get() + static_cast<int64_t>(chunk.count - 1) * shape.width;
    normalize(shape, last, 1, reinterpret_cast<const uint8_t*>(model.final_norm), stream);
    const Activations activations = {rows_.get(), shape.width};
    const WriteLogits epilogue = {logits, shape.vocabulary};
    if constexpr (kNative)
      native_->multiply(Phase::kHead, 0, activations, 1, epilogue, stream);
    else
      multiply_divided<Small>(shapes_.small, matrix_of(model, Phase::kHead, 0), activations, 1, epilogue, stream);
  }
  check(cudaGetLastError(), "working on a prompt");
}

void Prefill::normalize(const Shape& shape, const float* residual, int count, const uint8_t* weights,
                        cudaStream_t stream) {
  rms_norm_kernel<kRowThreads><<<count, kRowThreads, 0, stream>>>(residual, reinterpret_cast<const Number*>(weights),
                                                                  shape.width, shape.epsilon, rows_.get(), shape.width);
}

template <int HeadWidth>
void Prefill::attend(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer, cudaStream_t stream) {
  const Shape& shape = model.shape;
  const LayerOffsets& offsets = model.offsets;
  const Number* bias =
      offsets.qkv_bias < 0 ? nullptr : reinterpret_cast<const Number*>(model.at(layer, offsets.qkv_bias));
  multiply(model, Phase::kQkv, layer, {rows_.get(), shape.width}, chunk.count,
           WriteQkv<HeadWidth, PromptChunk>{shape, cache, chunk, layer, bias, model.head_norms() ? nullptr : model.rope,
                                            queries_.get(), fresh_.get()},
           stream);
  if (model.head_norms())
    normalize_heads_kernel<HeadWidth><<<normalize_heads_blocks(shape, chunk.count), kHeadNormThreads, 0, stream>>>(
        shape, UnrotatedHeads{queries_.get(), cache, fresh_.get()}, chunk, chunk.count, layer, head_norms(model, layer),
        model.rope);
#if HIPPORT_LLM_INT8_CACHE
  quantize_cache_kernel<HeadWidth><<<quantize_cache_blocks(shape, chunk.count), kQuantizeThreads, 0, stream>>>(
      shape, cache, chunk, chunk.count, layer, fresh_.get());
#endif
  const dim3 blocks(shape.heads, (chunk.count + kBlockQueries - 1) / kBlockQueries);
  const auto kernel = &prefill_attention_kernel<HeadWidth>;
  const int bytes = dynamic_bytes(kernel, AttentionRoom<HeadWidth>::kBytes);
  kernel<<<blocks, shapes_.large.threads, bytes, stream>>>(shape, cache, chunk, layer, queries_.get(), rows_.get());
  multiply(model, Phase::kOut, layer, {rows_.get(), shape.query_width()}, chunk.count,
           AddResidual{residual_.get(), shape.width}, stream);
}

void Prefill::feed_forward(const Model& model, const PromptChunk& chunk, int layer, cudaStream_t stream) {
  const Shape& shape = model.shape;
  normalize(shape, residual_.get(), chunk.count, model.at(layer, model.offsets.mlp_norm), stream);
  multiply(model, Phase::kGateUp, layer, {rows_.get(), shape.width}, chunk.count,
           WriteHidden{hidden_.get(), shape.hidden}, stream);
  multiply(model, Phase::kDown, layer, {hidden_.get(), shape.hidden}, chunk.count,
           AddResidual{residual_.get(), shape.width}, stream);
}

template <typename Epilogue>
void Prefill::multiply(const Model& model, Phase phase, int layer, const Activations& activations, int tokens,
                       const Epilogue& epilogue, cudaStream_t stream) const {
  if constexpr (kNative)
    native_->multiply(phase, layer, activations, tokens, epilogue, stream);
  else
    multiply(matrix_of(model, phase, layer), activations, tokens, epilogue, stream);
}

// Larger blocks read less; smaller ones leave fewer multiprocessors idle at the end.
template <typename Epilogue>
void Prefill::multiply(const Matrix& matrix, const Activations& activations, int tokens, const Epilogue& epilogue,
                       cudaStream_t stream) const {
  const auto blocks = [&](const BlockShape& shape) {
    const dim3 all = blocks_of(shape, matrix, tokens);
    return static_cast<int>(all.x * all.y);
  };
  const auto waves = [&](int blocks, int resident) {
    return (blocks + resident * processors_ - 1) / (resident * processors_);
  };
  const int halves = blocks(shapes_.half);
  if (tokens <= shapes_.small.tokens)
    multiply_divided<Small>(shapes_.small, matrix, activations, tokens, epilogue, stream);
  else if (tokens <= shapes_.medium.tokens || 2 * halves < 3 * processors_)
    multiply_divided<Medium>(shapes_.medium, matrix, activations, tokens, epilogue, stream);
  else if (kHalfTime * waves(halves, kHalfResident) < waves(blocks(shapes_.large), kLargeResident))
    multiply_divided<Half>(shapes_.half, matrix, activations, tokens, epilogue, stream);
  else
    multiply_divided<Large>(shapes_.large, matrix, activations, tokens, epilogue, stream);
}

template <typename Division, typename Epilogue>
void Prefill::multiply_divided(const BlockShape& block, const Matrix& matrix, const Activations& activations,
                               int tokens, const Epilogue& epilogue, cudaStream_t stream) const {
  const auto kernel = &matmul_kernel<Division, Epilogue>;
  const int bytes = dynamic_bytes(kernel, Division::kSharedBytes);
  kernel<<<blocks_of(block, matrix, tokens), block.threads, bytes, stream>>>(matrix, activations, tokens, epilogue);
}

}  // namespace hipport_llm
