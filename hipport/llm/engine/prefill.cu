#include "prefill.h"

#include <algorithm>
#include <cstdint>

#include "../kernels/add_rows.cuh"
#include "../kernels/embed_prompt.cuh"
#include "../kernels/head_norm.cuh"
#include "../kernels/matmul.cuh"
#include "../kernels/prefill_attention.cuh"
#include "../kernels/rms_norm.cuh"
#include "../kernels/shared_expert.cuh"
#include "bulk_attention_launch.h"
#include "matmul_launch.h"

namespace hipport_llm {

namespace {

// The most tokens at once; more would only need more memory.
constexpr int kMostTokens = 1024;

}  // namespace

int Prefill::at_once(const Shape& shape) { return std::min(shape.max_positions, kMostTokens); }

Prefill::Prefill(const Shape& shape, const Layers& layers, const NativeProducts& native, const Experts& experts,
                 const LatentAttention& latents)
    : at_once_(at_once(shape)),
      query_width_(shape.query_width()),
      native_(&native),
      experts_(&experts),
      latents_(&latents),
      layers_(layers) {
  const size_t tokens = (at_once_ + kTokenPadding - 1) / kTokenPadding * kTokenPadding;
  tokens_ = Buffer<int>(tokens, "prompts");
  residual_ = Buffer<float>(tokens * shape.width, "prompts");
  rows_ = zeros(tokens * std::max(shape.width, shape.query_width()), "prompts");
  queries_ = zeros(tokens * shape.query_width(), "prompts");
  hidden_ = zeros(tokens * layers.traits->most_hidden(shape), "prompts");
  if (kGeneral) made_ = Buffer<float>(tokens * shape.width, "prompts");
  if (kInt8Cache) fresh_ = Buffer<Number>(tokens * 2 * shape.kv_width(), "prompts");
  // Matrices of the formats of model files are multiplied elsewhere.
  products_ =
      PromptProducts(processors(), kNative ? 0 : tokens, std::max({shape.width, shape.query_width(), shape.hidden}));
}

size_t Prefill::bytes() const {
  return residual_.bytes() + rows_.bytes() + queries_.bytes() + hidden_.bytes() + fresh_.bytes() + products_.bytes();
}

void Prefill::run(const Model& model, const Cache& cache, const PromptChunk& chunk, const int32_t* tokens,
                  const Number* embedding, uint8_t* seen, float* logits, cudaStream_t stream) {
  const Shape& shape = model.shape;
  tokens_.upload(tokens, chunk.count, stream);
  embed_prompt_kernel<<<chunk.count, kRowThreads, 0, stream>>>(tokens_.get(), embedding, seen, shape.width,
                                                               residual_.get());
  for (int layer = 0; layer < shape.layers; ++layer) {
    normalize(shape, residual_.get(), chunk.count, model.at(layer, model.offsets.attention_norm), stream);
    add_output(model, chunk, layer, attended(model, cache, chunk, layer, stream), stream);
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
      products_.multiply_few(matrix_of(model, Phase::kHead, 0), activations, 1, epilogue, stream);
  }
  check(cudaGetLastError(), "working on a prompt");
}

void Prefill::download_hidden(const Model& model, int count, Number* to, cudaStream_t stream) {
  normalize(model.shape, residual_.get(), count, reinterpret_cast<const uint8_t*>(model.final_norm), stream);
  check(cudaGetLastError(), "normalizing hidden states");
  rows_.download(to, static_cast<size_t>(count) * model.shape.width, stream);
}

void Prefill::normalize(const Shape& shape, const float* residual, int count, const uint8_t* weights,
                        cudaStream_t stream) {
  rms_norm_kernel<kRowThreads, PlainRows>
      <<<count, kRowThreads, 0, stream>>>(residual, reinterpret_cast<const Number*>(weights), shape.width,
                                          shape.epsilon, PlainRows{rows_.get(), shape.width});
}

template <int HeadWidth>
void Prefill::make_heads(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer,
                         cudaStream_t stream) {
  const Shape& shape = model.shape;
  const LayerOffsets& offsets = model.offsets;
  const Number* bias =
      offsets.qkv_bias < 0 ? nullptr : reinterpret_cast<const Number*>(model.at(layer, offsets.qkv_bias));
  const float2* rope = layers_.rope(model, layer);
  multiply(model, Phase::kQkv, layer, {rows_.get(), shape.width}, chunk.count,
           WriteQkv<HeadWidth, PromptChunk>{shape, cache, chunk, layer, bias, model.head_norms() ? nullptr : rope,
                                            queries_.get(), fresh_.get()},
           stream);
  if (model.head_norms())
    normalize_heads_kernel<HeadWidth><<<normalize_heads_blocks(shape, chunk.count), kHeadNormThreads, 0, stream>>>(
        shape, UnrotatedHeads{queries_.get(), cache, fresh_.get()}, chunk, chunk.count, layer, head_norms(model, layer),
        rope);
}

template <int HeadWidth>
void Prefill::attend(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer, cudaStream_t stream) {
  make_heads<HeadWidth>(model, cache, chunk, layer, stream);
#if HIPPORT_LLM_INT8_CACHE
  const Shape& shape = model.shape;
  quantize_cache_kernel<HeadWidth><<<quantize_cache_blocks(shape, chunk.count), kQuantizeThreads, 0, stream>>>(
      shape, cache, chunk, chunk.count, layer, fresh_.get());
#endif
  if (layers_.traits->limited(layer))
    launch_attention<HeadWidth>(model, cache, chunk, layer, layers_.sight(model, layer), stream);
  else
    launch_attention<HeadWidth>(model, cache, chunk, layer, WholeSight{}, stream);
}

template <int HeadWidth, typename Sight>
void Prefill::launch_attention(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer,
                               const Sight& sight, cudaStream_t stream) {
  const Shape& shape = model.shape;
  const auto blocks = [&](int queries) { return dim3(shape.heads, (chunk.count + queries - 1) / queries); };
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS
  if constexpr (!kInt8Cache && (HeadWidth == 64 || HeadWidth == 128)) {
    launch_bulk_attention<HeadWidth>(shape, cache, chunk, layer, queries_.get(), sight, rows_.get(), stream);
    return;
  }
#endif
  using Room = AttentionRoom<HeadWidth>;
  const auto kernel = &prefill_attention_kernel<HeadWidth, Sight>;
  const int bytes = dynamic_bytes(kernel, Room::kBytes);
  kernel<<<blocks(Room::kQueries), products_.threads(), bytes, stream>>>(shape, cache, chunk, layer, queries_.get(),
                                                                         sight, rows_.get());
}

// The means of values, [token][head][dimension].
Activations Prefill::attended(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer,
                              cudaStream_t stream) {
#if HIPPORT_LLM_GENERAL
  if (layers_.traits->has_latents())
    return latents_->run(model, layer, {rows_.get(), model.shape.width}, chunk, chunk.count, cache, rows_.get(),
                         stream);
#endif
  visit_head_width(model.shape.head_width,
                   [&](auto width) { attend<decltype(width)::value>(model, cache, chunk, layer, stream); });
  return {rows_.get(), query_width_};
}

void Prefill::add_output(const Model& model, const PromptChunk& chunk, int layer, const Activations& means,
                         cudaStream_t stream) {
  const Shape& shape = model.shape;
  const Traits& traits = *layers_.traits;
  if (!kGeneral || (!traits.post_norms && !traits.out_bias)) {
    multiply(model, Phase::kOut, layer, means, chunk.count, AddResidual{residual_.get(), shape.width}, stream);
    return;
  }
#if HIPPORT_LLM_GENERAL
  multiply(model, Phase::kOut, layer, means, chunk.count, WriteLogits{made_.get(), shape.width}, stream);
  const RowExtras extras = {layers_.of(model, layer, layers_.extras.out_bias),
                            layers_.of(model, layer, layers_.extras.post_attention_norm)};
  add_rows_kernel<kRowThreads>
      <<<chunk.count, kRowThreads, 0, stream>>>(residual_.get(), made_.get(), extras, shape.width, shape.epsilon);
#endif
}

#if HIPPORT_LLM_GENERAL

void Prefill::feed_forward(const Model& model, const PromptChunk& chunk, int layer, cudaStream_t stream) {
  const Shape& shape = model.shape;
  const Traits& traits = *layers_.traits;
  const Activations rows = {rows_.get(), shape.width}, hidden = {hidden_.get(), traits.hidden_of_dense(shape)};
  float* to = traits.post_norms ? made_.get() : residual_.get();
  normalize(shape, residual_.get(), chunk.count, model.at(layer, model.offsets.mlp_norm), stream);
  if (traits.has_experts(layer)) {
    experts_->run(model, layer, rows, chunk, chunk.count, ExpertResults{to, traits.post_norms}, stream);
    if (traits.shared_hidden > 0) add_shared_expert(model, chunk, layer, to, stream);
  } else {
    multiply(model, Phase::kGateUp, layer, rows, chunk.count,
             WriteActivated{hidden_.get(), hidden.stride, traits.activation}, stream);
    if (traits.post_norms)
      multiply(model, Phase::kDown, layer, hidden, chunk.count, WriteLogits{to, shape.width}, stream);
    else
      multiply(model, Phase::kDown, layer, hidden, chunk.count, AddResidual{to, shape.width}, stream);
  }
  if (!traits.post_norms) return;
  const RowExtras extras = {nullptr, layers_.of(model, layer, layers_.extras.post_mlp_norm)};
  add_rows_kernel<kRowThreads>
      <<<chunk.count, kRowThreads, 0, stream>>>(residual_.get(), to, extras, shape.width, shape.epsilon);
}

// The results of the experts that every token takes.
void Prefill::add_shared_expert(const Model& model, const PromptChunk& chunk, int layer, float* to,
                                cudaStream_t stream) {
  const int width = model.shape.width, hidden = layers_.traits->shared_hidden;
  multiply(model, Phase::kSharedGateUp, layer, {rows_.get(), width}, chunk.count,
           WriteActivated{hidden_.get(), hidden, layers_.traits->activation}, stream);
  if (layers_.traits->shared_gate)
    gate_shared_expert_kernel<kGateThreads><<<chunk.count, kGateThreads, 0, stream>>>(
        rows_.get(), width, layers_.of(model, layer, layers_.extras.shared_gating), hidden_.get(), hidden);
  multiply(model, Phase::kSharedDown, layer, {hidden_.get(), hidden}, chunk.count, AddResidual{to, width}, stream);
}

#else

void Prefill::feed_forward(const Model& model, const PromptChunk& chunk, int layer, cudaStream_t stream) {
  const Shape& shape = model.shape;
  normalize(shape, residual_.get(), chunk.count, model.at(layer, model.offsets.mlp_norm), stream);
  multiply(model, Phase::kGateUp, layer, {rows_.get(), shape.width}, chunk.count,
           WriteHidden{hidden_.get(), shape.hidden}, stream);
  multiply(model, Phase::kDown, layer, {hidden_.get(), shape.hidden}, chunk.count,
           AddResidual{residual_.get(), shape.width}, stream);
}

#endif

template <typename Epilogue>
void Prefill::multiply(const Model& model, Phase phase, int layer, const Activations& activations, int tokens,
                       const Epilogue& epilogue, cudaStream_t stream) const {
  if constexpr (kNative)
    native_->multiply_many(phase, layer, activations, tokens, epilogue, stream);
  else
    products_.multiply(matrix_of(model, phase, layer), activations, tokens, epilogue, stream);
}

}  // namespace hipport_llm
