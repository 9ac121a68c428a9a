// The matrices of a model in the formats of its file, in one piece of device memory.
#ifndef HIPPORT_LLM_NATIVE_WEIGHTS_H
#define HIPPORT_LLM_NATIVE_WEIGHTS_H

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../kernels/model_matrices.cuh"
#include "../kernels/native_formats.cuh"
#include "device.h"

namespace hipport_llm {

// Bytes of each plane of a matrix, in the order in which they are stored.
struct NativePlanes {
  int64_t codes, high, scales, minimums, factors;

  static int64_t aligned(int64_t bytes) { return (bytes + 127) / 128 * 128; }
  int64_t bytes() const {
    return aligned(codes) + aligned(high) + aligned(scales) + aligned(minimums) + aligned(factors);
  }
};

inline NativePlanes native_planes(int format, int64_t rows, int64_t columns, int group_shift) {
  return visit_native(format, [&](auto of) -> NativePlanes {
    using Codes = typename decltype(of)::Codes;
    using Scales = typename decltype(of)::Scales;
    const int64_t groups = rows * (columns >> group_shift);
    return {rows * columns / 8 * Codes::kBits, rows * columns / 8 * Codes::kHighBits, groups * Scales::kScaleBytes,
            groups * Scales::kMinimumBytes, rows * (columns >> 8) * Scales::kFactorBytes};
  });
}

inline bool has_factors(int format) {
  return visit_native(format, [](auto of) { return decltype(of)::Scales::kFactorBytes > 0; });
}

class NativeWeights {
 public:
  NativeWeights() = default;
  // With room for `bytes` of matrices.
  NativeWeights(const Shape& shape, int64_t bytes) : shape_(shape), arena_(bytes, "the weights") {}

  int64_t bytes() const { return static_cast<int64_t>(arena_.bytes()); }
  const uint8_t* data() const { return arena_.get(); }

  // The names of the matrices of a product, which are one below the other.
  static std::vector<std::string> parts(Phase phase) {
    switch (phase) {
      case Phase::kQkv: return {"query", "key", "value"};
      case Phase::kOut: return {"out"};
      case Phase::kGateUp: return {"gate", "up"};
      case Phase::kDown: return {"down"};
      default: return {"head"};
    }
  }

  static std::string full_name(const std::string& name, int layer) {
    return name == "head" ? name : name + " of layer " + std::to_string(layer);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names = {"head"};
    for (int layer = 0; layer < shape_.layers; ++layer)
      for (const Phase phase : {Phase::kQkv, Phase::kOut, Phase::kGateUp, Phase::kDown})
        for (const std::string& name : parts(phase)) names.push_back(full_name(name, layer));
    return names;
  }

  // Throws EngineError for what the model does not have.
  void load(const std::string& name, int layer, int format, int group, const void* data, size_t bytes) {
    const std::pair<int, int> size = size_of(name);
    const std::pair<std::string, int> key = {name, name == "head" ? 0 : layer};
    if (layer < 0 || layer >= shape_.layers) throw EngineError("there is no layer " + std::to_string(layer));
    if (format < 0 || format >= kNativeFormats)
      throw EngineError("there is no format " + std::to_string(format) + " of weights");
    int shift = 0;
    while (shift < 8 && 1 << shift < group) ++shift;
    if (1 << shift != group || group < 8 || size.second % group != 0)
      throw EngineError("groups of " + std::to_string(group) + " in a matrix of " + std::to_string(size.second) +
                        " columns");
    if (has_factors(format) && size.second % 256 != 0)
      throw EngineError("factors of 256 columns in a matrix of " + std::to_string(size.second) + " columns");
    const NativePlanes planes = native_planes(format, size.first, size.second, shift);
    if (static_cast<size_t>(planes.bytes()) != bytes)
      throw EngineError("'" + name + "' has " + std::to_string(planes.bytes()) + " bytes, not " +
                        std::to_string(bytes));
    if (matrices_.count(key) != 0) throw EngineError("'" + full_name(name, layer) + "' is already there");
    if (used_ + planes.bytes() > this->bytes()) throw EngineError("more weights than the engine was opened for");
    uint8_t* at = arena_.get() + used_;
    check(cudaMemcpy(at, data, bytes, cudaMemcpyHostToDevice), "copying weights to the device");
    matrices_[key] = placed(at, planes, {format, size.first, size.second, shift, {}, {}, {}, {}, {}});
    used_ += planes.bytes();
  }

  const NativeMatrix& matrix(const std::string& name, int layer) const { return matrices_.at({name, layer}); }

 private:
  // Rows and columns.
  std::pair<int, int> size_of(const std::string& name) const {
    if (name == "query") return {shape_.query_width(), shape_.width};
    if (name == "key" || name == "value") return {shape_.kv_width(), shape_.width};
    if (name == "out") return {shape_.width, shape_.query_width()};
    if (name == "gate" || name == "up") return {shape_.hidden, shape_.width};
    if (name == "down") return {shape_.width, shape_.hidden};
    if (name == "head") return {shape_.vocabulary, shape_.width};
    throw EngineError("this model has no matrix '" + name + "'");
  }

  static NativeMatrix placed(const uint8_t* at, const NativePlanes& planes, NativeMatrix matrix) {
    matrix.codes = at;
    matrix.high = matrix.codes + NativePlanes::aligned(planes.codes);
    matrix.scales = matrix.high + NativePlanes::aligned(planes.high);
    matrix.minimums = matrix.scales + NativePlanes::aligned(planes.scales);
    matrix.factors = matrix.minimums + NativePlanes::aligned(planes.minimums);
    return matrix;
  }

  Shape shape_ = {};
  Buffer<uint8_t> arena_;
  int64_t used_ = 0;
  std::map<std::pair<std::string, int>, NativeMatrix> matrices_;
};

}  // namespace hipport_llm

#endif
