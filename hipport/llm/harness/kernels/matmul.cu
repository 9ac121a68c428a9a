// A matrix of packed weights (kernels/packed_tiles.cuh) times many tokens: what prompts go through.
//
// sizes: rows, columns (both multiples of 64), tokens. buffers: tiles, tokens [token][column], of which there is memory
// for a multiple of 256, out [token][row] of float.
#include "../../engine/matmul_launch.h"
#include "../../engine/warpgroup_products.h"
#include "../../kernels/matrix_unit_lanes.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

static_assert(Format::kScaled, "the harness is built for 4-bit weights");

struct Arguments {
  Matrix matrix;
  Activations activations;
  float* out;
  int rows, tokens;

  explicit Arguments(const Launch& l)
      : matrix{l.buffer<uint8_t>(0), l.size(0) / kTileRows, l.size(1) / kTileColumns},
        activations{l.buffer<__half>(1), l.size(1)},
        out(l.buffer<float>(2)),
        rows(l.size(0)),
        tokens(l.size(2)) {
    if (rows % 64 != 0 || l.size(1) % 64 != 0) throw EngineError("rows and columns must be multiples of 64");
  }
};

struct WriteResult {
  float* out;
  int rows;
  __device__ void operator()(int row_tile, int row, int token, float low, float high) const {
    float* to = out + static_cast<int64_t>(token) * rows + row_tile * kTileRows + row;
    to[0] = low;
    to[8] = high;
  }
};

// A group of kLanes lanes for each row of tiles and token.
__global__ void warp_kernel(Arguments a) {
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes, token = blockIdx.y;
  const int row_tile = blockIdx.x * (blockDim.x / kLanes) + warp;
  if (row_tile >= a.matrix.row_tiles) return;
  const uint8_t* tiles = a.matrix.row(row_tile);
  const __half* own = a.activations.values + static_cast<int64_t>(token) * a.activations.stride + lane % 4 * 8;
  float low = 0.0f, high = 0.0f;
  for (int i = 0; i < a.matrix.column_tiles; ++i) {
    const LaneWeights weights(tiles + i * kTileBytes, lane);
#pragma unroll
    for (int block = 0; block < Format::kBlocks; ++block) {
      const LaneRows rows = weights.block(block);
      const Eight x = load8(own + i * kTileColumns + block * kBlockColumns);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        low = dot2(rows.low.pair(j), x.pair(j), low);
        high = dot2(rows.high.pair(j), x.pair(j), high);
      }
    }
  }
  low = sum_lanes<4>(low);
  high = sum_lanes<4>(high);
  if (lane % 4 == 0) WriteResult{a.out, a.rows}(row_tile, lane / 4, token, low, high);
}

void warp_a_row(const Launch& launch) {
  const Arguments a(launch);
  const dim3 grid(blocks_for(a.matrix.row_tiles, launch.block() / kLanes), a.tokens);
  warp_kernel<<<grid, launch.block(), 0, launch.stream()>>>(a);
}

template <typename Division>
void multiply(const Launch& launch, const BlockShape& block) {
  const Arguments a(launch);
  const auto kernel = &matmul_kernel<Division, WriteResult>;
  const int bytes = dynamic_bytes(kernel, Division::kSharedBytes);
  const dim3 grid(blocks_for(a.tokens, block.tokens), blocks_for(a.matrix.row_tiles, block.row_tiles));
  kernel<<<grid, block.threads, bytes, launch.stream()>>>(a.matrix, a.activations, a.tokens,
                                                          WriteResult{a.out, a.rows});
}

// How blocks divide products, which the device knows.
const BlockShape& shape(int number) {
  static const auto all = block_shapes<Small, Medium, Large>();
  return all[number];
}

void few(const Launch& launch) { multiply<Small>(launch, shape(0)); }
void some(const Launch& launch) { multiply<Medium>(launch, shape(1)); }
void many(const Launch& launch) { multiply<Large>(launch, shape(2)); }

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

template <typename Division>
void in_groups(const Launch& launch) {
  const Arguments a(launch);
  static WarpgroupProducts products;
  if (!products.fits(a.tokens, a.activations.stride)) products = WarpgroupProducts(1, a.tokens, a.activations.stride);
  products.multiply_divided<Division>(a.matrix, a.activations, a.tokens, WriteResult{a.out, a.rows}, launch.stream());
}

const Registered v5("matmul", 5, "Units of Hopper's warp groups, tokens in a ring that bulk copies fill.",
                    {Square::kThreads}, in_groups<Square>);
const Registered v6("matmul", 6, "Two blocks share the columns of a product, and add their sums.",
                    {SplitSquare::kThreads}, in_groups<SplitSquare>);
const Registered v7("matmul", 7, "A block takes more rows.", {Tall::kThreads}, in_groups<Tall>);
const Registered v8("matmul", 8, "A block takes more tokens.", {Wide::kThreads}, in_groups<Wide>);

#endif

const Registered v1("matmul", 1, "A warp for each row of tiles and token: 16 bytes a lane, products in packed pairs.",
                    {64, 128, 256}, warp_a_row);
const Registered v2("matmul", 2,
                    "Matrix units, weights dequantised in registers; for few tokens, warps share the depth.",
                    {kFourWavefronts}, few);
const Registered v3("matmul", 3, "A block takes more rows and tokens.", {kFourWavefronts}, some);
const Registered v4("matmul", 4, "Warps take more and do not share the depth: for many tokens.", {kFourWavefronts},
                    many);

}  // namespace

}  // namespace hipport_llm
