// Attention of models whose keys and values follow from latent vectors.
#ifndef HIPPORT_LLM_LATENT_ATTENTION_H
#define HIPPORT_LLM_LATENT_ATTENTION_H

#include "../kernels/batch_tokens.h"
#include "../kernels/prompt_chunk.h"
#include "native_products.h"
#include "traits.h"

namespace hipport_llm {

struct HeadMatrices;
struct LatentGiven;
struct LatentMeans;
struct LatentParts;
struct Rotations;
template <typename Places>
struct AbsorbQueries;

class LatentAttention {
 public:
  LatentAttention() = default;
  // For up to `tokens` tokens at once. The others must outlive this object.
  LatentAttention(const Shape& shape, const Layers& layers, int tokens, const NativeProducts& native);

  size_t bytes() const {
    return matrices_.bytes() + rows_.bytes() + queries_.bytes() + query_latents_.bytes() + absorbed_.bytes() +
           means_.bytes() + weights_.bytes() + combined_.bytes();
  }
  // Of the heads' matrices, which a step reads.
  size_t matrix_bytes() const { return matrices_.bytes(); }

  // Makes the heads' matrices of a layer, once the one that they are parts of is loaded.
  void divide_heads(int layer, cudaStream_t stream) const;

  // Writes what the cache has of `count` tokens, for their normalized vectors, and returns what the attention of a layer
  // makes of them, in `room`: [token][head][value].
  template <typename Places>
  Activations run(const Model& model, int layer, const Activations& vectors, const Places& tokens, int count,
                  const Cache& cache, Number* room, cudaStream_t stream) const;

 private:
  // Returns the means of latent vectors, in parts.
  template <typename Places>
  LatentMeans attend(int layer, const Places& tokens, int count, const Cache& cache, cudaStream_t stream) const;
  // By a kernel whose blocks have `Tokens` tokens each.
  template <int Tokens, typename Kernel, typename Places>
  void attend_with(Kernel* kernel, const LatentGiven& given, const Places& tokens, int count,
                   cudaStream_t stream) const;
  // Makes the heads' outputs of them.
  template <typename Places>
  void expand(const LatentMeans& means, int layer, const Places& tokens, int count, Number* room,
              cudaStream_t stream) const;
  template <typename Operands>
  void multiply(const Operands& operands, int layer, int count, cudaStream_t stream) const;

  // Queries, in float.
  template <typename Places>
  AbsorbQueries<Places> queries_of(const Model& model, int layer, const Places& tokens, int count,
                                   cudaStream_t stream) const;
  Rotations rotations(const Model& model, int layer) const;

  // The matrices of a layer that queries and means are multiplied with.
  HeadMatrices absorbing(int layer) const;
  HeadMatrices expanding(int layer) const;
  // The grid of a product of `count` tokens with the matrices of all heads.
  dim3 product_blocks(const HeadMatrices& matrices, int count) const;
  int64_t layer_bytes() const;
  // How many blocks share the positions of each of `count` tokens.
  LatentParts parts_of(int count) const;
  // Rows of queries, or of the vector from which they are made.
  int query_rows() const { return query_rank() > 0 ? query_rank() : shape_.heads * widths().query(); }
  int query_rank() const { return widths().query_rank; }
  const LatentWidths& widths() const { return layers_.traits->latent; }

  Shape shape_ = {};
  Layers layers_ = {};
  const NativeProducts* native_ = nullptr;
  int blocks_wanted_ = 0;
  Buffer<uint8_t> matrices_;
  Buffer<float> rows_, queries_;  // queries_: only where they are made from latent vectors
  Buffer<Number> query_latents_, absorbed_, means_, combined_;
  Buffer<float2> weights_;
};

}  // namespace hipport_llm

#endif
