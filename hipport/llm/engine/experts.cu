#include "experts.h"

#if HIPPORT_LLM_GENERAL

#include <algorithm>

namespace hipport_llm {

namespace {

// Up to so many pairs for each expert, a pair reads the matrices of its expert by itself; more are sorted by expert.
// On an H100, Qwen3-30B-A3B (8 of 128 experts) generates 1869 tokens/s for 32 sequences and 2037 for 64 like this, 651 and
// 1226 sorted.
constexpr int kMatvecPairs = 4;
constexpr int kMostSplits = 8;
// Blocks per multiprocessor that splits of the columns are to reach.
constexpr int kMatvecBlocks = 8;

int blocks_for(int count, int size) { return (count + size - 1) / size; }

}  // namespace

Experts::Experts(const Shape& shape, const Layers& layers, int tokens, const NativeProducts& native)
    : shape_(shape),
      layers_(layers),
      native_(&native),
      block_(block_shapes<ExpertDivision>()[0]),
      processors_(processors()) {
  const size_t pairs = static_cast<size_t>(tokens) * chosen(), rows = std::max(2 * shape.hidden, shape.width);
  const size_t few = std::min<size_t>(tokens, matvec_tokens()) * chosen() * kMostSplits;
  logits_ = Buffer<float>(static_cast<size_t>(tokens) * layers.traits->choice.experts, "experts");
  experts_ = Buffer<int>(pairs, "experts");
  weights_ = Buffer<float>(pairs, "experts");
  pairs_ = Buffer<int>(pairs, "experts");
  tiles_ = Buffer<ExpertTile>(this->tiles(static_cast<int>(pairs)), "experts");
  hidden_ = zeros(pairs * shape.hidden, "experts");
  sums_ = Buffer<float>(std::max(pairs, few) * rows, "experts");
}

// The most tokens whose pairs read matrices by themselves.
int Experts::matvec_tokens() const { return kMatvecPairs * layers_.traits->choice.experts / chosen(); }

// The most tiles of so many pairs.
int Experts::tiles(int pairs) const { return pairs / block_.tokens + std::min(pairs, layers_.traits->choice.experts); }

template <typename Places>
void Experts::run(const Model& model, int layer, const Activations& vectors, const Places& tokens, int count,
                  const ExpertResults& results, cudaStream_t stream) const {
  const ExpertChoice& choice = layers_.traits->choice;
  native_->multiply_many(Phase::kRouter, layer, vectors, count, WriteLogits{logits_.get(), choice.experts}, stream);
  choose_experts_kernel<<<blocks_for(count * kLanes, kChoiceThreads), kChoiceThreads, 0, stream>>>(
      choice, logits_.get(), layers_.of(model, layer, layers_.extras.router_bias), tokens, count,
      ChosenExperts{experts_.get(), weights_.get()});
  finish(model, layer, vectors, count, results, stream);
}

template void Experts::run(const Model&, int, const Activations&, const PromptChunk&, int, const ExpertResults&,
                           cudaStream_t) const;
template void Experts::run(const Model&, int, const Activations&, const BatchTokens&, int, const ExpertResults&,
                           cudaStream_t) const;

// The network of tokens that have chosen their experts.
void Experts::finish(const Model& model, int layer, const Activations& vectors, int count, const ExpertResults& results,
                     cudaStream_t stream) const {
  const int pairs = count * chosen();
  const bool sorted = count > matvec_tokens();
  if (sorted)
    sort_experts_kernel<kChoiceThreads>
        <<<1, kChoiceThreads, 0, stream>>>(layers_.traits->choice.experts, experts_.get(), pairs, block_.tokens,
                                           tiles(pairs), ExpertOrder{pairs_.get(), tiles_.get()});
  const Work up = {layer, count, {vectors, chosen()}, sorted};
  const ExpertSums hidden =
      multiply(Phase::kExpertGateUp, up, layers_.of(model, layer, layers_.extras.gate_up_bias), stream);
  expert_hidden_kernel<kEpilogueThreads>
      <<<dim3(blocks_for(shape_.hidden, kEpilogueThreads), pairs), kEpilogueThreads, 0, stream>>>(
          hidden, experts_.get(), layers_.traits->activation, shape_.hidden, hidden_.get());
  const Work down = {layer, count, {{hidden_.get(), shape_.hidden}, 1}, sorted};
  const ExpertSums output =
      multiply(Phase::kExpertDown, down, layers_.of(model, layer, layers_.extras.down_bias), stream);
  expert_output_kernel<kEpilogueThreads>
      <<<dim3(blocks_for(shape_.width, kEpilogueThreads), count), kEpilogueThreads, 0, stream>>>(
          output, ChosenExperts{experts_.get(), weights_.get()}, chosen(), results.replaces, shape_.width, results.to);
}

ExpertSums Experts::multiply(Phase phase, const Work& work, const Number* bias, cudaStream_t stream) const {
  const std::vector<std::string> parts = NativeWeights::names_of(phase);
  const int rows = phase == Phase::kExpertDown ? shape_.width : shape_.hidden;
  const int all = rows * static_cast<int>(parts.size()), pairs = work.tokens * chosen();
  const int splits = splits_for(all, native_->weights().matrix(parts[0], work.layer).columns, work);
  int first = 0;
  for (const std::string& name : parts) {
    launch(native_->weights().matrix(name, work.layer), rows, work, splits, {sums_.get() + first, all, pairs}, stream);
    first += rows;
  }
  return {{sums_.get(), all, pairs}, splits, bias, all};
}

// Returns how many blocks share the columns of a product, so that all multiprocessors work.
int Experts::splits_for(int rows, int columns, const Work& work) const {
  if (work.sorted) return 1;
  const int blocks = blocks_for(rows, kMatvecRows) * work.tokens * chosen();
  return std::max(1, std::min({processors_ * kMatvecBlocks / blocks, kMostSplits, columns / (32 * kMatvecQuarters)}));
}

void Experts::launch(const NativeMatrix& matrix, int rows, const Work& work, int splits, const NativeSums& sums,
                     cudaStream_t stream) const {
  const int pairs = work.tokens * chosen();
  visit_native(matrix.format, [&](auto of) {
    using Format = decltype(of);
    if (work.sorted) {
      const dim3 blocks(tiles(pairs), blocks_for(rows, block_.row_tiles * kTileRows));
      expert_matmul_kernel<Format><<<blocks, block_.threads, 0, stream>>>(
          matrix, rows, work.vectors, ExpertOrder{pairs_.get(), tiles_.get()}, sums);
    } else {
      const dim3 blocks(blocks_for(rows, kMatvecRows), splits, pairs);
      expert_matvec_kernel<Format>
          <<<blocks, kMatvecThreads, 0, stream>>>(matrix, rows, work.vectors, experts_.get(), sums);
    }
  });
}

}  // namespace hipport_llm

#endif
