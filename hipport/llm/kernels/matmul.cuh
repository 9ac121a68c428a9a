// Multiplies a packed matrix with many tokens on matrix units: each block computes some rows for some tokens.
#ifndef HIPPORT_LLM_MATMUL_CUH
#define HIPPORT_LLM_MATMUL_CUH

#include <type_traits>

#include "operand_pipeline.cuh"

namespace hipport_llm {

// How a block's warps divide its part of the product: each takes `RowTiles` x 16 rows and `ColumnTiles` x 16 tokens.
// `Across` of them are side by side along the tokens, and `Deep` share the same results: each sums over every `Deep`-th
// tile.
template <int RowTiles, int ColumnTiles, int Across, int Deep>
struct Division {
  static constexpr int kRowTiles = RowTiles, kColumnTiles = ColumnTiles, kAcross = Across, kDeep = Deep;
  static constexpr int kDown = kUnits / (Across * Deep);
  using Own = Stage<kDown * RowTiles, Across * ColumnTiles * 16, Deep>;
  // Shared memory for the sums of warps that share results, for one row of tiles.
  static constexpr int kSumBytes = Deep == 1 ? 0 : kUnits * ColumnTiles * 16 * 16 * 4;
  static constexpr int kStageBytes = Own::kCount * Own::kBytes;
  static constexpr int kSharedBytes = kStageBytes > kSumBytes ? kStageBytes : kSumBytes;
  // Registers are limited for as many resident blocks as shared memory allows: it is 64 KB on AMD GPUs.
#if !defined(__HIP_PLATFORM_AMD__)
  static constexpr int kResident = RowTiles * ColumnTiles <= (Deep == 1 ? 8 : 4) ? 3 : 2;
#else
  static constexpr int kResident = 2 * kSharedBytes > 65536 ? 1 : 2;
#endif
};

// For many tokens, for half as many, for some, and for few. These are structs, not aliases: a kernel's name contains
// its template arguments, and the host compile, which launches by name, does not know the GPU's Unit.
struct Large : Division<Unit::kRowTiles, Unit::kColumnTiles, 2, 1> {};
struct Half : Division<Unit::kRowTiles / 2, Unit::kColumnTiles, 2, 1> {};
constexpr int kDeep = kTileColumns <= Panels::kColumns ? 4 : 2;  // so that a stage does not become too large
struct Medium : Division<Unit::kMediumRows, Unit::kMediumColumns, 1, kDeep> {};
struct Small : Division<2, (Unit::kMediumColumns < 2 ? 1 : 2), 1, kDeep> {};

// For few tokens, up to `Most` x 16 per block, with the depth split over blocks (split-K).
template <int RowTiles, int Most>
struct Shallow : Division<RowTiles, (Unit::kMediumColumns < Most ? Unit::kMediumColumns : Most), 1, 1> {
#if !defined(__HIP_PLATFORM_AMD__)
  static constexpr int kResident = RowTiles * Shallow::kColumnTiles < 8 ? 4 : 3;
#endif
};

// A warp's part of a product.
template <typename Division>
class WarpProduct {
 public:
  using Own = typename Division::Own;

  __device__ WarpProduct() : lane_(threadIdx.x % Unit::kLanes) {
    const int unit = threadIdx.x / Unit::kLanes;
    deep_ = unit % Division::kDeep;
    token_ = unit / Division::kDeep % Division::kAcross * Division::kColumnTiles * 16;
    row_ = unit / Division::kDeep / Division::kAcross * Division::kRowTiles;
  }

  // Adds the products of a stage, in which `tiles` tiles of a row are the matrix's.
  __device__ __forceinline__ void add(const uint8_t* stage, int tiles) {
    if (Own::kTiles > 1 && deep_ >= tiles) return;
    const Panels tokens(const_cast<uint8_t*>(stage) + Own::kWeightBytes, Own::kTokens);
    typename Unit::Weights weights[Division::kRowTiles];
#pragma unroll
    for (int r = 0; r < Division::kRowTiles; ++r)
      weights[r] = typename Unit::Weights(stage + (row_ + r) * Own::kRowBytes + deep_ * kTileBytes, lane_);
#pragma unroll
    for (int block = 0; block < Format::kBlocks; ++block) {
      if (HIPPORT_LLM_BF16 || Format::kBlocks > 2) keep_order();
      typename Unit::Rows rows[Division::kRowTiles];
#pragma unroll
      for (int r = 0; r < Division::kRowTiles; ++r) rows[r] = weights[r].block(block);
#pragma unroll
      for (int c = 0; c < Division::kColumnTiles; ++c) {
        const typename Unit::Columns columns(tokens, token_ + c * 16, deep_ * Format::kBlocks + block, lane_);
#pragma unroll
        for (int r = 0; r < Division::kRowTiles; ++r) Unit::multiply_add(sums_[r][c], rows[r], columns);
      }
    }
  }

  // For split-K: the number of float4 that a thread stores.
  static constexpr int kFours = Unit::kPairs / 2, kResults = Division::kRowTiles * Division::kColumnTiles * kFours;

  __device__ __forceinline__ void store(float4* to) const {
#pragma unroll
    for (int r = 0; r < Division::kRowTiles; ++r)
#pragma unroll
      for (int c = 0; c < Division::kColumnTiles; ++c) {
        const auto results = Unit::finish(sums_[r][c], lane_);
#pragma unroll
        for (int i = 0; i < kFours; ++i)
          to[four_place(r * Division::kColumnTiles + c, i)] =
              make_float4(results.low[2 * i], results.low[2 * i + 1], results.high[2 * i], results.high[2 * i + 1]);
      }
  }

  // Adds what `count` blocks have stored, consecutively from `from` on, and gives the sums to `out`.
  template <typename Out>
  __device__ __forceinline__ void write_stored(const float4* from, int count, const Out& out) const {
#pragma unroll 1
    for (int tile = 0; tile < Division::kRowTiles * Division::kColumnTiles; ++tile) {
      const int r = tile / Division::kColumnTiles, c = tile % Division::kColumnTiles;
      typename Out::Look looks[Unit::kPairs];
      look(r, c, out, looks);
      Results results;
#pragma unroll 8
      for (int i = 0; i < count; ++i) add_stored(from + i * kResults * kUnitThreads, tile, results);
      write_tile(r, c, results, out, looks);
    }
  }

  // Gives `out` the results. Called by all threads; `shared` must no longer be in use.
  template <typename Out>
  __device__ __forceinline__ void write(float* shared, const Out& out) const {
#pragma unroll
    for (int r = 0; r < Division::kRowTiles; ++r)
      if constexpr (Division::kDeep == 1)
        write_own(r, out);
      else
        write_shared(r, shared, out);
  }

 private:
  // A lane's results: of rows 0..7, and of the rows 8 below them.
  struct Results {
    float low[Unit::kPairs] = {}, high[Unit::kPairs] = {};
  };

  template <typename Out>
  __device__ __forceinline__ void write_own(int r, const Out& out) const {
    typename Out::Look looks[Division::kColumnTiles][Unit::kPairs];
#pragma unroll
    for (int c = 0; c < Division::kColumnTiles; ++c) look(r, c, out, looks[c]);
#pragma unroll
    for (int c = 0; c < Division::kColumnTiles; ++c) {
      const auto results = Unit::finish(sums_[r][c], lane_);
      write_tile(r, c, results, out, looks[c]);
    }
  }

  // The sums of warps that share a part.
  template <typename Out>
  __device__ __forceinline__ void write_shared(int r, float* shared, const Out& out) const {
    __syncthreads();
#pragma unroll
    for (int c = 0; c < Division::kColumnTiles; ++c) {
      const auto results = Unit::finish(sums_[r][c], lane_);
      keep(kept(shared, c, deep_), results.low, results.high);
    }
    __syncthreads();
    for (int c = deep_; c < Division::kColumnTiles; c += Division::kDeep) {
      typename Out::Look looks[Unit::kPairs];
      look(r, c, out, looks);
      Results results;
#pragma unroll
      for (int deep = 0; deep < Division::kDeep; ++deep) add_kept(kept(shared, c, deep), results);
      write_tile(r, c, results, out, looks);
    }
  }

  template <typename Out>
  __device__ __forceinline__ void look(int r, int c, const Out& out, typename Out::Look (&looks)[Unit::kPairs]) const {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i)
      looks[i] = out.look(row_ + r, Unit::row(lane_, i), token_ + c * 16 + Unit::column(lane_, i));
  }
  template <typename Out, typename Pairs>
  __device__ __forceinline__ void write_tile(int r, int c, const Pairs& results, const Out& out,
                                             const typename Out::Look (&looks)[Unit::kPairs]) const {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i)
      out.write(row_ + r, Unit::row(lane_, i), token_ + c * 16 + Unit::column(lane_, i), results.low[i],
                results.high[i], looks[i]);
  }

  // The shared memory in which warp `deep` of those that share results keeps this lane's sums of a tile.
  __device__ float* kept(float* shared, int c, int deep) const {
    const int unit = threadIdx.x / Unit::kLanes - deep_ + deep;
    return shared + (unit * Division::kColumnTiles + c) * 16 * 16 + lane_;
  }

  __device__ static void keep(float* to, const float (&low)[Unit::kPairs], const float (&high)[Unit::kPairs]) {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i) {
      to[2 * i * Unit::kLanes] = low[i];
      to[(2 * i + 1) * Unit::kLanes] = high[i];
    }
  }

  __device__ static void add_kept(const float* from, Results& results) {
#pragma unroll
    for (int i = 0; i < Unit::kPairs; ++i) {
      results.low[i] += from[2 * i * Unit::kLanes];
      results.high[i] += from[(2 * i + 1) * Unit::kLanes];
    }
  }

  // The index at which a thread stores four sums of a tile.
  __device__ static int four_place(int tile, int four) {
    return (tile * kFours + four) * kUnitThreads + static_cast<int>(threadIdx.x);
  }

  // Bypasses this multiprocessor's L1 cache, because other blocks have stored the sums.
  __device__ static void add_stored(const float4* from, int tile, Results& results) {
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      const float4 four = __ldcg(from + four_place(tile, i));
      results.low[2 * i] += four.x;
      results.low[2 * i + 1] += four.y;
      results.high[2 * i] += four.z;
      results.high[2 * i + 1] += four.w;
    }
  }

  int lane_, deep_, row_, token_;
  typename Unit::Sums sums_[Division::kRowTiles][Division::kColumnTiles];
};

template <typename Division>
__device__ BlockShape block_shape() {
  return {kUnitThreads, Division::Own::kRowTiles, Division::Own::kTokens};
}

// Tells the host how blocks divide products.
template <typename... Divisions>
__global__ void block_shapes_kernel(BlockShape* shapes) {
  const BlockShape all[] = {block_shape<Divisions>()...};
  for (int i = 0; i < static_cast<int>(sizeof...(Divisions)); ++i) shapes[i] = all[i];
}

// Adapts epilogues with and without a Look, what look(row tile, row, token) loads before the epilogue is called.
struct Nothing {};
template <typename Epilogue, typename = void>
struct LookOf {
  using Type = Nothing;
  __device__ static Nothing at(const Epilogue&, int, int, int) { return {}; }
  __device__ static void call(const Epilogue& epilogue, int row_tile, int row, int token, float low, float high,
                              const Nothing&) {
    epilogue(row_tile, row, token, low, high);
  }
};
template <typename Epilogue>
struct LookOf<Epilogue, std::void_t<typename Epilogue::Look>> {
  using Type = typename Epilogue::Look;
  __device__ static Type at(const Epilogue& epilogue, int row_tile, int row, int token) {
    return epilogue.look(row_tile, row, token);
  }
  __device__ static void call(const Epilogue& epilogue, int row_tile, int row, int token, float low, float high,
                              const Type& look) {
    epilogue(row_tile, row, token, low, high, look);
  }
};

// Calls an epilogue for the results of a block, leaving out rows and tokens beyond the end.
template <typename Epilogue>
struct BlockOut {
  using Look = typename LookOf<Epilogue>::Type;

  const Epilogue& epilogue;
  int first_row, rows, first_token, tokens;

  __device__ Look look(int row_tile, int row, int token) const {
    return LookOf<Epilogue>::at(epilogue, first_row + min(row_tile, rows - 1), row,
                                first_token + min(token, tokens - 1));
  }
  __device__ void write(int row_tile, int row, int token, float low, float high, const Look& look) const {
    if (row_tile < rows && token < tokens)
      LookOf<Epilogue>::call(epilogue, first_row + row_tile, row, first_token + token, low, high, look);
  }
};

// Grid: (tokens, rows). `Epilogue` is called with a row of tiles, a row of its first eight, a token, and the results of
// that row and of the row 8 below it.
template <typename Division, typename Epilogue>
__global__ void __launch_bounds__(kUnitThreads, Division::kResident)
    matmul_kernel(Matrix matrix, Activations activations, int tokens, Epilogue epilogue) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[Division::kSharedBytes];
#endif
  using Own = typename Division::Own;
  const int first_row = blockIdx.y * Own::kRowTiles, first_token = blockIdx.x * Own::kTokens;
  if (first_row >= matrix.row_tiles || first_token >= tokens) return;
  const Pieces<Own> pieces(matrix, first_row, activations, first_token);
  const int count = (matrix.column_tiles + Own::kTiles - 1) / Own::kTiles;
  OperandPipeline<Own> stages(shared, pieces, 0, count);
  WarpProduct<Division> product;
#pragma unroll 1
  for (int i = 0; i < count; ++i) product.add(stages.next(i), matrix.column_tiles - i * Own::kTiles);
  product.write(reinterpret_cast<float*>(shared), BlockOut<Epilogue>{epilogue, first_row, matrix.row_tiles - first_row,
                                                                     first_token, tokens - first_token});
}

}  // namespace hipport_llm

#endif
