// The matrices in the formats of model files that the persistent kernel multiplies with, by phase and layer.
//
// A row of tiles is 16 rows, as with packed matrices. They are two octets, since planes (native_matrix.h) are stored for
// eight rows at a time: the low octet, and the high one, whose rows an epilogue takes together with those of the low one.
#ifndef HIPPORT_LLM_NATIVE_ROWS_CUH
#define HIPPORT_LLM_NATIVE_ROWS_CUH

#include "model_matrices.cuh"
#include "native_formats.cuh"

namespace hipport_llm {

// Columns of a stage, which one warp multiplies.
constexpr int kNativeStageColumns = 512, kNativeStageTiles = kNativeStageColumns / kTileColumns;

#if HIPPORT_LLM_BULK_COPIES

// Of a plane, the bytes of an octet: all of them, and those of a stage's columns.
struct OctetBytes {
  uint32_t all, stage;

  __host__ __device__ uint32_t at(int stage_number) const {
    const uint32_t first = stage_number * stage;
    return first >= all ? 0 : all - first < stage ? all - first : stage;
  }
};

// 16 bytes of each stage of the small planes: scales, minimums and factors.
constexpr int kChunkBytes = 16;

struct ChunkPlane {
  const uint8_t* from;  // in the first octet
  OctetBytes bytes;
  uint32_t end;  // bytes of the plane from there on; 0 where there is no such plane
};

// What is copied of a matrix.
struct StepMatrixCopies {
  static constexpr int kLarge = 2;

  OctetBytes large[kLarge];  // codes, and their upper bits
  uint32_t octet_bytes;      // of a stage: large planes, then chunks
  ChunkPlane chunks[kLanes];
};

#else

struct StepMatrixCopies {};

#endif

// How a matrix is stored, for which a warp chooses the code that multiplies it.
struct NativeKind {
  int format, group_shift;

  __device__ bool operator==(const NativeKind& other) const {
    return format == other.format && group_shift == other.group_shift;
  }
};

struct StepMatrix : StepMatrixCopies {
  NativeMatrix matrix;

  __device__ NativeKind kind() const { return {matrix.format, matrix.group_shift}; }
};

// Their order in Model::native: of each layer these, then the head.
enum class StepMatrixPlace { kQuery, kKey, kValue, kOut, kGate, kUp, kDown, kCount };
constexpr int kStepMatrices = static_cast<int>(StepMatrixPlace::kCount);

// An octet of a matrix.
struct Octet {
  const StepMatrix* of;
  int number;
};

struct OctetPair {
  Octet low, high;
};

// The matrices of a phase, as rows of tiles: block b owns rows b, b + gridDim.x, ...
class NativeRowTiles {
 public:
  int row_tiles, column_tiles;

  __device__ __forceinline__ NativeRowTiles(const Model& model, Phase phase, int layer)
      : phase_(phase), model_(&model), matrices_(model.native + layer * kStepMatrices) {
    const Matrix packed = matrix_of(model, phase, layer);
    row_tiles = packed.row_tiles;
    column_tiles = packed.column_tiles;
  }

  // The matrices of the phase's layer, or the head, and their number.
  __device__ const StepMatrix* matrices() const { return matrices_; }
  __device__ int count() const { return phase_ == Phase::kHead ? 1 : kStepMatrices; }
  // The same with a copy of the matrices.
  __device__ __forceinline__ NativeRowTiles copied(const StepMatrix* matrices) const {
    NativeRowTiles tiles = *this;
    tiles.matrices_ = matrices;
    return tiles;
  }

  __device__ __forceinline__ OctetPair octets(int row_tile) const {
    switch (phase_) {
      case Phase::kQkv: return octets_of_heads(row_tile);
      case Phase::kGateUp: return {{at(StepMatrixPlace::kGate), row_tile}, {at(StepMatrixPlace::kUp), row_tile}};
      case Phase::kOut: return neighbors(at(StepMatrixPlace::kOut), row_tile, shape().width);
      case Phase::kDown: return neighbors(at(StepMatrixPlace::kDown), row_tile, shape().width);
      default: return neighbors(matrices_, row_tile, shape().vocabulary);
    }
  }

 private:
  __device__ __forceinline__ OctetPair octets_of_heads(int row_tile) const {
    const Shape& shape = this->shape();
    const int head_octets = shape.head_width / kNativeRows, half = head_octets / 2;
    const int head = row_tile / half, values = shape.heads + shape.kv_heads;
    const int before = head < shape.heads ? 0 : head < values ? shape.heads : values;
    const StepMatrix* own = at(head < shape.heads ? StepMatrixPlace::kQuery
                               : head < values    ? StepMatrixPlace::kKey
                                                  : StepMatrixPlace::kValue);
    const int first = (head - before) * head_octets + row_tile % half;
    return {{own, first}, {own, first + half}};
  }

  // Rows are stored up to a whole octet. What would be behind the last one repeats it, and is not used.
  __device__ static OctetPair neighbors(const StepMatrix* own, int row_tile, int rows) {
    return {{own, 2 * row_tile}, {own, min(2 * row_tile + 1, (rows - 1) / kNativeRows)}};
  }

  __device__ const StepMatrix* at(StepMatrixPlace place) const { return matrices_ + static_cast<int>(place); }

  __device__ const Shape& shape() const { return model_->shape; }

  Phase phase_;
  const Model* model_;
  const StepMatrix* matrices_;
};

__device__ inline int stages_of(const NativeRowTiles& rows) {
  return (rows.column_tiles + kNativeStageTiles - 1) / kNativeStageTiles;
}

}  // namespace hipport_llm

#endif
