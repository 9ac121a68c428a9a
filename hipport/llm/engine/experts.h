// The feed-forward networks of mixtures of experts.
#ifndef HIPPORT_LLM_EXPERTS_H
#define HIPPORT_LLM_EXPERTS_H

#include "../kernels/batch_tokens.h"
#include "../kernels/expert_products.cuh"
#include "native_products.h"
#include "traits.h"

namespace hipport_llm {

// Where a network's results go: added to [token][width], or written there.
struct ExpertResults {
  float* to;
  bool replaces;
};

class Experts {
 public:
  Experts() = default;
  // For up to `tokens` tokens at once. The others must outlive this object.
  Experts(const Shape& shape, const Layers& layers, int tokens, const NativeProducts& native);

  size_t bytes() const { return hidden_.bytes() + sums_.bytes() + logits_.bytes() + groups_.bytes(); }

  // The network of a layer for `count` normalized vectors. Unused slots are left out, and get zeros.
  template <typename Places>
  void run(const Model& model, int layer, const Activations& vectors, const Places& tokens, int count,
           const ExpertResults& results, cudaStream_t stream) const;

 private:
  // A product of pairs with the matrices of a phase.
  struct Work {
    int layer, tokens;
    PairVectors vectors;
    bool sorted;  // pairs are sorted by expert
  };

  SplitSums router_logits(int layer, const Activations& vectors, int count, cudaStream_t stream) const;
  ExpertSums multiply(Phase phase, const Work& work, const Number* bias, cudaStream_t stream) const;
  void launch(const ExpertParts& parts, const Work& work, int splits, const NativeSums& sums,
              cudaStream_t stream) const;
  void finish(const Model& model, int layer, const Activations& vectors, int count, const ExpertResults& results,
              cudaStream_t stream) const;
  void launch_hidden(const ExpertSums& sums, int pairs, bool many, cudaStream_t stream) const;
  void launch_output(const ExpertSums& sums, int tokens, bool many, const ExpertResults& results,
                     cudaStream_t stream) const;
  void launch_sorted(const ExpertParts& parts, const Work& work, const NativeSums& sums, cudaStream_t stream) const;
  ExpertOrder order() const { return {pairs_.get(), tiles_.get()}; }
  int splits_for(int rows, int columns, const Work& work) const;
  int matvec_tokens() const;
  int tile_places(int pairs) const;
  int tiles(int pairs) const;
  int few_rows() const;
  int chosen() const { return layers_.traits->choice.chosen; }

  Shape shape_ = {};
  Layers layers_ = {};
  const NativeProducts* native_ = nullptr;
  BlockShape block_ = {}, few_ = {};  // for pairs sorted by expert, and for few
  int processors_ = 0;
  Buffer<float> logits_, weights_;
  Buffer<float> sums_;
  Buffer<Number> hidden_;
  Buffer<int> experts_, pairs_;
  Buffer<ExpertTile> tiles_;
  NativeGroupProducts groups_;
};

}  // namespace hipport_llm

#endif
