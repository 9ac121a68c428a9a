#include "native_products.h"

#if HIPPORT_LLM_NATIVE

#include <algorithm>

#include "../kernels/native_matmul.cuh"

namespace hipport_llm {

namespace {

// Products with so many tokens or fewer are computed by native_matvec_kernel, four tokens at a time: it reads the
// matrix once more for each four, and the kernel for matrix units works for 64 tokens, however few there are.
constexpr int kMatvecTokens = 32, kMatvecAtOnce = 4;
// The columns of products with more tokens than this are not split over blocks.
constexpr int kSplitTokens = 64;
constexpr int kMostSplits = 8;
// Blocks per multiprocessor that splits of the columns are to reach.
constexpr int kMatvecBlocks = 8, kMatmulBlocks = 2;

}  // namespace

NativeProducts::NativeProducts(const Shape& shape, int64_t weight_bytes, int tokens)
    : weights_(shape, weight_bytes), shape_(block_shapes<NativeDivision>()[0]), processors_(processors()) {
  sums_ = Buffer<float>(most_sums(shape, tokens), "products");
}

// The most sums of a product: without splits, and with as many as splits_for allows. Logits are those of a batch.
size_t NativeProducts::most_sums(const Shape& shape, size_t tokens) const {
  const size_t rows = std::max({shape.qkv_rows(), 2 * shape.hidden, shape.width}), words = shape.vocabulary + 15;
  const size_t split = std::max(kMatvecBlocks * kMatvecBlockRows, kMatmulBlocks * shape_.row_tiles * kTileRows);
  return std::max({rows * tokens, words * kSplitTokens, split * processors_ * kSplitTokens});
}

NativeProducts::Sums NativeProducts::multiply(Phase phase, int layer, const Activations& activations, int tokens,
                                              cudaStream_t stream) const {
  int rows = 0, columns = 0;
  for (const std::string& name : NativeWeights::parts(phase)) {
    rows += weights_.matrix(name, layer).rows;
    columns = weights_.matrix(name, layer).columns;
  }
  const int splits = splits_for(rows, columns, tokens);
  const NativeSums sums = {sums_.get(), (rows + 15) / 16 * 16, tokens};
  int first = 0;
  for (const std::string& name : NativeWeights::parts(phase)) {
    const NativeMatrix& matrix = weights_.matrix(name, layer);
    launch(matrix, activations, tokens, splits, {sums.values + first, sums.stride, tokens}, stream);
    first += matrix.rows;
  }
  return {sums, splits, rows};
}

// Returns how many blocks share the columns of a product, so that all multiprocessors work.
int NativeProducts::splits_for(int rows, int columns, int tokens) const {
  if (tokens > kSplitTokens) return 1;
  const bool matvec = tokens <= kMatvecTokens;
  const int block_rows = matvec ? kMatvecBlockRows : shape_.row_tiles * kTileRows;
  const int passes = matvec ? (tokens + kMatvecAtOnce - 1) / kMatvecAtOnce : 1;
  const int blocks = (rows + block_rows - 1) / block_rows * passes;
  const int wanted = processors_ * (matvec ? kMatvecBlocks : kMatmulBlocks) / blocks;
  return std::max(1, std::min({wanted, kMostSplits, columns / (matvec ? kMatvecColumns : 64)}));
}

void NativeProducts::launch(const NativeMatrix& matrix, const Activations& activations, int tokens, int splits,
                            const NativeSums& sums, cudaStream_t stream) const {
  visit_native(matrix.format, [&](auto of) {
    using Format = decltype(of);
    const dim3 rows((matrix.rows + kMatvecBlockRows - 1) / kMatvecBlockRows, splits,
                    (tokens + kMatvecAtOnce - 1) / kMatvecAtOnce);
    if (tokens == 1) {
      native_matvec_kernel<Format, 1><<<rows, kMatvecThreads, 0, stream>>>(matrix, activations, sums);
    } else if (tokens <= kMatvecTokens) {
      native_matvec_kernel<Format, kMatvecAtOnce><<<rows, kMatvecThreads, 0, stream>>>(matrix, activations, sums);
    } else {
      const int block_rows = shape_.row_tiles * kTileRows;
      const dim3 blocks((tokens + shape_.tokens - 1) / shape_.tokens, (matrix.rows + block_rows - 1) / block_rows,
                        splits);
      native_matmul_kernel<Format><<<blocks, shape_.threads, 0, stream>>>(matrix, activations, tokens, sums);
    }
  });
}

}  // namespace hipport_llm

#endif
