// Streams weights in the formats of model files to the warps that multiply them, like weight_stream.cuh.
//
// A stage in shared memory is the low octet and then the high one, each the pieces of its planes one after the other. Both
// have the same format.
#ifndef HIPPORT_LLM_NATIVE_STREAM_CUH
#define HIPPORT_LLM_NATIVE_STREAM_CUH

#include "native_rows.cuh"

// Whether the persistent kernel multiplies with matrices in the formats of model files. On AMD GPUs it does not:
// native_matvec.cuh does.
#if HIPPORT_LLM_NATIVE && !HIPPORT_LLM_GENERAL && (HIPPORT_LLM_BULK_COPIES || defined(__HIPPORT_CPU__))
#define HIPPORT_LLM_NATIVE_STEPS 1
#else
#define HIPPORT_LLM_NATIVE_STEPS 0
#endif

namespace hipport_llm {

constexpr bool kNativeSteps = HIPPORT_LLM_NATIVE_STEPS != 0;

constexpr int kStageQuarters = kNativeStageColumns / 32;

// Where a lane's weights of a stage are: row g of both octets. Quarters of a row are counted from `first` on.
struct OctetLanes {
  NativeMatrix octets[2];
  NativeRow rows[2];
  int first;
};

// How a matrix is stored, for which a warp chooses the code that multiplies it.
struct NativeKind {
  int format, group_shift;
};

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES

class NativeStream : public StageRing {
 public:
  struct Barriers : StageBarriers {
    uint32_t kinds[kRingStages];
  };

  // The stages of the ring are `stage_bytes` apart.
  __device__ NativeStream(uint8_t* ring, Barriers* barriers, int stages, int stage_bytes)
      : StageRing(barriers, stages, kPieces), ring_(ring), kinds_(barriers->kinds), stage_bytes_(stage_bytes) {}

  // Whether this thread copies: each a plane of an octet, since one thread alone would take too long for all of them.
  __device__ static bool copies() { return threadIdx.x >= kThreads && threadIdx.x % kLanes < kPieces; }

  // Called by the copying threads: copies this block's rows, one stage each warp in turn.
  __device__ __forceinline__ void produce(const NativeRowTiles& rows) {
    const int stages = stages_of(rows), piece = threadIdx.x % kLanes, plane = piece % StepMatrix::kPlanes;
    produce_stages(own_rows(rows) * stages, [&](int i, int stage, uint64_t* full) {
      const OctetPair octets = rows.octets(blockIdx.x + i / stages * gridDim.x);
      const Octet octet = piece < StepMatrix::kPlanes ? octets.low : octets.high;
      const OctetBytes bytes = octet.of->planes[plane];
      if (piece == 0) kinds_[stage] = octet.of->matrix.format | octet.of->matrix.group_shift << 8;
      const uint32_t own = bytes.at(i % stages);
      expect_bytes(full, own);
      if (own == 0) return;
      const uint32_t place = bytes.before + (piece < StepMatrix::kPlanes ? 0 : octet.of->octet_bytes);
      copy_bulk(ring_ + stage * stage_bytes_ + place,
                octet.of->plane(plane) + static_cast<int64_t>(octet.number) * bytes.all + i % stages * bytes.stage, own,
                full);
    });
  }

  // Called by a computing warp: waits for its next stage, and returns where it is. release() frees it.
  __device__ const uint8_t* acquire(NativeKind& kind) {
    const int stage = acquire_stage();
    kind = {static_cast<int>(kinds_[stage] & 255u), static_cast<int>(kinds_[stage] >> 8)};
    return ring_ + stage * stage_bytes_;
  }

 private:
  // The planes of both octets of a stage.
  static constexpr int kPieces = 2 * StepMatrix::kPlanes;

  uint8_t* ring_;
  uint32_t* kinds_;
  int stage_bytes_;
};

#else

class NativeStream {
 public:
  __device__ void release() const {}
};

#endif

}  // namespace hipport_llm

#endif
