#include "batch_step.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../kernels/add_rows.cuh"
#include "../kernels/batch_attention.cuh"
#include "../kernels/head_norm.cuh"
#include "../kernels/model_matrices.cuh"
#include "../kernels/shared_expert.cuh"
#include "../kernels/split_k_matmul.cuh"
#include "early_launch.h"
#include "matmul_launch.h"

namespace hipport_llm {

namespace {

constexpr int kNormThreads = 512;
// Resident blocks of a product per multiprocessor, and the most blocks that share the depth of one part.
constexpr int kBlocksAtOnce = 5;
constexpr int kMaxDepthSplits = 8;

// Norms of a step, as CarriedNorms counts them.
int norms_of(const Shape& shape) { return 2 * shape.layers + 2; }

Buffer<unsigned> counters(size_t count) {
  Buffer<unsigned> buffer(count, "wide steps");
  check(cudaMemset(buffer.get(), 0, buffer.bytes()), "clearing memory of the device");
  return buffer;
}

// Returns how many blocks share the depth of each part of a product, to minimize its time: with more blocks on a
// multiprocessor a stage takes longer, but less than proportionally. (Measured on an H200.)
[[maybe_unused]] int depth_splits(int parts, int stages, int processors) {
  int best = 1;
  int64_t least = INT64_MAX;
  for (int splits = 1; splits <= std::min(kMaxDepthSplits, stages); ++splits) {
    const int blocks = (parts * splits + processors - 1) / processors;
    const int64_t cost = int64_t{blocks + 1} * ((stages + splits - 1) / splits);
    if (cost > least || (splits > 1 && blocks > kBlocksAtOnce)) continue;
    best = splits;
    least = cost;
  }
  return best;
}

// Calls `visit` with how many heads load their keys and values together: fewer where that leaves warps without work.
// (Measured on an H200.)
template <typename Visit>
void visit_heads_together(const Shape& shape, int slots, const Visit& visit) {
  const int same = shape.heads / shape.kv_heads;
  if (same % 4 == 0 && slots > 16)
    visit(std::integral_constant<int, 4>{});
  else if (same % 2 == 0)
    visit(std::integral_constant<int, 2>{});
  else
    visit(std::integral_constant<int, 1>{});
}

}  // namespace

BatchStep::BatchStep(const Shape& shape, const Layers& layers, int max_tokens, int least, const NativeProducts& native,
                     const Experts& experts, const LatentAttention& latents)
    : native_(&native), experts_(&experts), latents_(&latents), layers_(layers) {
  if (max_tokens < least) return;
  max_tokens_ = std::min(max_tokens, kMaxBatch);
  processors_ = processors();
  query_width_ = shape.query_width();
  const size_t tokens = slots(max_tokens_), heads = tokens * shape.heads;
  rows_ = zeros(tokens * std::max(shape.width, shape.query_width()), "wide steps");
  queries_ = zeros(tokens * shape.query_width(), "wide steps");
  hidden_ = zeros(tokens * layers.traits->most_hidden(shape), "wide steps");
  if (kGeneral) made_ = Buffer<float>(tokens * shape.width, "wide steps");
  if (kInt8Cache) fresh_ = zeros(tokens * 2 * shape.kv_width(), "wide steps");
  means_ = Buffer<Number>(heads * kMostParts * shape.head_width, "wide steps");
  weights_ = Buffer<float2>(heads * kMostParts, "wide steps");
  head_arrivals_ = counters(heads);
  if (!kNative) prepare_products(shape, tokens);
  prepare_arranged(shape, static_cast<int>(tokens));
}

void BatchStep::prepare_products(const Shape& shape, size_t tokens) {
  const int most_hidden = layers_.traits->most_hidden(shape);
  deep_ = block_shapes<Shallow<1, 1>, Shallow<1, 2>, Shallow<1, 4>>();
  flat_ = block_shapes<Shallow<2, 1>, Shallow<2, 2>, Shallow<2, 4>>();
  const int most_rows = std::max({shape.vocabulary, shape.qkv_rows(), 2 * shape.hidden});
  const size_t row_blocks = most_rows / kTileRows + 1, at_once = kBlocksAtOnce * processors_;
  sums_ = Buffer<float4>((row_blocks + at_once * flat_[0].row_tiles) * kTileRows * tokens / 4, "wide steps");
  product_arrivals_ = counters(row_blocks * (tokens / flat_[0].tokens));
  clusters_ =
      ClusterProducts(processors_, static_cast<int>(tokens), std::max({shape.width, shape.query_width(), most_hidden}));
}

void BatchStep::prepare_arranged(const Shape& shape, int tokens) {
  const auto divides = [](int columns) {
    return kNative ? NativeProducts::arranges(columns)
                   : columns % kTileColumns == 0 && ClusterProducts::divides(columns);
  };
  // Mixtures of experts and latent attention read rows as they are.
  arranges_ = !kGeneral && divides(shape.width) && divides(shape.query_width()) && divides(shape.hidden);
  if (!arranges(tokens)) return;
  norm_squares_ = Buffer<unsigned long long>(CarriedNorms::squares_of(norms_of(shape)), "wide steps");
  norm_scales_ = Buffer<float>(CarriedNorms::scales_of(norms_of(shape)), "wide steps");
}

size_t BatchStep::bytes() const {
  return rows_.bytes() + queries_.bytes() + hidden_.bytes() + fresh_.bytes() + means_.bytes() + weights_.bytes() +
         sums_.bytes() + norm_squares_.bytes() + norm_scales_.bytes() + clusters_.bytes();
}

void BatchStep::run(const BatchStepArguments& step, int count, cudaStream_t stream) {
  const int padded = slots(count);
  auto found = graphs_.find(padded);
  if (found == graphs_.end()) found = graphs_.try_emplace(padded, stream, [&] { record(step, padded, stream); }).first;
  found->second.launch(stream);
}

void BatchStep::record(const BatchStepArguments& step, int slots, cudaStream_t stream) {
  if (arranges(slots)) return record_arranged(step, slots, stream);
  const Model& model = step.model;
  const Shape& shape = model.shape;
  for (int layer = 0; layer < shape.layers; ++layer) {
    normalize(step, slots, model.at(layer, model.offsets.attention_norm), stream);
    add_output(step, slots, layer, attended(step, slots, layer, stream), stream);
    feed_forward(step, slots, layer, stream);
  }
  normalize(step, slots, reinterpret_cast<const uint8_t*>(model.final_norm), stream);
  multiply<2>(model, Phase::kHead, 0, {rows_.get(), shape.width}, slots, WriteLogits{step.logits, shape.vocabulary},
              stream);
  check(cudaGetLastError(), "recording a step");
}

// The same without kernels for norms.
void BatchStep::record_arranged([[maybe_unused]] const BatchStepArguments& step, [[maybe_unused]] int slots,
                                [[maybe_unused]] cudaStream_t stream) {
#if HIPPORT_LLM_WARPGROUPS && !HIPPORT_LLM_GENERAL
  const Model& model = step.model;
  const Shape& shape = model.shape;
  const CarriedNorms norms = this->norms(shape);
  const ArrangedTokens rows = arranged(rows_, slots), hidden = arranged(hidden_, slots);
  const ArrangedTokens attended = kNative ? native_->room(slots) : clusters_.room(slots);
  const auto multiply = [&](Phase phase, int layer, const ArrangedTokens& tokens, const auto& epilogue) {
    if constexpr (kNative)
      native_->multiply(phase, layer, tokens, epilogue, stream);
    else
      clusters_.multiply(matrix_of(model, phase, layer), tokens, epilogue, stream);
  };
  const auto after_norm = [&](int norm, const auto& epilogue) {
    return OfNormalized<std::decay_t<decltype(epilogue)>>{epilogue, norms, norm};
  };
  const auto before_norm = [&](int norm, const uint8_t* weights) {
    const AddResidual residual = {step.residual, shape.width};
    // The lanes with the same token: of a product in clusters each fourth, of the sums of other products all.
    return AddBeforeNorm<kNative ? 1 : 4>{residual, reinterpret_cast<const Number*>(weights), rows, norms, norm};
  };
  launch_early(&begin_norms_kernel<kNormThreads>, {slots, kNormThreads}, stream, step.residual,
               reinterpret_cast<const Number*>(model.at(0, model.offsets.attention_norm)), shape.width, norms,
               norms_of(shape), rows);
  for (int layer = 0; layer < shape.layers; ++layer) {
    const int norm = 2 * layer + 1;
    visit_head_width(shape.head_width, [&](auto width) {
      multiply(Phase::kQkv, layer, rows, after_norm(norm, write_qkv<decltype(width)::value>(step, layer)));
      finish_heads<decltype(width)::value>(step, slots, layer, stream);
      attend<decltype(width)::value>(step, slots, layer, attended, stream);
    });
    multiply(Phase::kOut, layer, attended, before_norm(norm + 1, model.at(layer, model.offsets.mlp_norm)));
    multiply(Phase::kGateUp, layer, rows, after_norm(norm + 1, WriteArrangedHidden{hidden}));
    const uint8_t* next = layer + 1 < shape.layers ? model.at(layer + 1, model.offsets.attention_norm)
                                                   : reinterpret_cast<const uint8_t*>(model.final_norm);
    multiply(Phase::kDown, layer, hidden, before_norm(norm + 2, next));
  }
  multiply(Phase::kHead, 0, rows, after_norm(2 * shape.layers + 1, WriteLogits{step.logits, shape.vocabulary}));
  check(cudaGetLastError(), "recording a step");
#endif
}

void BatchStep::normalize(const BatchStepArguments& step, int slots, const uint8_t* weights, cudaStream_t stream) {
  const Shape& shape = step.model.shape;
  launch_early(&rms_norm_kernel<kNormThreads, PlainRows>, {slots, kNormThreads}, stream, step.residual,
               reinterpret_cast<const Number*>(weights), shape.width, shape.epsilon,
               PlainRows{rows_.get(), shape.width});
}

template <int HeadWidth>
void BatchStep::make_heads(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream) {
  const Model& model = step.model;
  const Shape& shape = model.shape;
  multiply<2>(model, Phase::kQkv, layer, {rows_.get(), shape.width}, slots, write_qkv<HeadWidth>(step, layer), stream);
  finish_heads<HeadWidth>(step, slots, layer, stream);
}

template <int HeadWidth>
WriteQkv<HeadWidth, BatchTokens> BatchStep::write_qkv(const BatchStepArguments& step, int layer) const {
  const Model& model = step.model;
  const int64_t bias = model.offsets.qkv_bias;
  return {model.shape,
          step.cache,
          step.tokens,
          layer,
          bias < 0 ? nullptr : reinterpret_cast<const Number*>(model.at(layer, bias)),
          model.head_norms() ? nullptr : layers_.rope(model, layer),
          queries_.get(),
          fresh_.get()};
}

template <int HeadWidth>
void BatchStep::finish_heads(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream) {
  const Model& model = step.model;
  if (!model.head_norms()) return;
  launch_early(&normalize_heads_kernel<HeadWidth, BatchTokens>,
               {normalize_heads_blocks(model.shape, slots), kHeadNormThreads}, stream, model.shape,
               UnrotatedHeads{queries_.get(), step.cache, fresh_.get()}, step.tokens, slots, layer,
               head_norms(model, layer), layers_.rope(model, layer));
}

template <int HeadWidth, typename To>
void BatchStep::attend(const BatchStepArguments& step, int slots, int layer, const To& to, cudaStream_t stream) {
  const Model& model = step.model;
  const Shape& shape = model.shape;
#if HIPPORT_LLM_INT8_CACHE
  launch_early(&quantize_cache_kernel<HeadWidth, BatchTokens>, {quantize_cache_blocks(shape, slots), kQuantizeThreads},
               stream, shape, step.cache, step.tokens, slots, layer, fresh_.get());
#endif
  const SplitMeansPlaces split = {means_.get(), weights_.get(), head_arrivals_.get()};
  const BatchAttention<To> given = {shape, step.cache, step.tokens, slots, layer, queries_.get(), split, to};
  visit_heads_together(shape, slots, [&](auto together) {
    constexpr int heads = decltype(together)::value;
    const int rows = slots * (shape.heads / heads);
    const auto launch = [&](const auto& kernel, int takers, const auto&... sight) {
      const int useful = (rows * kMostParts + takers - 1) / takers;
      launch_early(kernel, {std::min(resident_blocks(kernel, kThreads), useful), kThreads}, stream, given, sight...);
    };
    const auto attend = [&](auto warps) {
      constexpr int count = decltype(warps)::value;
      if (layers_.traits->limited(layer))
        launch(&limited_batch_attention_kernel<HeadWidth, heads, count, To>, kWarps / count,
               layers_.sight(model, layer));
      else
        launch(&batch_attention_kernel<HeadWidth, heads, count, To>, kWarps / count);
    };
    // Few rows leave warps idle, unless those of a block share them.
    if constexpr (heads <= 2 && std::is_same_v<To, PlainRows>)
      if (rows <= processors_) return attend(std::integral_constant<int, kWarps>{});
    attend(std::integral_constant<int, 1>{});
  });
}

// The means of values, [token][head][dimension].
Activations BatchStep::attended(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream) {
  const int head_width = step.model.shape.head_width;
#if HIPPORT_LLM_GENERAL
  if (layers_.traits->has_latents())
    return latents_->run(step.model, layer, {rows_.get(), step.model.shape.width}, step.tokens, slots, step.cache,
                         rows_.get(), stream);
#endif
  visit_head_width(head_width, [&](auto width) {
    make_heads<decltype(width)::value>(step, slots, layer, stream);
    attend<decltype(width)::value>(step, slots, layer, PlainRows{rows_.get(), query_width_}, stream);
  });
  return {rows_.get(), query_width_};
}

void BatchStep::add_output(const BatchStepArguments& step, int slots, int layer, const Activations& means,
                           cudaStream_t stream) {
  const Model& model = step.model;
  const Shape& shape = model.shape;
  const Traits& traits = *layers_.traits;
  if (!kGeneral || (!traits.post_norms && !traits.out_bias)) {
    multiply<1>(model, Phase::kOut, layer, means, slots, AddResidual{step.residual, shape.width}, stream);
    return;
  }
#if HIPPORT_LLM_GENERAL
  multiply<1>(model, Phase::kOut, layer, means, slots, WriteLogits{made_.get(), shape.width}, stream);
  const RowExtras extras = {layers_.of(model, layer, layers_.extras.out_bias),
                            layers_.of(model, layer, layers_.extras.post_attention_norm)};
  launch_early(&add_rows_kernel<kRowThreads>, {slots, kRowThreads}, stream, step.residual, made_.get(), extras,
               shape.width, shape.epsilon);
#endif
}

#if HIPPORT_LLM_GENERAL

void BatchStep::feed_forward(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream) {
  const Model& model = step.model;
  const Shape& shape = model.shape;
  const Traits& traits = *layers_.traits;
  float* to = traits.post_norms ? made_.get() : step.residual;
  normalize(step, slots, model.at(layer, model.offsets.mlp_norm), stream);
  if (traits.has_experts(layer)) {
    experts_->run(model, layer, {rows_.get(), shape.width}, step.tokens, slots, ExpertResults{to, traits.post_norms},
                  stream);
    if (traits.shared_hidden > 0) add_shared_expert(step, slots, layer, to, stream);
  } else {
    const Activations hidden = {hidden_.get(), traits.hidden_of_dense(shape)};
    multiply<2>(model, Phase::kGateUp, layer, {rows_.get(), shape.width}, slots,
                WriteActivated{hidden_.get(), hidden.stride, traits.activation}, stream);
    if (traits.post_norms)
      multiply<1>(model, Phase::kDown, layer, hidden, slots, WriteLogits{to, shape.width}, stream);
    else
      multiply<1>(model, Phase::kDown, layer, hidden, slots, AddResidual{to, shape.width}, stream);
  }
  if (!traits.post_norms) return;
  const RowExtras extras = {nullptr, layers_.of(model, layer, layers_.extras.post_mlp_norm)};
  launch_early(&add_rows_kernel<kRowThreads>, {slots, kRowThreads}, stream, step.residual, to, extras, shape.width,
               shape.epsilon);
}

// The results of the experts that every token takes.
void BatchStep::add_shared_expert(const BatchStepArguments& step, int slots, int layer, float* to,
                                  cudaStream_t stream) {
  const Model& model = step.model;
  const int width = model.shape.width, hidden = layers_.traits->shared_hidden;
  multiply<2>(model, Phase::kSharedGateUp, layer, {rows_.get(), width}, slots,
              WriteActivated{hidden_.get(), hidden, layers_.traits->activation}, stream);
  if (layers_.traits->shared_gate)
    launch_early(&gate_shared_expert_kernel<kGateThreads>, {slots, kGateThreads}, stream, rows_.get(), width,
                 layers_.of(model, layer, layers_.extras.shared_gating), hidden_.get(), hidden);
  multiply<1>(model, Phase::kSharedDown, layer, {hidden_.get(), hidden}, slots, AddResidual{to, width}, stream);
}

#else

void BatchStep::feed_forward(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream) {
  const Model& model = step.model;
  const Shape& shape = model.shape;
  normalize(step, slots, model.at(layer, model.offsets.mlp_norm), stream);
  multiply<2>(model, Phase::kGateUp, layer, {rows_.get(), shape.width}, slots, WriteHidden{hidden_.get(), shape.hidden},
              stream);
  multiply<1>(model, Phase::kDown, layer, {hidden_.get(), shape.hidden}, slots, AddResidual{step.residual, shape.width},
              stream);
}

#endif

template <int RowTiles, typename Epilogue>
void BatchStep::multiply(const Model& model, Phase phase, int layer, const Activations& activations, int slots,
                         const Epilogue& epilogue, cudaStream_t stream) const {
  if constexpr (kNative) {
    native_->multiply(phase, layer, activations, slots, epilogue, stream);
  } else {
    multiply_packed<RowTiles>(matrix_of(model, phase, layer), activations, slots, epilogue, stream);
  }
}

template <int RowTiles, typename Epilogue>
void BatchStep::multiply_packed(const Matrix& matrix, const Activations& activations, int slots,
                                const Epilogue& epilogue, cudaStream_t stream) const {
  if (ClusterProducts::take(slots) && ClusterProducts::divides(activations.stride))
    return clusters_.multiply(matrix, clusters_.arrange(matrix, activations, slots, stream), epilogue, stream);
  const auto& shapes = RowTiles == 1 ? deep_ : flat_;
  if (slots <= 16)
    multiply_divided<Shallow<RowTiles, 1>>(shapes[0], matrix, activations, slots, epilogue, stream);
  else if (slots <= 32)
    multiply_divided<Shallow<RowTiles, 2>>(shapes[1], matrix, activations, slots, epilogue, stream);
  else
    multiply_divided<Shallow<RowTiles, 4>>(shapes[2], matrix, activations, slots, epilogue, stream);
}

template <typename Division, typename Epilogue>
void BatchStep::multiply_divided(const BlockShape& block, const Matrix& matrix, const Activations& activations,
                                 int tokens, const Epilogue& epilogue, cudaStream_t stream) const {
  const auto kernel = &split_k_matmul_kernel<Division, Epilogue>;
  dim3 blocks = blocks_of(block, matrix, tokens);
  blocks.z = depth_splits(static_cast<int>(blocks.x * blocks.y), matrix.column_tiles, processors_);
  const int bytes = dynamic_bytes(kernel, Division::kSharedBytes);
  launch_early(kernel, {blocks, block.threads, bytes}, stream, matrix, activations, tokens,
               SplitKSums{sums_.get(), product_arrivals_.get()}, epilogue);
}

}  // namespace hipport_llm
