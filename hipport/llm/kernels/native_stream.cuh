// Streams weights in the formats of model files to the warps that multiply them, like weight_stream.cuh.
//
// A stage in shared memory is the low octet and then the high one, which have the same format: of each, what the stage has of
// the planes, one after the other.
#ifndef HIPPORT_LLM_NATIVE_STREAM_CUH
#define HIPPORT_LLM_NATIVE_STREAM_CUH

#include "native_rows.cuh"

// Whether the persistent kernel multiplies with matrices in the formats of model files. On NVIDIA GPUs before Hopper it does
// not: native_matvec.cuh does.
#if HIPPORT_LLM_NATIVE && !HIPPORT_LLM_GENERAL && (HIPPORT_LLM_BULK_COPIES || defined(__HIP_PLATFORM_AMD__))
#define HIPPORT_LLM_NATIVE_STEPS 1
#else
#define HIPPORT_LLM_NATIVE_STEPS 0
#endif

namespace hipport_llm {

constexpr bool kNativeSteps = HIPPORT_LLM_NATIVE_STEPS != 0;

constexpr int kStageQuarters = kNativeStageColumns / 32;

__device__ inline int quarters_of(const NativeRowTiles& rows, int stage) {
  return min(kStageQuarters, rows.column_tiles * (kTileColumns / 32) - stage * kStageQuarters);
}

// Where a lane's weights are: row g of both octets.
struct OctetLanes {
  NativeMatrix octets[2];
  NativeRow rows[2];
};

// Writes the sums of 16 rows: those of rows g of both octets are the sums of four lanes' totals.
__device__ __forceinline__ void store_totals(const float (&totals)[2], float* sums, int lane) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float sum = sum_lanes<4>(totals[i]);
    if (lane % 4 == 0) sums[i * kNativeRows + lane / 4] = sum;
  }
}

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES

// What a lane copies of the stages of a row of tiles: 16 bytes of every 512 of codes and of their upper bits, and 16 bytes of
// one of the small planes. Bulk copies would take too long to start: there are up to ten pieces.
class LaneCopies {
 public:
  __device__ __forceinline__ LaneCopies(const OctetPair& octets, int lane)
      : octet_bytes_(octets.low.of->octet_bytes), place_(lane * kChunkBytes) {
#pragma unroll
    for (int i = 0; i < StepMatrix::kLarge; ++i) {
      large_[i] = octets.low.of->large[i];
      low_[i] = large_plane(octets.low, i) + octets.low.number * int64_t{large_[i].all} + place_;
      high_[i] = large_plane(octets.high, i) + octets.high.number * int64_t{large_[i].all} + place_;
    }
    const ChunkPlane low = octets.low.of->chunks[lane], high = octets.high.of->chunks[lane];
    chunk_ = low.bytes;
    low_chunk_ = low.from + octets.low.number * int64_t{chunk_.all};
    high_chunk_ = high.from + octets.high.number * int64_t{chunk_.all};
    chunk_end_ = low.end;
  }

  __device__ __forceinline__ void copy(int stage, uint8_t* to) const {
    uint8_t* low = to + place_;
    uint8_t* high = low + octet_bytes_;
#pragma unroll
    for (int i = 0; i < StepMatrix::kLarge; ++i) {
      copy_large(large_[i].at(stage), low_[i] + stage * large_[i].stage, high_[i] + stage * large_[i].stage, low, high);
      low += large_[i].stage;
      high += large_[i].stage;
    }
    const uint32_t first = stage * chunk_.stage;
    if (first >= chunk_end_) return;
    copy_chunk(low, low_chunk_ + first);
    copy_chunk(high, high_chunk_ + first);
  }

 private:
  // What a warp copies of one octet at a time, and how often without asking.
  static constexpr uint32_t kWarpBytes = kLanes * kChunkBytes, kAtOnce = 4;

  __device__ static const uint8_t* large_plane(const Octet& octet, int i) {
    return i == 0 ? octet.of->matrix.codes : octet.of->matrix.high;
  }

  __device__ __forceinline__ void copy_large(uint32_t bytes, const uint8_t* low, const uint8_t* high, uint8_t* to_low,
                                             uint8_t* to_high) const {
    uint32_t at = 0;
#pragma unroll 1
    for (; at + kAtOnce * kWarpBytes <= bytes; at += kAtOnce * kWarpBytes) {
#pragma unroll
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        copy_chunk(to_low + at + i * kWarpBytes, low + at + i * kWarpBytes);
        copy_chunk(to_high + at + i * kWarpBytes, high + at + i * kWarpBytes);
      }
    }
#pragma unroll 1
    for (; at + place_ < bytes; at += kWarpBytes) {
      copy_chunk(to_low + at, low + at);
      copy_chunk(to_high + at, high + at);
    }
  }

  OctetBytes large_[StepMatrix::kLarge], chunk_;
  const uint8_t *low_[StepMatrix::kLarge], *high_[StepMatrix::kLarge], *low_chunk_, *high_chunk_;
  uint32_t octet_bytes_, place_, chunk_end_;
};

class NativeStream : public StageRing {
 public:
  struct Barriers : StageBarriers {
    uint32_t kinds[kRingStages];
  };

  // The stages of the ring are `stage_bytes` apart.
  __device__ NativeStream(uint8_t* ring, Barriers* barriers, int stages, int stage_bytes)
      : StageRing(barriers, stages, kLanes + 1), ring_(ring), kinds_(barriers->kinds), stage_bytes_(stage_bytes) {}

  // Whether this thread copies.
  __device__ static bool copies() { return threadIdx.x >= kThreads; }

  // Called by the copying threads: copies this block's rows, one stage each warp in turn.
  __device__ __forceinline__ void produce(const NativeRowTiles& rows) {
    produce_rows(own_rows(rows), stages_of(rows), [&](int row) {
      const OctetPair octets = rows.octets(blockIdx.x + row * gridDim.x);
      const int lane = threadIdx.x % kLanes;
      const LaneCopies copies(octets, lane);
      const NativeKind own = octets.low.of->kind();
      const uint32_t kind = own.format | own.group_shift << 8;
      return [=](int i, int stage, uint64_t* full) {
        if (lane == 0) {
          kinds_[stage] = kind;
          arrive(full);  // which the arrivals of copies would not publish
        }
        copies.copy(i, ring_ + stage * stage_bytes_);
        arrive_with_copies(full);
      };
    });
  }

  // Called by a computing warp: waits for its next stage, and returns where it is. release() frees it.
  __device__ const uint8_t* acquire(NativeKind& kind) {
    const int stage = acquire_stage();
    kind = {static_cast<int>(kinds_[stage] & 255u), static_cast<int>(kinds_[stage] >> 8)};
    return ring_ + stage * stage_bytes_;
  }

 private:
  uint8_t* ring_;
  uint32_t* kinds_;
  int stage_bytes_;
};

#elif defined(__HIP_PLATFORM_AMD__)

// Weights are loaded by the lanes that multiply them (native_lanes.cuh).
class NativeStream {
 public:
  // `table`: shared memory for the matrices of a phase.
  __device__ explicit NativeStream(StepMatrix* table) : table_(table) {}

  // Called by the computing threads: loads the matrices of a phase, whose addresses lanes would wait for otherwise.
  __device__ __forceinline__ void fetch(const NativeRowTiles& rows) {
    const int words = rows.count() * static_cast<int>(sizeof(StepMatrix) / sizeof(uint32_t)), i = thread_index();
    word_ = reinterpret_cast<const uint32_t*>(rows.matrices())[min(i, words - 1)];
  }

  // The rows with these matrices, which are there after the next barrier.
  __device__ __forceinline__ NativeRowTiles fetched(const NativeRowTiles& rows) const {
    const int i = thread_index();
    if (i < kWords) reinterpret_cast<uint32_t*>(table_)[i] = word_;
    return rows.copied(table_);
  }

 private:
  static constexpr int kWords = kStepMatrices * sizeof(StepMatrix) / sizeof(uint32_t);
  static_assert(kWords <= kThreads, "a word for each thread");

  StepMatrix* table_;
  uint32_t word_ = 0;
};

#else

class NativeStream {};

#endif

}  // namespace hipport_llm

#endif
