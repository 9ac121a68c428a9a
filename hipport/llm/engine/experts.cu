#include "experts.h"

#if HIPPORT_LLM_GENERAL

#include <algorithm>

namespace hipport_llm {

namespace {

// Up to so many pairs for each expert, a pair reads the matrices of its expert by itself; more are sorted by expert.
// On an H100, Qwen3-30B-A3B (8 of 128 experts) generated 2209 tokens/s for 32 sequences and 2327 for 64 like this, and
// 2561 and 4305 sorted, on the matrix units of warp groups; on others 771 and 1438.
constexpr int kMatvecPairs = NativeGroupProducts::kAny ? 1 : 4;
// True if few pairs are computed on matrix units.
constexpr bool kOnUnits = NativeProducts::kMatvecTokens == 0;

int blocks_for(int count, int size) { return (count + size - 1) / size; }

}  // namespace

Experts::Experts(const Shape& shape, const Layers& layers, int tokens, const NativeProducts& native)
    : shape_(shape),
      layers_(layers),
      native_(&native),
      block_(block_shapes<ExpertDivision>()[0]),
      few_(block_shapes<FewDivision>()[0]),
      processors_(processors()) {
  const size_t pairs = static_cast<size_t>(tokens) * chosen(), rows = std::max(2 * shape.hidden, shape.width);
  const size_t few = std::min<size_t>(tokens, matvec_tokens()) * chosen() * kMostColumnSplits;
  logits_ = Buffer<float>(static_cast<size_t>(tokens) * layers.traits->choice.experts, "experts");
  experts_ = Buffer<int>(pairs, "experts");
  weights_ = Buffer<float>(pairs, "experts");
  const int places = ordered_places(static_cast<int>(pairs), layers_.traits->choice.experts);
  pairs_ = Buffer<int>(places, "experts");
  if (NativeGroupProducts::kAny && tokens > matvec_tokens())
    groups_ = NativeGroupProducts(places, std::max(shape.width, shape.hidden));
  const size_t least = NativeGroupProducts::kAny ? NativeGroupProducts::kLeast : block_.tokens;
  tiles_ = Buffer<ExpertTile>(pairs / least + layers_.traits->choice.experts, "experts");
  hidden_ = zeros(pairs * shape.hidden, "experts");
  sums_ = Buffer<float>(std::max(pairs, few) * rows, "experts");
}

// The most tokens whose pairs read matrices by themselves.
int Experts::matvec_tokens() const { return kMatvecPairs * layers_.traits->choice.experts / chosen(); }

// Rows of a block that multiplies one pair.
int Experts::few_rows() const { return kOnUnits ? few_.row_tiles * kTileRows : kMatvecRows; }

// Pairs of a tile at most. Warp groups take more at once if experts have more.
int Experts::tile_places(int pairs) const {
  if (!NativeGroupProducts::kAny) return block_.tokens;
  return NativeGroupProducts::tile_places(pairs / layers_.traits->choice.experts);
}

// The most tiles of so many pairs.
int Experts::tiles(int pairs) const {
  return pairs / tile_places(pairs) + std::min(pairs, layers_.traits->choice.experts);
}

template <typename Places>
void Experts::run(const Model& model, int layer, const Activations& vectors, const Places& tokens, int count,
                  const ExpertResults& results, cudaStream_t stream) const {
  const ExpertChoice& choice = layers_.traits->choice;
  const SplitSums logits = router_logits(layer, vectors, count, stream);
  const ChosenExperts to = {experts_.get(), weights_.get()};
  if (layers_.traits->routing.scores == Scores::kLogits)
    launch_early(&choose_experts_kernel<Places>, {count, kRankThreads}, stream, choice, logits,
                 layers_.of(model, layer, layers_.extras.router_bias), tokens, to);
  else
    launch_early(&route_experts_kernel<Places>, {count, kRankThreads}, stream, choice, layers_.traits->routing, logits,
                 reinterpret_cast<const float*>(layers_.of(model, layer, layers_.extras.choice_bias)), tokens, to);
  finish(model, layer, vectors, count, results, stream);
}

template void Experts::run(const Model&, int, const Activations&, const PromptChunk&, int, const ExpertResults&,
                           cudaStream_t) const;
template void Experts::run(const Model&, int, const Activations&, const BatchTokens&, int, const ExpertResults&,
                           cudaStream_t) const;

SplitSums Experts::router_logits(int layer, const Activations& vectors, int count, cudaStream_t stream) const {
  if (count <= NativeProducts::kFewTokens) return native_->multiply(Phase::kRouter, layer, vectors, count, stream);
  const int experts = layers_.traits->choice.experts;
  native_->multiply_many(Phase::kRouter, layer, vectors, count, WriteLogits{logits_.get(), experts}, stream);
  return {{logits_.get(), experts, count}, 1};
}

// The network of tokens that have chosen their experts.
void Experts::finish(const Model& model, int layer, const Activations& vectors, int count, const ExpertResults& results,
                     cudaStream_t stream) const {
  const int pairs = count * chosen();
  const bool sorted = count > matvec_tokens();
  if (sorted)
    launch_early(&sort_experts_kernel<kChoiceThreads>, {1, kChoiceThreads}, stream, layers_.traits->choice.experts,
                 experts_.get(), pairs, tile_places(pairs), tiles(pairs), order());
  const Work up = {layer, count, {vectors, chosen()}, sorted};
  const ExpertSums hidden =
      multiply(Phase::kExpertGateUp, up, layers_.of(model, layer, layers_.extras.gate_up_bias), stream);
  launch_hidden(hidden, pairs, sorted, stream);
  const Work down = {layer, count, {{hidden_.get(), shape_.hidden}, 1}, sorted};
  const ExpertSums output =
      multiply(Phase::kExpertDown, down, layers_.of(model, layer, layers_.extras.down_bias), stream);
  launch_output(output, count, sorted, results, stream);
}

// With many pairs, a thread has four rows.
void Experts::launch_hidden(const ExpertSums& sums, int pairs, bool many, cudaStream_t stream) const {
  const auto launch = [&](auto kernel, int rows) {
    launch_early(kernel, {dim3(blocks_for(shape_.hidden, rows), pairs), kEpilogueThreads}, stream, sums, experts_.get(),
                 layers_.traits->activation, shape_.hidden, hidden_.get());
  };
  if (many)
    launch(&expert_hidden_kernel<kEpilogueThreads, 4>, 4 * kEpilogueThreads);
  else
    launch(&expert_hidden_kernel<kEpilogueThreads, 1>, kEpilogueThreads);
}

void Experts::launch_output(const ExpertSums& sums, int tokens, bool many, const ExpertResults& results,
                            cudaStream_t stream) const {
  const auto launch = [&](auto kernel, int rows) {
    launch_early(kernel, {dim3(blocks_for(shape_.width, rows), tokens), kEpilogueThreads}, stream, sums,
                 ChosenExperts{experts_.get(), weights_.get()}, chosen(), results.replaces, shape_.width, results.to);
  };
  if (many)
    launch(&expert_outputs_kernel<kEpilogueThreads>, 4 * kEpilogueThreads);
  else
    launch(&expert_output_kernel<kEpilogueThreads>, kOutputRows);
}

ExpertSums Experts::multiply(Phase phase, const Work& work, const Number* bias, cudaStream_t stream) const {
  const int rows = phase == Phase::kExpertDown ? shape_.width : shape_.hidden;
  const std::vector<NativeParts> launches = native_->weights().parts(phase, work.layer);
  int all = 0, columns = 0, most = 0, first = 0;
  for (const NativeParts& parts : launches) {
    all += parts.count * rows;
    most = std::max(most, parts.count * rows);
    columns = parts.matrices[0].columns;
  }
  const int pairs = work.tokens * chosen(), splits = splits_for(most, columns, work);
  if (NativeGroupProducts::kAny && work.sorted)
    groups_.arrange(SortedPairs{work.vectors, pairs_.get()}, ordered_places(pairs, layers_.traits->choice.experts),
                    stream);
  for (const NativeParts& parts : launches) {
    ExpertParts own = {{}, parts.count, rows};
    std::copy_n(parts.matrices, parts.count, own.matrices);
    launch(own, work, splits, {sums_.get() + first, all, pairs}, stream);
    first += parts.count * rows;
  }
  return {{{sums_.get(), all, pairs}, splits}, bias, all};
}

// Returns how many blocks share the columns of a product.
int Experts::splits_for(int rows, int columns, const Work& work) const {
  if (work.sorted) return 1;
  const int blocks = blocks_for(rows, few_rows()) * work.tokens * chosen();
  const int step = kOnUnits ? kNativeColumns : 32 * kMatvecQuarters;
  const int at_once = processors_ * (kOnUnits ? NativeProducts::kFewBlocks : NativeProducts::kMatvecBlocks);
  return NativeProducts::splits_for(blocks, blocks_for(columns, step), at_once, kMostColumnSplits);
}

void Experts::launch(const ExpertParts& parts, const Work& work, int splits, const NativeSums& sums,
                     cudaStream_t stream) const {
  if (work.sorted) return launch_sorted(parts, work, sums, stream);
  const dim3 blocks(parts.blocks(few_rows()), splits, work.tokens * chosen());
  visit_native(parts.matrices[0].format, [&](auto of) {
    using Format = decltype(of);
    if constexpr (kOnUnits)
      launch_early(&expert_units_kernel<Format>, {blocks, few_.threads}, stream, parts, work.vectors, experts_.get(),
                   sums);
    else
      launch_early(&expert_matvec_kernel<Format>, {blocks, kMatvecThreads}, stream, parts, work.vectors, experts_.get(),
                   sums);
  });
}

void Experts::launch_sorted(const ExpertParts& parts, const Work& work, const NativeSums& sums,
                            cudaStream_t stream) const {
  const int pairs = work.tokens * chosen();
  if constexpr (NativeGroupProducts::kAny) {
    GroupParts own = {{}, {}, parts.count};
    std::copy_n(parts.matrices, parts.count, own.matrices);
    std::fill_n(own.rows, parts.count, parts.rows);
    groups_.multiply(own, {groups_.arranged(), 0, order()}, {tile_places(pairs), tiles(pairs), 1}, sums, stream);
  } else {
    visit_native(parts.matrices[0].format, [&](auto of) {
      const dim3 blocks(tiles(pairs), parts.blocks(block_.row_tiles * kTileRows));
      launch_early(&expert_matmul_kernel<decltype(of)>, {blocks, block_.threads}, stream, parts, work.vectors, order(),
                   sums);
    });
  }
}

}  // namespace hipport_llm

#endif
