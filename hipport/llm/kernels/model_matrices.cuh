// The matrices that tokens are multiplied with, by phase and layer.
#ifndef HIPPORT_LLM_MODEL_MATRICES_CUH
#define HIPPORT_LLM_MODEL_MATRICES_CUH

#include "block_state.cuh"
#include "weight_stream.cuh"

namespace hipport_llm {

// The phases of a step other than attention: each multiplies with one matrix. Those behind the head are those of mixtures
// of experts and of latent attention.
enum class Phase {
  kQkv,
  kOut,
  kGateUp,
  kDown,
  kHead,
  kRouter,
  kExpertGateUp,
  kExpertDown,
  kSharedGateUp,
  kSharedDown,
  kLatent,
  kLatentQuery,
  kLatentHeads
};

__host__ __device__ inline Matrix matrix_of(const Model& model, Phase phase, int layer) {
  const Shape& shape = model.shape;
  const LayerOffsets& offsets = model.offsets;
  switch (phase) {
    case Phase::kQkv: return {model.at(layer, offsets.qkv), row_tiles(shape.qkv_rows()), column_tiles(shape.width)};
    case Phase::kOut: return {model.at(layer, offsets.out), row_tiles(shape.width), column_tiles(shape.query_width())};
    case Phase::kGateUp:
      return {model.at(layer, offsets.gate_up), row_tiles(2 * shape.hidden), column_tiles(shape.width)};
    case Phase::kDown: return {model.at(layer, offsets.down), row_tiles(shape.width), column_tiles(shape.hidden)};
    default: return {model.head, row_tiles(shape.vocabulary), column_tiles(shape.width)};
  }
}

}  // namespace hipport_llm

#endif
