// The addresses and sizes of a model's tensors on the device.
#ifndef HIPPORT_LLM_TENSORS_H
#define HIPPORT_LLM_TENSORS_H

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "../kernels/block_state.cuh"
#include "../kernels/native_matrix.h"
#include "device.h"
#include "traits.h"

namespace hipport_llm {

// 0 for matrices that are not packed but kept in the formats of the model's file (native_weights.h).
inline int64_t packed_bytes(int rows, int columns) {
  if (kNative) return 0;
  return static_cast<int64_t>(row_tiles(rows)) * column_tiles(columns) * kTileBytes;
}

struct Tensor {
  uint8_t* at;
  int64_t bytes;
};

class Tensors {
 public:
  Tensors() = default;
  Tensors(const Shape& shape, const Traits& traits)
      : shape_(shape),
        offsets_(offsets_of(shape, traits)),
        extras_(extras_of(shape, traits, offsets_)),
        layers_(shape.layers * offsets_.bytes, "the layers' weights"),
        head_(packed_bytes(shape.vocabulary, shape.width), "the head's weights"),
        embedding_(static_cast<size_t>(shape.vocabulary) * shape.width, "the embedding"),
        final_norm_(shape.width, "a normalisation"),
        rope_(static_cast<size_t>(shape.max_positions) * (shape.head_width / 2), "RoPE's table"),
        local_rope_(traits.local_rope ? rope_.count() : 0, "RoPE's table"),
        experts_(traits.choice.experts),
        dense_(traits.dense),
        latent_(traits.latent) {}

  Model model() const { return {shape_, offsets_, layers_.get(), final_norm_.get(), head_.get(), rope_.get()}; }
  // What the model has besides; `traits` must outlive it.
  Layers layers(const Traits& traits) const { return {&traits, extras_, local_rope_.get()}; }
  const Number* embedding() const { return embedding_.get(); }
  const uint8_t* layers() const { return layers_.get(); }

  int64_t bytes() const {
    return layers_.bytes() + head_.bytes() + embedding_.bytes() + final_norm_.bytes() + rope_.bytes() +
           local_rope_.bytes();
  }
  int64_t layer_bytes() const { return layers_.bytes(); }
  // Bytes of weights that a step for one token reads: of the experts' biases, those of the chosen ones.
  int64_t step_bytes(int chosen) const {
    int64_t unread = 0;
    for (const Named& tensor : of_a_layer()) {
      const bool of_experts =
          std::strcmp(tensor.name, "gate_up_bias") == 0 || std::strcmp(tensor.name, "down_bias") == 0;
      if (of_experts && tensor.offset >= 0) unread += tensor.bytes / experts_ * (experts_ - chosen);
    }
    return layers_.bytes() + head_.bytes() - shape_.layers * unread;
  }

  // All tensors that must be loaded.
  std::vector<std::string> names() const {
    std::vector<std::string> names = {"embedding", "final_norm", "rope"};
    if (!kNative) names.push_back("head");
    if (local_rope_.count() > 0) names.push_back("local_rope");
    for (int layer = 0; layer < shape_.layers; ++layer)
      for (const Named& tensor : of_a_layer())
        if (tensor.offset >= 0 && tensor.bytes > 0 && has(tensor.name, layer))
          names.push_back(full_name(tensor.name, layer));
    return names;
  }

  static std::string full_name(const char* name, int layer) {
    for (const char* whole : {"head", "embedding", "final_norm", "rope", "local_rope"})
      if (std::strcmp(name, whole) == 0) return name;
    return std::string(name) + " of layer " + std::to_string(layer);
  }

  // Throws EngineError if there is no such tensor.
  Tensor find(const char* name, int layer) const {
    const Tensor whole[] = {bytes_of(head_), bytes_of(embedding_), bytes_of(final_norm_), bytes_of(rope_),
                            bytes_of(local_rope_)};
    const char* names[] = {"head", "embedding", "final_norm", "rope", "local_rope"};
    for (int i = 0; i < 5; ++i)
      if (std::strcmp(name, names[i]) == 0) return whole[i];
    if (layer < 0 || layer >= shape_.layers) throw EngineError("there is no layer " + std::to_string(layer));
    return of_layer(name, layer);
  }

 private:
  static int64_t aligned(int64_t bytes) { return (bytes + 127) / 128 * 128; }

  struct Named {
    const char* name;
    int64_t offset, bytes;
  };

  static LayerOffsets offsets_of(const Shape& shape, const Traits& traits) {
    LayerOffsets offsets = {};
    offsets.out = aligned(packed_bytes(shape.qkv_rows(), shape.width));
    offsets.gate_up = offsets.out + aligned(packed_bytes(shape.width, shape.query_width()));
    offsets.down = offsets.gate_up + aligned(packed_bytes(2 * shape.hidden, shape.width));
    offsets.attention_norm = offsets.down + aligned(packed_bytes(shape.width, shape.hidden));
    offsets.mlp_norm = offsets.attention_norm + aligned(shape.width * 2);
    offsets.qkv_bias = offsets.mlp_norm + aligned(shape.width * 2);
    offsets.query_norm = offsets.qkv_bias + (traits.qkv_bias ? aligned(shape.qkv_rows() * 2) : 0);
    offsets.key_norm = offsets.query_norm + aligned(shape.head_width * 2);
    offsets.bytes = traits.head_norms ? offsets.key_norm + aligned(shape.head_width * 2) : offsets.query_norm;
    if (!traits.qkv_bias) offsets.qkv_bias = -1;
    if (!traits.head_norms) offsets.query_norm = offsets.key_norm = -1;
    return offsets;
  }

  // Makes room for them after the other weights of a layer.
  static ExtraOffsets extras_of(const Shape& shape, const Traits& traits, LayerOffsets& offsets) {
    const int64_t experts = traits.choice.experts;
    const auto take = [&](bool there, int64_t count) {
      const int64_t at = offsets.bytes;
      if (there) offsets.bytes += aligned(count * 2);
      return there ? at : -1;
    };
    ExtraOffsets extras = {};
    extras.post_attention_norm = take(traits.post_norms, shape.width);
    extras.post_mlp_norm = take(traits.post_norms, shape.width);
    extras.out_bias = take(traits.out_bias, shape.width);
    extras.sinks = take(traits.sinks, shape.heads);
    extras.router_bias = take(traits.expert_biases, experts);
    extras.gate_up_bias = take(traits.expert_biases, experts * 2 * shape.hidden);
    extras.down_bias = take(traits.expert_biases, experts * shape.width);
    extras.choice_bias = take(traits.choice_bias, experts * 2);
    extras.shared_gating = take(traits.shared_gate, shape.width);
    extras.query_latent_norm = take(traits.latent.query_rank > 0, traits.latent.query_rank);
    extras.latent_norm = take(traits.has_latents(), traits.latent.rank);
    return extras;
  }

  // The tensors of each layer; those that this model lacks have a negative offset.
  std::array<Named, 20> of_a_layer() const {
    const int64_t experts = experts_;
    return {{
        {"qkv", offsets_.qkv, packed_bytes(shape_.qkv_rows(), shape_.width)},
        {"out", offsets_.out, packed_bytes(shape_.width, shape_.query_width())},
        {"gate_up", offsets_.gate_up, packed_bytes(2 * shape_.hidden, shape_.width)},
        {"down", offsets_.down, packed_bytes(shape_.width, shape_.hidden)},
        {"attention_norm", offsets_.attention_norm, shape_.width * 2},
        {"mlp_norm", offsets_.mlp_norm, shape_.width * 2},
        {"qkv_bias", offsets_.qkv_bias, shape_.qkv_rows() * 2},
        {"query_norm", offsets_.query_norm, shape_.head_width * 2},
        {"key_norm", offsets_.key_norm, shape_.head_width * 2},
        {"post_attention_norm", extras_.post_attention_norm, shape_.width * 2},
        {"post_mlp_norm", extras_.post_mlp_norm, shape_.width * 2},
        {"out_bias", extras_.out_bias, shape_.width * 2},
        {"sinks", extras_.sinks, shape_.heads * 2},
        {"router_bias", extras_.router_bias, experts * 2},
        {"gate_up_bias", extras_.gate_up_bias, experts * shape_.hidden * 4},
        {"down_bias", extras_.down_bias, experts * shape_.width * 2},
        {"choice_bias", extras_.choice_bias, experts * 4},
        {"shared_gating", extras_.shared_gating, shape_.width * 2},
        {"query_latent_norm", extras_.query_latent_norm, latent_.query_rank * 2},
        {"latent_norm", extras_.latent_norm, latent_.rank * 2},
    }};
  }

  Tensor of_layer(const char* name, int layer) const {
    for (const Named& tensor : of_a_layer())
      if (std::strcmp(name, tensor.name) == 0 && tensor.offset >= 0 && has(name, layer))
        return {layers_.get() + layer * offsets_.bytes + tensor.offset, tensor.bytes};
    throw EngineError("this model has no tensor '" + std::string(name) + "'");
  }

  // Whether a layer has a vector that other layers of the model have: dense ones have none of experts.
  bool has(const char* name, int layer) const {
    if (!dense_[layer]) return true;
    for (const char* of_experts : {"router_bias", "gate_up_bias", "down_bias", "choice_bias", "shared_gating"})
      if (std::strcmp(name, of_experts) == 0) return false;
    return true;
  }

  template <typename T>
  static Tensor bytes_of(const Buffer<T>& buffer) {
    return {reinterpret_cast<uint8_t*>(buffer.get()), static_cast<int64_t>(buffer.bytes())};
  }

  Shape shape_ = {};
  LayerOffsets offsets_ = {};
  ExtraOffsets extras_ = {};
  Buffer<uint8_t> layers_, head_;
  Buffer<Number> embedding_, final_norm_;
  Buffer<float2> rope_, local_rope_;
  int experts_ = 0;
  std::vector<bool> dense_;
  LatentWidths latent_ = {};
};

}  // namespace hipport_llm

#endif
