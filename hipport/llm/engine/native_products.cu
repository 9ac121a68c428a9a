#include "native_products.h"

#if HIPPORT_LLM_NATIVE

#include <cstdint>

#include "../kernels/native_matmul.cuh"

namespace hipport_llm {

namespace {

// Sums of more splits than fit here cost more time than they save.
constexpr int64_t kMostSplitSums = int64_t{4} << 20;
// Blocks among which warp groups split the columns of many tokens at most.
constexpr int kMostGroupSplits = 4;
// Bytes for decoded matrices; larger ones are decoded in pieces.
constexpr int64_t kUnpackedBytes = int64_t{192} << 20;

int most_columns(const Shape& shape, const Traits& traits) {
  return std::max({shape.width, shape.query_width(), traits.most_hidden(shape), traits.latent.rank,
                   traits.latent.query_rank, traits.output_width(shape)});
}

}  // namespace

NativeProducts::NativeProducts(const Shape& shape, const Traits& traits, int64_t weight_bytes, int tokens)
    : weights_(shape, traits, weight_bytes),
      shapes_(block_shapes<FewDivision, NativeDivision<1>, NativeDivision<2>, NativeDivision<4>>()),
      processors_(processors()) {
  sums_ = Buffer<float>(most_sums(shape, tokens), "products");
  if (tokens <= kFewTokens) return;
  if (NativeGroupProducts::kAny) {
    groups_ = NativeGroupProducts(tokens, most_columns(shape, traits));
    return;
  }
  many_ = PromptProducts(processors(), tokens, most_columns(shape, traits));
  int64_t most = 0;
  for (const Phase phase : phases(shape)) {
    const int64_t row_tiles = (weights_.rows(phase) + kTileRows - 1) / kTileRows;
    const int column_tiles = weights_.columns(phase) / kTileColumns;
    most = std::max(most, std::min<int64_t>(row_tiles, tiles_at_once(column_tiles)) * column_tiles * kTileBytes);
  }
  unpacked_ = Buffer<uint8_t>(most, "decoded matrices");
}

// The rows of tiles that are decoded at once.
int NativeProducts::tiles_at_once(int column_tiles) {
  return static_cast<int>(
      std::max<int64_t>(1, kUnpackedBytes / (std::max(int64_t{column_tiles}, int64_t{1}) * kTileBytes)));
}

// The phases of all layers, and the head.
std::vector<Phase> NativeProducts::phases(const Shape& shape) const {
  std::vector<Phase> all = {Phase::kHead};
  for (int layer = 0; layer < shape.layers; ++layer)
    for (const Phase phase : weights_.phases(layer))
      if (std::find(all.begin(), all.end(), phase) == all.end()) all.push_back(phase);
  return all;
}

// The most sums of a product: those of all rows, or so many that splitting them is worthwhile.
size_t NativeProducts::most_sums(const Shape& shape, int tokens) const {
  size_t rows = 15;
  for (const Phase phase : phases(shape))
    if (phase != Phase::kHead) rows = std::max<size_t>(rows, weights_.rows(phase) + 15);
  const size_t few = std::max<size_t>(rows, shape.vocabulary + 15) * std::min(tokens, kFewTokens);
  const size_t many = NativeGroupProducts::kAny ? rows * tokens : 0;
  return std::max({few, many, static_cast<size_t>(kMostSplitSums)});
}

SplitSums NativeProducts::multiply(Phase phase, int layer, const Activations& activations, int tokens,
                                   cudaStream_t stream) const {
  const int rows = weights_.rows(phase);
  const std::vector<NativeParts> launches = weights_.parts(phase, layer);
  int largest = 0, above = 0;
  for (const NativeParts& parts : launches) largest = std::max(largest, parts.rows());
  const int most = static_cast<int>(std::max(int64_t{1}, kMostSplitSums / (int64_t{rows + 15} * tokens)));
  const Plan plan = plan_for(largest, weights_.columns(phase), tokens, std::min(most, kMostColumnSplits));
  const NativeSums sums = {sums_.get(), (rows + 15) / 16 * 16, tokens};
  for (const NativeParts& parts : launches) {
    launch(parts, plan, activations, {sums.values + above, sums.stride, tokens}, stream);
    above += parts.rows();
  }
  return {sums, plan.splits};
}

// The same by warp groups, with `tokens` of the arranged ones.
SplitSums NativeProducts::multiply_in_groups(Phase phase, int layer, const ArrangedTokens& arranged, int tokens,
                                             cudaStream_t stream) const {
  const int rows = weights_.rows(phase), stride = (rows + 15) / 16 * 16;
  const std::vector<NativeParts> launches = weights_.parts(phase, layer);
  const int places = NativeGroupProducts::places_for(tokens), tiles = (tokens + places - 1) / places;
  int blocks = 0, above = 0;
  for (const NativeParts& parts : launches) blocks += parts.blocks(NativeGroupProducts::kRows) * tiles;
  const int stages = (weights_.columns(phase) + kNativeColumns - 1) / kNativeColumns;
  const int most = static_cast<int>(sums_.count() / (static_cast<size_t>(stride) * tokens));
  if (most == 0) throw EngineError("too many tokens at once for a matrix of " + std::to_string(rows) + " rows");
  const int splits = splits_for(blocks, stages, processors_ * NativeGroupProducts::resident(places),
                                std::min(most, tokens > kFewTokens ? kMostGroupSplits : kMostColumnSplits));
  const NativeSums sums = {sums_.get(), stride, tokens};
  for (const NativeParts& parts : launches) {
    GroupParts own = {{}, {}, parts.count};
    for (int i = 0; i < parts.count; ++i) {
      own.matrices[i] = parts.matrices[i];
      own.rows[i] = parts.matrices[i].rows;
    }
    groups_.multiply(own, {arranged, tokens, {}, above == 0}, {places, tiles, splits},
                     {sums.values + above, sums.stride, tokens}, stream);
    above += parts.rows();
  }
  return {sums, splits};
}

NativeProducts::Plan NativeProducts::plan_for(int rows, int columns, int tokens, int most_splits) const {
  const bool matvec = tokens <= kMatvecTokens;
  const BlockShape& unit = shapes_[tokens <= shapes_[0].tokens ? 0 : tokens <= 16 ? 1 : tokens <= 32 ? 2 : 3];
  const int block_rows = matvec ? kMatvecRows : unit.row_tiles * kTileRows;
  const int block_tokens = matvec ? (tokens == 1 ? 1 : kMatvecTokens) : unit.tokens;
  const int blocks = (rows + block_rows - 1) / block_rows * ((tokens + block_tokens - 1) / block_tokens);
  const int resident = matvec ? kMatvecBlocks : tokens <= shapes_[0].tokens ? kFewBlocks : kMatmulBlocks;
  const int step = matvec ? 32 * kMatvecQuarters : kNativeColumns, stages = (columns + step - 1) / step;
  return {block_rows, block_tokens, splits_for(blocks, stages, processors_ * resident, most_splits)};
}

// All blocks take as many turns as the busiest multiprocessor has of them, each as long as its stages, and one more to
// begin and end.
int NativeProducts::splits_for(int blocks, int stages, int at_once, int most) {
  int best = 1;
  int64_t least = INT64_MAX;
  for (int splits = 1; splits <= std::min(most, stages); ++splits) {
    const int64_t turns = (int64_t{blocks} * splits + at_once - 1) / at_once;
    const int64_t cost = turns * ((stages + splits - 1) / splits + 1);
    if (cost >= least) continue;
    least = cost;
    best = splits;
  }
  return best;
}

void NativeProducts::launch(const NativeParts& parts, const Plan& plan, const Activations& activations,
                            const NativeSums& sums, cudaStream_t stream) const {
  const int blocks = parts.blocks(plan.block_rows), passes = (sums.tokens + plan.block_tokens - 1) / plan.block_tokens;
  visit_native(parts.matrices[0].format, [&](auto of) {
    using Format = decltype(of);
    const auto on_units = [&](auto division) {
      launch_early(&native_matmul_kernel<Format, decltype(division)>,
                   {dim3(passes, blocks, plan.splits), shapes_[0].threads}, stream, parts, activations, sums);
    };
    if constexpr (kMatvecTokens > 0) {
      const dim3 matvec(blocks, plan.splits, passes);
      if (sums.tokens == 1)
        return native_matvec_kernel<Format, 1><<<matvec, kMatvecThreads, 0, stream>>>(parts, activations, sums);
      if (sums.tokens <= kMatvecTokens)
        return native_matvec_kernel<Format, kMatvecTokens>
            <<<matvec, kMatvecThreads, 0, stream>>>(parts, activations, sums);
    }
    if (sums.tokens <= shapes_[0].tokens)
      on_units(FewDivision{});
    else if (sums.tokens <= 16)
      on_units(NativeDivision<1>{});
    else if (sums.tokens <= 32)
      on_units(NativeDivision<2>{});
    else
      on_units(NativeDivision<4>{});
  });
}

void NativeProducts::unpack(Phase phase, int layer, int half, const UnpackedTiles& to, cudaStream_t stream) const {
  int above = 0;
  for (const NativeParts& parts : weights_.parts(phase, layer))
    for (int i = 0; i < parts.count; ++i) {
      const NativeMatrix& matrix = parts.matrices[i];
      const int warps = unpack_warps(matrix.rows, matrix.columns), at_once = kUnpackThreads / kLanes;
      const int blocks = (warps + at_once - 1) / at_once;
      visit_native(matrix.format, [&](auto of) {
        native_unpack_kernel<decltype(of)>
            <<<blocks, kUnpackThreads, 0, stream>>>(matrix, UnpackedRows{above, half}, to);
      });
      above += matrix.rows;
    }
}

}  // namespace hipport_llm

#endif
