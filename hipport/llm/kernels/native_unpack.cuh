// Decodes matrices in the formats of model files to tiles of 16-bit weights (packed_tiles.cuh), for products with many
// tokens: decoding them once costs less than in each block of such a product.
#ifndef HIPPORT_LLM_NATIVE_UNPACK_CUH
#define HIPPORT_LLM_NATIVE_UNPACK_CUH

#include "matmul.cuh"
#include "native_formats.cuh"

namespace hipport_llm {

constexpr int kUnpackThreads = 256;
// A warp decodes 128 columns of kNativeRows rows, each lane four times eight neighboring columns.
constexpr int kUnpackEach = 4;
static_assert(kUnpackEach * kLanes == kNativeRows * 128 / 8, "all of them");

__host__ __device__ inline int unpack_stages(int columns) { return (columns + 127) / 128; }
__host__ __device__ inline int unpack_warps(int rows, int columns) {
  return (rows + kNativeRows - 1) / kNativeRows * unpack_stages(columns);
}

// Where rows of a matrix are among tiles. Counted from the first of the matrices that are one below the other, rows of
// the same head, `half` apart, are 8 apart in a tile, which is what epilogues take together (matmul_epilogues.cuh).
struct UnpackedRows {
  int above;  // rows of the matrices above this one
  int half;   // a multiple of 8

  __device__ int place(int row) const {
    const int all = above + row, within = all % half;
    return all / (2 * half) * 2 * half + within / 8 * 16 + within % 8 + all / half % 2 * 8;
  }
};

// Tiles `first` .. of the rows of tiles.
struct UnpackedTiles {
  uint8_t* tiles;
  int first, count, column_tiles;

  __device__ uint4* at(int row, int eighth) const {
    const int64_t tile = static_cast<int64_t>(row / kTileRows - first) * column_tiles + eighth / 8;
    const int place = eighth / 4 % 2 * 1024 + row / 8 % 2 * 512 + row % 8 * 64 + eighth % 4 * 16;
    return reinterpret_cast<uint4*>(tiles + tile * SixteenBits::kTileBytes + place);
  }
};

// Grid: unpack_warps warps.
template <typename Format>
__global__ void __launch_bounds__(kUnpackThreads)
    native_unpack_kernel(NativeMatrix matrix, UnpackedRows rows, UnpackedTiles to) {
  const int warp = static_cast<int>(blockIdx.x * (kUnpackThreads / kLanes) + threadIdx.x / kLanes);
  const int stages = unpack_stages(matrix.columns), lane = static_cast<int>(threadIdx.x) % kLanes;
  // In the order of the planes: eighths of 32 columns, rows, and each time a lane loads, the next 32 columns.
  const int row = warp / stages * kNativeRows + lane / 4, first = warp % stages * 16 + lane % 4;
  if (row >= matrix.rows) return;
  const int place = rows.place(row), eighths = matrix.columns / 8;
  if (place / kTileRows < to.first || place / kTileRows >= to.first + to.count) return;
  const NativeRow own(matrix, row);
  float weights[kUnpackEach][8];
#pragma unroll
  for (int i = 0; i < kUnpackEach; ++i) Format::load(matrix, own, min(first + i * 4, eighths - 1), weights[i]);
#pragma unroll
  for (int i = 0; i < kUnpackEach; ++i) {
    Eight eight;
#pragma unroll
    for (int j = 0; j < 4; ++j) eight.set(j, pair_of(weights[i][2 * j], weights[i][2 * j + 1]));
    if (first + i * 4 < eighths) *to.at(place, first + i * 4) = eight.bits;
  }
}

// An epilogue for tiles whose first row of tiles is row `first` of the matrix.
template <typename Epilogue>
struct FromTile {
  Epilogue epilogue;
  int first;

  using Look = typename LookOf<Epilogue>::Type;

  __device__ Look look(int row_tile, int row, int token) const {
    return LookOf<Epilogue>::at(epilogue, first + row_tile, row, token);
  }
  __device__ void operator()(int row_tile, int row, int token, float low, float high, const Look& look) const {
    LookOf<Epilogue>::call(epilogue, first + row_tile, row, token, low, high, look);
  }
};

}  // namespace hipport_llm

#endif
