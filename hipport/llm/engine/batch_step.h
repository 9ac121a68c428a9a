// Decode steps for many sequences: one token of each goes through all layers on matrix units. A step is launched as
// one graph.
#ifndef HIPPORT_LLM_BATCH_STEP_H
#define HIPPORT_LLM_BATCH_STEP_H

#include <array>
#include <map>

#include "../kernels/batch_tokens.h"
#include "../kernels/carried_norm.cuh"
#include "../kernels/prompt_chunk.h"
#include "../kernels/weight_stream.cuh"
#include "cluster_products.h"
#include "experts.h"
#include "graph.h"
#include "latent_attention.h"
#include "native_products.h"

namespace hipport_llm {

// A model, and the device memory that a step reads and writes; the addresses must not change, as graphs contain them.
struct BatchStepArguments {
  Model model;
  Cache cache;
  BatchTokens tokens;
  float* residual;  // [tokens][width]: embeddings before the step
  float* logits;    // [tokens][vocabulary]
};

class BatchStep {
 public:
  // More tokens than this are faster here than in the persistent kernel. (Measured on an H200.)
  static constexpr int kWorthwhile = 4;

  // The number of slots of a step for `count` tokens; unused slots have a negative position.
  static int slots(int count) {
    if (kNative && count <= 8) return count == 1 ? 1 : count <= 4 ? 4 : 8;
    return count <= 16 ? 16 : count <= 32 ? 32 : 64;
  }

  BatchStep() = default;
  // For up to `max_tokens` tokens, if those are at least `least`. The others must outlive this object.
  BatchStep(const Shape& shape, const Layers& layers, int max_tokens, int least, const NativeProducts& native,
            const Experts& experts, const LatentAttention& latents);

  // 0 if batched steps would not be faster.
  int max_tokens() const { return max_tokens_; }
  size_t bytes() const;

  // A step for `count` tokens.
  void run(const BatchStepArguments& step, int count, cudaStream_t stream);

 private:
  // Whether what products multiply is written in the order of warp groups, and norms have no kernels of their own.
  bool arranges(int slots) const {
    return arranges_ && (kNative ? native_->takes_groups(slots) : ClusterProducts::take(slots));
  }
  ArrangedTokens arranged(const Buffer<Number>& rows, int slots) const {
    return {reinterpret_cast<uint8_t*>(rows.get()), slots};
  }

  // Memory for products with packed matrices.
  void prepare_products(const Shape& shape, size_t tokens);
  // What steps need to arrange what products multiply.
  void prepare_arranged(const Shape& shape, int tokens);
  void record(const BatchStepArguments& step, int slots, cudaStream_t stream);
  void record_arranged(const BatchStepArguments& step, int slots, cudaStream_t stream);
  CarriedNorms norms(const Shape& shape) const {
    return {norm_squares_.get(), norm_scales_.get(), static_cast<float>(shape.width), shape.epsilon};
  }
  void normalize(const BatchStepArguments& step, int slots, const uint8_t* weights, cudaStream_t stream);
  // What a product does with queries, keys and values, and what is left to do after it.
  template <int HeadWidth>
  WriteQkv<HeadWidth, BatchTokens> write_qkv(const BatchStepArguments& step, int layer) const;
  template <int HeadWidth>
  void finish_heads(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream);
  template <int HeadWidth>
  void make_heads(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream);
  template <int HeadWidth, typename To>
  void attend(const BatchStepArguments& step, int slots, int layer, const To& to, cudaStream_t stream);
  // The attention's output, in `rows_`.
  Activations attended(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream);
  void add_output(const BatchStepArguments& step, int slots, int layer, const Activations& means, cudaStream_t stream);
  void feed_forward(const BatchStepArguments& step, int slots, int layer, cudaStream_t stream);
  void add_shared_expert(const BatchStepArguments& step, int slots, int layer, float* to, cudaStream_t stream);
  template <int RowTiles, typename Epilogue>
  void multiply(const Model& model, Phase phase, int layer, const Activations& activations, int slots,
                const Epilogue& epilogue, cudaStream_t stream) const;
  template <int RowTiles, typename Epilogue>
  void multiply_packed(const Matrix& matrix, const Activations& activations, int slots, const Epilogue& epilogue,
                       cudaStream_t stream) const;
  template <typename Division, typename Epilogue>
  void multiply_divided(const BlockShape& block, const Matrix& matrix, const Activations& activations, int tokens,
                        const Epilogue& epilogue, cudaStream_t stream) const;

  int max_tokens_ = 0;
  int processors_ = 0, query_width_ = 0;
  const NativeProducts* native_ = nullptr;
  const Experts* experts_ = nullptr;
  const LatentAttention* latents_ = nullptr;
  Layers layers_ = {};
  bool arranges_ = false;
  ClusterProducts clusters_;
  // Block shapes of products with few rows and with many, for 16, 32 and 64 slots.
  std::array<BlockShape, 3> deep_ = {}, flat_ = {};
  Buffer<Number> rows_, queries_, hidden_;  // rows_: what the next product multiplies
  Buffer<Number> fresh_;                    // keys and values, where the cache has 8 bits
  Buffer<float> made_;                      // results that are not just added
  Buffer<Number> means_;
  Buffer<float2> weights_;
  Buffer<float4> sums_;
  Buffer<unsigned long long> norm_squares_;
  Buffer<float> norm_scales_;
  Buffer<unsigned> product_arrivals_, head_arrivals_;
  std::map<int, Graph> graphs_;  // by slots
};

}  // namespace hipport_llm

#endif
