// A matrix in a format of model files (kernels/native_matrix.h) times a vector.
//
// sizes: rows (a multiple of 16), columns (of 256), the number of the format, the binary logarithm of a group's columns. buffers:
// codes, upper bits, scales, minimums, factors (null where the format has none), vector, out (float).
#include <algorithm>

#include "../../engine/native_step.h"
#include "../../kernels/decode_step.cuh"
#include "../../kernels/native_matvec.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct Product {
  NativeMatrix matrix;
  const Number* vector;
  float* out;

  explicit Product(const Launch& l)
      : matrix{l.size(2),   l.size(0),   l.size(1),   l.size(3),  plane(l, 0),
               plane(l, 1), plane(l, 2), plane(l, 3), plane(l, 4)},
        vector(l.buffer<Number>(5)),
        out(l.buffer<float>(6)) {
    if (matrix.rows % kTileRows != 0 || matrix.columns % 256 != 0)
      throw EngineError("rows must be a multiple of 16, and columns of 256");
  }

 private:
  static const uint8_t* plane(const Launch& launch, int i) { return launch.buffer<uint8_t>(i); }
};

// Calls with the format, of those that versions are made for.
template <typename Use>
void with_format(int format, const Use& use) {
  switch (format) {
    case 5: return use(NativeFormat<ByteCodes, HalfScales>());
    case 6: return use(NativeFormat<FourBitCodes<0>, FactoredPairs>());
    case 8: return use(NativeFormat<SixBitCodes, FactoredScales>());
    default: throw EngineError("it is not made for format " + std::to_string(format));
  }
}

template <typename Form>
__global__ void alone_kernel(Product p) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= p.matrix.rows) return;
  const NativeRow own(p.matrix, row);
  float sum = 0.0f;
  for (int eighth = 0; eighth < p.matrix.columns / 8; ++eighth) {
    float weights[8];
    Form::load(p.matrix, own, eighth, weights);
    for (int i = 0; i < 8; ++i) sum = fmaf(weights[i], float_of(p.vector[eighth * 8 + i]), sum);
  }
  p.out[row] = sum;
}

void alone(const Launch& launch) {
  const Product p(launch);
  with_format(p.matrix.format, [&](auto form) {
    alone_kernel<decltype(form)><<<blocks_for(p.matrix.rows, launch.block()), launch.block(), 0, launch.stream()>>>(p);
  });
}

void as_in_a_graph(const Launch& launch) {
  const Product p(launch);
  const NativeParts parts = {{p.matrix}, 1};
  const Activations activations = {p.vector, p.matrix.columns};
  with_format(p.matrix.format, [&](auto form) {
    native_matvec_kernel<decltype(form), 1><<<parts.blocks(kMatvecRows), kMatvecThreads, 0, launch.stream()>>>(
        parts, activations, {p.out, p.matrix.rows, 1});
  });
}

#if defined(__HIP_PLATFORM_AMD__) || HIPPORT_LLM_BULK_COPIES

// Shared memory in bytes from its start: the vector, and what follows it.
struct StepRoom {
  int vector, sums, at_once, ring, stages, stage_bytes, bytes;
};

struct StepProduct {
  Model model;
  const Number* vector;
  float* out;
  StepRoom room;
};

// The vector on its way to shared memory: all loads at once, as vectors arrive in a step.
class VectorLoads {
 public:
  static constexpr int kMost = 7 * kThreads * 8;  // elements

  __device__ __forceinline__ VectorLoads(const Number* from, int length) : eighths_(length / 8) {
#pragma unroll
    for (int i = 0; i < kRounds; ++i) eights_[i] = load8(from + min(place(i), eighths_ - 1) * 8);
  }

  __device__ __forceinline__ void store(Number* to) const {
#pragma unroll
    for (int i = 0; i < kRounds; ++i)
      if (place(i) < eighths_) store8(to + place(i) * 8, eights_[i]);
    block_sync();
  }

 private:
  static constexpr int kRounds = kMost / (kThreads * 8);

  __device__ static int place(int round) { return round * kThreads + thread_index(); }

  Eight eights_[kRounds];
  int eighths_;
};

__global__ void __launch_bounds__(kBlockThreads, 1) native_stages_kernel(StepProduct by_value) {
  extern __shared__ __align__(128) uint8_t shared[];
  const StepProduct& p = kernel_arguments(by_value);
  NativeRowTiles rows(p.model, Phase::kHead, 0);
#if defined(__HIP_PLATFORM_AMD__)
  __shared__ StepMatrix matrices[kStepMatrices];
  NativeStream stream(matrices);
  stream.fetch(rows);
#else
  __shared__ NativeStream::Barriers barriers;
  NativeStream stream(shared + p.room.ring, &barriers, p.room.stages, p.room.stage_bytes);
  __syncthreads();
  if (threadIdx.x >= kThreads) {
    stream.produce(rows);
    return;
  }
#endif
  NativeVector vector;
  vector.place(reinterpret_cast<Number*>(shared), shared + p.room.vector);
  float* sums = reinterpret_cast<float*>(shared + p.room.sums);
  StageCursor cursor(thread_index() / kLanes);
  VectorLoads(p.vector, p.model.shape.width).store(vector.values);
#if defined(__HIP_PLATFORM_AMD__)
  rows = stream.fetched(rows);
#endif
  vector.arrange(p.model.shape.width);
  const int stages = stages_of(rows);
  for (int first = 0, all = own_rows(rows); first < all; first += p.room.at_once) {
    const int count = min(p.room.at_once, all - first), first_row = blockIdx.x + first * gridDim.x;
    multiply_rows<1>(stream, cursor, rows, first_row, count, vector, sums);
    block_sync();
    write_rows<1>(sums, stages, first_row, count, [&](int row_tile, int, int pair, float low, float high) {
      if (thread_index() % kLanes >= 8) return;
      p.out[row_tile * kTileRows + pair] = low;
      p.out[row_tile * kTileRows + pair + 8] = high;
    });
    block_sync();
  }
}

StepRoom room_for(const NativeMatrix& matrix, int limit) {
  const auto aligned = [](int bytes) { return (bytes + 127) / 128 * 128; };
  if (matrix.columns > VectorLoads::kMost) throw EngineError("the vector is too long");
  StepRoom room = {};
  room.vector = aligned(matrix.columns * 2);
  room.sums = room.vector + aligned(NativeVector::bytes(matrix.columns));
  room.at_once = 8;
  const int stages = (matrix.columns + kNativeStageColumns - 1) / kNativeStageColumns;
  room.ring = room.sums + aligned(room.at_once * stages * kTileRows * 4);
#if HIPPORT_LLM_BULK_COPIES
  room.stage_bytes = 2 * NativeStep::step_matrix(matrix).octet_bytes;
  room.stages = std::min(kRingStages, (limit - room.ring) / room.stage_bytes / kWarps * kWarps);
  if (room.stages < kWarps) throw EngineError("the vector does not fit into shared memory");
#endif
  room.bytes = room.ring + room.stages * room.stage_bytes;
  if (room.bytes > limit) throw EngineError("the vector does not fit into shared memory");
  return room;
}

void as_in_a_step(const Launch& launch) {
  // Asked for once: the properties of a device take longer than a small kernel.
  static const int limit = shared_limit(), blocks = processors();
  static const Buffer<StepMatrix>& table = *new Buffer<StepMatrix>(1, "the table of matrices");
  const Product p(launch);
  StepProduct step = {};
  step.model.shape.width = p.matrix.columns;
  step.model.shape.vocabulary = p.matrix.rows;
  step.model.native = table.get();
  step.vector = p.vector, step.out = p.out;
  step.room = room_for(p.matrix, limit);
  const StepMatrix entry = NativeStep::step_matrix(p.matrix);
  check(cudaMemcpy(table.get(), &entry, sizeof(entry), cudaMemcpyHostToDevice), "copying the table of matrices");
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(&native_stages_kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, step.room.bytes),
        "asking for shared memory");
  native_stages_kernel<<<blocks, kBlockThreads, step.room.bytes, launch.stream()>>>(step);
}

#endif

const Registered v1("native_matvec", 1, "A thread for each row, eight weights at a time.", {64, 256}, alone);
const Registered v2("native_matvec", 2,
                    "As in a graph of kernels: 32 columns of four rows a lane, in single precision.", {kMatvecThreads},
                    as_in_a_graph);
#if defined(__HIP_PLATFORM_AMD__) || HIPPORT_LLM_BULK_COPIES
const Registered v3(
    "native_matvec", 3,
    "As a step does it: the vector in shared memory, pairs of codes, stages of a row spread over a block's warps.",
    {kBlockThreads}, as_in_a_step);
#endif

}  // namespace

}  // namespace hipport_llm
