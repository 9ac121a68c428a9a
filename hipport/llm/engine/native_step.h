// The table of matrices in the formats of model files that the persistent kernel reads.
#ifndef HIPPORT_LLM_NATIVE_STEP_H
#define HIPPORT_LLM_NATIVE_STEP_H

#include <algorithm>
#include <vector>

#include "../kernels/native_rows.cuh"
#include "device.h"
#include "native_weights.h"

namespace hipport_llm {

class NativeStep {
 public:
  NativeStep() = default;
  // Once all weights are loaded.
  NativeStep(const Shape& shape, const NativeWeights& weights) {
    std::vector<StepMatrix> table;
    for (int layer = 0; layer < shape.layers; ++layer)
      for (const char* name : kNames) table.push_back(step_matrix(weights.matrix(name, layer)));
    table.push_back(step_matrix(weights.matrix("head", 0)));
#if HIPPORT_LLM_BULK_COPIES
    for (const StepMatrix& matrix : table) {
      stage_bytes_ = std::max(stage_bytes_, static_cast<int>(2 * matrix.octet_bytes));
      streams_ = streams_ && copied_in_chunks(matrix.matrix);
    }
#endif
    // A stage has rows of both.
    for (int layer = 0; layer < shape.layers; ++layer)
      streams_ = streams_ && alike(weights.matrix("gate", layer), weights.matrix("up", layer));
    table_ = Buffer<StepMatrix>(table.size(), "the table of matrices");
    check(cudaMemcpy(table_.get(), table.data(), table.size() * sizeof(StepMatrix), cudaMemcpyHostToDevice),
          "copying the table of matrices");
  }

  // Whether the kernel can read all of them.
  bool streams() const { return table_.count() > 0 && streams_; }
  const StepMatrix* table() const { return table_.get(); }
  // Of a stage of any matrix in the ring, at most.
  int stage_bytes() const { return stage_bytes_; }

  // The entry of a matrix in the table.
  static StepMatrix step_matrix(const NativeMatrix& matrix) {
    StepMatrix step = {};
    step.matrix = matrix;
#if HIPPORT_LLM_BULK_COPIES
    const NativePlanes all = native_planes(matrix.format, matrix.columns, matrix.group_shift);
    const NativePlanes stage = native_planes(matrix.format, kNativeStageColumns, matrix.group_shift);
    const uint8_t* small[] = {matrix.scales, matrix.minimums, matrix.factors};
    int chunk = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const OctetBytes bytes = {static_cast<uint32_t>(all[i].size(kNativeRows)),
                                static_cast<uint32_t>(stage[i].size(kNativeRows))};
      step.octet_bytes += bytes.stage;
      if (i < StepMatrix::kLarge)
        step.large[i] = bytes;
      else
        for (uint32_t at = 0; at < bytes.stage; at += kChunkBytes, ++chunk)
          if (chunk < kLanes && at < bytes.all)
            step.chunks[chunk] = {small[i - StepMatrix::kLarge] + at, bytes, bytes.all - at};
    }
#endif
    return step;
  }

 private:
  // In the order of StepMatrixPlace.
  static constexpr const char* kNames[kStepMatrices] = {"query", "key", "value", "out", "gate", "up", "down"};

#if HIPPORT_LLM_BULK_COPIES
  // Whether the pieces of all stages are whole chunks, and a warp copies the small planes at once.
  static bool copied_in_chunks(const NativeMatrix& matrix) {
    int64_t small = 0;
    for (const int columns : {matrix.columns, kNativeStageColumns}) {
      const NativePlanes planes = native_planes(matrix.format, columns, matrix.group_shift);
      small = 0;
      for (size_t i = 0; i < planes.size(); ++i) {
        const int64_t bytes = planes[i].size(kNativeRows);
        if (bytes % kChunkBytes != 0) return false;
        if (i >= StepMatrix::kLarge) small += bytes;
      }
    }
    return small <= kLanes * kChunkBytes;
  }
#endif

  static bool alike(const NativeMatrix& one, const NativeMatrix& other) {
    return one.format == other.format && one.group_shift == other.group_shift;
  }

  Buffer<StepMatrix> table_;
  int stage_bytes_ = 0;
  bool streams_ = true;
};

}  // namespace hipport_llm

#endif
