// A matrix of packed weights (kernels/packed_tiles.cuh) times a few vectors.
//
// sizes: rows, columns (both multiples of 64), vectors (up to 8). buffers: tiles, vectors [vector][column], out [vector]
// [row] of float.
#include <algorithm>
#include <type_traits>

#include "../../kernels/decode_step.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

static_assert(Format::kScaled, "the harness is built for 4-bit weights");

struct Arguments {
  const uint8_t* tiles;
  const __half* vectors;
  float* out;
  int rows, columns, count;

  explicit Arguments(const Launch& l)
      : tiles(l.buffer<uint8_t>(0)),
        vectors(l.buffer<__half>(1)),
        out(l.buffer<float>(2)),
        rows(l.size(0)),
        columns(l.size(1)),
        count(l.size(2)) {
    if (rows % 64 != 0 || columns % 64 != 0) throw EngineError("rows and columns must be multiples of 64");
    if (count < 1 || count > 8) throw EngineError("there must be 1 to 8 vectors");
  }

  __device__ Matrix matrix() const { return {tiles, row_tiles(rows), column_tiles(columns)}; }
  __device__ float* at(int vector, int row) const { return out + static_cast<int64_t>(vector) * rows + row; }
};

// One weight of a tile, as the comment in packed_tiles.cuh has it.
__device__ float weight(const uint8_t* tile, int row, int column) {
  const int shifts[4] = {0, 16, 8, 24};
  const int group = row % 8, high = row / 8, in_block = column % 32, block = column / 32;
  const int lane = 4 * group + in_block / 8, word = block % 2 * 2 + in_block % 8 / 4;
  const uint32_t bits = *reinterpret_cast<const uint32_t*>(tile + block / 2 * 512 + lane * 16 + word * 4);
  const int number = bits >> (shifts[in_block % 4] + 4 * high) & 15;
  const __half* scales = reinterpret_cast<const __half*>(tile + Format::kWeightBytes);
  const float scale =
      __half2float(scales[(group * 2 + high) * Format::kGroups + column * Format::kGroups / kTileColumns]);
  return static_cast<float>(number - 8) * scale;
}

__global__ void alone_kernel(Arguments a) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  const uint8_t* tiles = a.matrix().row(row / kTileRows);
  for (int vector = 0; vector < a.count; ++vector) {
    float sum = 0.0f;
    for (int i = 0; i < a.columns; ++i)
      sum = fmaf(weight(tiles + i / kTileColumns * kTileBytes, row % kTileRows, i % kTileColumns),
                 __half2float(a.vectors[static_cast<int64_t>(vector) * a.columns + i]), sum);
    *a.at(vector, row) = sum;
  }
}

void alone(const Launch& launch) {
  const Arguments a(launch);
  alone_kernel<<<blocks_for(a.rows, launch.block()), launch.block(), 0, launch.stream()>>>(a);
}

constexpr int kMostThreads = 256;

// A group of kLanes lanes for each row of tiles; lanes load what lies 16 bytes apart. For blocks of any size AMD's
// compilers would give it too few registers.
template <int Count>
__global__ void __launch_bounds__(kMostThreads) warp_kernel(Arguments a) {
  __shared__ float sums[32][Count * kTileRows];
  const int warp = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const int row_tile = blockIdx.x * (blockDim.x / kLanes) + warp;
  const Matrix matrix = a.matrix();
  const Vectors vectors = {const_cast<__half*>(a.vectors), a.columns};
  Products<Count> products;
  if (row_tile < matrix.row_tiles)
    for (int i = 0; i < matrix.column_tiles; ++i)
      products.add(matrix.row(row_tile) + i * kTileBytes, vectors, i * kTileColumns, lane);
  products.store(sums[warp], lane);
  __syncthreads();
  if (row_tile >= matrix.row_tiles) return;
  for (int i = lane; i < a.count * kTileRows; i += kLanes)
    *a.at(i / kTileRows, row_tile * kTileRows + i % kTileRows) = sums[warp][i];
}

// Vectors in shared memory, stages of eight tiles spread over the warps, and with bulk copies the ring.
template <int Count>
__global__ void __launch_bounds__(kBlockThreads, 1) stages_kernel(Arguments a, Room room) {
  extern __shared__ __align__(128) uint8_t shared[];
  const Matrix matrix = a.matrix();
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES
  __shared__ StageBarriers barriers;
  Stream stream(shared + room.ring, &barriers, room.stages);
  __syncthreads();
  if (threadIdx.x >= kThreads) {
    if (Stream::copies()) stream.produce(matrix);
    return;
  }
#else
  Stream stream;
#endif
  const Vectors vectors = {reinterpret_cast<__half*>(shared), room.stride};
  float* sums = reinterpret_cast<float*>(shared + room.sums);
  StageCursor cursor(threadIdx.x / kLanes);
  load_unchanged(a.vectors, a.columns, a.count, vectors.values, room.stride);
  const int stages = stages_of(matrix.column_tiles), at_once = room.sums_room / (stages * Count * kTileRows);
  for (int first = 0, all = own_rows(matrix); first < all; first += at_once) {
    const int rows = min(at_once, all - first), first_row = blockIdx.x + first * gridDim.x;
    multiply_rows<Count>(stream, cursor, matrix, first_row, rows, vectors, sums);
    block_sync();
    write_rows<Count>(sums, stages, first_row, rows, [&](int row_tile, int vector, int pair, float low, float high) {
      if (vector >= a.count) return;
      *a.at(vector, row_tile * kTileRows + pair) = low;
      *a.at(vector, row_tile * kTileRows + pair + 8) = high;
    });
    block_sync();
  }
}

// Calls with the smallest number of vectors, of those that kernels are made for.
template <typename Use>
void with_count(int count, const Use& use) {
  if (count == 1) return use(std::integral_constant<int, 1>());
  use(std::integral_constant<int, 8>());
}

void warp_a_row(const Launch& launch) {
  const Arguments a(launch);
  const int blocks = blocks_for(row_tiles(a.rows), launch.block() / kLanes);
  with_count(a.count, [&](auto count) {
    warp_kernel<decltype(count)::value><<<blocks, launch.block(), 0, launch.stream()>>>(a);
  });
}

// Shared memory: vectors, sums of stages, ring.
Room room_for(const Arguments& a, int count, int limit) {
  const auto aligned = [](int bytes) { return (bytes + 127) / 128 * 128; };
  Room room = {};
  room.stride = a.columns + kVectorPadding;
  room.sums = aligned(count * room.stride * 2);
  const int row = stages_of(column_tiles(a.columns)) * count * kTileRows * 4;
  room.ring = room.sums + aligned(4 * row);
  room.sums_room = (room.ring - room.sums) / 4;
  room.stages = kRingStages == 0 ? 0 : std::min(kRingStages, (limit - room.ring) / kStageBytes / kWarps * kWarps);
  room.bytes = room.ring + room.stages * kStageBytes;
  if (room.bytes > limit || (kRingStages > 0 && room.stages < kWarps))
    throw EngineError("the vectors do not fit into shared memory");
  return room;
}

template <int Count>
void launch_stages(const Arguments& a, cudaStream_t stream) {
  // Asked for once: the properties of a device take longer than a small kernel.
  static const int limit = shared_limit(), blocks = processors();
  const Room room = room_for(a, Count, limit);
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(&stages_kernel<Count>),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, room.bytes),
        "asking for shared memory");
  stages_kernel<Count><<<blocks, kBlockThreads, room.bytes, stream>>>(a, room);
}

void as_in_a_step(const Launch& launch) {
  const Arguments a(launch);
  with_count(a.count, [&](auto count) { launch_stages<decltype(count)::value>(a, launch.stream()); });
}

const Registered v1("matvec", 1, "A thread for each row, weight by weight.", {64, 256}, alone);
const Registered v2("matvec", 2, "A warp for each row of tiles: 16 bytes a lane, products in packed pairs.",
                    {64, 128, kMostThreads}, warp_a_row);
const Registered v3(
    "matvec", 3,
    "As a step does it: vectors in shared memory, stages of a row spread over a block's warps; with bulk "
    "copies a ring of them is kept filled.",
    {kBlockThreads}, as_in_a_step);

}  // namespace

}  // namespace hipport_llm
