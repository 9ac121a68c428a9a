#include "latent_attention.h"

#if HIPPORT_LLM_GENERAL

namespace hipport_llm {

namespace {

constexpr int kHeadWidth = HIPPORT_LLM_HEAD_WIDTH;

dim3 blocks_for(int threads, int tokens) { return dim3((threads + kLatentThreads - 1) / kLatentThreads, tokens); }

}  // namespace

LatentAttention::LatentAttention(const Shape& shape, const Layers& layers, int tokens, const NativeProducts& native)
    : shape_(shape), layers_(layers), native_(&native) {
  // Products on matrix units read whole blocks of tokens.
  const size_t padded = (tokens + kTokenPadding - 1) / kTokenPadding * kTokenPadding;
  rows_ = Buffer<float>(padded * widths().first_rows(shape.heads), "latent vectors");
  expanded_ = Buffer<float>(padded * widths().expanded(shape.heads), "latent vectors");
  latents_ = zeros(padded * widths().rank, "latent vectors");
  if (query_rank() == 0) return;
  queries_ = Buffer<float>(padded * shape.heads * widths().query(), "latent vectors");
  query_latents_ = zeros(padded * query_rank(), "latent vectors");
}

template <typename Places>
void LatentAttention::run(const Model& model, int layer, const Activations& vectors, const Places& tokens, int count,
                          const HeadPlaces& to, cudaStream_t stream) const {
  const LatentWidths& widths = this->widths();
  const int heads = shape_.heads, first = widths.first_rows(heads), query_width = heads * widths.query();
  native_->multiply_many(Phase::kLatent, layer, vectors, count, WriteLogits{rows_.get(), first}, stream);
  normalize(model, layer, count, stream);
  LatentRows made = {rows_.get(), rows_.get() + query_rows() + widths.rank, expanded_.get(), first, first};
  if (query_rank() > 0) {
    native_->multiply_many(Phase::kLatentQuery, layer, {query_latents_.get(), query_rank()}, count,
                           WriteLogits{queries_.get(), query_width}, stream);
    made.queries = queries_.get();
    made.query_stride = query_width;
  }
  native_->multiply_many(Phase::kLatentHeads, layer, {latents_.get(), widths.rank}, count,
                         WriteLogits{expanded_.get(), widths.expanded(heads)}, stream);
  launch_early(&latent_heads_kernel<kHeadWidth, Places>, {blocks_for(heads * kHeadWidth, count), kLatentThreads},
               stream, widths, heads, made, to.cache, tokens, layer, layers_.rope(model, layer), to.queries, to.fresh);
}

template void LatentAttention::run(const Model&, int, const Activations&, const PromptChunk&, int, const HeadPlaces&,
                                   cudaStream_t) const;
template void LatentAttention::run(const Model&, int, const Activations&, const BatchTokens&, int, const HeadPlaces&,
                                   cudaStream_t) const;

void LatentAttention::normalize(const Model& model, int layer, int count, cudaStream_t stream) const {
  const LatentNorm keys = {query_rows(), widths().rank, layers_.of(model, layer, layers_.extras.latent_norm),
                           latents_.get()};
  const LatentNorm queries = {0, query_rank(), layers_.of(model, layer, layers_.extras.query_latent_norm),
                              query_latents_.get()};
  launch_early(&normalize_latents_kernel<kLatentThreads>, {dim3(count, query_rank() > 0 ? 2 : 1), kLatentThreads},
               stream, rows_.get(), widths().first_rows(shape_.heads), LatentNorms{{keys, queries}});
}

Activations LatentAttention::narrowed(const Number* means, int count, Number* room, cudaStream_t stream) const {
  const int heads = shape_.heads, value = widths().value;
  if (value == kHeadWidth) return {means, heads * value};
  launch_early(&narrow_heads_kernel<kHeadWidth>, {blocks_for(heads * value / 8, count), kLatentThreads}, stream, means,
               heads, value, room);
  return {room, heads * value};
}

}  // namespace hipport_llm

#endif
