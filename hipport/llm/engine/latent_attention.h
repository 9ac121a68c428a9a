// Makes queries, keys and values of models with latent attention.
#ifndef HIPPORT_LLM_LATENT_ATTENTION_H
#define HIPPORT_LLM_LATENT_ATTENTION_H

#include "../kernels/batch_tokens.h"
#include "../kernels/prompt_chunk.h"
#include "native_products.h"
#include "traits.h"

namespace hipport_llm {

// Where queries go, and keys and values: the cache, or `fresh` if it has 8 bits.
struct HeadPlaces {
  Cache cache;
  Number* queries;
  Number* fresh;
};

class LatentAttention {
 public:
  LatentAttention() = default;
  // For up to `tokens` tokens at once. The others must outlive this object.
  LatentAttention(const Shape& shape, const Layers& layers, int tokens, const NativeProducts& native);

  size_t bytes() const {
    return rows_.bytes() + queries_.bytes() + expanded_.bytes() + query_latents_.bytes() + latents_.bytes();
  }

  // The queries, keys and values of a layer for `count` normalized vectors.
  template <typename Places>
  void run(const Model& model, int layer, const Activations& vectors, const Places& tokens, int count,
           const HeadPlaces& to, cudaStream_t stream) const;

  // Returns the attention's output without what values are padded with, in `room` where they are.
  Activations narrowed(const Number* means, int count, Number* room, cudaStream_t stream) const;

 private:
  void normalize(const Model& model, int layer, int count, cudaStream_t stream) const;
  // The width of queries, or of the vector from which they are made.
  int query_rows() const { return query_rank() > 0 ? query_rank() : shape_.heads * widths().query(); }
  int query_rank() const { return widths().query_rank; }
  const LatentWidths& widths() const { return layers_.traits->latent; }

  Shape shape_ = {};
  Layers layers_ = {};
  const NativeProducts* native_ = nullptr;
  Buffer<float> rows_, queries_, expanded_;  // queries_: only where they are made from latent vectors
  Buffer<Number> query_latents_, latents_;
};

}  // namespace hipport_llm

#endif
