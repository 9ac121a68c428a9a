// The matrices of a model.
#ifndef HIPPORT_LLM_MATRICES_CUH
#define HIPPORT_LLM_MATRICES_CUH

#include "local.cuh"
#include "stream.cuh"

namespace hipport_llm {

// What tokens go through, but for the attention: each multiplies with a matrix.
enum class Phase { kQkv, kOut, kGateUp, kDown, kHead };

__host__ __device__ inline Matrix matrix_of(const Model& model, Phase phase, int layer) {
  const Shape& shape = model.shape;
  const LayerPlaces& places = model.places;
  switch (phase) {
    case Phase::kQkv: return {model.at(layer, places.qkv), row_tiles(shape.qkv_rows()), column_tiles(shape.width)};
    case Phase::kOut: return {model.at(layer, places.out), row_tiles(shape.width), column_tiles(shape.query_width())};
    case Phase::kGateUp:
      return {model.at(layer, places.gate_up), row_tiles(2 * shape.hidden), column_tiles(shape.width)};
    case Phase::kDown: return {model.at(layer, places.down), row_tiles(shape.width), column_tiles(shape.hidden)};
    default: return {model.head, row_tiles(shape.vocabulary), column_tiles(shape.width)};
  }
}

}  // namespace hipport_llm

#endif
