// What the layers of a model have besides those of Llama, and where it is in device memory.
#ifndef HIPPORT_LLM_TRAITS_H
#define HIPPORT_LLM_TRAITS_H

#include <algorithm>
#include <vector>

#include "../kernels/activation.cuh"
#include "../kernels/expert_choice.cuh"
#include "../kernels/expert_routing.cuh"
#include "../kernels/latent_heads.cuh"
#include "../kernels/model.h"
#include "../kernels/sight.cuh"
#include "hipport_llm.h"

namespace hipport_llm {

struct Traits {
  bool qkv_bias, head_norms;
  std::vector<int> windows;  // of each layer; 0: its tokens see all positions up to their own
  // Only in general builds:
  bool local_rope;  // layers with a window have RoPE's second table
  bool out_bias, post_norms, sinks;
  Activation activation;
  ExpertChoice choice;  // without experts: dense
  bool expert_biases;
  Routing routing;
  bool choice_bias;         // scores have a bias for the choice
  std::vector<bool> dense;  // of each layer of a mixture of experts: whether it has none
  int dense_hidden;         // of those layers
  int shared_hidden;        // of experts that every token takes; 0: there are none
  bool shared_gate;         // their results are weighted
  LatentWidths latent;

  explicit Traits(const hipport_llm_config& c = {})
      : qkv_bias(c.qkv_bias != 0),
        head_norms(c.head_norms != 0),
        windows(c.layers > 0 ? c.layers : 0),
        local_rope(c.local_rope != 0),
        out_bias(c.out_bias != 0),
        post_norms(c.post_norms != 0),
        sinks(c.sinks != 0),
        activation(static_cast<Activation>(c.activation)),
        choice{c.experts, c.experts_chosen, c.experts_of_all != 0},
        expert_biases(c.expert_biases != 0),
        routing{static_cast<Scores>(c.expert_scores),
                std::max(c.expert_groups, 1),
                std::max(c.expert_groups_chosen, 1),
                c.expert_group_best,
                c.expert_normalized != 0,
                c.expert_scale},
        choice_bias(c.expert_choice_bias != 0),
        dense(windows.size()),
        dense_hidden(c.dense_hidden),
        shared_hidden(c.shared_hidden),
        shared_gate(c.shared_gate != 0),
        latent{c.query_rank,  c.latent_rank,           c.nope_width, c.rope_width,
               c.value_width, c.rope_interleaved != 0, c.query_scale} {
    for (size_t i = 0; c.windows != nullptr && i < windows.size(); ++i) windows[i] = c.windows[i];
    for (size_t i = 0; c.dense != nullptr && i < dense.size(); ++i) dense[i] = c.dense[i] != 0;
  }

  bool experts() const { return choice.experts > 0; }
  bool has_experts(int layer) const { return experts() && !dense[layer]; }
  bool has_latents() const { return latent.rank > 0; }
  // The width of a dense layer's feed-forward network, and of the widest that is not an expert.
  int hidden_of_dense(const Shape& shape) const { return experts() ? dense_hidden : shape.hidden; }
  int most_hidden(const Shape& shape) const { return std::max({shape.hidden, dense_hidden, shared_hidden}); }
  // The width of the attention's output.
  int output_width(const Shape& shape) const {
    return has_latents() ? shape.heads * latent.value : shape.query_width();
  }
  // Whether a layer's tokens do not simply see all positions.
  bool limited(int layer) const { return windows[layer] > 0 || sinks; }
  bool limited() const {
    for (size_t layer = 0; layer < windows.size(); ++layer)
      if (limited(static_cast<int>(layer))) return true;
    return false;
  }
  // Whether only a general build runs the model.
  bool general() const {
    return local_rope || out_bias || post_norms || sinks || experts() || has_latents() ||
           activation != Activation::kSilu;
  }
};

// The offsets of vectors of a layer that only some models have, from the layer's start; or -1.
struct ExtraOffsets {
  int64_t post_attention_norm, post_mlp_norm, out_bias;  // [width]
  int64_t sinks;                                         // [heads]
  int64_t router_bias;                                   // [experts]
  int64_t gate_up_bias;                                  // [experts][2 * hidden]: gate, then up
  int64_t down_bias;                                     // [experts][width]
  int64_t choice_bias;                                   // [experts] of float
  int64_t shared_gating;                                 // [width]
  int64_t query_latent_norm, latent_norm;                // [rank]
};

// What steps and prompts need of them. All addresses stay valid as long as the engine.
struct Layers {
  const Traits* traits;
  ExtraOffsets extras;
  const float2* local_rope;

  const Number* of(const Model& model, int layer, int64_t offset) const {
    return offset < 0 ? nullptr : reinterpret_cast<const Number*>(model.at(layer, offset));
  }
  LimitedSight sight(const Model& model, int layer) const {
    return {traits->windows[layer], of(model, layer, extras.sinks)};
  }
  const float2* rope(const Model& model, int layer) const {
    return traits->local_rope && traits->windows[layer] > 0 ? local_rope : model.rope;
  }
};

// Returns visit(head width as a type's value) for the widths that this build has kernels for.
template <typename Visit>
void visit_head_width(int width, const Visit& visit) {
#if HIPPORT_LLM_GENERAL
  (void)width;
  visit(std::integral_constant<int, HIPPORT_LLM_HEAD_WIDTH>{});
#else
  if (width == 128)
    visit(std::integral_constant<int, 128>{});
  else
    visit(std::integral_constant<int, 64>{});
#endif
}

}  // namespace hipport_llm

#endif
