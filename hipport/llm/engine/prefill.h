// Prefill: many tokens of one prompt go through all layers, as separate kernel launches on the stream.
#ifndef HIPPORT_LLM_PREFILL_H
#define HIPPORT_LLM_PREFILL_H

#include "../kernels/model_matrices.cuh"
#include "../kernels/prompt_chunk.h"
#include "device.h"
#include "experts.h"
#include "latent_attention.h"
#include "native_products.h"
#include "prompt_products.h"

namespace hipport_llm {

class Prefill {
 public:
  // Longer prompts than this are faster here than in the decode step.
  static constexpr int kWorthwhile = kMaxTokens;

  Prefill() = default;
  // The others must outlive this object.
  Prefill(const Shape& shape, const Layers& layers, const NativeProducts& native, const Experts& experts,
          const LatentAttention& latents);

  // The most tokens that are processed at once.
  static int at_once(const Shape& shape);
  int at_once() const { return at_once_; }
  size_t bytes() const;

  // Writes the keys and values of `chunk`, whose `tokens` are on the host. `seen` is its sequence's. `logits`, on the
  // device, gets those of the last token; it may be null.
  void run(const Model& model, const Cache& cache, const PromptChunk& chunk, const int32_t* tokens,
           const Number* embedding, uint8_t* seen, float* logits, cudaStream_t stream);

  // Copies the normalized residual stream of the last chunk's `count` tokens, [count][width], to the host.
  void download_hidden(const Model& model, int count, Number* to, cudaStream_t stream);

 private:
  void normalize(const Shape& shape, const float* residual, int count, const uint8_t* weights, cudaStream_t stream);
  template <int HeadWidth>
  void make_heads(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer, cudaStream_t stream);
  template <int HeadWidth>
  void attend(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer, cudaStream_t stream);
  template <int HeadWidth, typename Sight>
  void launch_attention(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer, const Sight& sight,
                        cudaStream_t stream);
  // The attention's output, in `rows_`.
  Activations attended(const Model& model, const Cache& cache, const PromptChunk& chunk, int layer,
                       cudaStream_t stream);
  void add_output(const Model& model, const PromptChunk& chunk, int layer, const Activations& means,
                  cudaStream_t stream);
  void feed_forward(const Model& model, const PromptChunk& chunk, int layer, cudaStream_t stream);
  void add_shared_expert(const Model& model, const PromptChunk& chunk, int layer, float* to, cudaStream_t stream);
  template <typename Epilogue>
  void multiply(const Model& model, Phase phase, int layer, const Activations& activations, int tokens,
                const Epilogue& epilogue, cudaStream_t stream) const;

  int at_once_ = 0, query_width_ = 0;
  PromptProducts products_;
  const NativeProducts* native_ = nullptr;
  const Experts* experts_ = nullptr;
  const LatentAttention* latents_ = nullptr;
  Layers layers_ = {};
  Buffer<int> tokens_;
  Buffer<float> residual_;
  Buffer<float> made_;                      // results that are not just added
  Buffer<Number> rows_, queries_, hidden_;  // rows_: what the next product multiplies
  Buffer<Number> fresh_;                    // keys and values, where the cache has 8 bits
};

}  // namespace hipport_llm

#endif
