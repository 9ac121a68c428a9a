#include "native_groups.h"

#if HIPPORT_LLM_NATIVE && !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

#include "../kernels/native_formats.cuh"
#include "early_launch.h"

namespace hipport_llm {

namespace {

template <typename Source>
void arrange_places(const Source& source, int stride, int places, const ArrangedTokens& to, cudaStream_t stream) {
  const int columns = (stride + kNativeColumns - 1) / kNativeColumns * kNativeColumns;
  launch_early(&arrange_tokens_kernel<NativeOrder, Source>, {arrange_blocks(places, columns), kArrangeThreads}, stream,
               source, places, columns, to);
}

template <int Places>
void launch(const GroupParts& parts, const GroupTokens& tokens, const NativeGroupProducts::Grid& grid,
            const NativeSums& sums, cudaStream_t stream) {
  visit_native(parts.matrices[0].format, [&](auto of) {
    using Division = NativeGroups<decltype(of), Places>;
    static_assert(Division::kRows == NativeGroupProducts::kRows, "the host counts blocks");
    const auto kernel = &native_groups_kernel<decltype(of), Division>;
    const dim3 blocks(grid.tiles, parts.blocks(Division::kRows), grid.splits);
    launch_early(kernel, {blocks, Division::kThreads, dynamic_bytes(kernel, Division::kSharedBytes)}, stream, parts,
                 tokens, sums);
  });
}

}  // namespace

void NativeGroupProducts::arrange(const EveryToken& tokens, cudaStream_t stream) const {
  arrange_places(tokens, tokens.from.stride, tokens.tokens, arranged(), stream);
}

void NativeGroupProducts::arrange(const SortedPairs& pairs, int places, cudaStream_t stream) const {
  arrange_places(pairs, pairs.vectors.activations.stride, places, arranged(), stream);
}

void NativeGroupProducts::multiply(const GroupParts& parts, const GroupTokens& tokens, const Grid& grid,
                                   const NativeSums& sums, cudaStream_t stream) const {
  if (grid.tile_places == kLeast)
    launch<kLeast>(parts, tokens, grid, sums, stream);
  else if (grid.tile_places == kLess)
    launch<kLess>(parts, tokens, grid, sums, stream);
  else if (grid.tile_places == kFew)
    launch<kFew>(parts, tokens, grid, sums, stream);
  else
    launch<kMany>(parts, tokens, grid, sums, stream);
}

}  // namespace hipport_llm

#endif
