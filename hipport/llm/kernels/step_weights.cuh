// What the persistent kernel multiplies in this build: packed matrices and up to eight vectors (matvec.cuh), or matrices in
// the formats of model files and one vector (native_stages.cuh).
#ifndef HIPPORT_LLM_STEP_WEIGHTS_CUH
#define HIPPORT_LLM_STEP_WEIGHTS_CUH

#include "matvec.cuh"
#include "model_matrices.cuh"
#include "native_lanes.cuh"
#include "native_stages.cuh"

namespace hipport_llm {

// Shared memory of a step, in bytes from its start.
struct Room {
  int stride;     // of the vectors, in elements
  int vector;     // what a NativeVector has besides its values
  int state;      // BlockState
  int sums;       // of the matrix products' stages; attention uses the same memory
  int sums_room;  // in floats
  int ring;
  int stages;  // of the ring
  int stage_bytes;
  int bytes;
};

#if HIPPORT_LLM_NATIVE_STEPS

using StepStream = NativeStream;
using StepRows = NativeRowTiles;
using StepVectors = NativeVector;

__device__ __forceinline__ StepRows rows_of(const Model& model, Phase phase, int layer) {
  return {model, phase, layer};
}

__device__ __forceinline__ StepVectors vectors_in(uint8_t* shared, const Room& room) {
  StepVectors vector;
  vector.place(reinterpret_cast<Number*>(shared), shared + opaque(room.vector));
  return vector;
}

// Called before the vectors are there: loads what the rows' weights cannot be loaded without.
__device__ __forceinline__ void fetch(StepStream& stream, const StepRows& rows) {
#if defined(__HIP_PLATFORM_AMD__)
  stream.fetch(rows);
#else
  (void)stream, (void)rows;
#endif
}

// Called when the vectors are there; ends with a barrier if it does anything. The rows with what was fetched.
__device__ __forceinline__ StepRows arrange(const StepStream& stream, const StepVectors& vector, const StepRows& rows) {
#if defined(__HIP_PLATFORM_AMD__)
  const StepRows fetched = stream.fetched(rows);
#else
  (void)stream;
  const StepRows& fetched = rows;
#endif
  vector.arrange(rows.column_tiles * kTileColumns);
  return fetched;
}

#else

using StepStream = Stream;
using StepRows = Matrix;
using StepVectors = Vectors;

__device__ __forceinline__ StepRows rows_of(const Model& model, Phase phase, int layer) {
  return matrix_of(model, phase, layer);
}

__device__ __forceinline__ StepVectors vectors_in(uint8_t* shared, const Room& room) {
  return {reinterpret_cast<Number*>(shared), room.stride};
}

__device__ __forceinline__ void fetch(StepStream&, const StepRows&) {}

__device__ __forceinline__ StepRows arrange(const StepStream&, const StepVectors&, const StepRows& rows) {
  return rows;
}

#endif

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES

__device__ __forceinline__ StepStream stream_in(uint8_t* shared, const Room& room, StepStream::Barriers* barriers) {
#if HIPPORT_LLM_NATIVE_STEPS
  return {shared + room.ring, barriers, room.stages, room.stage_bytes};
#else
  return {shared + room.ring, barriers, room.stages};
#endif
}

#endif

}  // namespace hipport_llm

#endif
