#include "latent_attention.h"

#if HIPPORT_LLM_GENERAL

#include <cmath>
#include <type_traits>

#include "../kernels/combine_latents.cuh"

namespace hipport_llm {

namespace {

// Blocks of the attention for each multiprocessor, if there are positions for them.
constexpr int kBlocksEach = 3;
// Units of a block, at least: only the device code knows how many.
constexpr int kLeastUnits = 4;

int head_blocks(int heads) { return (heads + kLatentHeads - 1) / kLatentHeads; }

}  // namespace

LatentAttention::LatentAttention(const Shape& shape, const Layers& layers, int tokens, const NativeProducts& native)
    : shape_(shape), layers_(layers), native_(&native), blocks_wanted_(kBlocksEach * processors()) {
  // Products on matrix units read whole blocks of tokens.
  const size_t padded = (tokens + kTokenPadding - 1) / kTokenPadding * kTokenPadding;
  const size_t parts = static_cast<size_t>(std::max(tokens, blocks_wanted_)) * shape.heads;
  matrices_ = Buffer<uint8_t>(layer_bytes() * shape.layers, "the heads' weights");
  rows_ = Buffer<float>(padded * widths().first_rows(shape.heads), "latent vectors");
  absorbed_ = zeros(padded * shape.heads * widths().cached(), "latent vectors");
  means_ = zeros(parts * widths().rank, "latent vectors");
  combined_ =
      zeros(static_cast<size_t>(std::min(tokens, blocks_wanted_)) * shape.heads * widths().rank, "latent vectors");
  weights_ = Buffer<float2>(parts, "latent vectors");
  if (query_rank() == 0) return;
  queries_ = Buffer<float>(padded * shape.heads * widths().query(), "latent vectors");
  query_latents_ = zeros(padded * query_rank(), "latent vectors");
}

HeadMatrices LatentAttention::absorbing(int layer) const {
  const HeadMatrices first = {matrices_.get(), widths().rank / kTileRows,
                              (widths().nope + SixteenBits::kTileColumns - 1) / SixteenBits::kTileColumns};
  return {first.tiles + (layer == 0 ? 0 : layer * layer_bytes()), first.row_tiles, first.column_tiles};
}

HeadMatrices LatentAttention::expanding(int layer) const {
  const HeadMatrices before = absorbing(layer);
  return {before.tiles + before.bytes(shape_.heads), widths().value / kTileRows,
          widths().rank / SixteenBits::kTileColumns};
}

int64_t LatentAttention::layer_bytes() const {
  return absorbing(0).bytes(shape_.heads) + expanding(0).bytes(shape_.heads);
}

void LatentAttention::divide_heads(int layer, cudaStream_t stream) const {
  const HeadMatrices absorbing = this->absorbing(layer), expanding = this->expanding(layer);
  const UnpackedTiles whole = {nullptr, 0, widths().expanded(shape_.heads) / kTileRows, expanding.column_tiles};
  const Buffer<uint8_t> tiles(static_cast<size_t>(whole.count) * whole.column_tiles * SixteenBits::kTileBytes,
                              "decoded matrices");
  const UnpackedTiles decoded = {tiles.get(), 0, whole.count, whole.column_tiles};
  native_->decode(Phase::kLatentHeads, layer, decoded, stream);
  const int eighths = widths().rank * absorbing.column_tiles * 8 + widths().value * widths().rank / 8;
  const dim3 blocks((eighths + kLatentThreads - 1) / kLatentThreads, shape_.heads);
  divide_heads_kernel<<<blocks, kLatentThreads, 0, stream>>>(widths(), decoded, absorbing, expanding);
  check(cudaStreamSynchronize(stream), "dividing weights");
}

template <typename Places>
Activations LatentAttention::run(const Model& model, int layer, const Activations& vectors, const Places& tokens,
                                 int count, const Cache& cache, Number* room, cudaStream_t stream) const {
  const LatentWidths& widths = this->widths();
  const int stride = widths.first_rows(shape_.heads);
  native_->multiply_many(Phase::kLatent, layer, vectors, count, WriteLogits{rows_.get(), stride}, stream);
  const HeadMatrices absorbing = this->absorbing(layer);
  const dim3 blocks = product_blocks(absorbing, count);
  launch_early(&absorb_queries_kernel<Places>, {dim3(blocks.x, blocks.y + 1, blocks.z), native_->threads()}, stream,
               queries_of(model, layer, tokens, count, stream), absorbing,
               CacheLatents<Places>{widths, rows_.get() + query_rows(), stride,
                                    layers_.of(model, layer, layers_.extras.latent_norm), cache, tokens, layer,
                                    rotations(model, layer)},
               count);
  expand(attend(layer, tokens, count, cache, stream), layer, tokens, count, room, stream);
  return {room, shape_.heads * widths.value};
}

template Activations LatentAttention::run(const Model&, int, const Activations&, const PromptChunk&, int, const Cache&,
                                          Number*, cudaStream_t) const;
template Activations LatentAttention::run(const Model&, int, const Activations&, const BatchTokens&, int, const Cache&,
                                          Number*, cudaStream_t) const;

template <typename Places>
AbsorbQueries<Places> LatentAttention::queries_of(const Model& model, int layer, const Places& tokens, int count,
                                                  cudaStream_t stream) const {
  const LatentWidths& widths = this->widths();
  const int heads = shape_.heads, stride = widths.first_rows(heads), width = heads * widths.query();
  const Rotations rotations = this->rotations(model, layer);
  if (query_rank() == 0) return {widths, rows_.get(), stride, heads, tokens, rotations, absorbed_.get()};
  launch_early(&normalize_latents_kernel<kLatentThreads>, {count, kLatentThreads}, stream, rows_.get(), stride,
               query_rank(), layers_.of(model, layer, layers_.extras.query_latent_norm), query_latents_.get());
  native_->multiply_many(Phase::kLatentQuery, layer, {query_latents_.get(), query_rank()}, count,
                         WriteLogits{queries_.get(), width}, stream);
  return {widths, queries_.get(), width, heads, tokens, rotations, absorbed_.get()};
}

Rotations LatentAttention::rotations(const Model& model, int layer) const {
  return {layers_.rope(model, layer), shape_.head_width / 2};
}

LatentParts LatentAttention::parts_of(int count) const {
  return {std::min(kMostLatentParts, std::max(1, blocks_wanted_ / (count * head_blocks(shape_.heads))))};
}

template <typename Places>
LatentMeans LatentAttention::attend(int layer, const Places& tokens, int count, const Cache& cache,
                                    cudaStream_t stream) const {
  const int heads = shape_.heads;
  const LatentMeans means = {parts_of(count), means_.get(), weights_.get()};
  const float scale = widths().query_scale / std::sqrt(static_cast<float>(shape_.head_width)) * kLog2OfE;
  const LatentGiven given = {widths(), heads, layer, cache, absorbed_.get(), scale, means};
#if !defined(__HIP_PLATFORM_AMD__)
  if constexpr (std::is_same_v<Places, PromptChunk>)
    if (means.parts.most == 1) {
      attend_with<kLatentTokens>(&latent_prompt_kernel<Places>, given, tokens, count, stream);
      return means;
    }
#endif
  attend_with<1>(&latent_attention_kernel<Places>, given, tokens, count, stream);
  return means;
}

template <int Tokens, typename Kernel, typename Places>
void LatentAttention::attend_with(Kernel* kernel, const LatentGiven& given, const Places& tokens, int count,
                                  cudaStream_t stream) const {
  const dim3 blocks(given.to.parts.most, head_blocks(shape_.heads), (count + Tokens - 1) / Tokens);
  const int shared = dynamic_bytes(kernel, LatentRoom<Tokens>::kBytes);
  launch_early(kernel, {blocks, native_->threads() * Tokens, shared}, stream, given, tokens, count);
}

template <typename Places>
void LatentAttention::expand(const LatentMeans& means, int layer, const Places& tokens, int count, Number* room,
                             cudaStream_t stream) const {
  const int heads = shape_.heads, rank = widths().rank;
  const HeadOutputs outputs = {widths(), heads, room};
  if (means.parts.most == 1) return multiply(ExpandMeans{outputs, means.means}, layer, count, stream);
  if (count == 1) return multiply(ExpandParts<Places>{outputs, means, tokens}, layer, count, stream);
  launch_early(&combine_latents_kernel<Places>,
               {dim3((rank / 8 + kCombineEighths - 1) / kCombineEighths, heads, count), kCombineThreads}, stream, means,
               heads, rank, tokens, combined_.get());
  multiply(ExpandMeans{outputs, combined_.get()}, layer, count, stream);
}

dim3 LatentAttention::product_blocks(const HeadMatrices& matrices, int count) const {
  return {static_cast<unsigned>(matrices.row_tiles + kLeastUnits - 1) / kLeastUnits,
          static_cast<unsigned>(shape_.heads), static_cast<unsigned>(count + kHeadTokens - 1) / kHeadTokens};
}

template <typename Operands>
void LatentAttention::multiply(const Operands& operands, int layer, int count, cudaStream_t stream) const {
  const HeadMatrices matrices = expanding(layer);
  launch_early(&expand_outputs_kernel<Operands>, {product_blocks(matrices, count), native_->threads()}, stream,
               operands, matrices, count);
}

}  // namespace hipport_llm

#endif
