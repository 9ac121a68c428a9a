// The matrices of a model in the formats of its file, in one piece of device memory.
#ifndef HIPPORT_LLM_NATIVE_WEIGHTS_H
#define HIPPORT_LLM_NATIVE_WEIGHTS_H

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../kernels/model_matrices.cuh"
#include "../kernels/native_formats.cuh"
#include "../kernels/native_order.cuh"
#include "device.h"
#include "traits.h"

namespace hipport_llm {

// A plane of a matrix: how many pieces a row has, and the bytes of each.
struct NativePlane {
  int64_t pieces;
  int bytes;

  // In a file, and on the device, where rows are filled up to kNativeRows.
  int64_t size(int64_t rows) const { return rows * pieces * bytes; }
  int64_t stored(int64_t rows) const { return aligned(size((rows + kNativeRows - 1) / kNativeRows * kNativeRows)); }
  static int64_t aligned(int64_t bytes) { return (bytes + 127) / 128 * 128; }
};

// Codes, their upper bits, scales, minimums and factors.
using NativePlanes = std::array<NativePlane, 5>;

inline NativePlanes native_planes(int format, int64_t columns, int group_shift) {
  return visit_native(format, [&](auto of) -> NativePlanes {
    using Codes = typename decltype(of)::Codes;
    using Scales = typename decltype(of)::Scales;
    const int64_t groups = columns >> group_shift;
    return {{{columns / 32, Codes::kBits * 4},
             {columns / 32, Codes::kHighBits * 4},
             {groups, Scales::kScaleBytes},
             {groups, Scales::kMinimumBytes},
             {columns >> 8, Scales::kFactorBytes}}};
  });
}

inline bool has_factors(int format) {
  return visit_native(format, [](auto of) { return decltype(of)::Scales::kFactorBytes > 0; });
}

class NativeWeights {
 public:
  NativeWeights() = default;
  // With room for `bytes` of matrices.
  NativeWeights(const Shape& shape, const Traits& traits, int64_t bytes)
      : shape_(shape), traits_(traits), arena_(bytes == 0 ? 0 : bytes + padding(), "the weights") {}

  int64_t bytes() const { return static_cast<int64_t>(arena_.bytes()); }
  const uint8_t* data() const { return arena_.get(); }

  // The names of the matrices of a product, which are one below the other.
  std::vector<std::string> names_of(Phase phase) const {
    switch (phase) {
      case Phase::kQkv: return {"query", "key", "value"};
      case Phase::kOut: return {"out"};
      case Phase::kGateUp: return {"gate", "up"};
      case Phase::kDown: return {"down"};
      case Phase::kRouter: return {"router"};
      case Phase::kExpertGateUp: return {"expert_gate", "expert_up"};
      case Phase::kExpertDown: return {"expert_down"};
      case Phase::kSharedGateUp: return {"shared_gate", "shared_up"};
      case Phase::kSharedDown: return {"shared_down"};
      case Phase::kLatent: return {traits_.latent.query_rank > 0 ? "query_latent" : "query", "latent"};
      case Phase::kLatentQuery: return {"query"};
      case Phase::kLatentHeads: return {"latent_heads"};
      default: return {"head"};
    }
  }

  static std::string full_name(const std::string& name, int layer) {
    return name == "head" ? name : name + " of layer " + std::to_string(layer);
  }

  // The phases of a layer whose matrices all tokens are multiplied with.
  std::vector<Phase> phases(int layer) const {
    std::vector<Phase> phases = {Phase::kQkv, Phase::kOut};
    if (traits_.has_latents()) phases = {Phase::kLatent, Phase::kLatentHeads, Phase::kOut};
    if (traits_.latent.query_rank > 0) phases.push_back(Phase::kLatentQuery);
    if (!traits_.has_experts(layer)) {
      phases.insert(phases.end(), {Phase::kGateUp, Phase::kDown});
    } else {
      phases.push_back(Phase::kRouter);
      if (traits_.shared_hidden > 0) phases.insert(phases.end(), {Phase::kSharedGateUp, Phase::kSharedDown});
    }
    return phases;
  }

  // The matrices of a layer.
  std::vector<std::string> names(int layer) const {
    std::vector<Phase> all = phases(layer);
    if (traits_.has_experts(layer)) all.insert(all.end(), {Phase::kExpertGateUp, Phase::kExpertDown});
    std::vector<std::string> names;
    for (const Phase phase : all)
      for (const std::string& name : names_of(phase)) names.push_back(name);
    return names;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all = {"head"};
    for (int layer = 0; layer < shape_.layers; ++layer)
      for (const std::string& name : names(layer)) all.push_back(full_name(name, layer));
    return all;
  }

  // Throws EngineError for what the model does not have.
  void load(const std::string& name, int layer, int format, int group, const void* data, size_t bytes) {
    if (layer < 0 || layer >= shape_.layers) throw EngineError("there is no layer " + std::to_string(layer));
    expect_matrix(name, layer);
    const std::pair<int, int> size = size_of(name);
    const std::pair<std::string, int> key = {name, name == "head" ? 0 : layer};
    if (format < 0 || format >= kNativeFormats)
      throw EngineError("there is no format " + std::to_string(format) + " of weights");
    int shift = 0;
    while (shift < 8 && 1 << shift < group) ++shift;
    if (1 << shift != group || group < 16 || size.second % group != 0)
      throw EngineError("groups of " + std::to_string(group) + " in a matrix of " + std::to_string(size.second) +
                        " columns");
    if (has_factors(format) && size.second % 256 != 0)
      throw EngineError("factors of 256 columns in a matrix of " + std::to_string(size.second) + " columns");
    const NativePlanes planes = native_planes(format, size.second, shift);
    int64_t wanted = 0, stored = 0;
    for (const NativePlane& plane : planes) {
      wanted += NativePlane::aligned(plane.size(size.first));
      stored += plane.stored(size.first);
    }
    if (static_cast<size_t>(wanted) != bytes)
      throw EngineError("'" + name + "' has " + std::to_string(wanted) + " bytes, not " + std::to_string(bytes));
    if (matrices_.count(key) != 0) throw EngineError("'" + full_name(name, layer) + "' is already there");
    if (used_ + stored > this->bytes()) throw EngineError("more weights than the engine was opened for");
    if (is_of_experts(name)) expert_bytes_ += stored;
    if (name == "latent_heads") divided_bytes_ += stored;
    const std::array<uint8_t*, 5> at = store(planes, size.first, data, bytes);
    matrices_[key] = {format, size.first, size.second, shift, at[0], at[1], at[2], at[3], at[4]};
  }

  // Bytes that a step for one token reads: of the experts, those that are chosen; and none of what is only read once, to
  // divide it (latent_attention.h).
  int64_t step_bytes(int chosen) const {
    const int experts = traits_.choice.experts;
    return bytes() - divided_bytes_ - (experts == 0 ? 0 : expert_bytes_ / experts * (experts - chosen));
  }

  const NativeMatrix& matrix(const std::string& name, int layer) const { return matrices_.at({name, layer}); }

  // The matrices of a product: neighboring ones together where they have the same format.
  std::vector<NativeParts> parts(Phase phase, int layer) const {
    std::vector<NativeParts> all;
    for (const std::string& name : names_of(phase)) {
      const NativeMatrix& own = matrix(name, layer);
      if (all.empty() || all.back().matrices[0].format != own.format) all.push_back({});
      NativeParts& parts = all.back();
      parts.matrices[parts.count++] = own;
    }
    return all;
  }

  // Of all matrices of a product.
  int rows(Phase phase) const {
    int rows = 0;
    for (const std::string& name : names_of(phase)) rows += size_of(name).first;
    return rows;
  }
  int columns(Phase phase) const { return size_of(names_of(phase)[0]).second; }
  // How far apart the rows of a product are that an epilogue takes together (native_epilogue.cuh: RowPairs).
  int half_of(Phase phase) const {
    switch (phase) {
      case Phase::kQkv: return shape_.head_width / 2;
      case Phase::kGateUp:
      case Phase::kSharedGateUp: return rows(phase) / 2;
      default: return 8;
    }
  }

 private:
  static bool is_of_experts(const std::string& name) { return name.compare(0, 7, "expert_") == 0; }

  void expect_matrix(const std::string& name, int layer) const {
    const std::vector<std::string> own = names(layer);
    if (name != "head" && std::find(own.begin(), own.end(), name) == own.end())
      throw EngineError("this model has no matrix '" + full_name(name, layer) + "'");
  }

  // Rows and columns.
  std::pair<int, int> size_of(const std::string& name) const {
    const LatentWidths& latent = traits_.latent;
    const int experts = traits_.choice.experts, dense = traits_.hidden_of_dense(shape_);
    if (name == "query" && traits_.has_latents())
      return {shape_.heads * latent.query(), latent.query_rank > 0 ? latent.query_rank : shape_.width};
    if (name == "query") return {shape_.query_width(), shape_.width};
    if (name == "key" || name == "value") return {shape_.kv_width(), shape_.width};
    if (name == "query_latent") return {latent.query_rank, shape_.width};
    if (name == "latent") return {latent.rank + latent.rope, shape_.width};
    if (name == "latent_heads") return {latent.expanded(shape_.heads), latent.rank};
    if (name == "out") return {shape_.width, traits_.output_width(shape_)};
    if (name == "gate" || name == "up") return {dense, shape_.width};
    if (name == "down") return {shape_.width, dense};
    if (name == "router") return {experts, shape_.width};
    if (name == "expert_gate" || name == "expert_up") return {experts * shape_.hidden, shape_.width};
    if (name == "expert_down") return {experts * shape_.width, shape_.hidden};
    if (name == "shared_gate" || name == "shared_up") return {traits_.shared_hidden, shape_.width};
    if (name == "shared_down") return {shape_.width, traits_.shared_hidden};
    if (name == "head") return {shape_.vocabulary, shape_.width};
    throw EngineError("this model has no matrix '" + name + "'");
  }

  // What filling up rows may take.
  int64_t padding() const {
    int64_t bytes = 0;
    for (int layer = 0; layer < shape_.layers; ++layer)
      for (const std::string& name : names(layer)) {
        const std::pair<int, int> size = size_of(name);
        if (size.first % kNativeRows != 0) bytes += int64_t{kNativeRows} * size.second * 3 + 5 * 128;
      }
    return bytes + kNativeRows * shape_.width * int64_t{3} + 5 * 128;  // of the head
  }

  // Copies the planes to the device; returns their addresses.
  std::array<uint8_t*, 5> store(const NativePlanes& planes, int rows, const void* data, size_t bytes) {
    const Buffer<uint8_t> staged(bytes, "a matrix");
    check(cudaMemcpy(staged.get(), data, bytes, cudaMemcpyHostToDevice), "copying weights to the device");
    std::array<uint8_t*, 5> at;
    const uint8_t* from = staged.get();
    for (size_t i = 0; i < planes.size(); ++i) {
      const NativePlane& plane = planes[i];
      at[i] = arena_.get() + used_;
      const int row_bytes = static_cast<int>(plane.pieces * plane.bytes);
      for (int first = 0; first < rows && row_bytes > 0; first += kMostBlocks) {
        const dim3 blocks((row_bytes + kOrderThreads - 1) / kOrderThreads, std::min(rows - first, kMostBlocks));
        interleave_rows_kernel<<<blocks, kOrderThreads>>>(from + plane.size(first), static_cast<int>(plane.pieces),
                                                          plane.bytes, at[i] + plane.size(first));
      }
      from += NativePlane::aligned(plane.size(rows));
      used_ += plane.stored(rows);
    }
    check(cudaDeviceSynchronize(), "ordering weights");
    return at;
  }

  // Blocks in the second dimension of a grid; a multiple of kNativeRows.
  static constexpr int kMostBlocks = 32768;

  Shape shape_ = {};
  Traits traits_;
  int64_t expert_bytes_ = 0, divided_bytes_ = 0;
  Buffer<uint8_t> arena_;
  int64_t used_ = 0;
  std::map<std::pair<std::string, int>, NativeMatrix> matrices_;
};

}  // namespace hipport_llm

#endif
