// The matrices in the formats of model files that the persistent kernel multiplies with, by phase and layer.
//
// As of packed matrices, a row of tiles is 16 rows, in two octets: eight rows of low ones, and the eight that epilogues
// take together with them. In planes (native_matrix.h) the rows of an octet follow each other.
#ifndef HIPPORT_LLM_NATIVE_ROWS_CUH
#define HIPPORT_LLM_NATIVE_ROWS_CUH

#include "model_matrices.cuh"
#include "native_formats.cuh"

namespace hipport_llm {

// Columns of a stage, which one warp multiplies.
constexpr int kNativeStageColumns = 512, kNativeStageTiles = kNativeStageColumns / kTileColumns;

// Of a plane, the bytes of an octet: all of them, and those of a stage's columns; and of the planes before it in a stage.
struct OctetBytes {
  uint32_t all, stage, before;

  __host__ __device__ uint32_t at(int stage_number) const {
    const uint32_t first = stage_number * stage;
    return first >= all ? 0 : all - first < stage ? all - first : stage;
  }
};

struct StepMatrix {
  static constexpr int kPlanes = 5;

  NativeMatrix matrix;
  OctetBytes planes[kPlanes];  // codes, their upper bits, scales, minimums and factors
  uint32_t octet_bytes;        // of a stage

  __host__ __device__ const uint8_t* plane(int i) const {
    return i == 0   ? matrix.codes
           : i == 1 ? matrix.high
           : i == 2 ? matrix.scales
           : i == 3 ? matrix.minimums
                    : matrix.factors;
  }
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

  // Keeps nothing of the model but what it needs, so that a kernel's arguments stay where they are.
  __device__ __forceinline__ NativeRowTiles(const Model& model, Phase phase, int layer)
      : phase_(phase), shape_(model.shape), matrices_(model.native + layer * kStepMatrices) {
    const Matrix packed = matrix_of(model, phase, layer);
    row_tiles = packed.row_tiles;
    column_tiles = packed.column_tiles;
  }

  __device__ OctetPair octets(int row_tile) const {
    switch (phase_) {
      case Phase::kQkv: return octets_of_heads(row_tile);
      case Phase::kGateUp: return {{at(StepMatrixPlace::kGate), row_tile}, {at(StepMatrixPlace::kUp), row_tile}};
      case Phase::kOut: return neighbors(at(StepMatrixPlace::kOut), row_tile, shape_.width);
      case Phase::kDown: return neighbors(at(StepMatrixPlace::kDown), row_tile, shape_.width);
      default: return neighbors(matrices_, row_tile, shape_.vocabulary);
    }
  }

 private:
  __device__ OctetPair octets_of_heads(int row_tile) const {
    const int head_octets = shape_.head_width / kNativeRows, half = head_octets / 2;
    const int head = row_tile / half, values = shape_.heads + shape_.kv_heads;
    const int before = head < shape_.heads ? 0 : head < values ? shape_.heads : values;
    const StepMatrix* own = at(head < shape_.heads ? StepMatrixPlace::kQuery
                               : head < values     ? StepMatrixPlace::kKey
                                                   : StepMatrixPlace::kValue);
    const int first = (head - before) * head_octets + row_tile % half;
    return {{own, first}, {own, first + half}};
  }

  // Rows are stored up to a whole octet. What would be behind the last one repeats it, and is not used.
  __device__ static OctetPair neighbors(const StepMatrix* own, int row_tile, int rows) {
    return {{own, 2 * row_tile}, {own, min(2 * row_tile + 1, (rows - 1) / kNativeRows)}};
  }

  __device__ const StepMatrix* at(StepMatrixPlace place) const { return matrices_ + static_cast<int>(place); }

  Phase phase_;
  Shape shape_;
  const StepMatrix* matrices_;
};

__device__ inline int stages_of(const NativeRowTiles& rows) {
  return (rows.column_tiles + kNativeStageTiles - 1) / kNativeStageTiles;
}

}  // namespace hipport_llm

#endif
