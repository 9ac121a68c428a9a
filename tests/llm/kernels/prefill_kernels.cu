// The kernels that prompts go through, one by one, for tests: pointers are the host's.
#include "../../../hipport/llm/engine/matmul_launch.h"
#include "../../../hipport/llm/kernels/arranged_tokens.cuh"
#include "../../../hipport/llm/kernels/carried_norm.cuh"
#include "../../../hipport/llm/kernels/prefill_attention.cuh"
#include "../../../hipport/llm/kernels/rms_norm.cuh"
#include "../../../hipport/llm/kernels/split_k_matmul.cuh"
#include "uploaded.h"

using namespace hipport_llm;

namespace {

// Adds results to what is there: [token][row].
struct Store {
  float* to;
  int rows;

  using Look = float2;

  __device__ float2 look(int row_tile, int row, int token) const {
    const float* from = to + token * rows + row_tile * kTileRows + row;
    return make_float2(from[0], from[8]);
  }
  __device__ void operator()(int row_tile, int row, int token, float low, float high, const float2& before) const {
    float* place = to + token * rows + row_tile * kTileRows + row;
    place[0] = before.x + low;
    place[8] = before.y + high;
  }
};

// Calls an epilogue for all rows of tiles and eight tokens of each block, by a warp as the products of steps on warp groups
// do: with the numbers of a matrix [token][row], or with rows in the order of these products.
struct PlainNumbers {
  const float* from;
  int rows;
  __device__ float at(int token, int row) const { return from[token * rows + row]; }
};
struct ArrangedNumbers {
  ArrangedTokens from;
  __device__ float at(int token, int row) const { return float_of(*from.number(token, row)); }
};
template <typename Numbers, typename Epilogue>
__global__ void call_epilogue(Numbers numbers, int row_tiles, Epilogue epilogue) {
  const int lane = threadIdx.x, row = lane / 4;
  for (int tile = 0; tile < row_tiles; ++tile)
    for (int i = 0; i < 2; ++i) {
      const int token = blockIdx.x * 8 + lane % 4 * 2 + i, first = tile * kTileRows + row;
      const auto look = epilogue.look(tile, row, token);
      epilogue(tile, row, token, numbers.at(token, first), numbers.at(token, first + 8), look);
    }
}

template <typename Division>
void run_product(const Matrix& matrix, const Activations& activations, int tokens, const Store& store) {
  const BlockShape block = block_shapes<Division>()[0];
  const auto kernel = &matmul_kernel<Division, Store>;
  const int bytes = dynamic_bytes(kernel, Division::kSharedBytes);
  kernel<<<blocks_of(block, matrix, tokens), block.threads, bytes>>>(matrix, activations, tokens, store);
}

// Blocks share the depth.
void run_split_product(const Matrix& matrix, const Activations& activations, int tokens, const Store& store) {
  using Shared = Shallow<2, 2>;
  const BlockShape block = block_shapes<Shared>()[0];
  const auto kernel = &split_k_matmul_kernel<Shared, Store>;
  const int bytes = dynamic_bytes(kernel, Shared::kSharedBytes);
  dim3 blocks = blocks_of(block, matrix, tokens);
  blocks.z = matrix.column_tiles < 3 ? 1 : 3;
  const size_t parts = blocks.x * blocks.y, results = block.row_tiles * kTileRows * block.tokens;
  const Buffer<float4> sums(parts * blocks.z * results / 4, "a test");
  Buffer<unsigned> arrivals(parts, "a test");
  arrivals.clear(nullptr, 0, parts);
  kernel<<<blocks, block.threads, bytes>>>(matrix, activations, tokens, SplitKSums{sums.get(), arrivals.get()}, store);
  check(cudaDeviceSynchronize(), "multiplying");
}

template <int HeadWidth>
void run_attention(const Shape& shape, const Cache& cache, const PromptChunk& chunk, const __half* queries,
                   __half* to) {
  const auto kernel = &prefill_attention_kernel<HeadWidth, WholeSight>;
  const int bytes = dynamic_bytes(kernel, AttentionRoom<HeadWidth>::kBytes);
  const dim3 blocks(shape.heads, (chunk.count + kBlockQueries - 1) / kBlockQueries);
  kernel<<<blocks, block_shapes<Large>()[0].threads, bytes>>>(shape, cache, chunk, 0, queries, WholeSight{}, to);
}

}  // namespace

extern "C" {

// 0, 1, 2, 3: for many tokens, half as many, some, few; 4: for few, with blocks that share the depth. `activations` has rows for whole blocks of tokens.
void multiply_tokens(int division, const uint8_t* tiles, int row_tiles, int column_tiles, const __half* activations,
                     int rows, int stride, int tokens, float* out) {
  const size_t results = static_cast<size_t>(tokens) * row_tiles * kTileRows;
  const auto weights = uploaded(tiles, static_cast<size_t>(row_tiles) * column_tiles * kTileBytes);
  const auto values = uploaded(activations, static_cast<size_t>(rows) * stride);
  const auto to = uploaded(out, results);
  const Matrix matrix = {weights.get(), row_tiles, column_tiles};
  const Store store = {to.get(), row_tiles * kTileRows};
  constexpr decltype(&run_product<Large>) divisions[] = {run_product<Large>, run_product<Half>, run_product<Medium>,
                                                         run_product<Small>, run_split_product};
  divisions[division](matrix, {values.get(), stride}, tokens, store);
  to.download(out, results, nullptr);
  check(cudaDeviceSynchronize(), "multiplying");
}

// `cache` is [page][2][kv head][kPageTokens][head width].
void attend_tokens(int heads, int kv_heads, int head_width, const __half* cache, int cached, const int* pages,
                   int page_count, int first, int count, const __half* queries, __half* out, int rows) {
  Shape shape = {};
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  shape.head_width = head_width;
  const size_t width = static_cast<size_t>(shape.query_width());
  const auto kept = uploaded(cache, cached);
  const auto table = uploaded(pages, page_count);
  const auto from = uploaded(queries, rows * width);
  const auto to = uploaded(out, rows * width);
  const Cache all = {kept.get(), 0, table.get(), page_count};
  const PromptChunk chunk = {first, count, table.get()};
  (head_width == 128 ? &run_attention<128> : &run_attention<64>)(shape, all, chunk, from.get(), to.get());
  to.download(out, rows * width, nullptr);
  check(cudaDeviceSynchronize(), "attending");
}

void normalize_tokens(const float* residual, const __half* weights, int width, int count, float epsilon, __half* out) {
  const size_t numbers = static_cast<size_t>(count) * width;
  const auto from = uploaded(residual, numbers);
  const auto scales = uploaded(weights, width);
  const auto to = uploaded(out, numbers);
  rms_norm_kernel<256, PlainRows><<<count, 256>>>(from.get(), scales.get(), width, epsilon, PlainRows{to.get(), width});
  to.download(out, numbers, nullptr);
  check(cudaDeviceSynchronize(), "normalising");
}

// The same in the order of products on warp groups: `out` is [panel][room][64].
void normalize_to_arranged(const float* residual, const __half* weights, int width, int count, float epsilon, int room,
                           __half* out) {
  const auto from = uploaded(residual, static_cast<size_t>(count) * width);
  const auto scales = uploaded(weights, width);
  const size_t all = static_cast<size_t>(width) * room;
  const auto to = uploaded(out, all);
  rms_norm_kernel<256, ArrangedTokens><<<count, 256>>>(from.get(), scales.get(), width, epsilon,
                                                       ArrangedTokens{reinterpret_cast<uint8_t*>(to.get()), room});
  to.download(out, all, nullptr);
  check(cudaDeviceSynchronize(), "normalising");
}

// Rows go through `count` additions with a norm before each and one after the last: `added` is [addition][token][width],
// `weights` [norm][width], `out` [norm][token][width]. `tokens` is a multiple of 8.
void carry_norms(const float* residual, const float* added, const __half* weights, int width, int tokens, int count,
                 float epsilon, float* out) {
  const size_t numbers = static_cast<size_t>(tokens) * width;
  const auto rows = uploaded(residual, numbers);
  const auto additions = uploaded(added, count * numbers);
  const auto factors = uploaded(weights, static_cast<size_t>(count + 1) * width);
  const auto results = uploaded(out, (count + 1) * numbers);
  const int entries = count + 2;
  const Buffer<unsigned long long> squares(CarriedNorms::squares_of(entries), "a test");
  const Buffer<float> scales(CarriedNorms::scales_of(entries), "a test");
  const Buffer<Number> written(static_cast<size_t>(width) * tokens, "a test");
  const CarriedNorms norms = {squares.get(), scales.get(), static_cast<float>(width), epsilon};
  const ArrangedTokens arranged = {reinterpret_cast<uint8_t*>(written.get()), tokens};
  begin_norms_kernel<256><<<tokens, 256>>>(rows.get(), factors.get(), width, norms, entries, arranged);
  for (int norm = 1;; ++norm) {
    const OfNormalized<Store> take = {{results.get() + (norm - 1) * numbers, width}, norms, norm};
    call_epilogue<<<tokens / 8, 32>>>(ArrangedNumbers{arranged}, width / kTileRows, take);
    if (norm > count) break;
    const AddBeforeNorm<4> add = {{rows.get(), width}, factors.get() + norm * width, arranged, norms, norm + 1};
    call_epilogue<<<tokens / 8, 32>>>(PlainNumbers{additions.get() + (norm - 1) * numbers, width}, width / kTileRows,
                                      add);
  }
  results.download(out, (count + 1) * numbers, nullptr);
  check(cudaDeviceSynchronize(), "normalising");
}

// `out` is [panel][room][64].
void arrange_tokens(const __half* activations, int stride, int tokens, int columns, int room, __half* out) {
  const size_t numbers = static_cast<size_t>(room) * columns;
  const auto from = uploaded(activations, static_cast<size_t>(tokens) * stride);
  const auto to = uploaded(out, numbers);
  const ArrangedTokens arranged = {reinterpret_cast<uint8_t*>(to.get()), room};
  const EveryToken all = {{from.get(), stride}, tokens};
  arrange_tokens_kernel<PackedOrder>
      <<<arrange_blocks(tokens, columns), kArrangeThreads>>>(all, tokens, columns, arranged);
  to.download(out, numbers, nullptr);
  check(cudaDeviceSynchronize(), "arranging");
}

}  // extern "C"
